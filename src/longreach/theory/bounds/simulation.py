"""Two models compared on two words, where long words come from, and the token counts of Theorem 4.1.

A class is a token with a residue of its position; counts are arrays (tokens, residues), of the part of x that
may be shortened. `f` and `g` are the classes that the models attend to. The proof has no positions; with them
z loses whole periods, the same number of positions at every residue. docs/simulation.md has the constants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Argument, Field, InputError
from longreach.files import read_text
from longreach.theory.limit.model import START, Transformer
from longreach.theory.limit.run import Precision, last_output
from longreach.wording import EMPTY, some

Word: TypeAlias = NDArray[np.intp]
"""Numbers of tokens, without $."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """‖f(x) − f(z)‖ and ‖g(x) − g(z)‖ at the last position."""

    f: float
    g: float


@dataclass(frozen=True, eq=False)
class ModelPair:
    """f and g, of the same depth and over the same tokens."""

    f: Transformer
    g: Transformer

    def __post_init__(self) -> None:
        for model, place in ((self.f, Argument("model")), (self.g, Field("against"))):
            if model.kind != "limit":
                raise InputError("a finite transformer; simulation strings are about limit ones", place=place)
        if set(self.f.vocabulary) != set(self.g.vocabulary):
            raise InputError("it reads other tokens than the first model", place=Field("against"))
        if len(self.f.layers) != len(self.g.layers):
            depths = f"{len(self.f.layers)} and {len(self.g.layers)} layers"
            raise InputError(f"a pair has one depth, and these have {depths}", place=Field("against"))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(token for token in self.f.vocabulary if token != START)

    @property
    def period(self) -> int:
        """Δ that both have."""
        return lcm(self.f.period, self.g.period)

    @property
    def locality(self) -> int:
        return max(self.f.locality, self.g.locality)

    @property
    def models(self) -> tuple[Transformer, Transformer]:
        return self.f, self.g

    def encode(self, word: Sequence[str]) -> Word:
        """Numbers of the tokens of a word."""
        number = {token: place for place, token in enumerate(self.tokens)}
        found = np.fromiter((number.get(token, -1) for token in word), dtype=np.intp, count=len(word))
        if (found < 0).any():
            place = int(np.argmax(found < 0))
            known = some(self.tokens, 12)
            reason = f"token {place + 1}, {word[place]!r}, is not one of the model's ({known})"
            raise InputError(reason, place=Argument("word"))
        return found

    def decode(self, word: Word) -> list[str]:
        return [self.tokens[number] for number in word.tolist()]

    def rows(self, model: Transformer) -> NDArray[np.intp]:
        """The rows of a model's embedding for the tokens."""
        place = {token: row for row, token in enumerate(model.vocabulary)}
        return np.array([place[token] for token in self.tokens], dtype=np.intp)

    def errors(self, x: Word, z: Word, precision: Precision) -> Errors:
        """Measured by running both models on both words."""
        if len(x) == len(z) and (x == z).all():
            return Errors(f=0.0, g=0.0)
        f = self._error(self.f, x, z, precision)
        return Errors(f=f, g=f if self.g is self.f else self._error(self.g, x, z, precision))

    def _error(self, model: Transformer, x: Word, z: Word, precision: Precision) -> float:
        rows, start = self.rows(model), model.vocabulary.index(START)
        one, other = (
            last_output(model, np.concatenate([[start], rows[word]]), precision=precision) for word in (x, z)
        )
        return float(np.linalg.norm(one - other))


Counts: TypeAlias = NDArray[np.int64]
Classes: TypeAlias = NDArray[np.bool_]


class Case(StrEnum):
    """Which case of the proof of Theorem 4.1 (arXiv 2510.27015, A.1) made z."""

    WHOLE = "x itself"
    """Nothing shorter is certain to do."""
    COPIED = "both copied"
    """f and g attend to few tokens: all of them stand in z."""
    APART = "hardly shared"
    """Few tokens that g attends to are attended to by f: two scales."""
    SHARED = "shared"
    """One scale for both."""
    NO_ROOM = "one scale for all"
    """At some residue every token is attended to, so that positions leave no choice but one scale."""


