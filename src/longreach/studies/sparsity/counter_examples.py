"""Why each assumption of the theorem is needed, and how to defeat a wrong hypothesis.

Golowich et al. (arXiv 2502.16792), Proposition C.3. Tokens 0 and 1 stand for the paper's 1 and 2: the
background is 0, two planted tokens are 1, the label is 1, and g₁ is 1 on (1, 1) alone. As printed, the
example without realizability breaks coverage too, since pairs at distance 2 never occur up to L: here they
have the probability 1/L there.

Golowich et al. (arXiv 2502.16792), Proposition 3.1: where some sequence of length L̄ tells the learned
hypothesis from the true one, the ensemble that puts all its mass there extends the training distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

from longreach.errors import Argument, Field, InputError, near_names
from longreach.studies.sparsity.attention import (
    Hypothesis,
    Key,
    SparseAttention,
    attention_class,
    not_local,
    not_relative,
    table_value,
)
from longreach.studies.sparsity.ensembles import (
    BoolArray,
    Ensemble,
    FloatArray,
    IntArray,
    Label,
    Places,
    PlantedEnsemble,
    Shape,
    SingleSequences,
    even_shapes,
)
from longreach.studies.sparsity.generalization import (
    Generalization,
    length_generalization,
    minimizers,
    population_risks,
    train_lengths,
)

# An example for each assumption: without it, learning fails; the intact version works.


WINDOW = 2
"""L_local in all examples."""
LEAST = 8
"""The least training length: four windows, as in Theorem 4.3."""
NEAR, NEXT = (0, 1), (0, 2)
G1 = table_value("g1", {(1, 1): (1,)}, vocabulary=2)


@dataclass(frozen=True, eq=False)
class Problem:
    """A class with an ensemble."""

    hypotheses: tuple[SparseAttention, ...]
    ensemble: PlantedEnsemble


@dataclass(frozen=True, eq=False)
class CounterExample:
    """Two problems that differ in one assumption."""

    broken: Problem
    intact: Problem


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Which assumptions of Theorem 4.3 a problem satisfies, up to a length."""

    not_local: str | None
    not_relative: str | None
    realizability: Fraction
    """The least δ over hypotheses: the largest risk of the best one on any length."""
    eta_train: Fraction | None
    eta_test: Fraction | None
    """η at L and L̄; None where no number is enough."""

    def document(self) -> dict[str, Any]:
        return {
            "local": self.not_local is None,
            "relative": self.not_relative is None,
            "delta": float(self.realizability),
            "eta_train": None if self.eta_train is None else float(self.eta_train),
            "eta_test": None if self.eta_test is None else float(self.eta_test),
        }

    def missing(self) -> tuple[str, ...]:
        """The assumptions that do not hold, with δ = 0 and a finite η."""
        found = {
            "locality": self.not_local is not None,
            "relativity": self.not_relative is not None,
            "realizability": self.realizability > 0,
            "coverage": self.eta_train is None or self.eta_test is None,
        }
        return tuple(name for name, is_missing in found.items() if is_missing)


def check_assumptions(problem: Problem, train_length: int, test_length: int) -> Assumptions:
    """Look at all sets and lengths up to L̄."""
    keys = list({id(each.key): each.key for each in problem.hypotheses}.values())
    sizes = {"sparsity": 2, "vocabulary": 2, "up_to": test_length}
    draws = np.random.default_rng(0)
    worst = [Fraction(0)] * len(problem.hypotheses)
    for length in range(WINDOW, test_length + 1):
        risks, _ = population_risks(problem.hypotheses, problem.ensemble, [length], rng=draws)
        worst = [max(a, Fraction(risk.value)) for a, risk in zip(worst, risks, strict=True)]
    covered = [problem.ensemble.coverage(length, window=WINDOW).eta for length in (train_length, test_length)]
    return Assumptions(
        not_local=not_local(keys, WINDOW, **sizes),
        not_relative=not_relative(keys, **sizes),
        realizability=min(worst),
        eta_train=covered[0],
        eta_test=covered[1],
    )


