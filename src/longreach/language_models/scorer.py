"""What measurements ask of a language model: how surprised it is by each token, with some tokens hidden."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from longreach.language_models.token_file import Tokens

Losses = NDArray[np.float64]
Visible = NDArray[np.bool_]
MEMORY = 1 << 28
"""Bytes that the logits of one batch may take."""


class Scorer(Protocol):
    """A model."""

    @property
    def longest(self) -> int | None:
        """The longest input that it has positions for; None: any."""

    @property
    def vocabulary(self) -> int:
        """Its tokens."""

    def losses(self, windows: Tokens) -> Losses:
        """−log p of every token of each window but the first, given those before it."""

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        """−log p of the last token of each window, where of those before only the visible ones count.

        Hidden tokens keep their positions.
        """


def rows_at_once(length: int, vocabulary: int) -> int:
    """Windows of which all logits fit into memory.

    >>> rows_at_once(128, 50_000), rows_at_once(16, 257)
    (10, 16320)
    """
    return max(1, MEMORY // (4 * length * vocabulary))
