"""Charts as inline SVG. Colours come from classes that the page's style defines, so that both themes work."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from longreach.config.length_range import name_order
from longreach.report.runs_view import DOTTED_CURVES
from longreach.report.text import encoding_name, escaped, percent
from longreach.report.view import CellView, CurveView, EncodingView, TaskView

AXIS = ("1-50", "51-100", "101-150")  # where nothing was measured and nothing published
_LEFT, _TOP, _BOTTOM, _RIGHT = 30.0, 10.0, 20.0, 12.0
_PALETTE = 4  # further encodings have this many colours
_SEEDS = 6  # seeds have this many


class _Frame:
    """A chart's area: turns numbers into places."""

    def __init__(
        self, width: float, height: float, low: float, high: float, first: float, last: float
    ) -> None:
        self.width, self.height = width, height
        self.low, self.high = low, high if high > low else low + 1.0
        self.first, self.last = first, last if last > first else first + 1.0

    def x(self, value: float) -> float:
        share = (value - self.first) / (self.last - self.first)
        return _LEFT + share * (self.width - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)

    def grid(self, ticks: Iterable[tuple[float, str]]) -> list[str]:
        right = self.width - _RIGHT
        return [
            f'<path class="grid" d="M{_LEFT:g} {self.y(value):.1f}H{right:g}"/>'
            f'<text class="tick y" x="{_LEFT - 5:g}" y="{self.y(value) + 3:.1f}">{escaped(label)}</text>'
            for value, label in ticks
        ]

    def below(self, ticks: Iterable[tuple[float, str]]) -> list[str]:
        return [
            f'<text class="tick x" x="{self.x(value):.1f}" y="{self.height - 6:g}">{escaped(label)}</text>'
            for value, label in ticks
        ]


def _svg(width: float, height: float, title: str, parts: Iterable[str], kind: str) -> str:
    return (
        f'<svg class="chart {kind}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escaped(title)}"><title>{escaped(title)}</title>{"".join(parts)}</svg>'
    )


def _line(places: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _dot(x: float, y: float, radius: float, kind: str, tip: str) -> str:
    """A dot with a larger area around it under which the pointer finds it."""
    place = f'cx="{x:.1f}" cy="{y:.1f}"'
    return (
        f'<g class="hit" data-tip="{escaped(tip)}"><circle class="target" {place} r="{4 * radius:g}"/>'
        f'<circle class="dot {kind}" {place} r="{radius:g}"/></g>'
    )


def _series_class(task: TaskView, encoding: str, columns: Sequence[str]) -> str:
    """Colour tells the forecast, dashes tell the encoding; other encodings have colours of their own."""
    verdict = task.verdict(encoding)
    if encoding in ("ape", "nope"):
        return f"{encoding} {verdict.answer if verdict else 'unknown'}"
    others = [name for name in columns if name not in ("ape", "nope")]
    return f"other e{others.index(encoding) % _PALETTE}"


def _labels(task: TaskView) -> tuple[str, ...]:
    found = {name for cell in task.chosen for name in cell.ranges}
    published = next((verdict.published_lengths for verdict in task.verdicts if verdict.published), AXIS)
    return tuple(sorted(found, key=name_order)) or published


def panel(task: TaskView, columns: Sequence[str], width: float = 230.0, height: float = 150.0) -> str:
    """Accuracy against length: mean and range over the runs that count, published numbers as marks."""
    labels = _labels(task)
    frame = _Frame(width, height, 0.0, 1.0, -0.15, len(labels) - 1 + 0.15)
    parts = frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])
    parts += frame.below((place, name) for place, name in enumerate(_thinned(labels)))
    if task.level is not None:
        tip = f"from {percent(task.level)} on, a cell counts as working"
        place = f"M{_LEFT:g} {frame.y(task.level):.1f}H{width - _RIGHT:g}"
        parts.append(f'<path class="level hit" data-tip="{escaped(tip)}" d="{place}"/>')
    for verdict in task.verdicts:
        kind = _series_class(task, verdict.encoding, columns)
        parts += _marks(frame, verdict, labels, kind, joined=task.cell(verdict.encoding) is None)
    told = []
    for cell in task.chosen:
        parts += _series(frame, cell, labels, _series_class(task, cell.encoding, columns))
        if cell.last is not None:
            told.append(f"{encoding_name(cell.encoding)} {percent(cell.last.mean)} at {cell.last.label}")
    title = f"{task.name}: accuracy in per cent by length. " + ("; ".join(told) or "no runs") + "."
    return _svg(width, height, title, parts, "panel")