def counter_example(assumption: str, train_length: int) -> CounterExample:
    """The example that drops an assumption, for training up to a length.

    >>> example = counter_example("coverage", 8)
    >>> [
    ...     length_generalization(each.hypotheses, each.ensemble, 8, 16).error.value > 0
    ...     for each in (example.broken, example.intact)
    ... ]
    [True, False]
    """
    if assumption not in ASSUMPTIONS:
        hint = near_names(assumption, ASSUMPTIONS) or f"; there are {', '.join(ASSUMPTIONS)}"
        raise InputError(f"no assumption is called {assumption!r}{hint}", place=Argument("assumption"))
    if train_length < LEAST:
        raise InputError(f"at least {LEAST} is needed, four windows", place=Field("train_length"))
    return _EXAMPLES[assumption](train_length)


def _key(name: str, rule: Callable[[IntArray, IntArray, BoolArray], BoolArray], window: int | None) -> Key:
    """Score 0 where the rule holds: of the distances, the last places, and whether both tokens are 1."""

    def score(places: IntArray, tokens: IntArray) -> FloatArray:
        distance, last = places[..., 1] - places[..., 0], places[..., 1]
        both = (tokens == 1).all(axis=-1)
        return np.where(rule(distance, last, both), 0.0, -np.inf)

    return Key(name, score, window)


def _problem(keys: list[Key], places: Places) -> Problem:
    one = Fraction(1)
    ensemble = PlantedEnsemble(
        background=(one, Fraction(0)), places=places, planted={(1, 1): one}, label={(1, 1): (one,)}
    )
    return Problem(attention_class(keys, [G1], sparsity=2), ensemble)


def _neighbours(length: int) -> dict[Shape, Fraction | int]:
    return {NEAR: 1}


def _locality(train: int) -> CounterExample:
    """Intact: keys are −∞ beyond the window, and planted pairs are neighbours at every length."""
    far = _key("g00", lambda distance, last, both: both | (distance >= train), None)
    pairs = _key("g01", lambda distance, last, both: both, None)
    cut = [
        _key("g00", lambda distance, last, both: (both | (distance >= train)) & (distance <= WINDOW), WINDOW),
        _key("g01", lambda distance, last, both: both & (distance <= WINDOW), WINDOW),
    ]
    places = even_shapes(lambda length: {NEAR: 1, (0, train): 1} if length > train else {NEAR: 1})
    return CounterExample(_problem([far, pairs], places), _problem(cut, even_shapes(_neighbours)))


def _relativity(train: int) -> CounterExample:
    """Intact: g01 looks at pairs at distance 2 everywhere, not only beyond place L."""
    pairs = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    late = _key(
        "g01",
        lambda distance, last, both: (both & (distance == 1)) | ((distance == 2) & (last > train)),
        WINDOW,
    )
    always = _key("g01", lambda distance, last, both: (both & (distance == 1)) | (distance == 2), WINDOW)
    places = even_shapes(_neighbours)
    return CounterExample(_problem([pairs, late], places), _problem([pairs, always], places))


def _realizability(train: int) -> CounterExample:
    """Intact: a key that looks at both distances is in the class."""

    def weights(length: int) -> dict[Shape, Fraction | int]:
        if length == 2:
            return {NEAR: 1}
        share = Fraction(1, train) if length <= train else Fraction(9, 10)
        return {NEAR: (1 - share) / (length - 1), NEXT: share / (length - 2)}

    one = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    two = _key("g01", lambda distance, last, both: both & (distance == 2), WINDOW)
    either = _key("g02", lambda distance, last, both: both & (distance <= 2), WINDOW)
    places = even_shapes(weights)
    return CounterExample(_problem([one, two], places), _problem([one, two, either], places))


def _coverage(train: int) -> CounterExample:
    """Intact: both distances occur at every length."""
    one = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    either = _key("g01", lambda distance, last, both: both & (distance <= 2), WINDOW)
    alone = even_shapes(lambda length: {NEXT if length > train else NEAR: 1})
    together = even_shapes(lambda length: {NEAR: 1, NEXT: 1})
    return CounterExample(_problem([one, either], alone), _problem([one, either], together))


