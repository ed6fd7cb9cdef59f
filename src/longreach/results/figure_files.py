"""Figures as files: the same numbers give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    return buffer.getvalue()
