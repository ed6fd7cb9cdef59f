"""Tests of `studies.losses`."""

from __future__ import annotations

import math

import pytest

from longreach.answers.bounds import bounds_of
from longreach.config.run import RunConfig
from longreach.config.scales import SCALES
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies.catalog import LOSS_STUDIES, load_study
from longreach.studies.losses import LossReport, law_lines, least_length, loss_tables

STUDY = LOSS_STUDIES["simple-task"]


def _row(config: RunConfig) -> Row:
    """A run whose losses beyond N are (1 + seed/10) (ω / N)², so that a loss of 0.01 needs N = 10 ω."""
    omega, length = float(config.task.partition("=")[2]), config.train_lengths.last
    loss = (1 + config.seed / 10) * (omega / length) ** 2 / 100
    other = {f"loss {each.name}": loss for each in config.ranges} | {"L": 3 * omega}
    return Row(
        key=config.key, status="done", task=config.task, encoding=config.encoding, seed=config.seed,
        steps=100, seconds=1.0, reached=True, config=config.document(), other=other,
    )  # fmt: skip


@pytest.fixture(scope="module")
def report() -> LossReport:
    rows = [_row(config) for config in STUDY.members("laptop")]
    return STUDY.report(rows, "laptop")


def test_thresholds_are_where_the_loss_falls_below(report: LossReport) -> None:
    by_task = {each.task: each for each in report.thresholds}
    for omega in (4, 6, 8, 12):
        found = by_task[f"simple-task:omega={omega}"]
        for seed, length in found.by_seed.items():
            assert length == pytest.approx(omega * math.sqrt(1 + seed / 10), rel=1e-6)
        assert found.length is not None
        assert found.length >= omega
    assert set(by_task["simple-task:omega=2"].by_seed.values()) == {3.0}  # the smallest N that was trained


def test_the_law(report: LossReport) -> None:
    (law,) = report.laws
    assert law.values == (4, 6, 8, 12)
    assert law.below == (2,)
    assert law.missing == ()
    assert law.is_linear
    assert law.line is not None
    assert law.line.slope == pytest.approx(1.05, abs=0.1)
    lines = law_lines(report, STUDY.law)
    assert lines[0] == "least N for a loss of 0.01; the paper: linear in ω"
    assert "linear within the interval" in lines[1]
    assert "the smallest N was enough for some run at omega = 2" in lines[2]


def test_losses_that_rise_again_are_not_reached() -> None:
    assert least_length([(4, 1.0), (8, 0.001), (16, 1.0), (32, 0.01)], 0.1) == pytest.approx(16 * 2**0.5)
    assert least_length([(4, 0.001), (8, 1.0)], 0.1) is None
    assert least_length([], 0.1) is None
    assert least_length([(4, 1.0), (8, 0.0)], 0.1) == pytest.approx(4.0, rel=0.01)


def test_bounds_are_the_formulas(report: LossReport) -> None:
    workshop, worst = bounds_of("modp-task:p=3,k=0", 2.0, 0.01)
    assert workshop.value.number() == pytest.approx(3 * 4 / 0.01)
    assert worst.value.number() == pytest.approx(4 * 3**7 * 2**6 / 0.01)
    assert worst.ratio(10.0) == pytest.approx(4 * 3**7 * 2**6 / 0.01 / 10)
    assert worst.ratio(None) is None
    assert bounds_of("simple-task", None, 0.01) == ()
    found = {each.task: each for each in report.thresholds}["simple-task:omega=4"]
    assert found.bounds[0].value.number() == pytest.approx(144 / 0.01)
    document = found.document()
    assert document["bounds"][0]["bound_over_measured"] == pytest.approx(144 / 0.01 / document["threshold"])


def test_tables_and_other_results(report: LossReport) -> None:
    text = loss_tables(report, STUDY.law)
    assert text.count("\n| simple-task:omega=") == 40 + 5
    assert "one-layer-worst-case" in text
    members = STUDY.members("laptop", seeds=1, tasks=["simple-task:omega=8"])
    few = STUDY.report([_row(members[0].with_seed(77))], "laptop", 1, ["simple-task:omega=8"])
    assert not any(each.runs for each in few.outcomes)
    assert few.thresholds[0].length is None
    assert few.laws == ()
    assert "–" in loss_tables(few, STUDY.law)


MEMBERS = {"simple-task": (4, 120, 864), "modp-task": (4, 60, 392), "in-context-kgram": (4, 72, 576)}


@pytest.mark.parametrize("name", LOSS_STUDIES)
def test_members(name: str) -> None:
    study = LOSS_STUDIES[name]
    assert load_study(name) is study
    assert tuple(len(study.members(scale)) for scale in SCALES) == MEMBERS[name]
    for scale in SCALES:
        longest = set()
        for cell, configs in study.members_by_cell(scale).items():
            first = configs[0]
            assert first.train_lengths.last == cell.train_to
            assert all(lengths.first >= cell.train_to for lengths in first.test_lengths)
            assert [config.seed for config in configs] == list(range(study.grid(scale).seeds))
            longest.add(first.test_lengths[-1].first)
        assert len(longest) == 1
    paper = study.members("paper", seeds=1)[0]
    assert (paper.batch, paper.width, paper.hidden, paper.lr, paper.target_loss) == (
        1024,
        16,
        256,
        0.01,
        1e-5,
    )
    assert study.grid("paper").seeds == 8


def test_unknown_tasks() -> None:
    with pytest.raises(
        InputError, match="tasks: modp-task has no 'modp-task:p=7,k=0' at this scale; it has modp"
    ):
        LOSS_STUDIES["modp-task"].members("laptop", tasks=["modp-task:p=7,k=0"])


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSS_STUDIES)
def test_figures_with_and_without_results(name: str) -> None:
    study, rows = LOSS_STUDIES[name], []
    for config in study.members("smoke"):
        other = {f"loss {each.name}": 0.5 / config.train_lengths.last**2 for each in config.ranges}
        other["L"] = 2.0
        if name == "modp-task":
            other |= {"attention right": 0.1, "attention right deviation": 0.01}
        rows.append(
            Row(
                key=config.key, status="done", task=config.task, encoding=config.encoding, seed=config.seed,
                reached=True, other=other,
            )
        )  # fmt: skip
    for found in ([], rows):
        report = study.report(found, "smoke")
        content = study.content(report, "smoke", ".svg")
        assert content == study.content(report, "smoke", ".svg")
        assert b"bound / measured" in content
    assert study.heading("smoke").endswith("no claim)")
