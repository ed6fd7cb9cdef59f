"""Tests of `answers.trained`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import longreach
from longreach.answers.agreement import Place, forecast_of, verdict_of
from longreach.answers.forecast import forecast, forecast_all
from longreach.answers.trained import TrainedRuns, train
from longreach.config.run import RunConfig
from longreach.report.forecast_view import known_of
from longreach.runs.resolve import resolve
from longreach.tasks.copying import Sort
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import IntArray
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Final, Result
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
    return TrainedRuns.of(config, results)


def test_runs_are_trained_once_and_then_read(tmp_path: Path) -> None:
    found = train("binary-majority", "nope", seeds=2, runs=tmp_path, **TINY)
    assert [result.seed for result in found.results] == [0, 1]
    assert [row["seed"] for row in found.rows()] == [0, 1]
    assert found.tally.runs == 2
    again = train("binary-majority", "nope", seeds=[1], runs=tmp_path, **TINY)
    assert again.results == found.results[1:]
    assert len(longreach.results(tmp_path)) == 2


def test_settings_are_those_of_the_laptop_where_none_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(members: list[RunConfig], runs: str, progress: None) -> list[Result]:
        return [sample(member.seed) for member in members]

    monkeypatch.setattr("longreach.answers.trained.train_members", pretend)
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


# What is trained is forecast by its own verdict, wherever a forecast meets a measurement.


EASIER = "regex:(a|ba)*b?"


def test_a_language_that_is_easier_to_predict() -> None:
    found = forecast(EASIER)
    nope = found.sides["nope"]
    assert (nope.answer, nope.prediction.answer, nope.trained) == ("no", "yes", "yes")
    assert nope.differs
    assert nope.trained_certificate.kind == "program"
    assert nope.trained_proof.program.core.class_name == "C-RASP[∅]"
    assert nope.trained_needs == (0, 1)
    assert not found.sides["ape"].differs
    assert found.encodings["rope"].statement.endswith("a program without positions exists already")
    assert found.document()["trained"] == dict.fromkeys(("nope", "ape", "local", "reach"), "yes")
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
    assert (nope.answer, nope.trained, nope.prediction.answer) == ("no", "no", "yes")
    trained = {"nope": "no", "ape": "yes", "local": "yes", "reach": "yes"}
    assert found.document()["trained"] == trained


def test_nothing_changes_for_the_benchmark() -> None:
    for each in forecast_all():
        for side in each.sides.values():
            assert side.trained is side.answer
        if isinstance(each.task, RegularLanguage):
            document = each.document()
            for key in each.sides:
                assert document["trained"][key] == document[key]["prediction"] == document[key]["verdict"]


@pytest.mark.parametrize(("name", "window"), [("tomita-4", 1), ("aa", 0), ("d-3", 0)])
def test_window_for_what_is_trained(name, window) -> None:
    ape = forecast(name).sides["ape"]
    assert ape.trained_needs[0] == ape.document()["prediction_window"] == window
