"""What all charts share: an area that turns numbers into places, and pieces of inline SVG.

Colours come from classes that the page's style defines, so that both themes work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longreach.report.text import escaped

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