@dataclass(frozen=True, kw_only=True)
class Scales:
    """The numbers of the construction for attention weights within `tolerance` (α), by total variation."""

    tolerance: Fraction
    tokens: int
    period: int
    kept: int
    """k: the last τ + 1 positions and $, which stand in z as they do in x."""

    @property
    def classes(self) -> int:
        """K: the most by which counts miss their scale, summed."""
        return (self.tokens + 2) * self.period

    @property
    def first(self) -> int:
        """T, the τ/ε of the proof: how many tokens stand for those that f attends to."""
        return 2 * self.classes + ceil(8 * (self.classes + self.kept) / self.tolerance)

    @property
    def overlap(self) -> Fraction:
        """η, the ε of the proof's second case: the least share that counts as shared."""
        return min(self.tolerance / 16, Fraction(1, 4 * self.period))

    @property
    def second(self) -> int:
        """T / η, the τ/ε² of the proof: how many stand for those that g attends to."""
        return ceil((self.first + self.kept) / self.overlap)

    @property
    def longest(self) -> int:
        """No z is longer, positions with $ counted, unless attention becomes hard later than that."""
        return self.period * (self.first + self.second + self.kept + 4) + self.kept


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """What z has in the part that is shortened."""

    counts: Counts
    removed: int
    """Positions fewer than in x, at each residue."""
    case: Case


def plan(n: Counts, f: Classes, g: Classes, scales: Scales, *, least: int = 0) -> Plan:
    """Counts for z from the counts n of x; `least` positions must stay.

    >>> scales = Scales(tolerance=Fraction(1), tokens=2, period=1, kept=2)
    >>> f, g = np.array([[True], [False]]), np.array([[True], [True]])
    >>> found = plan(np.array([[600], [300]]), f, g, scales)
    >>> found.case.value, scales.first, found.counts.ravel().tolist()
    ('shared', 56, [56, 28])
    """
    if n[f].sum() > n[g].sum():
        f, g = g, f
    sizes = n.sum(axis=0)
    spare = _spare(n, least)
    counts, case = _attended(n, f, g, scales)
    removed = min(spare, int((sizes - counts.sum(axis=0)).min()))
    # Residues without a token that nobody attends to: there, nothing can be added.
    full: Classes = np.all((n == 0) | f | g, axis=0, keepdims=True)[0]
    short = sizes - removed > counts.sum(axis=0)
    if spare > 0 and case is not Case.COPIED and full.any() and (removed == 0 or short[full].any()):
        return _without_room(n, f, g, scales, spare=spare, full=full)
    if removed <= 0:
        return Plan(counts=n, removed=0, case=Case.WHOLE)
    return Plan(counts=_filled(counts, n, f | g, sizes - removed), removed=removed, case=case)


