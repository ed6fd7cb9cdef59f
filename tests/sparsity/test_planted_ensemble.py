from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.distribution_ensemble import Label
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.position_law import uniform_sets
from tests.helpers.sparsity_oracle import distribution

HALF, ONE = Fraction(1, 2), Fraction(1)
ENSEMBLE = PlantedEnsemble(
    background=(HALF, Fraction(1, 4), Fraction(1, 4)),
    places=uniform_sets(lambda length: iter([(0, 1), (0, 3)])),
    planted={(1, 2): Fraction(2, 3), (2, 2): Fraction(1, 3)},
    label={(1, 2): (ONE,), (2, 2): (HALF,)},
)


def _listed(length: int) -> dict[tuple[tuple[int, ...], Label], Fraction]:
    whole = ENSEMBLE.outcomes(length)
    found: dict[tuple[tuple[int, ...], Label], Fraction] = defaultdict(Fraction)
    rows = zip(whole.examples.tokens.tolist(), whole.examples.labels.tolist(), whole.weights, strict=True)
    for tokens, label, weight in rows:
        found[tuple(tokens), ENSEMBLE.labels[label]] += weight
    return dict(found)


@pytest.mark.parametrize("length", [2, 4, 5])
def test_outcomes_are_those_of_the_definition(length: int) -> None:
    found = _listed(length)
    assert found == distribution(ENSEMBLE, length)
    assert sum(found.values()) == 1
    assert ENSEMBLE.outcome_count(length) == len(ENSEMBLE.outcomes(length).weights)


def test_draws_have_the_same_law() -> None:
    drawn = ENSEMBLE.draw_planted(4, 8000, np.random.default_rng(0))
    counts = Counter(
        (tuple(tokens), ENSEMBLE.labels[label])
        for tokens, label in zip(drawn.examples.tokens.tolist(), drawn.examples.labels.tolist(), strict=True)
    )
    exact = distribution(ENSEMBLE, 4)
    assert counts.keys() <= exact.keys()
    assert max(abs(counts[each] / 8000 - float(weight)) for each, weight in exact.items()) < 0.02
    planted = np.take_along_axis(drawn.examples.tokens, drawn.places - 1, axis=1)
    assert set(map(tuple, planted.tolist())) == {(1, 2), (2, 2)}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"background": (HALF,)}, "background: probabilities must sum to 1"),
        ({"planted": {(1, 2): HALF}}, "planted: probabilities must sum to 1"),
        ({"planted": {(1, 7): ONE}}, r"planted: \(1, 7\) is not over 3 tokens"),
        ({"planted": {(1, 1): ONE}}, r"label: \(1, 1\) has no label"),
        ({"planted": {(1, 2): HALF, (1,): HALF}}, "tuples of one size"),
    ],
)
def test_what_is_no_ensemble_is_refused(changed: dict, message: str) -> None:
    given = {
        "background": ENSEMBLE.background,
        "places": ENSEMBLE.places,
        "planted": ENSEMBLE.planted,
        "label": ENSEMBLE.label,
    }
    with pytest.raises(InputError, match=message):
        PlantedEnsemble(**{**given, **changed})
