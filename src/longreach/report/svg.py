"""Charts as inline SVG: accuracy by length, and learning curves.

Colours come from classes that the page's style defines, so that both themes work.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from longreach.report.view import CellView, Group, TaskView
from longreach.report.words import NO_BREAK, encoding_name, escaped, lengths, percent
from longreach.tasks.lengths import name_order
from longreach.theory.program_class import ENCODING_SIDES
from longreach.training.result import Result
from longreach.wording import counted

_TOP, _BOTTOM, _RIGHT = 8.0, 21.0, 8.0


@dataclass(frozen=True, kw_only=True)
class Frame:
    """A chart's area.

    >>> frame = Frame(width=136, height=126, low=0, high=1, first=0, last=2)
    >>> frame.x(1), frame.y(0.5)
    (78.0, 56.5)
    """

    width: float
    height: float
    low: float
    high: float
    first: float
    last: float
    left: float = 28.0
    """The room for the numbers of the lines."""

    @property
    def right(self) -> float:
        return self.width - _RIGHT

    def x(self, value: float) -> float:
        share = (value - self.first) / ((self.last - self.first) or 1.0)
        return self.left + share * (self.right - self.left)

    def y(self, value: float) -> float:
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)

    def grid(self, ticks: Iterable[tuple[float, str]]) -> list[str]:
        """Lines across, with their numbers."""
        return [
            f'<path class="grid" d="{self.across(value)}"/>'
            f'<text class="tick y" x="{self.left - 5:g}" y="{self.y(value) + 3.5:.1f}">'
            f"{escaped(label)}</text>"
            for value, label in ticks
        ]

    def across(self, value: float) -> str:
        """The path of a line across."""
        return f"M{self.left:g} {self.y(value):.1f}H{self.right:g}"

    def below(self, ticks: Sequence[tuple[float, str]]) -> list[str]:
        """The names below; the first and the last stay inside the frame."""
        parts = []
        for number, (value, label) in enumerate(ticks):
            kind, x = "x", self.x(value)
            if number == 0 and len(ticks) > 1:
                kind, x = "x start", max(self.left - 14, x - 4 - 2.6 * len(label))
            elif number == len(ticks) - 1 > 0:
                kind, x = "x end", min(self.width - 1, x + 4 + 2.6 * len(label))
            if label:
                place = f'x="{x:.1f}" y="{self.height - 4:g}"'
                parts.append(f'<text class="tick {kind}" {place}>{escaped(label)}</text>')
        return parts

    def strip(self, first: float, last: float, kind: str, tip: str = "") -> str:
        """A part of the area from top to bottom, with what the pointer shows there."""
        left, right = max(self.left, self.x(first)), min(self.right, self.x(last))
        height = self.height - _TOP - _BOTTOM
        size = f'x="{left:.1f}" y="{_TOP:g}" width="{right - left:.1f}" height="{height:g}"'
        told = ' data-tip="{}"'.format(escaped(tip).replace("\n", "&#10;")) if tip else ""
        return f'<rect class="{kind}" {size}{told}/>'


def svg(frame: Frame, title: str, parts: Iterable[str], kind: str) -> str:
    """The drawing with its text alternative."""
    return (
        f'<svg class="chart {kind}" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
        f'aria-label="{escaped(title)}">{"".join(parts)}</svg>'
    )


def line(places: Sequence[tuple[float, float]]) -> str:
    """The path through some places.

    >>> line([(0, 1), (2.25, 3)])
    'M0 1L2.2 3'
    """
    return "M" + "L".join(f"{round(x, 1):g} {round(y, 1):g}" for x, y in places)


AXIS = ("1-50", "51-100", "101-150")  # where nothing was measured and nothing published
SMALL, LARGE = (166.0, 116.0, 28.0), (460.0, 270.0, 36.0)  # width, height, room on the left
_APART = 3.2  # pixels between encodings
_PALETTE = 4  # further encodings have this many colours
_MARKED = 12  # with more runs only the last range is marked
_ROOM = 19  # characters below a small panel
_TOLD = 6  # so many runs are told one by one
_Places: TypeAlias = list[tuple[float, float]]


@dataclass(frozen=True)
class Series:
    """The runs of one configuration, each an accuracy by the place of its range on the axis."""

    kind: str
    """Its class in the style."""
    runs: Sequence[Sequence[tuple[int, float]]]


def series_class(encoding: str, columns: Sequence[str]) -> str:
    """The class of an encoding: those with a forecast have their own, the others those of a palette.

    >>> series_class("nope", ("nope", "ape", "rope")), series_class("rope", ("nope", "ape", "rope"))
    ('nope', 'other e0')
    """
    if encoding in ENCODING_SIDES:
        return encoding
    others = [name for name in columns if name not in ENCODING_SIDES]
    return f"other e{(others.index(encoding) if encoding in others else 0) % _PALETTE}"


def panel(task: TaskView, columns: Sequence[str], group: Group | None = None, large: bool = False) -> str:
    """Accuracy against length of one group of cells; without one, of the cells of the overview.

    Published numbers are marked where the panel is large or nothing was measured.
    """
    cells = task.chosen if group is None else group.cells
    labels = _labels(task, cells)
    frame, parts = _axes(_thinned(labels, large), _trained(cells, labels), large)
    if task.level is not None:
        parts.append(f'<path class="level" d="{frame.across(task.level)}"/>')
    published = _published(task, labels) if large or not any(cell.lasts for cell in cells) else []
    parts += _papers(frame, published, columns, joined=not cells)
    parts += _all_lines(frame, [_series(cell, columns, labels) for cell in cells])
    parts += [
        frame.strip(place - 0.5, place + 0.5, "target hit", tip)
        for place, name in enumerate(labels)
        if (tip := _tip(place, name, cells, published))
    ]
    return svg(frame, _told(task, cells), parts, "panel large" if large else "panel")


def by_length(labels: Sequence[str], series: Sequence[Series], title: str) -> str:
    """Accuracy against length where the first range is that of training: a line per run."""
    frame, parts = _axes(labels, 0, large=True)
    return svg(frame, title, [*parts, *_all_lines(frame, series)], "panel large")


def _axes(labels: Sequence[str], trained: int | None, large: bool) -> tuple[Frame, list[str]]:
    """The frame of a chart by length; the range that was trained on is shaded."""
    width, height, left = LARGE if large else SMALL
    frame = Frame(
        width=width, height=height, left=left, low=0.0, high=1.0, first=-0.3, last=len(labels) - 0.7
    )
    shaded = [] if trained is None else [frame.strip(trained - 0.5, trained + 0.5, "trained")]
    numbers = frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])
    return frame, [*shaded, *numbers, *frame.below(list(enumerate(labels)))]


def _series(cell: CellView, columns: Sequence[str], labels: Sequence[str]) -> Series:
    runs = [[(labels.index(name), value) for name, value in run] for run in cell.lines()]
    return Series(series_class(cell.encoding, columns), runs)


def _apart(number: int, count: int) -> float:
    return _APART * (number - (count - 1) / 2)


def _labels(task: TaskView, cells: Sequence[CellView]) -> tuple[str, ...]:
    found = {name for cell in cells for name in cell.ranges}
    published = next((verdict.published_lengths for verdict in task.verdicts if verdict.published), AXIS)
    return tuple(sorted(found, key=name_order)) or published


def _thinned(labels: Sequence[str], large: bool) -> list[str]:
    """Labels that fit: with many ranges only some are named."""
    every = -(-len(labels) // (6 if large else 3))
    if not large and sum(map(len, labels[::every])) > _ROOM:
        every = max(1, len(labels) - 1)
    return [lengths(name) if place % every == 0 else "" for place, name in enumerate(labels)]


def _trained(cells: Sequence[CellView], labels: Sequence[str]) -> int | None:
    """The place of the range that was trained on, where all cells have the same."""
    names = {cell.trained for cell in cells}
    if len(names) != 1 or (name := names.pop()) not in labels:
        return None
    return labels.index(name)


def _all_lines(frame: Frame, series: Sequence[Series]) -> list[str]:
    """What coincides stands beside each other, and dashes over whole lines."""
    first = [each for each in series if not each.kind.startswith("other")]
    shifts = {each.kind: _apart(number, len(first)) for number, each in enumerate(first)}
    placed = [(each, shifts[each.kind]) for each in first]
    # Those that are shown on demand stand on both sides of these.
    rest = [each for each in series if each.kind.startswith("other")]
    placed += [
        (each, _APART * (number // 2 + (len(first) + 1) / 2) * (-1 if number % 2 else 1))
        for number, each in enumerate(rest)
    ]
    placed.sort(key=lambda pair: pair[0].kind == "nope")
    return [part for each, shift in placed for part in _lines(frame, each, shift)]


def _lines(frame: Frame, series: Series, shift: float) -> list[str]:
    """A line per run, and all marks of the encoding in one path."""
    parts, marks = [], []
    few = len(series.runs) <= _MARKED
    for run in series.runs:
        places = [(frame.x(place) + shift, frame.y(value) + shift / 2) for place, value in run]
        if len(places) > 1:
            parts.append(f'<path class="seed {series.kind}" d="{line(places)}"/>')
        marks += places if few else places[-1:]
    if marks:
        parts.append(f'<path class="mark {series.kind}" d="{_shapes(marks, series.kind)}"/>')
    return parts


def _shapes(places: _Places, kind: str) -> str:
    """Marks that differ in shape, not in colour alone: triangles, dots, diamonds, squares."""
    shapes = {
        "nope": ("l-3.2 5.6h6.4z", 0.0, -3.4),
        "ape": ("h0", 0.0, 0.0),
        "reach": ("l3.8 3.8-3.8 3.8-3.8-3.8z", 0.0, -3.8),
    }
    path, right, down = shapes.get(kind, ("h5v5h-5z", -2.5, -2.5))
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
            told.append(f"{encoding_name(cell.encoding)}: {shares(cell.accuracies(name))}")
    for each in published:
        if each.place == place:
            where = f"{encoding_name(each.encoding)}, lengths {lengths(each.lengths)}"
            told.append(f"published, {where}: {percent(each.value)}")
    return "\n".join([*([f"lengths {lengths(name)}"] if cells else []), *told]) if told else ""


def shares(values: Sequence[float]) -> str:
    """Accuracies of runs, one by one; of many runs the range.

    >>> [shares(values).replace(NO_BREAK, " ") for values in ([1.0, 0.0, 0.0], [0.0, 0.0], [])]
    ['100, 0, 0 %', '0 % each', 'none']
    """
    found = sorted(values, reverse=True)
    if not found:
        return "none"
    if len(found) > 1 and found[0] == found[-1]:
        return f"{percent(found[0])} each"
    if len(found) > _TOLD:
        return f"{percent(found[-1])} to {percent(found[0])} in {counted(len(found), 'run')}"
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


CURVES = {"width": 340.0, "height": 170.0, "left": 44.0}
_SEEDS = 6  # seeds have this many colours
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def curves(cell: CellView, what: str) -> str:
    """The `loss` (logarithmic) or the `accuracy` on the training range against the step, a line per run."""
    series = [(result, _finite(result, what, cell.trained or "")) for result in cell.curves]
    values = [value for _, points in series for _, value in points]
    last = max((step for _, points in series for step, _ in points), default=1)
    if what == "loss":
        positive = [value for value in values if value > 0]
        low = math.floor(math.log10(min(positive, default=0.1)))
        high = math.ceil(math.log10(max(positive, default=1.0)))
        low, high = max(low, high - 8), max(high, low + 1)
        frame = Frame(**CURVES, low=low, high=high, first=0, last=last)
        every = -(-(high - low) // 4)
        powers = range(low, high + 1, every)
        parts = frame.grid(zip(powers, power_names(powers), strict=True))
    else:
        frame = Frame(**CURVES, low=0.0, high=1.0, first=0, last=last)
        parts = frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])
    parts += frame.below([(0, "0"), (last, f"{last:,}")])
    parts += [_curve(frame, result, points, what, number) for number, (result, points) in enumerate(series)]
    name = "loss" if what == "loss" else "accuracy on the training range, in per cent,"
    shown = f"{len(series)} of {counted(cell.number, 'run')}"
    return svg(frame, f"{name} against step, {encoding_name(cell.encoding)}, {shown}", parts, "curves")


def power_names(exponents: Sequence[int]) -> list[str]:
    """Powers of ten, all written in one way.

    >>> power_names([-2, -1, 0]), power_names([-5, -3, 1])
    (['0.01', '0.1', '1'], ['10⁻⁵', '10⁻³', '10¹'])
    """
    if min(exponents) >= -4:
        return [f"{10.0**exponent:g}" for exponent in exponents]
    return [f"10{str(exponent).translate(_RAISED)}" for exponent in exponents]


def curve_legend(cell: CellView) -> str:
    """Which colour is which seed; with many runs colours come again."""
    items = []
    for colour in range(min(_SEEDS, len(cell.curves))):
        seeds = [_seed(result) for result in cell.curves[colour::_SEEDS]]
        named = escaped(f"seed{'' if len(seeds) == 1 else 's'} {', '.join(seeds)}")
        sample = f'<svg class="sample" aria-hidden="true"><path class="curve s{colour}" d="M0 6H34"/></svg>'
        items.append(f"<li>{sample}{named}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>' if items else ""


def _seed(result: Result) -> str:
    return "–" if result.seed is None else str(result.seed)


def _finite(result: Result, what: str, trained: str) -> list[tuple[int, float]]:
    found = [(row.step, row.loss if what == "loss" else row.accuracy.get(trained)) for row in result.rows]
    return [(step, value) for step, value in found if value is not None and math.isfinite(value)]


def _curve(frame: Frame, result: Result, points: Sequence[tuple[int, float]], what: str, number: int) -> str:
    def place(value: float) -> float:
        shown = math.log10(max(value, 1e-300)) if what == "loss" else value
        return frame.y(min(max(shown, frame.low), frame.high))

    if not points:
        return ""
    places = [(frame.x(step), place(value)) for step, value in points]
    kind = "curve" if len(places) > 1 else "curve dot"
    path = line(places if len(places) > 1 else places * 2)
    tip = escaped(f"seed {_seed(result)}")
    return f'<path class="{kind} s{number % _SEEDS} hit" data-tip="{tip}" d="{path}"/>'
