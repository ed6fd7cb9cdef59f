"""The committed results of the studies of curves: complete, and of the members that the studies have now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.studies.all_studies import STUDIES
from longreach.studies.coupling.curve_cells import CurveCells

FILES = sorted((Path(__file__).parents[3] / "results" / "coupling").glob("*.json"))


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
    page = Path(__file__).parents[3] / "docs" / "studies" / f"{document['study']}.md"
    assert f"results/coupling/{document['study']}.json" in page.read_text(encoding="utf-8")