_EXAMPLES: dict[str, Callable[[int], CounterExample]] = {
    "locality": _locality,
    "relativity": _relativity,
    "realizability": _realizability,
    "coverage": _coverage,
}
ASSUMPTIONS = tuple(_EXAMPLES)


# Without assumptions on longer lengths, any wrong hypothesis can be defeated.


TRIES, BLOCK = 1 << 16, 1 << 12
"""Sequences that are looked at, and so many at a time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Defeat:
    """The sequence that tells two hypotheses apart, and what it does to length generalization."""

    sequence: tuple[int, ...]
    loss: Fraction
    """Between the true and the wrong hypothesis on the sequence."""
    ensemble: SingleSequences
    found: Generalization
    """Its worst minimizer errs by at least the loss."""


def defeating_ensemble(
    hypotheses: Sequence[Hypothesis],
    ensemble: Ensemble,
    truth: Hypothesis,
    wrong: Hypothesis,
    *,
    train_length: int,
    test_length: int,
    error: Fraction | float,
) -> Defeat:
    """Extend the ensemble beyond L so that the class does not have (L, L̄, ε)-length generalization.

    `truth` realizes the training distributions, `wrong` is a minimizer. All sequences of length L̄ are looked
    through in order, or many random ones where there are more.
    """
    draws = np.random.default_rng(0)
    if not train_length < test_length:
        raise InputError(f"{test_length} is not above the training length", place=Field("test_length"))
    risks, best = minimizers(hypotheses, ensemble, train_length, rng=draws)
    if truth.name not in risks or risks[truth.name].value != 0:
        lengths = train_lengths(train_length)
        reason = f"{truth.name} does not realize the ensemble on lengths {lengths[0]} to {lengths[-1]}"
        raise InputError(reason, place=Field("truth"))
    if wrong.name not in {each.name for each in best}:
        raise InputError(f"{wrong.name} is not among the minimizers", place=Field("wrong"))
    sequence = _telling(truth, wrong, ensemble.vocabulary, test_length, error, draws)
    zeros = [(0,) * length for length in range(train_length + 1, test_length)]
    sequences = {len(row): (row, _label(truth, row)) for row in (*zeros, sequence)}
    extended = SingleSequences(vocabulary=ensemble.vocabulary, sequences=sequences, others=ensemble)
    found = length_generalization(hypotheses, extended, train_length, test_length, rng=draws)
    return Defeat(sequence=sequence, loss=_distance(truth, wrong, sequence), ensemble=extended, found=found)


def _label(hypothesis: Hypothesis, row: Sequence[int]) -> Label:
    found = hypothesis.quotient(np.array([row], dtype=np.int64))
    below = Fraction(float(found.denominators[0]))
    return tuple(Fraction(top) / below for top in found.numerators[0].tolist())


def _distance(one: Hypothesis, other: Hypothesis, row: Sequence[int]) -> Fraction:
    return max(abs(a - b) for a, b in zip(_label(one, row), _label(other, row), strict=True))


def _telling(
    truth: Hypothesis,
    wrong: Hypothesis,
    vocabulary: int,
    length: int,
    error: Fraction | float,
    rng: np.random.Generator,
) -> tuple[int, ...]:
    for rows in _candidates(vocabulary, length, rng):
        losses = np.abs(truth.quotient(rows).values - wrong.quotient(rows).values).max(axis=1)
        row = tuple(rows[int(np.argmax(losses))].tolist())
        if _distance(truth, wrong, row) > error:
            return row
    looked = "any" if vocabulary**length <= TRIES else f"{TRIES} random"
    reason = f"{wrong.name} errs by at most {float(error):g} on {looked} sequences of length {length}"
    raise InputError(reason, place=Field("wrong"))


def _candidates(vocabulary: int, length: int, rng: np.random.Generator) -> Iterator[IntArray]:
    if vocabulary**length <= TRIES:
        rows = product(range(vocabulary), repeat=length)
        while block := list(islice(rows, BLOCK)):
            yield np.array(block, dtype=np.int64)
        return
    for _ in range(0, TRIES, BLOCK):
        yield rng.integers(0, vocabulary, (BLOCK, length))
