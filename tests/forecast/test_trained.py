"""What is trained is forecast by its own verdict, wherever a forecast meets a measurement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.comparison.cell_forecast import forecast_of, verdict_of
from longreach.comparison.places import Place
from longreach.forecast import forecast, forecast_all
from longreach.report.forecast_view import known_of
from longreach.tasks.language_task import RegularLanguage

EASIER = "regex:(a|ba)*b?"


def test_a_language_that_is_easier_to_predict() -> None:
    found = forecast(EASIER)
    nope = found.sides["nope"]
    assert (nope.answer, nope.prediction, nope.trained) == ("no", "yes", "yes")
    assert nope.differs
    assert nope.trained_certificate.kind == "program"
    assert nope.trained_proof.program.core.class_name == "C-RASP[∅]"
    assert nope.trained_needs == (0, 1)
    assert not found.sides["ape"].differs
    assert found.encodings["rope"].statement.endswith("a program without positions exists already")
    assert found.document()["trained"] == {"nope": "yes", "ape": "yes", "local": "yes"}
    document = found.document()["nope"]
    assert document["verdict"] == document["prediction_everywhere"] == "no"
    assert document["prediction"] == "yes"
    assert document["prediction_certificate"]["prediction"] is True
    assert document["certificate"]["kind"] == "flow"


def test_measurements_are_compared_with_what_is_trained() -> None:
    assert forecast_of(Place(EASIER, "nope")) == "yes"
    assert verdict_of(EASIER, "nope") == "no"
    known = known_of(EASIER, None, "easier")
    assert known.answer("nope") == "yes"
    reason = known.verdicts[0].reason
    assert reason.startswith("for what is trained")
    assert "as membership over all words: no" in reason


def test_a_program_as_a_task_labels_all_words(tmp_path: Path) -> None:
    file = tmp_path / "no_bb.cr"
    file.write_text('#alphabet a b\nL = # ("b" && #[i-1] "b" >= 1) == 0\n')
    found = forecast(f"crasp:{file}")
    nope = found.sides["nope"]
    assert (nope.answer, nope.trained, nope.prediction) == ("no", "no", "yes")
    assert found.document()["trained"] == {"nope": "no", "ape": "yes", "local": "yes"}


def test_nothing_changes_for_the_benchmark() -> None:
    for each in forecast_all():
        for side in each.sides.values():
            assert side.trained is side.answer
        if isinstance(each.task, RegularLanguage):
            assert "prediction_certificate" not in json.dumps(each.document())
            assert each.document()["trained"]["nope"] == each.sides["nope"].prediction.value


@pytest.mark.parametrize(("name", "window"), [("tomita-4", 1), ("aa", 0), ("d-3", 0)])
def test_window_for_what_is_trained(name, window) -> None:
    ape = forecast(name).sides["ape"]
    assert ape.trained_needs[0] == ape.document()["prediction_window"] == window
