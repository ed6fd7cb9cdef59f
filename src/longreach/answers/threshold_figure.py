"""A threshold drawn: accuracy or loss on long inputs by training length, with the answer and the bounds.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart; marks say the
same once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.errors import Field, InputError
from longreach.figures import BLUE, GREEN, PALE, RED, accuracy_axis, check_format, figure_bytes
from longreach.runs.cells import ByAccuracy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from longreach.answers.threshold import ThresholdAnswer

FARTHEST = 8
"""Times the longest training length: bounds beyond that stand in the legend alone."""
APART = 1.08
"""The least ratio of two numbers on the axis."""
SIZE = (6.4, 3.8)  # inches


def plot_threshold(found: ThresholdAnswer, ax: Axes | None = None) -> Axes:
    """The curve; the axes may be given."""
    if not found.cells:
        raise InputError("there is nothing to plot: no run has finished")
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=SIZE, layout="constrained")
    _marks(ax, found)
    criterion = found.criterion
    if found.threshold is not None:
        ax.axvline(found.threshold, color=BLUE, linewidth=1.2, label=found.sentence, zorder=1)
    lengths = [cell.train_to for cell in found.cells]
    shown: list[float] = [*lengths]
    for bound, words in zip(found.theory.bounds, found.bounds_words, strict=True):
        label = f"bound {words.partition(':')[0]}"
        value = bound.value.number()
        inside = value is not None and 0 < value <= FARTHEST * found.cells[-1].train_to
        at = [value] if value is not None and inside else []
        ax.plot(at, at, color="black", linewidth=1.0, linestyle=":", label=label)
        for place in at:
            ax.axvline(place, color="black", linewidth=1.0, linestyle=":", zorder=1)
        shown += at
    ax.set_xscale("log", base=2)
    ax.set_xlim(min(shown) / 1.2, max(shown) * 1.2)
    ticks = _ticks(lengths, found.threshold)
    ax.set_xticks(ticks, [str(length) for length in ticks], fontsize=8)
    ax.minorticks_off()
    if isinstance(criterion, ByAccuracy):
        accuracy_axis(ax, chance=criterion.chance, level=criterion.level)
        ax.set_ylabel(f"accuracy on {found.tested_words}, %", fontsize=8)
    else:
        ax.axhline(criterion.level, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
        ax.set_yscale("log")
        ax.set_ylabel(f"squared error on {found.tested_words}", fontsize=8)
    ax.set_xlabel("longest training input")
    ax.set_title(found.title, fontsize=10)
    ax.legend(fontsize=7, frameon=False, loc="best")
    return ax


def _ticks(lengths: Sequence[int], first: int | None) -> list[int]:
    """The lengths whose numbers have room beside each other, the answer among them.

    >>> _ticks([5, 10, 16, 17, 18, 20, 40], 17)
    [5, 10, 17, 20, 40]
    """
    kept: list[int] = [] if first is None else [first]
    for length in lengths:
        if all(max(length, other) >= APART * min(length, other) for other in kept):
            kept.append(length)
    return sorted(kept)


def _marks(ax: Axes, found: ThresholdAnswer) -> None:
    """Each run on its own, a little apart where several stand at one length."""
    labelled = set[bool]()
    for cell in found.cells:
        middle = (len(cell.values) - 1) / 2
        for place, value in enumerate(cell.values):
            good = found.criterion.works(value)
            style: dict[str, Any] = {"color": GREEN, "marker": "o"} if good else {"color": RED, "marker": "X"}
            label = None if good in labelled else "a run that works" if good else "a run that does not"
            labelled.add(good)
            at = cell.train_to * 1.02 ** (place - middle)
            ax.plot([at], [value], linestyle="", markersize=5, label=label, zorder=3, **style)


def figure_content(found: ThresholdAnswer, suffix: str) -> bytes:
    """The figure as a file of the format of a name's ending; the same numbers give the same file."""
    check_format(Path(f"threshold{suffix}"), Field("out"))

    def figure() -> Figure:
        from matplotlib.figure import Figure

        drawn = Figure(figsize=SIZE, layout="constrained")
        plot_threshold(found, drawn.subplots())
        return drawn

    return figure_bytes(figure, suffix, salt="threshold")
