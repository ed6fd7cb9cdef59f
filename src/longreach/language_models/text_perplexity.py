"""Perplexity by context length and by position: the exponential of the mean −log p of each token."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longreach.errors import Field, InputError
from longreach.language_models.scorer import Losses, Scorer, rows_at_once
from longreach.language_models.token_file import Tokens

Advance = Callable[[int], None]
"""Told how many windows are done more."""


@dataclass(frozen=True)
class AtLength:
    """What a model does on inputs of one length."""

    length: int
    """Tokens of an input; as many are predicted, each from those before it."""
    by_position: tuple[float, ...]
    """Mean loss of the prediction after 1, 2, … tokens."""
    windows: int

    @property
    def loss(self) -> float:
        """Mean over all positions."""
        return sum(self.by_position) / self.length

    @property
    def perplexity(self) -> float:
        """The exponential of the mean loss."""
        return math.exp(self.loss)

    @property
    def last(self) -> float:
        """The perplexity of the token after the whole input."""
        return math.exp(self.by_position[-1])

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "length": self.length,
            "perplexity": self.perplexity,
            "last_position": self.last,
            "windows": self.windows,
            "loss_by_position": list(self.by_position),
        }


def cut_windows(tokens: Sequence[int], length: int, most: int | None = None) -> Tokens:
    """Windows of a length that do not overlap, spread out evenly if there are more than are wanted.

    >>> cut_windows([1, 2, 3, 4, 5], 2).tolist()
    [[1, 2], [3, 4]]
    """
    count = len(tokens) // length
    if not count:
        raise InputError(f"the text has {len(tokens)} tokens, and a window needs {length}")
    rows = np.asarray(tokens[: count * length], dtype=np.int64).reshape(count, length)
    if most is not None and count > most:
        rows = rows[np.linspace(0, count - 1, most).astype(np.int64)]
    return rows


def perplexity_at(scorer: Scorer, windows: Tokens, advance: Advance | None = None) -> AtLength:
    """The losses on windows, each one token longer than the inputs."""
    length = windows.shape[1] - 1
    if scorer.longest is not None and length > scorer.longest:
        raise InputError(
            f"{length} is more than the {scorer.longest} positions of the model", place=Field("lengths")
        )
    if windows.max() >= scorer.vocabulary:
        raise InputError(f"token {windows.max()} is outside the model's vocabulary of {scorer.vocabulary}")
    total = np.zeros(length)
    rows = rows_at_once(length, scorer.vocabulary)
    for start in range(0, len(windows), rows):
        found: Losses = scorer.losses(windows[start : start + rows])
        total += found.sum(axis=0)
        if advance is not None:
            advance(len(found))
    return AtLength(length, tuple((total / len(windows)).tolist()), len(windows))
