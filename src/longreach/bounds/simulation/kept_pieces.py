"""Pieces of a word drawn by a two-state chain, and how well they keep its statistics (Lemma 5.3, 2510.27015).

Being kept or not is a stationary Markov chain over the positions, so that long pieces stay whole: with n of T
positions kept and pieces of about n^(1/3), windows of a few tokens are mostly unbroken, and there are enough
pieces for averages to settle. Both errors then fall like n^(−1/3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.bounds.simulation.model_pair import Word


@dataclass(frozen=True, kw_only=True, slots=True)
class Statistics:
    """How far z is from x."""

    suffix: float
    """Σ |share in x − share in z| over windows of τ + 1 tokens, with blanks before the first token."""
    histogram: float
    """Mean over the positions of x of Σ |share in x so far − share in what is kept of it|."""


def draw_kept(units: int, share: float, piece: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A stationary chain: kept with probability `share`, in pieces of `piece` units on average.

    >>> kept = draw_kept(100_000, 0.1, 20.0, np.random.default_rng(0))
    >>> bool(abs(kept.mean() - 0.1) < 0.02), bool(abs(np.diff(kept).sum() - 2 * 500) < 100)
    (True, True)
    """
    leave, enter = 1 / piece, share / (piece * (1 - share))
    state = bool(rng.random() < share)
    runs: list[NDArray[np.int64]] = []
    total = 0
    while total < units:
        size = int(1.1 * units * share / piece) + 16
        both = np.empty(2 * size, dtype=np.int64)
        both[0::2] = rng.geometric(leave if state else enter, size)
        both[1::2] = rng.geometric(enter if state else leave, size)
        runs.append(both)
        total += int(both.sum())
    lengths = np.concatenate(runs)
    kinds = np.arange(len(lengths)) % 2 == (0 if state else 1)
    ends = np.minimum(np.cumsum(lengths), units)
    return np.repeat(kinds, np.diff(ends, prepend=0))


def statistics(x: Word, kept: NDArray[np.bool_], *, tokens: int, window: int) -> Statistics:
    """Of the word z = x[kept]; `window` is τ + 1.

    >>> x = np.array([0, 1, 0, 1, 0, 1])
    >>> statistics(x, np.array([1, 1, 1, 1, 0, 0], dtype=bool), tokens=2, window=1).suffix
    0.0
    """
    z = x[kept]
    return Statistics(suffix=_suffix(x, z, tokens, window), histogram=_histogram(x, kept, tokens))


def windows(words: list[Word], *, tokens: int, window: int) -> list[NDArray[np.int64]]:
    """The number of the window that ends at each position, the same for equal windows of all words."""
    sizes = np.cumsum([len(word) for word in words])[:-1]
    code = np.zeros(sum(len(word) for word in words), dtype=np.int64)
    for back in range(window):
        shifted = [
            np.concatenate([np.full(min(back, len(w)), tokens), w[: max(len(w) - back, 0)]]) for w in words
        ]
        _, code = np.unique(code * (tokens + 1) + np.concatenate(shifted), return_inverse=True)
    return np.split(code, sizes)


def _suffix(x: Word, z: Word, tokens: int, window: int) -> float:
    one, other = windows([x, z], tokens=tokens, window=window)
    size = int(one.max(initial=0)) + int(other.max(initial=0)) + 1
    shares = [np.bincount(codes, minlength=size) / max(len(codes), 1) for codes in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum())


def _histogram(x: Word, kept: NDArray[np.bool_], tokens: int) -> float:
    seen = np.arange(1, len(x) + 1)
    taken = np.cumsum(kept)
    none = taken == 0
    apart = np.where(none, 2.0, 0.0)
    for token in range(tokens):
        here = x == token
        share = np.cumsum(here & kept) / np.maximum(taken, 1)
        apart += np.where(none, 0.0, np.abs(share - np.cumsum(here) / seen))
    return float(apart.mean()) if len(x) else 0.0
