"""Tests of `studies.losses`."""

from __future__ import annotations

import math

import pytest

from longreach.answers.bounds import bounds_of
from longreach.config.run import RunConfig
from longreach.config.scales import SCALES
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies.catalog import load_study
from longreach.studies.izzo import SIMPLE_TASK
from longreach.studies.losses import LossReport, law_lines, least_length, report_of
from longreach.studies.study import StudyOptions, study_members

LAW = "linear in ω"


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
    members = SIMPLE_TASK.members(StudyOptions())
    return report_of(members, _rows(), loss=0.01, axes=("omega",))


def _rows() -> list[Row]:
    return [_row(config) for config in study_members(SIMPLE_TASK, StudyOptions())]  # type: ignore[arg-type]


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
    lines = law_lines(report, LAW)
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
    assert bounds_of("simple-task", None, 0.01) == ()
    found = {each.task: each for each in report.thresholds}["simple-task:omega=4"]
    assert found.bounds[0].value.number() == pytest.approx(144 / 0.01)
    document = found.document()
    assert document["bounds"][0]["bound_over_measured"] is None


def test_tables_and_other_results() -> None:
    report = SIMPLE_TASK.report(StudyOptions(), _rows())
    assert report is not None
    text = report.markdown()
    assert text.count("\n| simple-task:omega=") == 40 + 5
    assert "one-layer-worst-case" in text
    assert f"- least N for a loss of 0.01; the paper: {LAW}\n" in text
    asked = StudyOptions(seeds=1, tasks=("simple-task:omega=8",))
    (first, *_), *_ = SIMPLE_TASK.members(asked).values()
    few = SIMPLE_TASK.report(asked, [_row(first.with_seed(77))])
    assert few is not None
    assert not any(each["runs"] for each in few.document["cells"])
    assert few.document["thresholds"][0]["threshold"] is None
    assert few.document["laws"] == []
    assert "–" in few.markdown()


SEEDS = {"smoke": 1, "laptop": 3, "paper": 8}
MEMBERS = {"simple-task": (4, 120, 864), "modp-task": (4, 60, 392), "in-context-kgram": (4, 60, 576)}


@pytest.mark.parametrize("name", MEMBERS)
def test_members(name: str) -> None:
    study = load_study(name)
    counts = [len(study_members(study, StudyOptions(scale=scale))) for scale in SCALES]
    assert tuple(counts) == MEMBERS[name]
    for scale in SCALES:
        longest = set()
        for cell, configs in study.members(StudyOptions(scale=scale)).items():
            first = configs[0]
            assert first.train_lengths.last == cell.train_to
            assert all(lengths.first >= cell.train_to for lengths in first.test_lengths)
            assert [config.seed for config in configs] == list(range(SEEDS[scale]))
            longest.add(first.test_lengths[-1].first)
        assert len(longest) == 1
    paper = study_members(study, StudyOptions(scale="paper", seeds=1))[0]
    assert isinstance(paper, RunConfig)
    found = (paper.batch, paper.width, paper.hidden, paper.lr, paper.target_loss)
    assert found == (1024, 16, 256, 0.01, 1e-5)


def test_unknown_tasks() -> None:
    with pytest.raises(
        InputError, match="tasks: modp-task has no 'modp-task:p=7,k=0' at this scale; it has modp"
    ):
        load_study("modp-task").members(StudyOptions(tasks=("modp-task:p=7,k=0",)))


@pytest.mark.slow
@pytest.mark.parametrize("name", MEMBERS)
def test_figures_with_results(name: str) -> None:
    study, rows, asked = load_study(name), [], StudyOptions(scale="smoke")
    for config in study_members(study, asked):
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
    report = study.report(asked, rows)
    assert report is not None
    assert b"bound / measured" not in study.content(report, "smoke", ".svg")
