from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.cycle_navigation import EVERY_FIFTH, CycleNavigation
from tests.helpers.task_checks import assert_samples_are_right, least_share, statuses


def _literal(x: Sequence[str]) -> list[str]:
    places = ["0", "1", "2", "3", "4"]
    for step in x:
        if step == "right":
            places = [*places[1:], places[0]]
        elif step == "left":
            places = [places[-1], *places[:-1]]
    return places[:1]


def test_samples() -> None:
    assert_samples_are_right(CycleNavigation(), _literal)
    assert least_share(CycleNavigation(), 40) > 0.15


def test_forecast() -> None:
    assert statuses("cycle-navigation") == {"nope": ("no", "valid"), "ape": ("no", "valid")}


def test_the_language_reduced_to() -> None:
    language = from_expression(EVERY_FIFTH.removeprefix("regex:"))
    for length in range(12):
        for word in product("ab", repeat=length):
            assert language.accepts(word) == (word.count("a") % 5 == 0)
