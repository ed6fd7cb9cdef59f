from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.position_law import PositionLaw, law_of_sets, shifted_sets, spread_shapes


def test_shifted_sets_are_those_of_the_text() -> None:
    """S from a law on the window, and a shift that is uniform in 0 … ℓ − window."""
    base = {(1, 2): 1, (2, 3): 2, (1, 3): 4}
    length, window = 6, 3
    wanted: Counter[tuple[int, ...]] = Counter()
    for places, weight in base.items():
        for shift in range(length - window + 1):
            wanted[tuple(place + shift for place in places)] += weight
    law = shifted_sets(base, window)(length)
    total = sum(wanted.values())
    assert dict(law.sets()) == {places: Fraction(weight, total) for places, weight in wanted.items()}


def test_draws_follow_the_law() -> None:
    law = law_of_sets(5, {(1, 2): Fraction(1, 2), (2, 5): Fraction(1, 3), (4, 5): Fraction(1, 6)})
    drawn = Counter(map(tuple, law.draw(6000, np.random.default_rng(0)).tolist()))
    assert set(drawn) == {(1, 2), (2, 5), (4, 5)}
    for places, weight in law.sets():
        assert abs(drawn[places] / 6000 - float(weight)) < 0.03
    assert sum(law.probability(places) for places in combinations(range(1, 6), 2)) == 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({(0, 1): [1, 1]}, "starts"),
        ({(1, 2): [1]}, "no shape"),
        ({(0, 1): [0, 0, 0]}, "no set has a positive weight"),
        ({(0, 1): [1, -1, 1]}, "negative"),
        ({(0, 1): [1, 1, 1], (0, 1, 2): [1, 1]}, "one size"),
    ],
)
def test_what_is_no_law_is_refused(weights: dict[tuple[int, ...], list[int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PositionLaw(4, {shape: np.array(row) for shape, row in weights.items()})


def test_lengths_without_room_are_refused() -> None:
    with pytest.raises(InputError, match="length: 2 is shorter than the window 3"):
        shifted_sets({(1, 2): 1}, window=3)(2)
    with pytest.raises(InputError, match="sets of one size"):
        spread_shapes(lambda length: {(0, 4): Fraction(1)})(3)
