from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from longreach.report.curve_chart import curve_legend, curves
from longreach.report.view import CellView, CurveView


def cell(*found: CurveView) -> CellView:
    return CellView(
        encoding="ape", model="", ranges=(), points=(), number=3, runs=(), curves=found, settings=(),
        successes=0, learned=False, judgement="agrees", why="",
    )  # fmt: skip


@pytest.mark.parametrize("what", ["loss", "accuracy"])
def test_curves_leave_out_what_is_not_a_number(what: str) -> None:
    view = cell(
        CurveView(seed="0", steps=(1, 2, 3), loss=(1.0, None, 1e-12), accuracy=(0.1, None, 1.0)),
        CurveView(seed="1", steps=(1,), loss=(None,), accuracy=(None,)),
        CurveView(seed="2", steps=(5,), loss=(0.0,), accuracy=(0.0,)),
    )
    root = ElementTree.fromstring(curves(view, what))
    lines = [one for one in root.iter("path") if (one.get("class") or "").startswith("curve")]
    assert [(one.get("data-tip"), (one.get("d") or "").count("L")) for one in lines] == [
        ("seed 0", 1),
        ("seed 2", 1),
    ]
    assert ["dot" in (one.get("class") or "") for one in lines] == [False, True]
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for one in lines:
        places = [tuple(map(float, place.split())) for place in (one.get("d") or "")[1:].split("L")]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    assert "of 3 runs" in (root.get("aria-label") or "")


def test_every_seed_has_its_colour_in_the_legend() -> None:
    view = cell(*(CurveView(seed=str(seed), steps=(1,), loss=(1.0,), accuracy=(1.0,)) for seed in range(8)))
    lines = [
        (one.get("data-tip") or "", (one.get("class") or "").split()[-2])
        for one in ElementTree.fromstring(curves(view, "loss")).iter("path")
        if "curve" in (one.get("class") or "")
    ]
    items = list(ElementTree.fromstring(curve_legend(view)))
    named = {item[0][0].get("class"): "".join(item.itertext()) for item in items}
    assert named["curve s0"] == "seeds 0, 6"
    assert named["curve s5"] == "seed 5"
    for tip, colour in lines:
        assert tip.removeprefix("seed ") in named[f"curve {colour}"]
    assert curve_legend(cell()) == ""
