from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import longreach
from longreach.answer.trained_runs import TrainedRuns, train
from longreach.errors import InputError
from longreach.experiments.resolve import resolve
from longreach.results.schema import Final
from longreach.tasks.sort import Sort
from longreach.tasks.task import IntArray
from longreach.verdicts.verdict import Answer
from tests.helpers.result_samples import sample, sample_failure

TINY: dict[str, Any] = {
    "train_lengths": (1, 4), "max_steps": 4, "test_size": 10, "layers": 1, "heads": 1, "width": 8,
}  # fmt: skip


def _runs(
    shares: list[float | None], encoding: str = "ape", task: str = "aa", reached: bool = True
) -> TrainedRuns:
    """Runs with these accuracies on the longest inputs; None: failed."""
    config = resolve(task, encoding, train_lengths=(2, 20))
    numbers = {"2-20": 1.0, "21-40": 1.0}
    results = [
        sample_failure(seed)
        if share is None
        else sample(seed, final=Final(steps=5, reached=reached, accuracy={**numbers, "41-60": share}))
        for seed, share in enumerate(shares)
    ]
    return TrainedRuns(config=config, results=tuple(results), directory=Path("runs"))


def test_runs_are_trained_once_and_then_read(tmp_path: Path) -> None:
    found = train("binary-majority", "nope", seeds=2, runs=tmp_path, **TINY)
    assert [result.seed for result in found.results] == [0, 1]
    assert [row["seed"] for row in found.rows()] == [0, 1]
    assert found.tally.runs == 2
    again = train("binary-majority", "nope", seeds=[1], runs=tmp_path, **TINY)
    assert again.results == found.results[1:]
    assert len(longreach.results(tmp_path)) == 2


def test_settings_are_those_of_the_laptop_where_none_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "longreach.answer.trained_runs.train_members", lambda members, runs, progress: members
    )
    found = train("aa")
    assert [each.seed for each in found.results] == [0, 1, 2]
    assert found.config == resolve("aa", "ape", scale="laptop")
    assert train("aa", "nope", scale="paper", lr=0.5).config == resolve("aa", "nope", scale="paper", lr=0.5)


@pytest.mark.parametrize(
    ("shares", "encoding", "state"),
    [
        ([1.0, 1.0, 0.9], "ape", "agrees"),
        ([0.0, 0.1, 0.0], "nope", "agrees"),
        ([0.0, 0.1, 0.0], "ape", "contradicts"),
        ([1.0, 1.0], "nope", "contradicts"),
        ([1.0, 1.0], "rope", "cannot be judged"),
        ([None], "ape", "cannot be judged"),
    ],
)
def test_runs_are_judged_by_the_forecast(shares: list[float | None], encoding: str, state: str) -> None:
    assert _runs(shares, encoding).finding.state == state


def test_the_forecast_is_that_of_the_encoding() -> None:
    assert [_runs([1.0], each).forecast for each in ("nope", "ape", "rope")] == [Answer.NO, Answer.YES, None]


def test_three_lines_say_what_came_out() -> None:
    assert repr(_runs([1.0, None, 0.0])).splitlines() == [
        "aa with learned positions (APE), trained on lengths 2–20",
        "  accuracy at 41–60: 100.0 %, failed, 0.0 %",
        _runs([1.0, None, 0.0]).finding.words,
    ]


def test_a_notebook_shows_a_row_per_run() -> None:
    html = _runs([1.0, None])._repr_html_()
    assert html.count("<tr>") == 3
    assert "failed" in html
    assert "the measured run agrees with the forecast" in html


def test_a_plot_is_drawn_on_given_axes(tmp_path: Path) -> None:
    matplotlib.use("Agg")
    found = train("binary-majority", "nope", seeds=1, runs=tmp_path, **TINY)
    axes = Figure().subplots()
    assert found.plot(axes) is axes
    assert axes.get_title() == "binary-majority"


class _Downwards(Sort):
    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, y, sizes = super().draw(lengths, rng)
        inside = np.arange(y.shape[1]) < sizes[:, None]
        return x, np.where(inside, self.size - 1 - y, y), sizes


@pytest.mark.slow
def test_objects_of_one_name_have_their_own_results(tmp_path: Path) -> None:
    first = train(Sort(12), "nope", seeds=1, runs=tmp_path, **TINY)
    other = train(_Downwards(12), "nope", seeds=1, runs=tmp_path, **TINY)
    built_in = train(Sort(), "nope", seeds=1, runs=tmp_path, **TINY)
    tasks = [found.config.task for found in (first, other, built_in)]
    assert tasks[0] != tasks[1]
    assert all(task.startswith("object:sort@") for task in tasks[:2])
    assert tasks[2] == "sort"
    assert len(longreach.results(tmp_path)) == 3
    assert repr(first).startswith("sort without positions")


def test_an_alphabet_reaches_the_task(tmp_path: Path) -> None:
    found = train("regex:(a|b)*", "nope", seeds=1, runs=tmp_path, alphabet="abc", **TINY)
    assert found.config.alphabet == ("a", "b", "c")


def test_bad_settings_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^seeds: 0: at least one run has to be trained$"):
        train("aa", seeds=0, runs=tmp_path)
    with pytest.raises(InputError, match="width"):
        train("aa", runs=tmp_path, width=7, heads=2)
    with pytest.raises(InputError, match=r"^task: no task is named 'ab'"):
        train("ab", runs=tmp_path)
    assert list(tmp_path.iterdir()) == []
