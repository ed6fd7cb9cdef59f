"""What figures share: colours, an axis of accuracy, and files: the same numbers give the same bytes."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError, Place
from longreach.wording import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which people with any kind of colour vision can tell apart.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, BLACK, GREY = "#CC79A7", "#56B4E9", "#000000", "#777777"
PALE = "#BBBBBB"
"""Of lines behind the data."""
LOOKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (RED, "D"), (PURPLE, "v"), (SKY, "P"), (GREY, "X"))
"""Colours with markers, which say the same once more."""

FORMATS = (".svg", ".png", ".pdf")
"""Endings of the names of figures."""


def accuracy_axis(
    axis: Axes, *, chance: float | None = None, level: float | None = None, trained_to: int | None = None
) -> None:
    """Accuracy from 0 to 100 % upwards, with chance, the level of success and the end of training behind.

    >>> from matplotlib.figure import Figure
    >>> axis = Figure().subplots()
    >>> accuracy_axis(axis, chance=0.5, trained_to=40)
    >>> [label.get_text() for label in axis.get_yticklabels()], len(axis.lines)
    (['0', '50', '100'], 2)
    """
    behind: dict[str, Any] = {"color": PALE, "zorder": 0}
    if chance:
        axis.axhline(chance, linewidth=1.6, **behind)
    if level is not None:
        axis.axhline(level, linewidth=0.8, linestyle=(0, (4, 3)), **behind)
    if trained_to is not None:
        axis.axvline(trained_to, linewidth=0.8, linestyle=(0, (2, 2)), **behind)
    axis.set_ylim(-0.05, 1.05)
    axis.set_yticks([0, 0.5, 1], ["0", "50", "100"])


def check_format(path: Path, place: Place | None = None, formats: Sequence[str] = FORMATS) -> None:
    """Refuse a name that does not say in which format to write.

    >>> check_format(Path("a.SVG"))
    >>> check_format(Path("a.txt"))
    Traceback (most recent call last):
    longreach.errors.InputError: a.txt: must end in .svg, .png or .pdf
    """
    if path.suffix.lower() not in formats:
        raise InputError(f"{path}: must end in {listed(formats, 'or')}", place=place)


def figure_bytes(draw: Callable[[], Figure], suffix: str, *, salt: str) -> bytes:
    """What is drawn as `.svg`, `.png` or `.pdf`, without its date; `salt` fixes the names in an SVG.

    >>> from matplotlib.figure import Figure
    >>> figure_bytes(Figure, ".png", salt="example")[1:4]
    b'PNG'
    """
    from matplotlib import rc_context

    buffer = io.BytesIO()
    metadata = {} if suffix == ".png" else {"Date": None} if suffix == ".svg" else {"CreationDate": None}
    with rc_context({"svg.hashsalt": salt}):
        draw().savefig(buffer, format=suffix[1:], dpi=150, metadata=metadata)
    return _numbered(buffer.getvalue()) if suffix == ".svg" else buffer.getvalue()


_NAME = re.compile(rb"(?<=[#\"])[pmh][0-9a-f]{10}(?=[)\"])")


def _numbered(drawing: bytes) -> bytes:
    """An SVG with its names by the order of their use and by what is drawn: matplotlib makes them of the last
    digits of a layout, which differ from one drawing to the next.

    >>> _numbered(b'<a clip-path="url(#p0123456789)"/><b id="p0123456789"/>')
    b'<a clip-path="url(#p1-f6cc48df)"/><b id="p1-f6cc48df"/>'
    """
    drawn = hashlib.sha256(_NAME.sub(b"", drawing)).hexdigest()[:8].encode()
    names: dict[bytes, bytes] = {}

    def name(found: re.Match[bytes]) -> bytes:
        return names.setdefault(found[0], b"%c%d-%s" % (found[0][0], len(names) + 1, drawn))

    return _NAME.sub(name, drawing)
