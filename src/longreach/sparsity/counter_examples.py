"""Each assumption of the theorem is needed: an example without it that fails, and the intact one that works.

Golowich et al. (arXiv 2502.16792), Proposition C.3. Tokens 0 and 1 stand for the paper's 1 and 2: the
background is 0, two planted tokens are 1, the label is 1, and g₁ is 1 on (1, 1) alone. As printed, the
example without realizability breaks coverage too, since pairs at distance 2 never occur up to L: here they
have the probability 1/L there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from longreach.errors import Argument, Field, InputError, near_names
from longreach.sparsity.distribution_ensemble import BoolArray, FloatArray, IntArray
from longreach.sparsity.key_properties import Violation, not_local, not_relative
from longreach.sparsity.length_generalization import Generalization, length_generalization
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.population_risk import population_risks
from longreach.sparsity.position_law import Places, Shape, spread_shapes, uniform_sets
from longreach.sparsity.sparse_attention import Key, SparseAttention, attention_class, table_value

WINDOW = 2
"""L_local in all examples."""
LEAST = 8
"""The least training length: four windows, as in Theorem 4.3."""
ASSUMPTIONS = ("locality", "relativity", "realizability", "coverage")
NEAR, NEXT = (0, 1), (0, 2)
G1 = table_value("g1", {(1, 1): (1,)}, vocabulary=2)


@dataclass(frozen=True, eq=False)
class Problem:
    """A class with an ensemble."""

    hypotheses: tuple[SparseAttention, ...]
    ensemble: PlantedEnsemble


@dataclass(frozen=True, kw_only=True, eq=False)
class CounterExample:
    """Two problems that differ in one assumption."""

    assumption: str
    train_length: int
    change: str
    """What makes the intact problem of the broken one."""
    broken: Problem
    intact: Problem


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Which assumptions of Theorem 4.3 a problem satisfies, up to a length."""

    not_local: Violation | None
    not_relative: Violation | None
    realizability: Fraction
    """The least δ over hypotheses: the largest risk of the best one on any length."""
    eta_train: Fraction | None
    eta_test: Fraction | None
    """η at L and L̄; None where no number is enough."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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


def generalization(problem: Problem, train_length: int, test_length: int) -> Generalization:
    """Exactly: all outcomes are listed."""
    return length_generalization(problem.hypotheses, problem.ensemble, train_length, test_length)


def counter_example(assumption: str, train_length: int) -> CounterExample:
    """The example that drops an assumption, for training up to a length.

    >>> example = counter_example("coverage", 8)
    >>> [generalization(each, 8, 16).error.value > 0 for each in (example.broken, example.intact)]
    [True, False]
    """
    if assumption not in ASSUMPTIONS:
        hint = near_names(assumption, ASSUMPTIONS) or f"; there are {', '.join(ASSUMPTIONS)}"
        raise InputError(f"no assumption is called {assumption!r}{hint}", place=Argument("assumption"))
    if train_length < LEAST:
        raise InputError(f"at least {LEAST} is needed, four windows", place=Field("train_length"))
    broken, intact, change = _PROBLEMS[assumption](train_length)
    return CounterExample(
        assumption=assumption, train_length=train_length, change=change, broken=broken, intact=intact
    )


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


def _near(length: int) -> dict[Shape, Fraction]:
    return {NEAR: Fraction(1)}


def _locality(train: int) -> tuple[Problem, Problem, str]:
    def places(length: int) -> Any:
        return iter([NEAR, (0, train)] if length > train else [NEAR])

    far = _key("g00", lambda distance, last, both: both | (distance >= train), None)
    pairs = _key("g01", lambda distance, last, both: both, None)
    cut = [
        _key("g00", lambda distance, last, both: (both | (distance >= train)) & (distance <= WINDOW), WINDOW),
        _key("g01", lambda distance, last, both: both & (distance <= WINDOW), WINDOW),
    ]
    return (
        _problem([far, pairs], uniform_sets(places)),
        _problem(cut, spread_shapes(_near)),
        "keys are −∞ beyond the window, and planted pairs are neighbours at every length",
    )


def _relativity(train: int) -> tuple[Problem, Problem, str]:
    pairs = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    late = _key(
        "g01",
        lambda distance, last, both: (both & (distance == 1)) | ((distance == 2) & (last > train)),
        WINDOW,
    )
    always = _key("g01", lambda distance, last, both: (both & (distance == 1)) | (distance == 2), WINDOW)
    places = spread_shapes(_near)
    return (
        _problem([pairs, late], places),
        _problem([pairs, always], places),
        "g01 looks at pairs at distance 2 everywhere, not only beyond place L",
    )


def _realizability(train: int) -> tuple[Problem, Problem, str]:
    def masses(length: int) -> dict[Shape, Fraction]:
        if length == 2:
            return {NEAR: Fraction(1)}
        share = Fraction(1, train) if length <= train else Fraction(9, 10)
        return {NEAR: 1 - share, NEXT: share}

    one = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    two = _key("g01", lambda distance, last, both: both & (distance == 2), WINDOW)
    either = _key("g02", lambda distance, last, both: both & (distance <= 2), WINDOW)
    return (
        _problem([one, two], spread_shapes(masses)),
        _problem([one, two, either], spread_shapes(masses)),
        "a key that looks at both distances is in the class",
    )


def _coverage(train: int) -> tuple[Problem, Problem, str]:
    def masses(length: int) -> dict[Shape, Fraction]:
        return {NEXT if length > train else NEAR: Fraction(1)}

    def both_shapes(length: int) -> Any:
        return iter([NEAR, NEXT])

    one = _key("g00", lambda distance, last, both: both & (distance == 1), WINDOW)
    either = _key("g01", lambda distance, last, both: both & (distance <= 2), WINDOW)
    return (
        _problem([one, either], spread_shapes(masses)),
        _problem([one, either], uniform_sets(both_shapes)),
        "both distances occur at every length",
    )


_PROBLEMS: dict[str, Callable[[int], tuple[Problem, Problem, str]]] = {
    "locality": _locality,
    "relativity": _relativity,
    "realizability": _realizability,
    "coverage": _coverage,
}