def _spare(n: Counts, least: int) -> int:
    """How many positions can go at each residue, such that `least` stay in all."""
    sizes = n.sum(axis=0)
    return min(int(sizes.min()), (int(sizes.sum()) - least) // len(sizes))


def _attended(n: Counts, f: Classes, g: Classes, scales: Scales) -> tuple[Counts, Case]:
    """The three cases, by the floor formulas; f attends to no more tokens than g."""
    a_f, a_g, shared = (int(n[classes].sum()) for classes in (f, g, f & g))
    t, others = scales.first, g & ~f
    if a_g <= t:
        return np.where(f | g, n, 0), Case.COPIED
    counts = np.where(f, n if a_f <= t else n * t // a_f, 0)
    if shared <= scales.overlap * a_g:
        t = min(scales.second, a_g)
        return np.where(others, n * t // a_g, counts), Case.APART
    star = np.unravel_index(np.argmax(np.where(f, n, -1)), n.shape)  # s* of the proof
    return np.where(others, n * counts[star] // n[star], counts), Case.SHARED


def _filled(counts: Counts, n: Counts, attended: Classes, sizes: Counts) -> Counts:
    """At every residue, what is missing is a token that neither attends to, the most frequent one."""
    free = np.where(attended, 0, n).argmax(axis=0)
    result = counts.copy()
    result[free, np.arange(n.shape[1])] += sizes - counts.sum(axis=0)
    return result


def _without_room(n: Counts, f: Classes, g: Classes, scales: Scales, *, spare: int, full: Classes) -> Plan:
    """At the `full` residues all counts are given by the number of positions: they share it as in x."""
    a_f, a_g = int(n[f].sum()), int(n[g].sum())
    few = a_f <= scales.overlap * a_g  # then f has a scale of its own, and g takes the rest
    target, of = (scales.second, a_g) if few else (scales.first, a_f)
    sizes = n.sum(axis=0)
    smallest = int(sizes.min())
    removed = min(spare, smallest * (of - target) // of)
    if removed <= 0:
        return Plan(counts=n, removed=0, case=Case.WHOLE)
    room = sizes - removed
    scaled = n * (smallest - removed) // smallest
    if few:
        own = np.where(f, n if a_f <= scales.first else n * scales.first // a_f, 0)
        rest = g & ~f
    else:
        own, rest = np.zeros_like(n), f | g
    counts = np.where(rest, scaled, own)
    tight = full | (counts.sum(axis=0) > room)
    for residue in np.flatnonzero(tight).tolist():
        left = int(room[residue] - own[:, residue].sum())
        counts[:, residue] = own[:, residue] + apportioned(np.where(rest, n, 0)[:, residue], left)
    loose = _filled(counts, n, f | g, room)
    counts = np.where(tight, counts, loose)
    return Plan(counts=counts, removed=removed, case=Case.APART if few else Case.NO_ROOM)


def apportioned(shares: Counts, total: int) -> Counts:
    """Integers that add up to `total`, each within one of its share: the largest remainders are rounded up.

    >>> apportioned(np.array([5, 3, 1]), 4).tolist()
    [2, 1, 1]
    """
    whole = int(shares.sum())
    floors = shares * total // whole
    remainders = shares * total % whole
    up = np.argsort(-remainders, kind="stable")[: total - int(floors.sum())]
    floors[up] += 1
    return floors


MAX_TOKENS = 50_000_000
MAX_BYTES = 1 << 29
_RANDOM = re.compile(r"random:([0-9]{1,12})(?::([0-9]{1,12}))?")


def read_word(pair: ModelPair, text: str) -> Word:
    """The word that a text names.

    >>> from longreach.theory.limit.hand_built import simple_task_model
    >>> pair = ModelPair(simple_task_model(), simple_task_model())
    >>> read_word(pair, "0 1 2").tolist(), read_word(pair, "ε").tolist(), len(read_word(pair, "random:1000"))
    ([0, 1, 2], [], 1000)
    """
    if text.startswith("random:"):
        return _random(pair, text)
    if text.startswith("@"):
        try:
            return pair.encode(_tokens(pair, read_text(Path(text[1:]), most=MAX_BYTES)))
        except InputError as error:
            raise error if text[1:] in error.message else InputError(f"{text[1:]}: {error.reason}") from None
    return pair.encode(_tokens(pair, text))


def _random(pair: ModelPair, text: str) -> Word:
    """Independent tokens, each as likely as the others."""
    found = _RANDOM.fullmatch(text)
    if found is None or int(found[1]) > MAX_TOKENS:
        reason = f"{text!r}: random:LENGTH[:SEED] has up to {MAX_TOKENS:,} tokens"
        raise InputError(reason, place=Argument("word"))
    return np.random.default_rng(int(found[2] or 0)).integers(0, len(pair.tokens), int(found[1]))


def _tokens(pair: ModelPair, text: str) -> list[str]:
    text = text.strip()
    if text == EMPTY:
        return []
    parts = text.split()
    if all(len(token) == 1 for token in pair.tokens):
        return list("".join(parts))
    return parts
