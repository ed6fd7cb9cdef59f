"""Attention over sets of two tokens: the sum over near sets against the sum over all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, best_time
from longreach.studies.sparsity.attention import Key, SparseAttention, Value
from tests.helpers.sparsity_oracle import attention

WINDOW = 8


def _score(places: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    near = places[..., 1] - places[..., 0] <= WINDOW
    return np.where(near & (tokens[..., 0] == tokens[..., 1]), 0.0, -np.inf)


def _attention(window: int | None) -> SparseAttention:
    value = Value("first", lambda tokens: tokens[..., :1].astype(np.float64))
    return SparseAttention(Key("equal", _score, window), value, sparsity=2)


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    short = rng.integers(0, 2, (1, 200))
    local, full = _attention(WINDOW), _attention(None)
    literal = best_time(
        lambda: attention(
            lambda places, tokens: (
                0.0 if places[1] - places[0] <= WINDOW and tokens[0] == tokens[1] else -np.inf
            ),
            lambda tokens: (tokens[0],),
            2,
            short[0].tolist(),
        ),
        repeats=1,
    )
    near = best_time(lambda: local.quotient(short))
    yield Row("k = 2, window 8, length 200: literal sum / near sets", literal / near, "×", "≥ 20")
    long = rng.integers(0, 2, (1, 2000))
    ratio = best_time(lambda: full.quotient(long), repeats=1) / best_time(lambda: local.quotient(long))
    yield Row("k = 2, window 8, length 2000: all sets / near sets", ratio, "×", "≥ 20")
    base = best_time(lambda: local.quotient(long)) / 2000
    for length in (10_000, 100_000):
        word = rng.integers(0, 2, (1, length))
        cost = best_time(lambda word=word: local.quotient(word)) / length
        yield Row(f"cost per token at length {length:,} / at 2,000", cost / base, "×", "about 1 or less")
