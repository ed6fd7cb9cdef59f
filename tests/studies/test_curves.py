"""Tests of `studies.curves`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from longreach.config.run import RunConfig
from longreach.config.scales import SCALES, Scale
from longreach.runs.index import Row, row_of
from longreach.studies.catalog import load_study
from longreach.studies.curves import (
    Curve,
    Measured,
    above,
    at_least,
    curve_config,
    curve_study,
    leads,
    lengths_at,
)
from longreach.studies.study import Claim, StudyOptions, StudyReport, study_members
from longreach.training.result import task_number
from tests.helpers.asked_results import result_of
from tests.helpers.paths import ROOT

TINY = {
    "layers": 1, "heads": 1, "width": 8, "lr": 1e-3, "max_steps": 2, "evaluate_every": 1,
    "train_lengths": (6, 8), "test_lengths": lengths_at(8, 12), "encoding": "nope",
}  # fmt: skip
CONFIG = curve_config("sparse-parity:2", TINY, test_tasks=("sparse-parity:2-2", "sparse-parity:4-4"))


def _curves(_: str) -> list[Curve]:
    return [
        Curve(panel="own", name="own task", config=CONFIG, seeds=2),
        *(
            Curve(panel="others", name=f"k = {k}", config=CONFIG, seeds=2, tested=f"sparse-parity:{k}-{k}")
            for k in (2, 4)
        ),
    ]


def _claims(_: str, measured: Sequence[Measured]) -> list[Claim]:
    return [at_least("the first is high", [measured[0].mean(12)], 0.75)]


ABOUT = {"name": "made-up", "title": "", "source": "", "about": "", "time": ""}
STUDY = curve_study(_curves, _claims, **ABOUT)


def _made_up(member: RunConfig) -> Row:
    """0.7 and 0.9 by the seed on the own task, less on the others."""
    base = 0.7 + 0.2 * member.seed
    numbers = {
        task_number("sparse-parity:2-2", "8-8"): 0.6, task_number("sparse-parity:2-2", "12-12"): 0.5,
        task_number("sparse-parity:4-4", "12-12"): 0.4,
    }  # fmt: skip
    return replace(row_of(result_of(member, [1.0, base, base])), other=numbers)


def _report(rows: Sequence[Row], scale: Scale = "laptop") -> StudyReport:
    report = STUDY.report(StudyOptions(scale=scale), rows)
    assert report is not None
    return report


ROWS = [_made_up(CONFIG.with_seed(seed)) for seed in (0, 1)]


def test_curves_share_their_members() -> None:
    assert [member.seed for member in study_members(STUDY, StudyOptions(scale="smoke"))] == [0, 1]
    assert len(study_members(STUDY, StudyOptions(scale="smoke", seeds=3))) == 3


def test_lengths_are_those_that_the_tested_task_has() -> None:
    assert [curve.lengths for curve in _curves("smoke")] == [(8, 12), (8, 12), (12,)]
    assert {curve.chance for curve in _curves("smoke")} == {0.5}


def test_what_is_measured() -> None:
    report = _report(ROWS)
    document = json.loads(json.dumps(report.document, allow_nan=False))
    own, two, four = ({point["length"]: point for point in each["points"]} for each in document["curves"])
    assert (round(own[12]["mean"], 6), own[12]["low"], round(own[12]["high"], 6)) == (0.8, 0.7, 0.9)
    assert (two[8]["mean"], two[12]["mean"], four.keys(), four[12]["mean"]) == (0.6, 0.5, {12}, 0.4)
    assert [len(each["runs"]) for each in document["curves"]] == [2, 2, 2]
    assert document["curves"][2]["runs"][0]["accuracy"] == {"12": 0.4}
    assert document["claims"] == [{"claim": "the first is high", "holds": True, "detail": "least 80.0"}]
    text = report.markdown()
    assert "80.0 (70–90)" in text
    assert "| others | k = 4 | 1 | 100.0 | 12: 40.0 |" in text


def test_what_is_not_there_is_not_counted() -> None:
    failed = [replace(row, status="failed") for row in ROWS[1:]]
    for rows, count in (([], 0), (ROWS[:1] + failed, 1)):
        assert [len(each["runs"]) for each in _report(rows).document["curves"]] == [count] * 3
    assert _report([]).claims[0].holds is None
    assert _report(ROWS, "smoke").claims == ()  # the smallest models claim nothing


# The committed results of the studies of curves: complete, and of the members that the studies have now.


FILES = sorted((ROOT / "results" / "coupling").glob("*.json"))


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return found


def test_every_member_is_there_and_nothing_else(document: dict[str, Any]) -> None:
    wanted = study_members(load_study(document["study"]), StudyOptions())
    there = {run["key"] for curve in document["curves"] for run in curve["runs"]}
    assert there == {member.key for member in wanted}


def test_points_are_those_of_the_runs(document: dict[str, Any]) -> None:
    for curve in document["curves"]:
        for point in curve["points"]:
            shares = [run["accuracy"][str(point["length"])] for run in curve["runs"]]
            assert point["runs"] == len(shares) == curve["seeds"]
            assert point["mean"] == pytest.approx(sum(shares) / len(shares))
            assert (point["low"], point["high"]) == (min(shares), max(shares))


def test_every_claim_is_judged_and_the_page_names_the_runs(document: dict[str, Any]) -> None:
    assert document["claims"]
    assert all(claim["holds"] is not None for claim in document["claims"])
    page = ROOT / "docs" / "studies" / f"{document['study']}.md"
    assert f"results/coupling/{document['study']}.json" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["sparse-parity", "parity-scratchpad", "variable-assignment"])
def test_members_can_be_trained(name: str) -> None:
    for scale in SCALES:
        for member in study_members(load_study(name), StudyOptions(scale=scale, seeds=1)):
            assert RunConfig.read(member.document()) == member
            assert not member.stop_early


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (above("a", [0.9, 0.8], [0.6, 0.7], 0.1), True),
        (above("a", [0.9, 0.8], [0.6, 0.75], 0.1), False),
        (above("a", [0.9, None], [0.6], 0.1), None),
        (above("a", [], [0.6], 0.1), None),
        (leads("a", [0.9, 0.5], [0.8, 0.4], 0.1), True),
        (leads("a", [0.9, 0.5], [0.8, 0.45], 0.1), False),
        (leads("a", [0.9, None], [0.8, 0.4], 0.1), None),
        (at_least("a", [0.9, 0.8], 0.8), True),
        (at_least("a", [0.9, 0.7], 0.8), False),
        (at_least("a", [0.9, None], 0.8), None),
    ],
)
def test_claims(claim: Claim, holds: bool | None) -> None:
    assert claim.holds is holds
