"""Limit transformers of one layer and one head with small integers as parameters, by the numbers they have.

A head gives the token σ at distance d the logit g(σ) + φ(d) and reads w(σ); the output at the last position
adds u(σ) of the token there and v(i mod Δ) of its place. Attention takes powers of the length N, so a word is
accepted exactly when Σ_j N^(g + φ) · (w + u + v) is positive: integers decide it. `transformer` is the same
as a limit transformer in the sense of the theory, with its R_∞.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.limit.compile.hand_built import attention_only
from longreach.limit.model import START, Head, Transformer
from longreach.synthesis.word_tree import Truth, WordTree

Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class LimitShape:
    """What hypotheses have in common: the largest parameter, the period Δ, and φ at distances 0, 1, ….

    >>> LimitShape(largest=1, period=1, phi=()).complexity(2)
    8
    """

    largest: int
    period: int
    phi: tuple[int, ...]

    def width(self, letters: int) -> int:
        """d: a direction for each token, $ among them, for the places, and for what is read."""
        return letters + 2 + (self.period if self.period > 1 else 0)

    def largest_sum(self, size: int) -> int:
        """No sum that decides a word with so many tokens is larger."""
        exponent = 2 * self.largest + max([0, *self.phi]) + max([0, *(-value for value in self.phi)])
        largest: int = 3 * self.largest * size ** (exponent + 1)
        return largest

    def complexity(self, letters: int) -> int:
        """R_∞ of the largest of them: layer, head and width, no fractional bits, the largest parameter, Δ and
        the sum of squares of φ."""
        relations = sum(value**2 for value in self.phi)
        return 2 + self.width(letters) + self.largest + self.period + relations


def shapes(letters: int, most: int, *, distance: int = 2, periods: int = 4) -> list[LimitShape]:
    """All shapes in order of complexity, up to `most`.

    >>> [(shape.largest, shape.period, shape.phi) for shape in shapes(2, 9)]
    [(1, 1, ()), (1, 1, (-1,)), (1, 1, (0, -1)), (1, 1, (0, 0, -1)), (1, 1, (0, 0, 1)), (1, 1, (0, 1)), \
(1, 1, (1,)), (2, 1, ())]
    """
    found = []
    for period in range(1, periods + 1):
        for largest in range(1, most):
            left = most - LimitShape(largest=largest, period=period, phi=()).complexity(letters)
            if left >= 0:
                relations = _relations(distance, left)
                found += [LimitShape(largest=largest, period=period, phi=phi) for phi in relations]
    return sorted(
        found, key=lambda shape: (shape.complexity(letters), shape.period, shape.largest, shape.phi)
    )


def _relations(distance: int, most: int) -> Iterator[tuple[int, ...]]:
    """φ with a sum of squares up to `most`; it has no part in the largest parameter (Definition 50)."""
    values = range(-isqrt(most), isqrt(most) + 1)
    yield ()
    for size in range(1, distance + 2):
        for phi in product(values, repeat=size):
            if phi[-1] and sum(value**2 for value in phi) <= most:
                yield phi


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Words of a tree as a head sees them: how often each token stands there, and which are the last."""

    tree: WordTree

    @cached_property
    def counts(self) -> Integers:
        """(words, tokens), $ first."""
        found = np.zeros((len(self.tree), len(self.tree.alphabet) + 1), np.int64)
        found[0, 0] = 1
        for first, end in zip(self.tree.starts[1:], self.tree.starts[2:], strict=False):
            found[first:end] = found[self.tree.parents[first:end]]
            found[np.arange(first, end), self.tree.letters[first:end] + 1] += 1
        return found

    def back(self, distance: int) -> Integers:
        """The token so many places before the last; −1 where there is none."""
        node: NDArray[np.integer[Any]] = np.arange(len(self.tree))
        there = self.tree.lengths >= distance
        for _ in range(distance):
            node = self.tree.parents[node]
        return np.where(there, self.tree.letters[node] + 1, -1)

    @cached_property
    def sizes(self) -> Integers:
        """N: the tokens of each word, with $."""
        return self.tree.lengths + 1


