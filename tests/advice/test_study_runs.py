from __future__ import annotations

import json
from pathlib import Path

from longreach.advice import advise
from longreach.advice.study_runs import KEPT, StudyRuns, kept_text, runs_of_study, study_runs
from longreach.answer.what_helps import advice
from longreach.forecast import forecast
from longreach.studies.advice_study import curves

FOUND = Path(__file__).parents[2] / "results" / "coupling" / "advice.json"


def test_what_is_kept_is_what_the_study_found() -> None:
    document = json.loads(FOUND.read_text(encoding="utf-8"))
    assert KEPT.read_text(encoding="utf-8") == kept_text(runs_of_study(document))


def test_all_curves_of_the_study_are_kept_with_all_seeds() -> None:
    for curve in curves("laptop"):
        known = study_runs(curve.config.task, curve.config.encoding)
        assert known is not None
        assert len(known.accuracy) == curve.seeds == 3
        assert known.length == curve.lengths[-1]


def test_only_the_last_length_counts() -> None:
    curve = {
        "task": "a+scratchpad", "train_lengths": [1, 12],
        "config": {"encoding": "coupled", "predict_ids": True},
        "points": [{"length": 12}, {"length": 36}],
        "runs": [{"accuracy": {"12": 1.0, "36": 0.5}}, {"accuracy": {"12": 1.0, "36": 0.25}}],
    }  # fmt: skip
    (found,) = runs_of_study({"curves": [curve]})
    assert found == StudyRuns(
        task="a+scratchpad", encoding="coupled+predicted", train_to=12, length=36, accuracy=(0.5, 0.25)
    )
    assert found.words == "longreach study advice: right on 25.0–50.0 % at length 36, trained to 12 (2 runs)"


def test_advice_says_what_the_study_found() -> None:
    found = advise("copy-repeat", minutes=0)
    known = study_runs("copy-repeat", "coupled-local")
    assert known is not None
    assert found.in_study(found.remedies[0]) == known
    first, second = found.document()["advice"]
    assert first["study"] == known.document()
    assert second["study"] is None  # hints are not in the study
    assert known.words in repr(found)
    (told,) = advice(forecast("copy-repeat"), (), None, {}, ("nope", "ape"))
    assert known.words in told.basis
