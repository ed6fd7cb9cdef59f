"""Simulation strings at finite and infinite precision, and their errors against the length.

From x a word z, no longer than a bound that does not depend on x, on which f and g give what they give on x
up to ε each. docs/simulation.md has the construction and the proof of its constants.

Being kept or not is a stationary Markov chain over the positions, so that long pieces stay whole: with n of T
positions kept and pieces of about n^(1/3), windows of a few tokens are mostly unbroken, and there are enough
pieces for averages to settle. Both errors then fall like n^(−1/3).

The first layer's output at i is a Lipschitz function of the last τ + 1 tokens and of the histogram so far. So
z is made of pieces of x that keep both, up to a constant times n^(−1/3) for |z| ≈ n. docs/simulation.md has
the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, isfinite, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Argument, Field, InputError, Place
from longreach.figures import BLUE, GREEN, PURPLE, RED
from longreach.theory.bounds.quantities import ModelQuantities, combined, quantities
from longreach.theory.bounds.simulation import (
    Case,
    Classes,
    Counts,
    Errors,
    ModelPair,
    Plan,
    Scales,
    Word,
    plan,
)
from longreach.theory.limit.model import START, Array, Head, Transformer
from longreach.theory.limit.rounding import RelativePrecision

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def check_one_layer(model: Transformer, place: Place) -> None:
    """Raises where Theorem 4.1 does not speak of the model."""
    _check_layers(model, place, 1, "with finite precision the theorem is about one")
    layer = model.layers[0]
    writing = len(_writing(model))
    if writing != 1:
        raise InputError(f"{writing} heads that write; the theorem is about one head", place=place)
    steps = int(layer.heaviside.sum())
    if steps:
        which = f"{steps} of {len(layer.b)} units of the MLP are Heaviside steps"
        raise InputError(f"{which}; the theorem needs a Lipschitz constant", place=place)


def _check_layers(model: Transformer, place: Place, wanted: int, reason: str) -> None:
    if len(model.layers) != wanted:
        raise InputError(f"{len(model.layers)} layers; {reason}", place=place)
    try:
        _ = model.locality
    except InputError as error:
        raise error.at(place) from None


NO_ERRORS = Errors(f=0.0, g=0.0)
"""Of x itself."""


def _check_error(error: float) -> None:
    if not (error > 0 and isfinite(error)):
        raise InputError(f"{error:g}: an error is a positive number", place=Field("error"))


def _writing(model: Transformer) -> list[Head]:
    return [head for head in model.layers[0].heads if head.v.any()]


def class_counts(pair: ModelPair, x: Word, middle: int) -> Counts:
    """How often each token stands at each residue among the first `middle` tokens."""
    period = pair.period
    number = x[:middle] * period + np.arange(1, middle + 1) % period
    return np.bincount(number, minlength=len(pair.tokens) * period).reshape(-1, period)


def attended(
    pair: ModelPair, model: Transformer, x: Word, counts: Counts, *, margin: Fraction | None
) -> Classes:
    """The classes of the first tokens that have the largest logit for the last one.

    `counts` are those of all tokens but the last ones, which φ reaches; $ and those compete, too. `margin` is
    the logit margin; None: all logits are equal.
    """
    head = _writing(model)[0]
    middle, length = int(counts.sum()), len(x)
    rows = pair.rows(model)
    residues = np.arange(pair.period) % model.period
    query = head.kq @ (model.embedding[rows[x[-1]]] + model.positions[length % model.period])
    logits = model.embedding[rows] @ query
    logits = logits[:, None] + (model.positions @ query)[residues][None, :]
    last = np.arange(middle + 1, length + 1)
    phi = np.zeros(pair.locality + 1)
    phi[: len(head.local)] = head.local
    near = logits[x[middle:], last % pair.period] + phi[length - last]
    start = float((model.embedding[model.vocabulary.index(START)] + model.positions[0]) @ query)
    present = counts > 0
    top = max(float(near.max()), start, float(logits[present].max(initial=-np.inf)))
    # Logits are equal or differ by the margin; half of it is far above rounding errors.
    result: Classes = present & (True if margin is None else logits >= top - float(margin) / 2)
    return result


def sensitivity(pair: ModelPair, model: Transformer) -> float:
    """Λ: the output changes by Λ at most per change of the attention weights, summed over tokens.

    Λ = max ‖U v‖ + ‖U B‖ ‖A v‖ over v = V (E_s + p_r). It is at most ‖U‖ (1 + ‖A‖ ‖B‖) max ‖v‖, the paper's L
    with the residual stream and the unembedding, which the paper leaves out.
    """
    layer, head = model.layers[0], _writing(model)[0]
    inputs = model.embedding[pair.rows(model)][:, None] + model.positions[None]
    start = model.embedding[[model.vocabulary.index(START)]] + model.positions[:1]
    values: Array = np.concatenate([inputs.reshape(-1, model.width), start]) @ head.v.T
    outer = model.unembedding @ layer.out
    factor = float(np.linalg.norm(outer, 2)) if outer.size else 0.0
    direct = np.linalg.norm(values @ model.unembedding.T, axis=1)
    return float((direct + factor * np.linalg.norm(values @ layer.a.T, axis=1)).max())


@dataclass(frozen=True, kw_only=True, eq=False)
class FiniteString:
    """z, how it was made, and what it achieves (Theorem 4.1 of arXiv 2510.27015); lengths are without $."""

    z: Word
    case: Case
    bound: float
    """No z is longer, whatever x is; infinite where attention is not hard below 2^62 tokens."""
    hard_from: float
    """The length from which attention is hard for both, ⌈2^(p/γ)⌉ − 1."""
    scales: Scales
    sensitivity: float
    """Λ, the larger of the two."""
    errors: Errors


@dataclass(frozen=True, eq=False)
class FiniteSimulation:
    """A pair of one-layer models at a precision: makes a z for each x and ε.

    >>> from longreach.theory.limit.hand_built import simple_task_model
    >>> model = simple_task_model()
    >>> pair = ModelPair(model, model)
    >>> found = FiniteSimulation(pair, precision=8).string(pair.encode("0012" * 5000), error=0.1)
    >>> len(found.z), found.case.value, found.errors.f < 0.1
    (1604, 'shared', True)
    """

    pair: ModelPair
    precision: int

    def __post_init__(self) -> None:
        check_one_layer(self.pair.f, Argument("model"))
        check_one_layer(self.pair.g, Field("against"))

    @cached_property
    def _quantities(self) -> tuple[ModelQuantities, ModelQuantities]:
        f = quantities(self.pair.f, precision=self.precision)
        return f, f if self.pair.g is self.pair.f else quantities(self.pair.g, precision=self.precision)

    @property
    def hard_from(self) -> float:
        """Positions, $ counted, from which attention is hard for both."""
        exponent = combined(*self._quantities).hard_from
        return ceil(2.0**exponent) if exponent < 62 else inf

    @cached_property
    def sensitivity(self) -> float:
        """Λ, the larger of the two."""
        with np.errstate(over="ignore", invalid="ignore"):  # where parameters are near 10^308
            found = max(sensitivity(self.pair, model) for model in self.pair.models)
        if not np.isfinite(found):
            raise InputError("parameters so large that no finite Lipschitz constant is found")
        return found

    def scales(self, error: float) -> Scales:
        """The construction's numbers for outputs within `error`."""
        _check_error(error)
        per_weight = Fraction(self.sensitivity)
        tolerance = Fraction(error) / per_weight if per_weight else Fraction(1)
        return Scales(
            tolerance=min(tolerance, Fraction(1)),
            tokens=len(self.pair.tokens),
            period=self.pair.period,
            kept=self.pair.locality + 2,
        )

    def string(self, x: Word, error: float) -> FiniteString:
        """A simulation string of x."""
        scales, hard = self.scales(error), self.hard_from
        made = self._plan(x, scales, hard)
        z = x if made is None else _assembled(made, x, period=self.pair.period)
        return FiniteString(
            z=z,
            case=Case.WHOLE if made is None else made.case,
            bound=max(hard + scales.period, scales.longest) - 1,
            hard_from=hard - 1,
            scales=scales,
            sensitivity=self.sensitivity,
            errors=NO_ERRORS if made is None else self.pair.errors(x, z, RelativePrecision(self.precision)),
        )

    def _plan(self, x: Word, scales: Scales, hard: float) -> Plan | None:
        middle = len(x) + 1 - scales.kept
        if middle < scales.period or len(x) + 1 < hard:
            return None
        counts = class_counts(self.pair, x, middle)
        f, g = (
            attended(self.pair, model, x, counts, margin=found.logit_margin)
            for model, found in zip(self.pair.models, self._quantities, strict=True)
        )
        least = max(0, int(hard) - scales.kept)
        made = plan(counts, f, g, scales, least=least)
        return None if made.case is Case.WHOLE else made


