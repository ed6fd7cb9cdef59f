"""Does the least training length grow with a parameter as a law says: lines with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

# The 97.5 % points of Student's t by degrees of freedom; beyond the table the normal one is used, widened.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
LEAST_VALUES = 3
"""Of the parameter: a line through fewer says nothing."""


@dataclass(frozen=True)
class Line:
    """A line through points by least squares, with the 95 % interval of its slope."""

    slope: float
    low: float
    high: float
    intercept: float

    @staticmethod
    def through(x: Sequence[float], y: Sequence[float]) -> Line:
        """Of at least three points, not all with one x.

        >>> line = Line.through([1, 2, 3, 4], [3, 5, 7, 9])
        >>> round(line.slope, 9), round(line.intercept, 9), round(line.high - line.low, 6)
        (2.0, 1.0, 0.0)
        """
        a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        centred = a - a.mean()
        spread = float(centred @ centred)
        slope = float(centred @ b) / spread
        intercept = float(b.mean() - slope * a.mean())
        rest, free = b - slope * a - intercept, len(a) - 2
        reach = _student(free) * math.sqrt(float(rest @ rest) / free / spread)
        return Line(slope, slope - reach, slope + reach, intercept)


def _student(free: int) -> float:
    return _T[free - 1] if free <= len(_T) else 1.960 + 2.5 / free


@dataclass(frozen=True, kw_only=True)
class Law:
    """How the least training length N grows with a parameter, the others fixed."""

    parameter: str
    fixed: str
    """The other parameters, as in "k=1"; empty if there are none."""
    values: tuple[float, ...]
    """Of the parameter, where the least N of some run lies between two that were trained."""
    missing: tuple[float, ...]
    """Where not every run reached it at any N that was trained: N is larger, or the run failed."""
    below: tuple[float, ...]
    """Where some run reached it with the smallest N already: how small N may be is not known."""
    line: Line | None
    """N against the parameter; None where there are too few values."""
    power: Line | None
    """log N against the logarithm of the parameter: its slope is the exponent."""

    @property
    def is_linear(self) -> bool | None:
        """Whether N grows, and in proportion to the parameter: the interval of the exponent holds 1."""
        if self.power is None:
            return None
        return self.power.low <= 1 <= self.power.high and self.power.low > 0

    @property
    def words(self) -> str:
        """In a sentence."""
        where = f" ({self.fixed})" if self.fixed else ""
        if self.line is None or self.power is None:
            return f"{self.parameter}{where}: too few values with a least N for a line"
        line, power = self.line, self.power
        found = (
            f"{self.parameter}{where}: N grows by {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}] "
            f"per unit, as {self.parameter}^{power.slope:.2f} [{power.low:.2f}, {power.high:.2f}]"
        )
        if self.is_linear:
            return f"{found}: linear within the interval"
        reason = "that it grows at all is not shown" if power.low <= 0 else "not linear"
        return f"{found}: {reason}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "linear": self.is_linear, "words": self.words}


def law_of(
    parameter: str,
    fixed: str,
    points: Sequence[tuple[float, float]],
    *,
    missing: Sequence[float] = (),
    below: Sequence[float] = (),
) -> Law:
    """The law through points (value, least N), one for each run."""
    values = tuple(sorted({value for value, _ in points}))
    line = power = None
    if len(values) >= LEAST_VALUES:
        x, y = [value for value, _ in points], [length for _, length in points]
        line = Line.through(x, y)
        power = Line.through([math.log(each) for each in x], [math.log(each) for each in y])
    return Law(
        parameter=parameter,
        fixed=fixed,
        values=values,
        missing=tuple(sorted(set(missing))),
        below=tuple(sorted(set(below))),
        line=line,
        power=power,
    )
