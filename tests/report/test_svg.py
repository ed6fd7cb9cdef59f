"""Tests of `report.svg`."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.report.svg import curve_legend, curves, panel, series_class, shares
from longreach.report.view import CellView, CurveView, EncodingView, Group, RunView, TaskView
from longreach.runs.cells import Tally


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


COLUMNS = ("nope", "ape", "rope")
RANGES = ("1-10", "11-20", "21-30")
accuracies = st.lists(st.none() | st.floats(0, 1), min_size=3, max_size=3)


def run(accuracy: tuple[float | None, ...], seed: int = 0) -> RunView:
    return RunView(
        key=str(seed), seed=str(seed), status="done", steps=1, seconds=1.0, reached=True, accuracy=accuracy,
        offset=(), error=None,
    )  # fmt: skip


def cell_length_chart(
    *runs: tuple[float | None, ...],
    encoding: str = "ape",
    ranges: tuple[str, ...] = RANGES,
    tally: Tally | None = None,
) -> CellView:
    return CellView(
        encoding=encoding, model="", trained=ranges[0], ranges=ranges, points=(), number=len(runs),
        runs=tuple(run(one, seed) for seed, one in enumerate(runs)), curves=(), settings=(), successes=0,
        learned=False, tally=tally, judgement="agrees", why="",
    )  # fmt: skip


def task(
    *cells: CellView, published: tuple[float | None, ...] = (), lengths: tuple[str, ...] = ()
) -> TaskView:
    verdict = EncodingView(encoding="ape", answer="yes", published=published)
    if lengths:
        verdict = EncodingView(encoding="ape", answer="yes", published=published, published_lengths=lengths)
    return TaskView(
        name="a-b", title="a<b", slug="a-b", about="", kind="", verdicts=(verdict,), cells=cells,
        chosen=cells, level=0.5,
    )  # fmt: skip


def paths(drawing: str, kind: str) -> list[str]:
    root = ElementTree.fromstring(drawing)
    return [one.get("d") or "" for one in root.iter("path") if (one.get("class") or "").split()[0] == kind]


@given(st.lists(accuracies, min_size=1, max_size=5))
def test_every_run_is_a_line_of_its_own_through_its_own_numbers(found: list[list[float | None]]) -> None:
    drawing = panel(task(cell_length_chart(*map(tuple, found))), COLUMNS)
    lines = paths(drawing, "seed")
    numbers = [[value for value in one if value is not None] for one in found]
    assert len(lines) == sum(len(one) > 1 for one in numbers)
    _, _, width, height = map(float, (ElementTree.fromstring(drawing).get("viewBox") or "").split())
    for path, values in zip(lines, (one for one in numbers if len(one) > 1), strict=True):
        places = [tuple(map(float, place.split())) for place in path[1:].split("L")]
        assert len(places) == len(values)
        assert all(0 < x < width and 0 < y < height for x, y in places)
        for (x, y), (u, v), one, other in zip(places, places[1:], values, values[1:], strict=False):
            assert x < u
            assert (y - v) * (one - other) <= 0.11  # higher is more, up to rounding


def test_runs_that_do_opposite_things_are_not_drawn_as_their_mean() -> None:
    drawing = panel(task(cell_length_chart((1.0, 1.0, 1.0), (1.0, 0.5, 0.0), (1.0, 0.5, 0.0))), COLUMNS)
    ends = [float(path.split()[-1]) for path in paths(drawing, "seed")]
    assert len(ends) == 3
    assert ends[0] < ends[1] == ends[2]
    assert "100, 0, 0" in drawing
    assert "33" not in drawing


def test_encodings_differ_in_more_than_colour() -> None:
    same = (1.0, 1.0, 1.0)
    cells = [cell_length_chart(same, encoding=encoding) for encoding in COLUMNS]
    drawing = panel(task(*cells), COLUMNS)
    shapes = {re.sub(r"[M\d. -]+", "", mark, count=1)[:1] for mark in paths(drawing, "mark")}
    assert len(shapes) == len(set(paths(drawing, "mark"))) - 1  # dots and squares begin alike
    marks = paths(drawing, "mark")
    assert [("z" in mark, "v" in mark) for mark in marks] == [(False, False), (True, True), (True, False)]
    assert len(set(paths(drawing, "seed"))) == 3  # they coincide, and are drawn beside each other
    assert series_class("rope", COLUMNS) == "other e0"


def test_the_training_range_is_shaded_and_every_range_tells_its_numbers() -> None:
    drawing = panel(task(cell_length_chart((1.0, 0.9, 0.25))), COLUMNS)
    root = ElementTree.fromstring(drawing)
    kinds = [one.get("class") for one in root.iter("rect")]
    assert kinds == ["trained", "target hit", "target hit", "target hit"]
    tips = [tip for one in root.iter("rect") if (tip := one.get("data-tip")) is not None]
    assert [tip.split("\n")[0] for tip in tips] == ["lengths 1–10", "lengths 11–20", "lengths 21–30"]
    assert tips[2].endswith("APE: 25.0\u00a0%")


def test_the_chart_is_told_in_words() -> None:
    counted = Tally(runs=2, learned=2, work=1)
    drawing = panel(task(cell_length_chart((1.0, 1.0, 1.0), (1.0, 0.0, 0.0), tally=counted)), COLUMNS)
    told = ElementTree.fromstring(drawing).get("aria-label") or ""
    assert told.startswith(
        "a<b: accuracy in per cent by length. APE, 1 of 2 runs works at lengths 21–30: 100, 0"
    )
    assert "no runs" in (ElementTree.fromstring(panel(task(), COLUMNS)).get("aria-label") or "")


def test_names_that_do_not_fit_below_are_left_out() -> None:
    starred = ("1-50*", "51-100*", "101-150*")
    view = task(published=(1.0, 0.5, 0.0), lengths=starred)
    assert re.findall(r'class="tick x[^>]*>([^<]*)', panel(view, COLUMNS)) == ["1–50*", "101–150*"]
    assert re.findall(r'class="tick x[^>]*>([^<]*)', panel(view, COLUMNS, large=True)) == [
        "1–50*", "51–100*", "101–150*",
    ]  # fmt: skip
    many = tuple(f"{10 * k + 1}-{10 * k + 10}" for k in range(9))
    drawing = panel(task(cell_length_chart((0.5,) * 9, ranges=many)), COLUMNS)
    assert re.findall(r'class="tick x[^>]*>([^<]*)', drawing) == ["1–10", "31–40", "61–70"]


def test_a_group_has_its_own_ranges() -> None:
    short = cell_length_chart((1.0, 0.0), ranges=("1-5", "6-10"))
    view = task(cell_length_chart((1.0, 1.0, 1.0)), short)
    drawing = panel(view, COLUMNS, Group(trained="1-5", cells=(short,)))
    assert "6–10" in drawing
    assert "21–30" not in drawing


def test_published_numbers_stand_at_the_same_multiples_of_the_training_length() -> None:
    published = (1.0, None, 0.25)
    drawing = panel(task(cell_length_chart((1.0, 0.5, 0.5)), published=published), COLUMNS, large=True)
    (diamonds,) = paths(drawing, "paper")
    assert diamonds.count("z") == 2
    two = panel(
        task(cell_length_chart((1.0, 0.5), ranges=RANGES[:2]), published=published), COLUMNS, large=True
    )
    assert paths(two, "paper") == []
    small = panel(task(cell_length_chart((1.0, 0.5, 0.5)), published=published), COLUMNS)
    assert paths(small, "paper") == []


def test_two_published_bins_of_the_same_lengths_stand_apart() -> None:
    lengths = ("1-100", "101-150", "101-150")
    measured = cell_length_chart((1.0, 0.5, 0.5), ranges=("1-100", "101-150", "151-200"))
    for cells in ((), (measured,)):
        drawing = panel(task(*cells, published=(1.0, 0.9, 0.8), lengths=lengths), COLUMNS, large=True)
        (diamonds,) = paths(drawing, "paper")
        assert len(set(re.findall(r"M([0-9.]+)", diamonds))) == 3
        tips = re.findall(r'data-tip="([^"]*)"', drawing)
        assert ["lengths 101–150: 90" in tip or "lengths 101–150: 80" in tip for tip in tips] == [
            False,
            True,
            True,
        ]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([0.5], "50.0 %"),
        ([0.0, 1.0], "100, 0 %"),
        ([1.0] * 20, "100 % each"),
        ([0.0, None, 0.25], "25.0, 0 %"),
        ([number / 10 for number in range(8)], "0 % to 70.0 % in 8 runs"),
    ],
)
def test_accuracies_of_runs_in_words(values: list[float | None], told: str) -> None:
    assert shares(values).replace("\u00a0", " ") == told
