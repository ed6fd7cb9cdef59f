from __future__ import annotations

import math

import pytest

from longreach.comparison.loss_bounds import bounds_of
from longreach.config.regression import RegressionConfig
from longreach.results.index import Row
from longreach.studies.all_studies import LOSS_STUDIES
from longreach.studies.loss_report import LossReport, least_length
from longreach.studies.loss_tables import law_lines, loss_tables

STUDY = LOSS_STUDIES["simple-task"]


def _row(config: RegressionConfig) -> Row:
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
