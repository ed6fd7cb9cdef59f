"""Tests of `report.svg`."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.files import job_key
from longreach.report.forecast_view import EncodingView, Known, head_views
from longreach.report.svg import curve_legend, curves, panel, series_class, shares
from longreach.report.view import CellView, Group, Judged, TaskView
from longreach.runs.cells import Cell, Tally
from longreach.runs.index import Row
from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.run import attention
from longreach.training.result import Evaluation, Final, Result, Timings

COLUMNS = ("nope", "ape", "rope")
RANGES = ("1-10", "11-20", "21-30")
Shares = tuple[float | None, ...]


def cell(
    *runs: Shares,
    encoding: str = "ape",
    ranges: tuple[str, ...] = RANGES,
    tally: Tally | None = None,
    curves: tuple[Result, ...] = (),
) -> CellView:
    rows = [
        Row(
            key=str(seed),
            status="done",
            accuracy={n: v for n, v in zip(ranges, run, strict=True) if v is not None},
        )
        for seed, run in enumerate(runs)
    ]
    measured = Cell.of({"task": "a-b", "encoding": encoding}, rows)
    judged = Judged("agrees", "")
    return CellView(
        cell=measured,
        encoding=encoding,
        runs=measured.rows,
        curves=curves,
        common={},
        tally=tally,
        judged=judged,
    )


def curve(seed: int, *evaluations: tuple[int, float | None, float | None]) -> Result:
    """A run with the loss and the accuracy on the training range at some steps."""
    config = {"seed": seed}
    return Result(
        key=job_key(config), config=config, seed=seed, status="done", code="", packages={},
        final=Final(steps=5), timings=Timings(started="2026-01-31T12:00:00Z", seconds=1),
        rows=tuple(
            Evaluation(step=step, loss=loss, accuracy={} if share is None else {"1-10": share})
            for step, loss, share in evaluations
        ),
    )  # fmt: skip


def task(*cells: CellView, published: Shares = (), lengths: tuple[str, ...] = ()) -> TaskView:
    given = {"published_lengths": lengths} if lengths else {}
    verdict = EncodingView(encoding="ape", answer="yes", published=published, **given)
    return TaskView(
        task="a<b", slug="a-b", known=Known(chance=0.0), verdicts=(verdict,), cells=cells, chosen=cells
    )


def paths(drawing: str, kind: str) -> list[str]:
    root = ElementTree.fromstring(drawing)
    return [one.get("d") or "" for one in root.iter("path") if (one.get("class") or "").split()[0] == kind]


def test_attention_is_drawn_square_by_square() -> None:
    word = list("(()())")
    core = load("dyck-1").core
    heads, number = head_views(core, word, "dyck-1")
    model = compile_program(core)
    assert number == len(heads) == 2
    for layer, head in enumerate(heads):
        assert "6 ) looks most at " in (ElementTree.fromstring(head.svg).findtext("desc") or "")
        positive = (attention(model, word, layer, 0) > 0).sum()
        assert sum(squares.count("M") for squares in paths(head.svg, "weight")) == positive


@pytest.mark.parametrize("what", ["loss", "accuracy"])
def test_curves_leave_out_what_is_not_a_number(what: str) -> None:
    found = (
        curve(0, (1, 1.0, 0.1), (2, math.nan, None), (3, 1e-12, 1.0)),
        curve(1, (1, None, None)),
        curve(2, (5, 0.0, 0.0)),
    )
    view = cell((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0), curves=found)
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
    view = cell(curves=tuple(curve(seed, (1, 1.0, 1.0)) for seed in range(8)))
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


accuracies = st.lists(st.none() | st.floats(0, 1), min_size=3, max_size=3)


@given(st.lists(accuracies, min_size=1, max_size=5))
def test_every_run_is_a_line_of_its_own_through_its_own_numbers(found: list[list[float | None]]) -> None:
    drawing = panel(task(cell(*map(tuple, found))), COLUMNS)
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
    drawing = panel(task(cell((1.0, 1.0, 1.0), (1.0, 0.5, 0.0), (1.0, 0.5, 0.0))), COLUMNS)
    ends = [float(path.split()[-1]) for path in paths(drawing, "seed")]
    assert len(ends) == 3
    assert ends[0] < ends[1] == ends[2]
    assert "100, 0, 0" in drawing
    assert "33" not in drawing


def test_encodings_differ_in_more_than_colour() -> None:
    same = (1.0, 1.0, 1.0)
    cells = [cell(same, encoding=encoding) for encoding in COLUMNS]
    drawing = panel(task(*cells), COLUMNS)
    shapes = {re.sub(r"[M\d. -]+", "", mark, count=1)[:1] for mark in paths(drawing, "mark")}
    assert len(shapes) == len(set(paths(drawing, "mark"))) - 1  # dots and squares begin alike
    marks = paths(drawing, "mark")
    assert [("z" in mark, "v" in mark) for mark in marks] == [(False, False), (True, True), (True, False)]
    assert len(set(paths(drawing, "seed"))) == 3  # they coincide, and are drawn beside each other
    assert series_class("rope", COLUMNS) == "other e0"


def test_the_training_range_is_shaded_and_every_range_tells_its_numbers() -> None:
    drawing = panel(task(cell((1.0, 0.9, 0.25))), COLUMNS)
    root = ElementTree.fromstring(drawing)
    kinds = [one.get("class") for one in root.iter("rect")]
    assert kinds == ["trained", "target hit", "target hit", "target hit"]
    tips = [tip for one in root.iter("rect") if (tip := one.get("data-tip")) is not None]
    assert [tip.split("\n")[0] for tip in tips] == ["lengths 1–10", "lengths 11–20", "lengths 21–30"]
    assert tips[2].endswith("APE: 25.0\u00a0%")


def test_the_chart_is_told_in_words() -> None:
    counted = Tally(runs=2, learned=2, work=1)
    drawing = panel(task(cell((1.0, 1.0, 1.0), (1.0, 0.0, 0.0), tally=counted)), COLUMNS)
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
    drawing = panel(task(cell((0.5,) * 9, ranges=many)), COLUMNS)
    assert re.findall(r'class="tick x[^>]*>([^<]*)', drawing) == ["1–10", "31–40", "61–70"]


def test_a_group_has_its_own_ranges() -> None:
    short = cell((1.0, 0.0), ranges=("1-5", "6-10"))
    view = task(cell((1.0, 1.0, 1.0)), short)
    drawing = panel(view, COLUMNS, Group(trained="1-5", cells=(short,)))
    assert "6–10" in drawing
    assert "21–30" not in drawing


def test_published_numbers_stand_at_the_same_multiples_of_the_training_length() -> None:
    published = (1.0, None, 0.25)
    drawing = panel(task(cell((1.0, 0.5, 0.5)), published=published), COLUMNS, large=True)
    (diamonds,) = paths(drawing, "paper")
    assert diamonds.count("z") == 2
    two = panel(task(cell((1.0, 0.5), ranges=RANGES[:2]), published=published), COLUMNS, large=True)
    assert paths(two, "paper") == []
    small = panel(task(cell((1.0, 0.5, 0.5)), published=published), COLUMNS)
    assert paths(small, "paper") == []


def test_two_published_bins_of_the_same_lengths_stand_apart() -> None:
    lengths = ("1-100", "101-150", "101-150")
    measured = cell((1.0, 0.5, 0.5), ranges=("1-100", "101-150", "151-200"))
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
        ([0.0, 0.25], "25.0, 0 %"),
        ([number / 10 for number in range(8)], "0 % to 70.0 % in 8 runs"),
    ],
)
def test_accuracies_of_runs_in_words(values: list[float], told: str) -> None:
    assert shares(values).replace("\u00a0", " ") == told
