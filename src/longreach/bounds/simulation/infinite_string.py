"""Simulation strings of two-layer models with infinite precision (Lemma 5.3 of arXiv 2510.27015).

The first layer's output at i is a Lipschitz function of the last τ + 1 tokens and of the histogram so far. So
z is made of pieces of x that keep both, up to a constant times n^(−1/3) for |z| ≈ n. docs/simulation.md has
the constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite, sqrt

import numpy as np

from longreach.bounds.simulation.kept_pieces import Statistics, draw_kept, statistics, windows
from longreach.bounds.simulation.model_pair import Errors, ModelPair, Word
from longreach.errors import Argument, Field, InputError, Place
from longreach.limit.model import Transformer

DRAWS = 64
"""Each is good with probability 1/4 at least, so that all fail with 10⁻⁸ at most."""
LEAST = 216
"""The constants hold from this target on, and from Δ³ on: a piece has whole periods."""
MARKOV = 4
"""A draw is good if its errors are at most this many times what is expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """What the errors of the statistics are promised to be: a constant times n^(−1/3)."""

    suffix: float
    histogram: float

    @property
    def larger(self) -> float:
        return max(self.suffix, self.histogram)


@dataclass(frozen=True, kw_only=True, eq=False)
class InfiniteString:
    """z and what it achieves. Lengths count tokens, without $."""

    z: Word
    target: int
    """n"""
    bound: int
    """No z is longer."""
    rates: Rates
    """Constants of n^(−1/3)."""
    statistics: Statistics
    errors: Errors


@dataclass(frozen=True, eq=False)
class InfiniteSimulation:
    """A pair of two-layer models: makes a z for each x and ε, or for each x and n.

    >>> from longreach.limit.compile.hand_built import induction_head
    >>> pair = ModelPair(induction_head("ab"), induction_head("ab", phi=3.0))
    >>> x = np.random.default_rng(0).integers(0, 2, 50_000)
    >>> found = InfiniteSimulation(pair).of_length(x, 5_000)
    >>> len(found.z) <= found.bound, found.statistics.suffix < 0.1, found.errors.f < 0.1
    (True, True, True)
    """

    pair: ModelPair
    seed: int = 0

    def __post_init__(self) -> None:
        places: tuple[Place, Place] = (Argument("model"), Field("against"))
        for model, place in zip(self.pair.models, places, strict=True):
            _check(model, place)

    @property
    def tail(self) -> int:
        """The last tokens, which stay: all that φ reaches in two layers, up to a whole period."""
        return 2 * self.pair.locality + self.pair.period

    @property
    def least(self) -> int:
        """The least target."""
        return max(LEAST, self.pair.period**3)

    def rates(self, x: Word) -> Rates:
        """The constants of a word: they count its different windows."""
        reach = self.pair.locality
        found = windows([x], tokens=len(self.pair.tokens), window=reach + 1)[0]
        different = int(found.max(initial=0)) + 1
        return Rates(
            suffix=MARKOV * (4.5 * reach + sqrt(2) * (sqrt(different) + 1) + self.tail / 4),
            histogram=MARKOV * (2 * sqrt(2) * (sqrt(len(self.pair.tokens)) + 1) + self.tail / 8),
        )

    def string(self, x: Word, error: float) -> InfiniteString:
        """A word whose statistics are within `error` of those of x; n is chosen for it."""
        if not (error > 0 and isfinite(error)):
            raise InputError(f"{error:g}: an error is a positive number", place=Field("error"))
        rates = self.rates(x)
        target = max(self.least, ceil(min((rates.larger / error) ** 3, 1e18)))
        return self._made(x, target, rates)

    def of_length(self, x: Word, target: int) -> InfiniteString:
        """A word of about `target` tokens."""
        if target < self.least:
            reason = f"{target}: the construction is made for {self.least} tokens and more"
            raise InputError(reason, place=Field("length"))
        return self._made(x, target, self.rates(x))

    def _made(self, x: Word, target: int, rates: Rates) -> InfiniteString:
        longest = target + ceil(2 * sqrt(2) * target ** (2 / 3)) + self.tail
        drawn = self._drawn(x, target, rates, longest) if longest < len(x) else None
        z, found = (x, Statistics(suffix=0.0, histogram=0.0)) if drawn is None else drawn
        errors = self.pair.errors(x, z, "infinite")
        return InfiniteString(z=z, target=target, bound=longest, rates=rates, statistics=found, errors=errors)

    def _drawn(self, x: Word, target: int, rates: Rates, longest: int) -> tuple[Word, Statistics] | None:
        """The first draw that is as good as promised."""
        period, rng = self.pair.period, np.random.default_rng(self.seed)
        units = (len(x) - 2 * self.pair.locality - 1) // period
        share, scale = target / (units * period), target ** (-1 / 3)
        # Longer pieces where nearly all is kept: what is left out takes one unit at least.
        piece = max(1 / (scale * period), share / (1 - share))
        for _ in range(DRAWS):
            kept = np.ones(len(x), dtype=np.bool_)
            kept[: units * period] = np.repeat(draw_kept(units, share, piece, rng), period)
            if kept.sum() > longest:
                continue
            found = statistics(x, kept, tokens=len(self.pair.tokens), window=self.pair.locality + 1)
            if found.suffix <= rates.suffix * scale and found.histogram <= rates.histogram * scale:
                return x[kept], found
        return None


def _check(model: Transformer, place: Place) -> None:
    layers = len(model.layers)
    if layers != 2:
        raise InputError(f"{layers} layers; with infinite precision the theorem is about two", place=place)
    try:
        _ = model.locality
    except InputError as error:
        raise error.at(place) from None
