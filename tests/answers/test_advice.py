"""Tests of `answers.advice`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.answers.advice import NOTHING_KNOWN, NOTHING_NEEDED, advise, remedy_members
from longreach.answers.ask import ask
from longreach.answers.forecast import forecast
from longreach.answers.measurement import first_members, trained_to
from longreach.answers.question import Question
from longreach.answers.remedies import remedies
from longreach.answers.suggestions import KEPT, StudyRuns, kept_text, runs_of_study, shares_words, study_runs
from longreach.studies.advice import curves
from tests.helpers.asked_results import asked, other_lengths, write_results
from tests.helpers.made_up_training import replace_training
from tests.helpers.paths import ROOT


def test_conclusions_without_trials() -> None:
    assert advise("sort", minutes=0).conclusion == NOTHING_NEEDED
    assert advise("kgram-retrieval", minutes=0).conclusion == NOTHING_KNOWN
    assert advise("boolean-expressions", minutes=0).conclusion == (
        "Not tried yet: no theory speaks for a change; "
        "worth a try is boolean-expressions+scratchpad with coupled."
    )
    assert "parity+scratchpad with coupled-local" in advise("parity", minutes=0).conclusion


@pytest.mark.slow
def test_conclusions_of_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    found = advise("copy-repeat", runs=tmp_path / "works")
    said = found.conclusion
    assert said.startswith("copy-repeat with coupled-local works: 2 of 2 runs work at lengths")
    assert "as it is, 0 of 2 runs work" in said
    assert len(found.ranges) == 3
    replace_training(monkeypatch, lambda member: False)
    failed = advise("copy-repeat", runs=tmp_path / "fails").conclusion
    assert failed.startswith("Tried, and not seen to work: copy-repeat with coupled-local (0 of 2 runs work)")
    assert "copy-repeat+index-hints with ape (0 of 2 runs work)" in failed


def test_text() -> None:
    text = repr(advise("parity", minutes=0))
    assert text.splitlines()[0] == "parity   whether the number of ones is even or odd"
    assert "expected to fail; proved" in text
    assert "+scratchpad" in text


def test_numbers() -> None:
    assert shares_words((0.999, 1.0)) == "100.0 %"
    assert shares_words((0.1, 1.0)) == "10.0–100.0 %"


FOUND = ROOT / "results" / "coupling" / "advice.json"


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
    (told,) = ask("copy-repeat", minutes=0).advice
    assert known.words in told.basis


def test_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: "index-hints" in member.task)
    found = advise("copy-repeat", runs=tmp_path)
    document = json.loads(json.dumps(found.document()))
    assert document["task"] == "copy-repeat"
    assert document["trained"] == {"nope": "no", "ape": "no"}
    assert document["original"]["work"] == 0
    assert [each["works"] for each in document["advice"]] == [False, True]
    assert document["best"] == "copy-repeat+index-hints with ape"
    for each in document["advice"]:
        assert {"change", "basis", "measured"} <= set(each)
        assert len(each["measured"]["accuracy"]) == 2


def test_without_trials_the_surest_is_best() -> None:
    found = advise("parity", minutes=0)
    assert found.best == found.remedies[0]
    assert all(each["measured"] is None for each in found.document()["advice"])
    assert "parity" in repr(found)


def test_what_failed_is_not_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: False)
    assert advise("parity", runs=tmp_path).best is None


def test_whether_it_is_needed() -> None:
    assert not advise("sort", minutes=0).is_needed
    assert advise("aa", minutes=0).is_needed


def test_the_sparsity_of_the_original_is_in_positions() -> None:
    document = advise("copy-repeat", minutes=0).document()
    assert document["original_sparsity"]["ids"] == "true"
    assert document["advice"][0]["sparsity"]["ids"] == "coupled"
    assert not document["original_sparsity"]["local"]
    assert document["advice"][0]["sparsity"]["local"]


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("regex:(aa)*", ["learned positions (APE) instead of none", "positions with an integer period of 2"]),
        ("regex:(a|b)*bb(a|b)*", ["learned positions (APE) instead of none", "positions that single out"]),
        ("binary-majority", []),
        ("parity", ["write the intermediate steps before the answer (+scratchpad)"]),
        ("addition", ["write the answer in reverse (+reversed)"]),
        ("boolean-expressions", ["write the intermediate steps before the answer (+scratchpad)"]),
    ],
)
def test_the_encoding_under_which_it_is_a_yes(task: str, changes: list[str]) -> None:
    found = ask(task, minutes=0).advice
    assert len(found) == len(changes)
    for each, change in zip(found, changes, strict=True):
        assert each.change.startswith(change)
        assert each.measured is None


def test_what_was_measured_stands_beside_it(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 2}).advice
    first = found[0]
    assert first.measured is not None
    assert "0 of 3 runs work" in first.measured
    assert "2 of 3 runs work" in first.measured
    assert not any(each.change.startswith("training to") for each in found)  # every length works
    assert any("several seeds" in each.change for each in found)


def test_runs_that_contradict_say_what_to_try(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 0}).advice
    assert any("train on longer inputs" in each.change for each in found)


def test_the_length_from_which_on_it_works(tmp_path: Path) -> None:
    first = first_members(Question(task="aa"), 1.0)
    write_results(tmp_path, first, lambda member: member.encoding == "ape")
    for member in first:
        others = [trained_to(member, length) for length in other_lengths(member)]
        write_results(tmp_path, others, lambda member: member.train_lengths.last >= 12)
    changes = [each.change for each in ask("aa", runs=tmp_path).advice]
    assert "training to 12 or more" in changes


def test_the_form_that_was_measured(tmp_path: Path) -> None:
    remedy = remedies(forecast("parity"))[0]
    members = remedy_members(Question(task="parity"), remedy, 1.0)
    (before,) = ask("parity", minutes=0, runs=tmp_path).advice
    assert before.measured is None
    assert before.basis.endswith("longreach ask parity --try tries it in 5 minutes")
    write_results(tmp_path, members, lambda member: True)
    (after,) = ask("parity", minutes=0, runs=tmp_path).advice
    assert after.measured is not None
    assert after.measured.startswith("measured: 3 of 3 runs work at ")
    assert after.change == before.change
