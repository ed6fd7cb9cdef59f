from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.crasp.library import load
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.run.float_evaluator import attention
from longreach.report.attention_svg import head_views
from longreach.report.charts import curves, panel
from longreach.report.text import percent, slugs
from longreach.report.view import CellView, CurveView, EncodingView, Point, TaskView

shares = st.floats(0, 1)


def cell(points: tuple[Point, ...], found: tuple[CurveView, ...] = ()) -> CellView:
    return CellView(
        encoding="ape", model="", ranges=tuple(point.label for point in points), points=points, number=0,
        runs=(), curves=found, settings=(), successes=0, learned=False, judgement="agrees", why="",
    )  # fmt: skip


def task(view: CellView, *published: float | None) -> TaskView:
    verdict = EncodingView(encoding="ape", answer="yes", published=published)
    return TaskView(
        name="a<b", slug="a-b", about="", kind="", verdicts=(verdict,), cells=(view,), chosen=(view,)
    )


@given(st.lists(st.tuples(shares, shares, shares), min_size=1, max_size=6))
def test_means_are_drawn_in_order_and_inside_the_frame(found: list[tuple[float, float, float]]) -> None:
    points = tuple(
        Point(label=f"{10 * k + 1}-{10 * k + 10}", mean=sorted(three)[1], low=min(three), high=max(three))
        for k, three in enumerate(found)
    )
    root = ElementTree.fromstring(panel(task(cell(points), 1.0, None, 0.25), ("nope", "ape")))
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    dots = [one for one in root.iter("circle") if "dot" in (one.get("class") or "")]
    places = [(float(dot.get("cx") or -1), float(dot.get("cy") or -1)) for dot in dots]
    assert len(places) == len(points)
    assert all(0 < x < width and 0 < y < height for x, y in places)
    assert places == sorted(places, key=lambda place: place[0])
    for (_, y), (_, v), one, other in zip(places, places[1:], points, points[1:], strict=False):
        assert (y - v) * (one.mean - other.mean) <= 0.11  # higher is more, up to rounding


def test_published_numbers_stand_at_the_same_multiples_of_the_training_length() -> None:
    points = tuple(Point(label=name, mean=0.5, low=0.5, high=0.5) for name in ("1-10", "11-20", "21-30"))
    drawing = panel(task(cell(points), 1.0, None, 0.25), ("nope", "ape"))
    assert len(re.findall(r'class="mark', drawing)) == 2
    two = panel(task(cell(points[:2]), 1.0, None, 0.25), ("nope", "ape"))
    assert 'class="mark' not in two


def test_two_published_bins_of_the_same_lengths_stand_apart() -> None:
    points = tuple(Point(label=name, mean=0.5, low=0.5, high=0.5) for name in ("1-100", "101-150", "151-200"))
    lengths = ("1-100", "101-150", "101-150")
    verdict = EncodingView(encoding="ape", answer="yes", published=(1.0, 0.9, 0.8), published_lengths=lengths)
    for chosen in ((), (cell(points),)):
        view = TaskView(
            name="tomita-4", slug="", about="", kind="", verdicts=(verdict,), cells=chosen, chosen=chosen
        )
        drawing = panel(view, ("nope", "ape"))
        marks = re.findall(r'class="mark [^"]*" data-tip="([^"]*)" d="M([0-9.]+)', drawing)
        assert len({place for _, place in marks}) == 3
        assert ["lengths 101-150" in tip for tip, _ in marks] == [False, True, True]


@pytest.mark.parametrize("what", ["loss", "accuracy"])
def test_curves_leave_out_what_is_not_a_number(what: str) -> None:
    found = (
        CurveView(seed="0", steps=(1, 2, 3), loss=(1.0, None, 1e-12), accuracy=(0.1, None, 1.0)),
        CurveView(seed="1", steps=(1,), loss=(None,), accuracy=(None,)),
        CurveView(seed="2", steps=(5,), loss=(0.0,), accuracy=(0.0,)),
    )
    root = ElementTree.fromstring(curves(cell((), found), what))
    dots = [one for one in root.iter("circle") if "dot" in (one.get("class") or "")]
    assert len(dots) == 3
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    assert all(0 <= float(dot.get("cy") or -1) <= height for dot in dots)
    assert all(0 <= float(dot.get("cx") or -1) <= width for dot in dots)


def test_attention_is_drawn_square_by_square() -> None:
    word = list("(()())")
    core = load("dyck-1").core
    heads, number = head_views(core, word, "dyck-1")
    model = compile_program(core)
    assert number == len(heads) == 2
    for layer, head in enumerate(heads):
        positive = (attention(model, word, layer, 0) > 0).sum()
        squares = [
            one for one in ElementTree.fromstring(head.svg).iter("path") if one.get("class") == "weight"
        ]
        assert sum((one.get("d") or "").count("M") for one in squares) == positive


@given(st.lists(st.text(max_size=60), unique=True, max_size=8))
def test_links_are_plain_and_different(names: list[str]) -> None:
    found = slugs(names)
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in found.values())


@given(shares)
def test_only_all_is_a_hundred_per_cent(share: float) -> None:
    assert (percent(share) == "100\u00a0%") == (share == 1)
    assert (percent(share) == "0\u00a0%") == (share == 0)
    assert not percent(share).startswith(("100.0", "0.0"))
