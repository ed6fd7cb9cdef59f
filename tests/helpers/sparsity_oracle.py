"""Sparse attention, coverage and position coupling read off their definitions, slowly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import exp, inf, prod

import numpy as np

from longreach.studies.sparsity.attention import Quotient, is_dyadic
from longreach.studies.sparsity.coupling import Coupling
from longreach.studies.sparsity.ensembles import FloatArray, IntArray, Label, Places, PlantedEnsemble

Key = Callable[[tuple[int, ...], tuple[int, ...]], float]
Value = Callable[[tuple[int, ...]], Sequence[Fraction]]


def attention(key: Key, value: Value, sparsity: int, tokens: Sequence[int]) -> list[float]:
    """Definition 3.3, with the convention for scores that are all −∞."""
    sets = list(combinations(range(1, len(tokens) + 1), sparsity))
    chosen = [tuple(tokens[place - 1] for place in each) for each in sets]
    weights = [
        0.0 if (score := key(*pair)) == -inf else exp(score) for pair in zip(sets, chosen, strict=True)
    ]
    if not any(weights):
        weights = [1.0] * len(sets)
    values = [[float(part) for part in value(each)] for each in chosen]
    return [
        sum(weight * row[part] for weight, row in zip(weights, values, strict=True)) / sum(weights)
        for part in range(len(values[0]))
    ]


def eta(places: Places, length: int, window: int, sparsity: int) -> Fraction | None:
    """Assumption 4.2, all sets, lengths and shifts."""
    own = {each: places(length).probability(each) for each in combinations(range(1, length + 1), sparsity)}
    worst = Fraction(0)
    for other in range(window, length + 1):
        law = places(other)
        for each, weight in own.items():
            for shift in range(length):
                shifted = tuple(place - shift for place in each)
                if shifted[0] >= 1 and shifted[-1] <= other:
                    below = law.probability(shifted)
                    if weight and not below:
                        return None
                    worst = max(worst, weight / below if weight else Fraction(0))
            if each[-1] <= other:
                above = law.probability(each)
                if above and not weight:
                    return None
                worst = max(worst, above / weight if above else Fraction(0))
    return worst


Draw = tuple[tuple[int, ...], tuple[int, ...], list[int], Fraction]


def _draws(ensemble: PlantedEnsemble, length: int) -> Iterator[Draw]:
    """Definition 3.2: all planted places, planted tokens and sequences, with their probabilities."""
    for places in combinations(range(1, length + 1), ensemble.sparsity):
        chance = ensemble.places(length).probability(places)
        for planted, weight in ensemble.planted.items():
            for rest in product(range(ensemble.vocabulary), repeat=length - len(places)):
                share = prod((ensemble.background[token] for token in rest), start=chance * weight)
                if share:
                    tokens, others = dict(zip(places, planted, strict=True)), iter(rest)
                    row = [tokens[at] if at in tokens else next(others) for at in range(1, length + 1)]
                    yield places, planted, row, share


def distribution(ensemble: PlantedEnsemble, length: int) -> dict[tuple[tuple[int, ...], Label], Fraction]:
    """The probability of each labelled sequence."""
    found: dict[tuple[tuple[int, ...], Label], Fraction] = defaultdict(Fraction)
    for _, planted, row, share in _draws(ensemble, length):
        found[tuple(row), ensemble.label[planted]] += share
    return dict(found)


Pairs = tuple[tuple[int, int], ...]


def coupled_distribution(
    ensemble: PlantedEnsemble, coupling: Coupling, length: int
) -> dict[tuple[tuple[Pairs, ...], Label], Fraction]:
    """Equation (19) by all draws, with ranks uniform in 1 … k outside the planted ids."""
    found: dict[tuple[tuple[Pairs, ...], Label], Fraction] = defaultdict(Fraction)
    k = ensemble.sparsity
    for places, planted, row, share in _draws(ensemble, length):
        maps = coupling(length, places)
        for ids in maps:
            choices: list[list[tuple[Pairs, Fraction]]] = []
            for number in range(1, length + 1):
                at = [place for place in range(1, length + 1) if ids[place - 1] == number]
                if set(at) & set(places):
                    pairs = tuple((places.index(place) + 1, row[place - 1]) for place in at)
                    choices.append([(pairs, Fraction(1))])
                    continue
                tokens = {row[at[0] - 1]: Fraction(1)} if at else dict(enumerate(ensemble.background))
                choices.append(
                    [
                        (((rank, token),), weight / k)
                        for rank in range(1, k + 1)
                        for token, weight in tokens.items()
                        if weight
                    ]
                )
            for picked in product(*choices):
                mass = prod((part for _, part in picked), start=share / len(maps))
                found[tuple(pairs for pairs, _ in picked), ensemble.label[planted]] += mass
    return dict(found)


@dataclass(frozen=True, eq=False)
class FunctionHypothesis:
    """Any vectorized function as a hypothesis."""

    name: str
    function: Callable[[IntArray], FloatArray | IntArray]

    def quotient(self, tokens: IntArray) -> Quotient:
        """Over 1."""
        found = np.asarray(self.function(tokens), dtype=np.float64)
        return Quotient(found, np.ones(len(tokens)), is_dyadic(found, 1))
