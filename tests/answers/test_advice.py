"""Advice: what is suggested, who is trained, in which order, when it ends, and what is concluded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.answers.advice import (
    NOTHING_KNOWN,
    NOTHING_NEEDED,
    SAME,
    Trials,
    advise,
    original_encoding,
    original_members,
    remedy_members,
    try_remedies,
)
from longreach.answers.ask import ask
from longreach.answers.forecast import forecast
from longreach.answers.measurement import first_members, trained_to
from longreach.answers.question import Question
from longreach.answers.remedies import remedies
from longreach.answers.suggestions import KEPT, StudyRuns, kept_text, runs_of_study, shares_words, study_runs
from longreach.errors import InputError
from longreach.runs.resolve import resolve
from longreach.runs.timed import TimedTraining
from longreach.runs.train import Nobody
from longreach.studies.advice import curves
from longreach.tasks.lengths import LengthRange
from tests.helpers.asked_results import asked, other_lengths, write_results
from tests.helpers.made_up_training import replace_training
from tests.helpers.paths import ROOT

# Without trials


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("sort", NOTHING_NEEDED),
        ("kgram-retrieval", NOTHING_KNOWN),
        (
            "boolean-expressions",
            (
                "Not tried yet: no theory speaks for a change; "
                "worth a try is boolean-expressions+scratchpad with coupled."
            ),
        ),
        ("parity", "Not tried yet: the surest change is parity+scratchpad with coupled-local."),
    ],
)
def test_conclusions_without_trials(task: str, said: str) -> None:
    found = advise(task, minutes=0)
    assert found.conclusion == said
    assert found.is_needed == (task != "sort")
    assert found.best == next(iter(found.remedies), None)
    assert all(each["measured"] is None for each in found.document()["advice"])
    text = repr(found)
    assert text.splitlines()[0] == f"{task}   {found.forecast.task.about}"
    assert text.endswith(said)
    assert all(each.change in text for each in found.remedies)


def test_numbers() -> None:
    assert shares_words((0.999, 1.0)) == "100.0 %"
    assert shares_words((0.1, 1.0)) == "10.0–100.0 %"


def test_the_sparsity_of_the_original_is_in_positions() -> None:
    document = advise("copy-repeat", minutes=0).document()
    original, changed = document["original_sparsity"], document["advice"][0]["sparsity"]
    assert (original["ids"], original["local"]) == ("true", False)
    assert (changed["ids"], changed["local"]) == ("coupled", True)


# What `longreach study advice` found


def test_what_is_kept_is_what_the_study_found() -> None:
    found = (ROOT / "results" / "coupling" / "advice.json").read_text(encoding="utf-8")
    assert KEPT.read_text(encoding="utf-8") == kept_text(runs_of_study(json.loads(found)))


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
    found, known = advise("copy-repeat", minutes=0), study_runs("copy-repeat", "coupled-local")
    assert known is not None
    assert found.in_study(found.remedies[0]) == known
    # Hints are not in the study.
    assert [each["study"] for each in found.document()["advice"]] == [known.document(), None]
    assert known.words in repr(found)
    (told,) = ask("copy-repeat", minutes=0).advice
    assert known.words in told.basis


# What `longreach ask` suggests


REACH = "last matches (reach) instead of positions"


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("regex:(aa)*", [REACH, "learned positions (APE)", "an encoding with integer period 2"]),
        ("regex:(a|b)*bb(a|b)*", [REACH, "learned positions (APE)", "positions that single out"]),
        ("012-0-2", [REACH, "write intermediate steps before the answer (+scratchpad)"]),
        ("binary-majority", []),
        ("parity", ["write intermediate steps before the answer (+scratchpad)"]),
        ("addition", ["write the answer in reverse (+reversed)"]),
        ("boolean-expressions", ["write intermediate steps before the answer (+scratchpad)"]),
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
    assert found[0].measured is not None
    assert "0 of 3 runs work" in found[0].measured
    assert "2 of 3 runs work" in found[0].measured
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
    changes = [each.change for each in ask("aa", runs=tmp_path, encodings=("nope", "ape")).advice]
    assert "training to 12 or more" in changes


def test_the_form_that_was_measured(tmp_path: Path) -> None:
    members = remedy_members(Question(task="parity"), remedies(forecast("parity"))[0], 1.0)
    (before,) = ask("parity", minutes=0, runs=tmp_path).advice
    assert before.measured is None
    assert before.basis.endswith("longreach ask parity --try trains it in 5 minutes")
    write_results(tmp_path, members, lambda member: True)
    (after,) = ask("parity", minutes=0, runs=tmp_path).advice
    assert after.measured is not None
    assert after.measured.startswith("measured: 3 of 3 runs work at ")
    assert after.change == before.change


# Which runs try a remedy


@pytest.mark.parametrize(
    "task", ["parity", "addition", "copy-repeat", "aa", "regex:(aa)*", "cycle-navigation"]
)
@pytest.mark.parametrize("share", [1.0, 0.25])
def test_side_by_side_only_the_change_differs(task: str, share: float) -> None:
    question, found = Question(task=task, seeds=2), remedies(forecast(task))
    changed = remedy_members(question, found[0], share)
    plain = original_members(question, original_encoding(found, forecast(task).stored), changed[0])
    assert [member.seed for member in plain] == [member.seed for member in changed] == [0, 1]
    for one, other in zip(plain, changed, strict=True):
        assert all(getattr(one, name) == getattr(other, name) for name in SAME)
        assert one.train_lengths.last == other.train_lengths.last
        assert one.test_lengths == other.test_lengths
        assert (one.task, one.encoding) != (other.task, other.encoding)
    assert plain[0].test_lengths[-1].last == 3 * plain[0].train_lengths.last


def test_all_steps_are_the_runs_of_the_laptop() -> None:
    for remedy in remedies(forecast("parity")):
        (member,) = remedy_members(Question(task="parity", seeds=1), remedy, 1.0)
        assert member == resolve(remedy.task, remedy.encoding, scale="laptop")


def test_another_training_length() -> None:
    question = Question(task="copy-repeat", train_to=7)
    member = remedy_members(question, remedies(forecast("copy-repeat"))[0], 1.0)[0]
    assert [lengths.name for lengths in member.ranges] == ["1-7", "8-14", "15-21"]


# Remedies tried with made-up training


def _tried(task: str, runs: Path, minutes: float = 5.0, seeds: int = 2) -> Trials:
    known = forecast(task)
    question = Question(command="advise", task=task, minutes=minutes, seeds=seeds)
    return try_remedies(question, known, remedies(known), runs, progress=Nobody())


def test_no_minutes_no_trials(tmp_path: Path) -> None:
    assert _tried("parity", tmp_path, minutes=0) == Trials()
    assert _tried("sort", tmp_path) == Trials()
    assert list(tmp_path.iterdir()) == []


def test_a_remedy_that_works_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    found = advise("copy-repeat", runs=tmp_path)
    assert [[(each.encoding, each.seed) for each in members] for members in asked] == [
        [("ape", 0), ("coupled-local", 0), ("ape", 1), ("coupled-local", 1)]
    ]
    original, working = found.trials.original, found.trials.working
    assert original is not None
    assert (original.tally.works, original.encoding) == (False, "ape")
    assert working is not None
    remedy, trial = working
    assert (remedy.encoding, trial.tally.work, found.trials.failed, found.trials.untried) == (
        "coupled-local", 2, (), (),
    )  # fmt: skip
    assert (trial.span(trial.tested), original.span(trial.tested)) == ((1.0, 1.0), (0.0, 0.0))
    assert trial.span(LengthRange(1000, 2000)) is None
    assert trial.document()["work"] == 2
    said = found.conclusion
    assert said.startswith("copy-repeat with coupled-local works: 2 of 2 runs work at lengths")
    assert "as it is, 0 of 2 runs work" in said
    assert len(found.ranges) == 3


def test_after_a_failure_comes_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: "index-hints" in member.task)
    found = advise("copy-repeat", runs=tmp_path)
    assert [members[-1].task for members in asked] == ["copy-repeat", "copy-repeat+index-hints"]
    assert [remedy.encoding for remedy in found.trials.failed] == ["coupled-local"]
    document = json.loads(json.dumps(found.document()))
    assert document["task"] == "copy-repeat"
    assert document["trained"] == {"nope": "no", "ape": "no", "reach": "undecided"}
    assert document["original"]["work"] == 0
    assert [each["works"] for each in document["advice"]] == [False, True]
    assert document["best"] == "copy-repeat+index-hints with ape"
    for each in document["advice"]:
        assert {"change", "basis", "measured"} <= set(each)
        assert len(each["measured"]["accuracy"]) == 2


def test_all_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: False)
    found = advise("copy-repeat", runs=tmp_path)
    assert (found.trials.working, len(found.trials.failed), found.best) == (None, 2, None)
    assert found.conclusion == (
        "Tried, and not seen to work: copy-repeat with coupled-local (0 of 2 runs work), "
        "copy-repeat+index-hints with ape (0 of 2 runs work)."
    )


def test_what_does_not_fit_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: False, seconds=10_000.0)
    found = _tried("copy-repeat", tmp_path, minutes=2, seeds=3)
    assert len(asked) == 1
    assert found.share < 1
    ((remedy, seconds),) = found.untried
    assert remedy.task == "copy-repeat+index-hints"
    assert seconds > 0


def test_of_what_does_not_fit_as_many_runs_as_there_is_time_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace_training(monkeypatch, lambda member: False, seconds=1.0)
    fits = TimedTraining.fits
    monkeypatch.setattr(TimedTraining, "fits", lambda self, members: len(members) < 3 and fits(self, members))
    found = _tried("copy-repeat", tmp_path, minutes=5, seeds=4)
    assert [len(members) for members in asked] == [8, 2]
    assert [trial.tally.runs for _, trial in found.tried] == [4, 2]
    assert found.untried == ()


def test_the_first_remedy_that_there_is_room_for_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace_training(monkeypatch, lambda member: True)
    question = Question(command="advise", task="copy-repeat", train_to=150)
    known = forecast("copy-repeat")
    coupled, hints = remedies(known)
    found = try_remedies(question, known, (hints, coupled), tmp_path)
    assert [remedy for remedy, _ in found.tried] == [coupled]
    assert [remedy for remedy, _ in found.refused] == [hints]
    assert len(asked) == 1
    with pytest.raises(InputError, match="the longest of shorter ones is 199"):
        try_remedies(question, known, (hints,), tmp_path)


def test_the_plan_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: None, seconds=60.0)
    first = _tried("copy-repeat", tmp_path, minutes=2)
    asked = replace_training(monkeypatch, lambda member: True, seconds=0.0)
    again = _tried("copy-repeat", tmp_path, minutes=2)
    assert again.share == first.share < 1
    assert again.working is not None
    assert len(asked) == 1
    assert _tried("copy-repeat", tmp_path, minutes=2).working is not None
    assert len(asked) == 1  # everything is there


def test_an_interruption_keeps_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: False if member.seed == 0 else None, interrupt=True)
    found = _tried("copy-repeat", tmp_path)
    assert found.interrupted
    assert len(asked) == 1
    assert found.original is not None
    assert (found.original.tally.runs, found.original.planned) == (1, 2)


def test_a_remedy_without_room_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are 200 hints: inputs three times as long as 150 have none."""
    replace_training(monkeypatch, lambda member: False)
    found = advise("copy-repeat", runs=tmp_path, train_to=150)
    assert [remedy.name for remedy, _ in found.trials.refused] == ["copy-repeat+index-hints with ape"]
