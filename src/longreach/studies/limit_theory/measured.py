"""Statements about limit transformers, measured: hand-built models, and random initialization.

The induction head and a counter-example compute Equation (10) of Huang et al., arXiv 2410.02140, section 4.1:
which tokens have followed the earlier occurrences of the current token. The counter-example (Proposition 59
there, section G.6.1) is a sequence of finite transformers, right up to half the context and wrong at the
whole of it, because their product functions vary with the offset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.hand_built import Coordinates, induction_head
from longreach.theory.limit.model import Array, Head, Transformer
from longreach.theory.limit.run import run

TOKENS = ("a", "b", "c", "d")
OFF = 10.0  # further logit of $ for a head that is switched off


def kgram_frequencies(word: Sequence[str], tokens: Sequence[str], k: int = 1) -> Array:
    """At $ and after each token, how often each token followed earlier occurrences of the last k tokens.

    One row per position, 0 where there is no earlier occurrence. With k = 1 this is Equation (10).

    >>> kgram_frequencies("abcabdab", "abcd", 2).tolist()[-1]
    [0.0, 0.0, 0.5, 0.5]
    """
    number = {token: place for place, token in enumerate(tokens)}
    counts: defaultdict[tuple[str, ...], Array] = defaultdict(lambda: np.zeros(len(tokens)))
    result = np.zeros((len(word) + 1, len(tokens)))
    for i in range(1, len(word) + 1):
        if i > k:
            counts[tuple(word[i - 1 - k : i - 1])][number[word[i - 1]]] += 1
        seen = counts[tuple(word[i - k : i])] if i >= k else np.zeros(len(tokens))
        result[i] = seen / max(seen.sum(), 1)
    return result


@dataclass(frozen=True)
class InductionRow:
    """How far the induction head's outputs are from Equation (10) at one length, $ included."""

    length: int
    worst: float
    """Over all positions of random words and of words made to be hard."""
    scaled: float
    """`worst` times the length: bounded if the error is O(1/|x|)."""
    random: float
    """Mean over random words, at the last position."""


def induction_errors(
    lengths: Sequence[int],
    *,
    phi: float = 2.0,
    precision: int | None = 0,
) -> list[InductionRow]:
    """One row per length.

    >>> [row.scaled < 1 for row in induction_errors([8, 64, 512])]
    [True, True, True]
    """
    model = induction_head(TOKENS, phi=phi, precision=precision)
    rng = np.random.default_rng(0)
    rows = []
    for length in lengths:
        size = length - 1
        both = _random_words(rng, 8, size) + _hard_words(size)
        errors = [
            np.abs(output - kgram_frequencies(word, TOKENS)).max(axis=1)
            for output, word in zip(run(model, both), both, strict=True)
        ]
        worst = max(float(error.max()) for error in errors)
        last = float(np.mean([error[-1] for error in errors[:8]]))
        rows.append(InductionRow(length, worst, worst * length, last))
    return rows


def _random_words(rng: np.random.Generator, count: int, size: int) -> list[tuple[str, ...]]:
    return [tuple(TOKENS[i] for i in rng.integers(0, len(TOKENS), size)) for _ in range(count)]


