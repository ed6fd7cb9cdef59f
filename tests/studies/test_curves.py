"""Tests of `studies.curves`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.config.run import RunConfig
from longreach.config.scales import SCALES
from longreach.runs.train import Nobody
from longreach.studies import curves as curve_cells
from longreach.studies.catalog import STUDIES
from longreach.studies.curves import (
    Claim,
    Curve,
    CurveCells,
    above,
    at_least,
    curve_config,
    leads,
    lengths_at,
)
from longreach.training.result import Result, task_number, write_result
from longreach.training.setup import read_run
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


def _claims(_: str, measured: object) -> list[Claim]:
    assert isinstance(measured, tuple)
    return [at_least("the first is high", [measured[0].mean(12)], 0.8)]


CELLS = CurveCells("made-up", _curves, _claims)


def _made_up(member: RunConfig) -> Result:
    """0.7 and 0.9 by the seed on the own task, less on the others."""
    base = 0.7 + 0.2 * member.seed
    made = result_of(member, [1.0, base, base])
    assert made.final is not None
    numbers = {
        task_number("sparse-parity:2-2", "8-8"): 0.6, task_number("sparse-parity:2-2", "12-12"): 0.5,
        task_number("sparse-parity:4-4", "12-12"): 0.4,
    }  # fmt: skip
    return made.model_copy(update={"final": made.final.model_copy(update={"other": numbers})})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[RunConfig]]:
    found: list[list[RunConfig]] = []

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        found.append(members)
        for member in members:
            write_result(runs, _made_up(member))
        return {}

    monkeypatch.setattr(curve_cells, "train_pending", train)
    return found


def test_curves_share_their_members() -> None:
    assert [member.seed for member in CELLS.members("smoke")] == [0, 1]
    assert len(CELLS.members("smoke", 3)) == 3


def test_lengths_are_those_that_the_tested_task_has() -> None:
    assert [curve.lengths for curve in _curves("smoke")] == [(8, 12), (8, 12), (12,)]
    assert {curve.chance for curve in _curves("smoke")} == {0.5}


def test_what_is_measured(tmp_path: Path, asked: list[list[RunConfig]]) -> None:
    found = CELLS.run("laptop", runs=tmp_path, progress=Nobody())
    assert len(asked) == 1
    own, two, four = found.curves
    spread = own.spread(12)
    assert spread is not None
    assert (round(spread.mean, 6), spread.low, round(spread.high, 6)) == (0.8, 0.7, 0.9)
    assert (two.mean(8), two.mean(12), four.mean(8), four.mean(12)) == (0.6, 0.5, None, 0.4)
    assert list(found.panels) == ["own", "others"]
    document = found.document()
    json.dumps(document, allow_nan=False)
    assert [len(each["runs"]) for each in document["curves"]] == [2, 2, 2]
    assert document["curves"][2]["points"][0]["length"] == 12
    assert document["curves"][2]["runs"][0]["accuracy"] == {"12": 0.4}
    assert document["claims"][0]["claim"] == "the first is high"


def test_what_is_there_is_shown_without_training(tmp_path: Path, asked: list[list[RunConfig]]) -> None:
    none = CELLS.run("smoke", runs=tmp_path, train=False)
    assert asked == []
    assert none.claims == ()  # the smallest models claim nothing
    assert "not measured: the first is high" in CELLS.run("laptop", runs=tmp_path, train=False).text()
    assert none.content(".svg", "nothing").startswith(b"<?xml")
    CELLS.run("smoke", runs=tmp_path)
    found = CELLS.run("smoke", runs=tmp_path, train=False)
    assert len(asked) == 1
    assert "80.0 (70–90)" in found.text()
    assert found.content(".svg", "a title") == found.content(".svg", "a title")
    table = found.content(".md", "a title").decode()
    assert table.startswith(found.text())
    assert "| others | k = 4    | 1    | 100.0    | 12: 40.0" in table


def test_runs_that_fail_are_said_and_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [_made_up(member).model_copy(update={"status": "failed", "error": "no"}) for member in members]
        for each in made[:1]:
            write_result(runs, each)
        return {each.key: each for each in made}

    monkeypatch.setattr(curve_cells, "train_pending", fail)
    found = CELLS.run("smoke", runs=tmp_path)
    assert len(found.failed) == 2
    assert all(not each.results for each in found.curves)


# The committed results of the studies of curves: complete, and of the members that the studies have now.


FILES = sorted((ROOT / "results" / "coupling").glob("*.json"))


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def document(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return found


def test_every_member_is_there_and_nothing_else(document: dict[str, Any]) -> None:
    cells = STUDIES[document["study"]].own
    assert isinstance(cells, CurveCells)
    there = {run["key"] for curve in document["curves"] for run in curve["runs"]}
    assert there == {member.key for member in cells.members("laptop")}


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
        members = STUDIES[name].members(scale, 1)
        assert len({member.key for member in members}) == len(members)
        for member in members:
            assert read_run(member.document()) == member
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
