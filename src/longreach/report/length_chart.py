"""Accuracy by length: every run its own line, every encoding its own colour, dashes and marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from longreach.config.length_range import name_order
from longreach.report.svg_frame import Frame, line, svg
from longreach.report.text import NO_BREAK, encoding_name, lengths, percent, plural
from longreach.report.view import CellView, Group, TaskView

AXIS = ("1-50", "51-100", "101-150")  # where nothing was measured and nothing published
SMALL, LARGE = (166.0, 116.0, 28.0), (460.0, 270.0, 36.0)  # width, height, room on the left
_APART = 3.2  # pixels between encodings
_PALETTE = 4  # further encodings have this many colours
_MARKED = 12  # with more runs only the last range is marked
_ROOM = 19  # characters below a small panel
_TOLD = 6  # so many runs are told one by one
_Places: TypeAlias = list[tuple[float, float]]


@dataclass(frozen=True)
class _Series:
    """The lines of a cell."""

    cell: CellView
    kind: str
    """Its class in the style."""
    shift: float
    """So many pixels to the right, and half as many down: what coincides stands beside each other."""


def series_class(encoding: str, columns: Sequence[str]) -> str:
    """The class of an encoding: two have their own, the others those of a palette.

    >>> series_class("nope", ("nope", "ape", "rope")), series_class("rope", ("nope", "ape", "rope"))
    ('nope', 'other e0')
    """
    if encoding in ("nope", "ape"):
        return encoding
    others = [name for name in columns if name not in ("nope", "ape")]
    return f"other e{(others.index(encoding) if encoding in others else 0) % _PALETTE}"


def panel(task: TaskView, columns: Sequence[str], group: Group | None = None, *, large: bool = False) -> str:
    """Accuracy against length of one group of cells; without one, of the cells of the overview.

    Published numbers are marked where the panel is large or nothing was measured.
    """
    cells = task.chosen if group is None else group.cells
    labels = _labels(task, cells)
    width, height, left = LARGE if large else SMALL
    frame = Frame(
        width=width, height=height, left=left, low=0.0, high=1.0, first=-0.3, last=len(labels) - 0.7
    )
    parts = [*_trained(frame, cells, labels), *frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])]
    parts += frame.below([(place, name) for place, name in enumerate(_thinned(labels, large))])
    if task.level is not None:
        parts.append(f'<path class="level" d="{frame.across(task.level)}"/>')
    series = [
        _Series(cell, series_class(cell.encoding, columns), _apart(number, len(cells)))
        for number, cell in enumerate(cells)
    ]
    published = _published(task, labels) if large or not any(cell.lasts for cell in cells) else []
    parts += _papers(frame, published, columns, joined=not cells)
    for one in sorted(series, key=lambda each: each.cell.encoding == "nope"):  # dashes over whole lines
        parts += _lines(frame, one, labels)
    parts += [
        frame.strip(place - 0.5, place + 0.5, "target hit", tip)
        for place, name in enumerate(labels)
        if (tip := _tip(place, name, cells, published))
    ]
    return svg(frame, _told(task, cells), parts, "panel large" if large else "panel")


def _apart(number: int, count: int) -> float:
    return _APART * (number - (count - 1) / 2)


def _labels(task: TaskView, cells: Sequence[CellView]) -> tuple[str, ...]:
    found = {name for cell in cells for name in cell.ranges}
    published = next((verdict.published_lengths for verdict in task.verdicts if verdict.published), AXIS)
    return tuple(sorted(found, key=name_order)) or published


def _thinned(labels: Sequence[str], large: bool) -> list[str]:
    """Labels that fit: with many ranges only some are named."""
    every = -(-len(labels) // 3)
    if not large and sum(map(len, labels[::every])) > _ROOM:
        every = max(1, len(labels) - 1)
    return [lengths(name) if place % every == 0 else "" for place, name in enumerate(labels)]


def _trained(frame: Frame, cells: Sequence[CellView], labels: Sequence[str]) -> list[str]:
    """The range that was trained on, shaded, where all cells have the same."""
    names = {cell.trained for cell in cells}
    if len(names) != 1 or (name := names.pop()) not in labels:
        return []
    place = labels.index(name)
    return [frame.strip(place - 0.5, place + 0.5, "trained")]


def _lines(frame: Frame, series: _Series, labels: Sequence[str]) -> list[str]:
    """A line per run, and all marks of the encoding in one path."""
    parts, marks = [], []
    few = len(series.cell.finished) <= _MARKED
    for run in series.cell.finished:
        places = [
            (frame.x(labels.index(name)) + series.shift, frame.y(value) + series.shift / 2)
            for name, value in zip(series.cell.ranges, run.accuracy, strict=True)
            if value is not None
        ]
        if len(places) > 1:
            parts.append(f'<path class="seed {series.kind}" d="{line(places)}"/>')
        marks += places if few else places[-1:]
    if marks:
        parts.append(f'<path class="mark {series.kind}" d="{_shapes(marks, series.kind)}"/>')
    return parts


def _shapes(places: _Places, kind: str) -> str:
    """Marks that differ in shape, not in colour alone: triangles, dots, squares."""
    shape = {"nope": ("l-3.2 5.6h6.4z", 0.0, -3.4), "ape": ("h0", 0.0, 0.0)}.get(
        kind, ("h5v5h-5z", -2.5, -2.5)
    )
    path, right, down = shape
    seen = dict.fromkeys(f"M{round(x + right, 1):g} {round(y + down, 1):g}{path}" for x, y in places)
    return "".join(seen)


@dataclass(frozen=True)
class _Published:
    """A published number and the range under which it stands."""

    place: int
    value: float
    encoding: str
    lengths: str


def _published(task: TaskView, labels: Sequence[str]) -> list[_Published]:
    """The published numbers: at the same ranges, or at the same multiples of the training length."""
    found = []
    for verdict in task.verdicts:
        # Bin by bin where there are as many, for two published bins may have the same lengths.
        by_place = len(labels) == len(verdict.published_lengths)
        pairs = zip(verdict.published, verdict.published_lengths, strict=False)
        for number, (value, name) in enumerate(pairs):
            if value is not None and (by_place or name in labels):
                place = number if by_place else labels.index(name)
                found.append(_Published(place, value, verdict.encoding, name))
    return found


def _papers(frame: Frame, published: Sequence[_Published], columns: Sequence[str], joined: bool) -> list[str]:
    """A diamond for each published number."""
    parts: list[str] = []
    encodings = tuple(dict.fromkeys(each.encoding for each in published))
    for number, encoding in enumerate(encodings):
        kind, shift = series_class(encoding, columns), _apart(number, len(encodings))
        own = [each for each in published if each.encoding == encoding]
        places = [(frame.x(each.place) + shift, frame.y(each.value) + shift / 2) for each in own]
        if joined and len(places) > 1:
            parts.append(f'<path class="seed published {kind}" d="{line(places)}"/>')
        shape = "".join(f"M{x - 5:.1f} {y:.1f}l5 -5 5 5 -5 5z" for x, y in places)
        parts.append(f'<path class="paper {kind}" d="{shape}"/>')
    return parts


def _tip(place: int, name: str, cells: Sequence[CellView], published: Sequence[_Published]) -> str:
    """What the pointer shows of one range."""
    told = []
    for cell in cells:
        if name in cell.ranges:
            column = cell.ranges.index(name)
            told.append(
                f"{encoding_name(cell.encoding)}: {shares([run.accuracy[column] for run in cell.finished])}"
            )
    for each in published:
        if each.place == place:
            where = f"{encoding_name(each.encoding)}, lengths {lengths(each.lengths)}"
            told.append(f"published, {where}: {percent(each.value)}")
    return "\n".join([*([f"lengths {lengths(name)}"] if cells else []), *told]) if told else ""


def shares(values: Sequence[float | None]) -> str:
    """Accuracies of runs, one by one; of many runs the range.

    >>> [shares(values).replace(NO_BREAK, " ") for values in ([1.0, 0.0, 0.0], [0.0, 0.0], [])]
    ['100, 0, 0 %', '0 % each', 'none']
    """
    found = sorted((value for value in values if value is not None), reverse=True)
    if not found:
        return "none"
    if len(found) > 1 and found[0] == found[-1]:
        return f"{percent(found[0])} each"
    if len(found) > _TOLD:
        return f"{percent(found[-1])} to {percent(found[0])} in {plural(len(found), 'run')}"
    *others, last = map(percent, found)
    return ", ".join([*(one.removesuffix(f"{NO_BREAK}%") for one in others), last])


def _told(task: TaskView, cells: Sequence[CellView]) -> str:
    """The chart in words."""
    told = []
    for cell in cells:
        if not cell.lasts:
            continue
        counted = "" if cell.tally is None else f"{cell.tally.words} "
        where = f"at lengths {lengths(cell.ranges[-1])}: {shares(cell.lasts)}"
        told.append(f"{encoding_name(cell.encoding)}, {counted}{where}")
    return f"{task.title}: accuracy in per cent by length. " + ("; ".join(told) or "no runs") + "."