def _hard_words(size: int) -> list[tuple[str, ...]]:
    """Statistics that change half-way or rest on few places: unequal weights show in them."""
    a, b, c, _ = TOKENS
    half = size // 2
    words = [
        [a, b] * (half // 2) + [a, c] * size,
        [a] * half + [b] * size,
        list(TOKENS) * size,
        [a] + [b] * max(size - 2, 0) + [a],
    ]
    return [tuple(word[:size]) for word in words]


def two_headed(context: int, tokens: Sequence[str] = TOKENS) -> Transformer:
    """T_n of Proposition 59 (Huang et al., arXiv 2410.02140), n = `context`, a multiple of 4.

    Position i counts from 1 at the start of the context. In the first layer, head 0 copies the previous token
    up to 3n/4 and the one before it afterwards; head 1 copies the one before the previous up to n/4, and the
    previous one afterwards. In the second layer, head h looks where head h of the first layer has copied the
    current token; head 0 is switched off, by attending to $, for queries from 3n/4 on, head 1 before.

    Corrected and completed: the two conditions are swapped in print, and the match logit is 1 there, which
    is too little. $ has a logit also when a head is on, so that 0/0 gives 0. The switch reads one more
    coordinate of p_i ("late"): with one-hot p_i alone it would take a matrix of norm growing like √n.

    >>> model = two_headed(16)
    >>> model.context, model.coordinates["late"], model.width
    (16, 17, 34)
    """
    if context < 4 or context % 4:
        raise InputError(f"context {context}: a positive multiple of 4 is needed")
    space = Coordinates(tuple(tokens), copies=2, positions=context)
    place = space.width - context
    late = place - 1
    number = np.arange(1, context + 1)
    positions = np.zeros((context, space.width))
    positions[:, place:] = np.eye(context)
    positions[:, late] = 4 * number >= 3 * context

    def copying(distance: Array, copy: int) -> Head:
        kq = np.zeros((space.width, space.width))
        for i, back in enumerate(distance.astype(int)):
            if i >= back:
                kq[place + i - back, place + i] = 2.0
        return Head(kq, space.move(0, copy))

    def following(copy: int, when_late: float, when_early: float) -> Head:
        kq = space.matching(copy)
        kq[0, space.group(0)] += when_early
        kq[0, late] += when_late - when_early
        return Head(kq, space.move(0, 3))

    first = (
        copying(np.where(4 * number <= 3 * context, 1.0, 2.0), 1),
        copying(np.where(4 * number <= context, 2.0, 1.0), 2),
    )
    second = (following(1, when_late=OFF, when_early=0.0), following(2, when_late=0.0, when_early=OFF))
    return space.transformer("finite", positions, first, second, precision=0)


def witness(length: int) -> tuple[str, ...]:
    """A word of this length ($ included, at least 6) whose last a has been followed by b, and then by c.

    >>> "".join(witness(8))
    'abcddda'
    """
    if length < 6:
        raise InputError("the witness needs a length of at least 6")
    a, b, c, d = TOKENS
    return (a, b, c, *[d] * (length - 5), a)


@dataclass(frozen=True)
class OffsetRow:
    """The counter-example at one length and offset: largest distance to Equation (10) over some words."""

    length: int
    offset: int
    error: float
    right: bool
    """The error is at most 1/|x|, as that of the induction head."""


def counter_example(context: int, lengths: Sequence[int]) -> list[OffsetRow]:
    """Random words and the witness at every offset that fits.

    >>> rows = counter_example(32, [16, 32])
    >>> all(row.right for row in rows if row.length == 16), [row.right for row in rows if row.length == 32]
    (True, [False])
    """
    model = two_headed(context)
    rng = np.random.default_rng(0)
    rows = []
    for length in lengths:
        tried = _random_words(rng, 4, length - 1)
        tried += [witness(length)] if length >= 6 else []
        wanted = [kgram_frequencies(word, TOKENS) for word in tried]
        for offset in range(context - length + 1):
            outputs = run(model, tried, offset)
            error = max(float(np.abs(x - y).max()) for x, y in zip(outputs, wanted, strict=True))
            rows.append(OffsetRow(length, offset, error, error <= 1 / length))
    return rows


@dataclass(frozen=True)
class InitialTerm:
    """Proposition 54: the variant (67) of term (8) at random initialization, averaged over samples."""

    length: int
    width: int
    mean: float
    deviation: float
    """The standard deviation of the mean."""
    expected: float
    """The expectation: as many heads · ((N + 1) / 2d + 2 / d²)."""


def initial_terms(
    lengths: Sequence[int], widths: Sequence[int], *, heads: int = 1, samples: int = 20
) -> list[InitialTerm]:
    """Proposition 54 measured: one row per length N and width d.

    Entries of the encodings and of KᵀQ are independent normal with variance 1/d. The expectation is bounded
    where d grows with N, and grows with N at a fixed d.

    >>> [row.expected for row in initial_terms([8, 16], [8, 16], samples=1)]
    [0.59375, 0.2890625, 1.09375, 0.5390625]
    """
    rng = np.random.default_rng(0)
    rows = []
    for length in lengths:
        for width in widths:
            values = []
            for _ in range(samples):
                encodings = rng.normal(0, width**-0.5, (length, width))
                logits = [
                    encodings @ rng.normal(0, width**-0.5, (width, width)) @ encodings.T for _ in range(heads)
                ]
                values.append(sum(float(np.sum(np.triu(each) ** 2)) for each in logits) / length)
            expected = heads * ((length + 1) / (2 * width) + 2 / width**2)
            spread = float(np.std(values)) / samples**0.5
            rows.append(InitialTerm(length, width, float(np.mean(values)), spread, expected))
    return rows