def _assembled(made: Plan, x: Word, *, period: int) -> Word:
    """The counted tokens, residue by residue, and the last tokens of x."""
    middle = int(made.counts.sum())
    removed = made.removed * period
    z = np.empty(len(x) - removed, dtype=np.intp)
    for residue in range(period):
        start = residue - 1 if residue else period - 1
        z[start:middle:period] = np.repeat(np.arange(len(made.counts)), made.counts[:, residue])
    z[middle:] = x[middle + removed :]
    return z


@dataclass(frozen=True, kw_only=True, slots=True)
class Statistics:
    """How far z is from x, or the constants of n^(−1/3) within which it is promised to be."""

    suffix: float
    """Σ |share in x − share in z| over windows of τ + 1 tokens, with blanks before the first token."""
    histogram: float
    """Mean over the positions of x of Σ |share in x so far − share in what is kept of it|."""

    @property
    def larger(self) -> float:
        return max(self.suffix, self.histogram)


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
    return Statistics(suffix=_suffix(x, x[kept], tokens, window), histogram=_histogram(x, kept, tokens))


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


DRAWS = 64
"""Each is good with probability 1/4 at least, so that all fail with 10⁻⁸ at most."""
LEAST = 216
"""The constants hold from this target on, and from Δ³ on: a piece has whole periods."""
MARKOV = 4
"""A draw is good if its errors are at most this many times what is expected."""


