"""Learning curves of the runs of a cell: loss, and accuracy on the training range, against the step."""

from __future__ import annotations

import math
from collections.abc import Sequence

from longreach.report.svg_frame import Frame, line, svg
from longreach.report.text import encoding_name, escaped, plural
from longreach.report.view import CellView, CurveView

_SEEDS = 6  # seeds have this many colours
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
        frame = Frame(width=width, height=height, low=low, high=high, first=0, last=last, left=44.0)
        every = -(-(high - low) // 4)
        powers = range(low, high + 1, every)
        parts = frame.grid(zip(powers, power_names(powers), strict=True))
    else:
        frame = Frame(width=width, height=height, low=0.0, high=1.0, first=0, last=last, left=44.0)
        parts = frame.grid([(0.0, "0"), (0.5, "50"), (1.0, "100")])
    parts += frame.below([(0, "0"), (last, f"{last:,}")])
    parts += [_curve(frame, curve, points, what, number) for number, (curve, points) in enumerate(series)]
    name = "loss" if what == "loss" else "accuracy on the training range, in per cent,"
    shown = f"{len(series)} of {plural(cell.number, 'run')}"
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
        seeds = [str(curve.seed) for curve in cell.curves[colour::_SEEDS]]
        named = escaped(f"seed{'' if len(seeds) == 1 else 's'} {', '.join(seeds)}")
        sample = f'<svg class="sample" aria-hidden="true"><path class="curve s{colour}" d="M0 6H34"/></svg>'
        items.append(f"<li>{sample}{named}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>' if items else ""


def _finite(curve: CurveView, what: str) -> list[tuple[int, float]]:
    values = curve.loss if what == "loss" else curve.accuracy
    pairs = zip(curve.steps, values, strict=True)
    return [(step, value) for step, value in pairs if value is not None and math.isfinite(value)]


def _curve(
    frame: Frame, curve: CurveView, points: Sequence[tuple[int, float]], what: str, number: int
) -> str:
    def place(value: float) -> float:
        shown = math.log10(max(value, 1e-300)) if what == "loss" else value
        return frame.y(min(max(shown, frame.low), frame.high))

    if not points:
        return ""
    places = [(frame.x(step), place(value)) for step, value in points]
    kind = "curve" if len(places) > 1 else "curve dot"
    path = line(places if len(places) > 1 else places * 2)
    tip = escaped(f"seed {curve.seed}")
    return f'<path class="{kind} s{number % _SEEDS} hit" data-tip="{tip}" d="{path}"/>'