def _thinned(labels: Sequence[str]) -> list[str]:
    """Labels that fit: with many ranges only some are named."""
    every = -(-len(labels) // 4)
    return [name if place % every == 0 else "" for place, name in enumerate(labels)]


def _series(frame: _Frame, cell: CellView, labels: Sequence[str], kind: str) -> list[str]:
    points = [(frame.x(labels.index(point.label)), point) for point in cell.points]
    if not points:
        return []
    parts = []
    if len(points) > 1 and any(point.high > point.low for _, point in points):
        upper = [(x, frame.y(point.high)) for x, point in points]
        lower = [(x, frame.y(point.low)) for x, point in reversed(points)]
        parts.append(f'<path class="band {kind}" d="{_line([*upper, *lower])}Z"/>')
    parts.append(f'<path class="line {kind}" d="{_line([(x, frame.y(p.mean)) for x, p in points])}"/>')
    for x, point in points:
        tip = f"{encoding_name(cell.encoding)}, lengths {point.label}: {percent(point.mean)}"
        if point.high > point.low:
            tip += f" ({percent(point.low)} to {percent(point.high)})"
        parts.append(_dot(x, frame.y(point.mean), 2.6, kind, tip))
    return parts


def _marks(frame: _Frame, verdict: EncodingView, labels: Sequence[str], kind: str, joined: bool) -> list[str]:
    """The published numbers: at the same ranges, or at the same multiples of the training length."""
    parts, places = [], []
    for place, (value, name) in enumerate(zip(verdict.published, verdict.published_lengths, strict=False)):
        if value is None or (len(labels) != len(verdict.published_lengths) and name not in labels):
            continue
        # Bin by bin where there are as many, for two published bins may have the same lengths.
        x = frame.x(place if len(labels) == len(verdict.published_lengths) else labels.index(name))
        y = frame.y(value)
        tip = f"published, {encoding_name(verdict.encoding)}, lengths {name}: {percent(value)}"
        places.append((x, y))
        shape = f"M{x - 4:.1f} {y:.1f}l4 -4 4 4 -4 4z"
        parts.append(f'<path class="mark {kind} hit" data-tip="{escaped(tip)}" d="{shape}"/>')
    if joined and len(places) > 1:
        parts.insert(0, f'<path class="line published {kind}" d="{_line(places)}"/>')
    return parts


def curves(cell: CellView, what: str, width: float = 340.0, height: float = 170.0) -> str:
    """The `loss` (logarithmic) or the `accuracy` on the training range against the step, a line per run."""
    series = [(curve, _finite(curve, what)) for curve in cell.curves]
    values = [value for _, points in series for _, value in points]
    last = max((step for _, points in series for step, _ in points), default=1)
    if what == "loss":
        positive = [value for value in values if value > 0]
        low = math.floor(math.log10(min(positive, default=0.1)))
        high = math.ceil(math.log10(max(positive, default=1.0)))
        low, high = max(low, high - 8), max(high, low + 1)
        frame = _Frame(width, height, low, high, 0, last)
        every = -(-(high - low) // 4)
        parts = frame.grid((k, f"{10.0**k:g}") for k in range(low, high + 1, every))
    else:
        frame = _Frame(width, height, 0.0, 1.0, 0, last)
        parts = frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])
    parts += frame.below([(0, "0"), (last, f"{last:,}")])
    for number, (curve, points) in enumerate(series):
        parts += _curve(frame, curve, points, what, f"s{number % _SEEDS}", len(series) <= DOTTED_CURVES)
    name = "loss" if what == "loss" else "accuracy on the training range, in per cent,"
    title = f"{name} against step, {encoding_name(cell.encoding)}, {len(series)} of {cell.number} runs"
    return _svg(width, height, title, parts, "curves")


def _finite(curve: CurveView, what: str) -> list[tuple[int, float]]:
    values = curve.loss if what == "loss" else curve.accuracy
    pairs = zip(curve.steps, values, strict=True)
    return [(step, value) for step, value in pairs if value is not None and math.isfinite(value)]


def _curve(
    frame: _Frame, curve: CurveView, points: Sequence[tuple[int, float]], what: str, kind: str, dotted: bool
) -> list[str]:
    def place(value: float) -> float:
        shown = math.log10(max(value, 1e-300)) if what == "loss" else value
        return frame.y(min(max(shown, frame.low), frame.high))

    places = [(frame.x(step), place(value)) for step, value in points]
    parts = [f'<path class="curve {kind}" d="{_line(places)}"/>'] if len(places) > 1 else []
    for (x, y), (step, value) in zip(places, points, strict=True):
        shown = f"{value:.3g}" if what == "loss" else percent(value)
        tip = f"seed {curve.seed}, step {step:,}: {shown}"
        parts.append(_dot(x, y, 1.8, kind, tip))
    return parts if dotted or len(places) == 1 else parts[:1]