@dataclass(frozen=True, kw_only=True, eq=False)
class InfiniteString:
    """z and what it achieves (Lemma 5.3 of arXiv 2510.27015); lengths are without $."""

    z: Word
    target: int
    """n"""
    bound: int
    """No z is longer."""
    rates: Statistics
    """Constants of n^(−1/3)."""
    statistics: Statistics
    errors: Errors


@dataclass(frozen=True, eq=False)
class InfiniteSimulation:
    """A pair of two-layer models: makes a z for each x and ε, or for each x and n.

    >>> from longreach.theory.limit.hand_built import induction_head
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
            _check_layers(model, place, 2, "with infinite precision the theorem is about two")

    @property
    def tail(self) -> int:
        """The last tokens, which stay: all that φ reaches in two layers, up to a whole period."""
        return 2 * self.pair.locality + self.pair.period

    @property
    def least(self) -> int:
        """The least target."""
        return max(LEAST, self.pair.period**3)

    def rates(self, x: Word) -> Statistics:
        """The constants of a word: they count its different windows."""
        reach = self.pair.locality
        found = windows([x], tokens=len(self.pair.tokens), window=reach + 1)[0]
        different = int(found.max(initial=0)) + 1
        return Statistics(
            suffix=MARKOV * (4.5 * reach + sqrt(2) * (sqrt(different) + 1) + self.tail / 4),
            histogram=MARKOV * (2 * sqrt(2) * (sqrt(len(self.pair.tokens)) + 1) + self.tail / 8),
        )

    def string(self, x: Word, error: float) -> InfiniteString:
        """A word whose statistics are within `error` of those of x; n is chosen for it."""
        _check_error(error)
        rates = self.rates(x)
        target = max(self.least, ceil(min((rates.larger / error) ** 3, 1e18)))
        return self._made(x, target, rates)

    def of_length(self, x: Word, target: int) -> InfiniteString:
        """A word of about `target` tokens."""
        if target < self.least:
            reason = f"{target}: the construction is made for {self.least} tokens and more"
            raise InputError(reason, place=Field("length"))
        return self._made(x, target, self.rates(x))

    def _made(self, x: Word, target: int, rates: Statistics) -> InfiniteString:
        longest = target + ceil(2 * sqrt(2) * target ** (2 / 3)) + self.tail
        drawn = self._drawn(x, target, rates, longest) if longest < len(x) else None
        z, found = (x, Statistics(suffix=0.0, histogram=0.0)) if drawn is None else drawn
        errors = NO_ERRORS if drawn is None else self.pair.errors(x, z, "infinite")
        return InfiniteString(z=z, target=target, bound=longest, rates=rates, statistics=found, errors=errors)

    def _drawn(self, x: Word, target: int, rates: Statistics, longest: int) -> tuple[Word, Statistics] | None:
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


POINTS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveRow:
    """One simulation string of the same x."""

    length: int
    errors: Errors
    promised: float
    """What the construction promises: of the outputs, or with infinite precision of the statistics."""
    statistics: Statistics | None = None


def finite_curve(simulation: FiniteSimulation, x: Word) -> list[CurveRow]:
    """From the largest error that says anything on, halved each time, while z is shorter than x."""
    rows: list[CurveRow] = []
    error = simulation.sensitivity or 1.0
    for _ in range(POINTS):
        found = simulation.string(x, error)
        if found.case is Case.WHOLE or (rows and found.case is Case.COPIED):
            break
        if not rows or len(found.z) > rows[-1].length:
            rows.append(CurveRow(length=len(found.z), errors=found.errors, promised=error))
        error /= 2
    return rows


def infinite_curve(simulation: InfiniteSimulation, x: Word, points: int = POINTS) -> list[CurveRow]:
    """Targets from the least to half the length of x."""
    rows = []
    least = simulation.least
    if len(x) <= 2 * least:
        return []
    for target in np.unique(np.geomspace(least, len(x) / 2, points).astype(int)).tolist():
        found = simulation.of_length(x, target)
        if len(found.z) < len(x):
            rows.append(
                CurveRow(
                    length=len(found.z),
                    errors=found.errors,
                    promised=found.rates.larger * target ** (-1 / 3),
                    statistics=found.statistics,
                )
            )
    return rows


def error_figure(rows: Sequence[CurveRow], title: str, *, pair: bool) -> Figure:
    """Both axes logarithmic; errors of 0 stand at the lower edge."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axis = figure.subplots()
    lengths = [row.length for row in rows]
    drawn = [("‖f(x) − f(z)‖", BLUE, [row.errors.f for row in rows])]
    if pair:
        drawn.append(("‖g(x) − g(z)‖", GREEN, [row.errors.g for row in rows]))
    statistics = [row.statistics for row in rows if row.statistics is not None]
    if statistics:
        drawn.append(("suffix", RED, [each.suffix for each in statistics]))
        drawn.append(("histogram", PURPLE, [each.histogram for each in statistics]))
        rate = [row.length ** (-1 / 3) for row in rows]
        axis.plot(lengths, rate, color="0.4", linestyle=":", label="|z|^(−1/3)")
    promised = "promised for suffix and histogram" if statistics else "promised for the outputs"
    axis.plot(lengths, [row.promised for row in rows], color="black", linestyle="--", label=promised)
    least = min((value for _, _, values in drawn for value in values if value > 0), default=1e-3)
    for label, colour, values in drawn:
        shown = [max(value, least / 3) for value in values]
        axis.plot(lengths, shown, color=colour, marker="o", markersize=4, label=label)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("|z|, tokens")
    axis.set_ylabel("error")
    axis.set_title(title)
    axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
