"""What runs of a profile learned: windows of known width are found, and nothing where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longreach.answers.profile_runs import profile
from longreach.inspection import profiled
from longreach.inspection.extract import TrainedModel, open_run
from longreach.inspection.profiled import explained, window_of
from longreach.runs.train import InProcessEngine
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import IntArray
from longreach.training.checkpoint import MODEL


def here(jobs: int) -> InProcessEngine:
    """Two steps need no worker processes."""
    return InProcessEngine()


def model(task: str) -> TrainedModel:
    known: Any = None  # what it says is replaced
    return TrainedModel(load_task(task), known, {}, LengthRange(1, 20), ())


def says(monkeypatch: pytest.MonkeyPatch, rule: Any) -> None:
    monkeypatch.setattr(
        profiled, "_said", lambda trained, tokens: np.array([rule(row.tolist()) for row in tokens])
    )


@pytest.mark.parametrize("window", [1, 2, 4, 8, 16])
def test_a_window_is_found_to_the_token(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, lambda row: sum(token * (k + 1) for k, token in enumerate(row[-window:])) % 7)
    assert window_of(model("regex:(a|b|c)*a(a|b|c)*"), 60) == window


def test_a_model_that_remembers_has_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, lambda row: sum(row) % 2)
    assert window_of(model("regex:(a|b)*a(a|b)*"), 60) is None
    says(monkeypatch, lambda row: row[1])  # the first letter
    assert window_of(model("regex:(a|b)*a(a|b)*"), 60) is None


def test_where_the_model_always_says_the_same_there_is_nothing_to_find(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    says(monkeypatch, lambda row: 3)
    assert window_of(model("regex:(a|b)*a(a|b)*"), 60) == 0


@pytest.mark.parametrize("rare", [0.03, 0.96])
def test_answers_that_are_mostly_the_same_are_no_window(rare: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first letters decide, though for most inputs the answer stays the same whatever is exchanged."""
    says(monkeypatch, lambda row: int(sum(row[1:6]) % 31 / 31 < rare))
    assert window_of(model("majority"), 60) is None
    says(monkeypatch, lambda row: int(sum(row[-5:]) % 31 / 31 < rare))
    assert window_of(model("majority"), 60) == 6


def test_what_follows_beginnings_of_words_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """All brackets are closed where a word ends."""
    opening = load_task("dyck-1").tokens.index("(")
    says(monkeypatch, lambda row: 2 * row[1:].count(opening) > len(row) - 1)
    assert window_of(model("dyck-1"), 60) is None


def test_probing_inputs_are_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as random ones; here the answer is the symbol before SEP."""
    seen: list[IntArray] = []

    def said(trained: TrainedModel, tokens: IntArray) -> IntArray:
        seen.append(tokens)
        return tokens[:, -2]

    monkeypatch.setattr(profiled, "_said", said)
    assert window_of(model("parity"), 60) == 2
    assert len(seen[0]) == 4 * profiled.PAIRS


def test_answers_are_asked_for_behind_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of tasks with an answer the rows end at the first place that is asked about."""
    task, seen = load_task("copy-repeat"), []

    def said(trained: TrainedModel, tokens: IntArray) -> IntArray:
        seen.append(tokens)
        return tokens[:, -2]  # the last symbol before SEP

    monkeypatch.setattr(profiled, "_said", said)
    assert window_of(model("copy-repeat"), 30) == 2
    separator = task.tokens.index("SEP")
    assert all((tokens[:, -1] == separator).all() and (tokens[:, 1:-1] != separator).all() for tokens in seen)


def test_what_a_network_says_is_its_most_likely_token(tmp_path: Path) -> None:
    found = profile("lstm", needs=["depth"], scale="smoke", runs=tmp_path, engine=here)
    (run,) = found.runs
    assert (tmp_path / run.run / MODEL).is_file()
    trained = open_run(tmp_path / run.run)
    word = tuple("(())(")
    tokens = np.array([[trained.places[token] for token in ("SOS", *word)]])
    (said,) = profiled._said(trained, tokens)
    assert trained.task.tokens[said] == trained.said(word)


def test_several_runs_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = profile("lstm", needs=["depth"], scale="smoke", runs=tmp_path, engine=here)
    (run,) = found.runs
    failing = [run.model_copy(update={"task": task, "effective": 20}) for task in "abc"]
    for windows, words in (
        ([4, None, 8], "of 3 runs that fit but fail on longer inputs, 2 use only the last 4 to 8 tokens"),
        ([1, None, None], "of 3 runs that fit but fail on longer inputs, 1 uses only the last 1 token"),
        ([0, 4, None], "of 2 runs that fit but fail on longer inputs, 1 uses only the last 4 tokens"),
        ([0] * 3, None),
        ([None] * 3, "all of 3 runs that fit but fail on longer inputs use more than the last 24 tokens"),
    ):
        drawn = iter(windows)
        monkeypatch.setattr(profiled, "window_of", lambda trained, length, drawn=drawn: next(drawn))
        assert profiled._words(failing, tmp_path) == words


def test_a_sentence_for_each_need_that_does_not_extend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = profile("lstm", needs=["depth", "window"], scale="smoke", runs=tmp_path, engine=here)
    run, other = found.runs
    fits = [each.model_copy(update={"fitted": True, "effective": 20, "sure": 20}) for each in (run, other)]
    made = found.model_copy(update={"runs": tuple(fits)})
    windows = iter([8, None])
    monkeypatch.setattr(profiled, "window_of", lambda trained, length: next(windows))
    one, two = explained(made, tmp_path).needs
    assert one.learned == "the run that fits but fails on longer inputs uses only the last 8 tokens"
    assert two.learned == "the run that fits but fails on longer inputs uses more than the last 24 tokens"
    assert [each.learned for each in explained(found, tmp_path).needs] == [None, None]  # not fitted