@dataclass(frozen=True, kw_only=True)
class SmallLimit:
    """One of them; tokens are $ and the letters in order."""

    alphabet: tuple[str, ...]
    shape: LimitShape
    logits: tuple[int, ...]
    """g."""
    values: tuple[int, ...]
    """w."""
    outputs: tuple[int, ...]
    """u."""
    places: tuple[int, ...]
    """v, for each place modulo Δ."""

    def accepted(self, words: CountedWords) -> Truth:
        """Whether each word is accepted."""
        sums, totals = sums_of(self.shape, words, np.array([self.logits]), np.array([self.values]))
        bias = (
            np.array(self.outputs)[words.back(0)]
            + np.array(self.places)[words.tree.lengths % len(self.places)]
        )
        said: Truth = sums[:, 0, 0] + bias * totals[:, 0] > 0
        return said

    def transformer(self) -> Transformer:
        """The same in the form of the theory."""
        tokens = len(self.alphabet) + 1
        width, read = self.shape.width(tokens - 1), tokens
        kq, v = np.zeros((width, width)), np.zeros((width, width))
        kq[:tokens, :tokens] = np.array(self.logits, float)[:, None]
        v[read, :tokens] = self.values
        embedding = np.zeros((tokens, width))
        embedding[:, :tokens] = np.eye(tokens)
        positions = np.zeros((self.shape.period, width))
        out = np.zeros((1, width))
        out[0, :tokens], out[0, read] = self.outputs, 1.0
        if self.shape.period > 1:
            positions[:, read + 1 :] = np.eye(self.shape.period)
            out[0, read + 1 :] = self.places
        return Transformer(
            kind="limit",
            vocabulary=(START, *self.alphabet),
            embedding=embedding,
            positions=positions,
            layers=(
                attention_only(Head(kq, v, np.array(self.shape.phi, float) if self.shape.phi else None)),
            ),
            unembedding=out,
        )

    def lines(self) -> list[str]:
        """Its numbers, a line each."""
        tokens = (START, *self.alphabet)

        def listed(numbers: Sequence[int]) -> str:
            return ", ".join(f"{token} {number}" for token, number in zip(tokens, numbers, strict=True))

        rows = [
            f"logits   {listed(self.logits)}",
            f"values   {listed(self.values)}",
            f"outputs  {listed(self.outputs)}",
        ]
        if self.shape.period > 1:
            rows.append(f"places   {', '.join(f'{place} {v}' for place, v in enumerate(self.places))}")
        if self.shape.phi:
            rows.append(f"φ        {', '.join(f'{place} {v}' for place, v in enumerate(self.shape.phi))}")
        return rows


def sums_of(
    shape: LimitShape, words: CountedWords, logits: Integers, values: Integers, chosen: Integers | None = None
) -> tuple[Integers, Integers]:
    """For words, logits and values: Σ N^(g + φ) w, and for words and logits Σ N^(g + φ), both times a power.

    The first has axes for words, rows of `logits` and rows of `values`.
    """
    nodes = np.arange(len(words.tree)) if chosen is None else chosen
    lift = shape.largest + max([0, *(-value for value in shape.phi)])
    base = words.sizes[nodes, None, None]
    powers = base ** (logits[None] + lift)
    weights = words.counts[nodes, None, :] * powers
    for distance, value in enumerate(shape.phi):
        token = words.back(distance)[nodes]
        there = np.flatnonzero(token >= 0)
        size = words.sizes[nodes[there], None]
        at = logits[None, :, :].repeat(len(there), axis=0)[np.arange(len(there)), :, token[there]]
        weights[there, :, token[there]] += size ** (at + lift + value) - size ** (at + lift)
    return np.einsum("ngt,wt->ngw", weights, values), weights.sum(axis=2)
