from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from longreach.tasks import draws
from longreach.tasks.count import Count
from tests.helpers.enumeration import distribution, normalized
from tests.helpers.task_checks import assert_program_solves, assert_samples_are_right, statuses


def _literal(x: Sequence[str]) -> list[str]:
    return ["a"] * sum(symbol == "a" for symbol in x)


def test_samples() -> None:
    assert_samples_are_right(Count(), _literal)


def test_the_number_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)

    def run(rng: Any) -> tuple[str, ...]:
        return tuple(Count().decode(Count().sample([3], rng).tokens[0, 1:4].tolist()))

    expected = {x: Fraction(1, 4 * comb(3, x.count("a"))) for x in product("ab", repeat=3)}
    assert normalized(distribution(run, 4)[0]) == expected


def test_program_on_all_short_inputs() -> None:
    words = (word for length in range(1, 10) for word in product("ab", repeat=length))
    assert_program_solves("count", words, _literal)


def test_forecast() -> None:
    assert statuses("count") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}
