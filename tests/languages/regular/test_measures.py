from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings

from longreach.languages.budget import Budget
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.measures import _knast, measure
from longreach.languages.regular.monoid import transition_monoid
from longreach.languages.regular.named_languages import named_automaton
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import (
    Map,
    after,
    all_minimal,
    automata,
    maps_of_length,
    semigroup,
    stable,
)


def _power(x: Map) -> Map:
    """The idempotent power."""
    power = x
    while after(power, power) != power:
        power = after(power, x)
    return power


def _aperiodic(maps: set[Map]) -> bool:
    return all(after(_power(x), x) == _power(x) for x in maps)


def _ideals(maps: set[Map]) -> dict[str, set]:
    return {
        "right": {frozenset(after(x, y) for y in maps) for x in maps},
        "two-sided": {frozenset(after(after(y, x), z) for y in maps for z in maps) for x in maps},
    }


@settings(deadline=None)
@given(automata(states=3))
def test_algebra_by_the_definitions(automaton) -> None:
    monoid = semigroup(automaton) | {tuple(range(len(automaton)))}
    found = measure(automaton)
    assert found.monoid == len(monoid)
    assert found.star_free == _aperiodic(monoid)
    ideals = _ideals(monoid)
    assert found.r_trivial == (len(ideals["right"]) == len(monoid))
    assert found.piecewise_testable == (len(ideals["two-sided"]) == len(monoid))
    if len(monoid) <= 12:
        two_variable = all(
            after(after(power, y), power) == power
            for x, y, z in product(monoid, repeat=3)
            for power in [_power(after(after(x, y), z))]
        )
        assert found.two_variable == two_variable


@settings(deadline=None, max_examples=at_most(50))
@given(automata(states=4))
def test_ac0_by_the_definition(automaton) -> None:
    """A group in the maps of one length: closed under composition, and not just one map."""
    length, _ = stable(automaton)

    def has_group(maps: set[Map]) -> bool:
        # A nontrivial cyclic group {x, x², …} that lies inside the set.
        for x in maps:
            powers = [x]
            while after(powers[-1], x) not in powers:
                powers.append(after(powers[-1], x))
            if len(powers) > 1 and after(powers[-1], x) == x and set(powers) <= maps:
                return True
        return False

    assert measure(automaton).ac0 == (
        not any(has_group(maps_of_length(automaton, t)) for t in range(1, 3 * length + 1))
    )


def _knast_by_definition(maps: set[Map]) -> bool:
    idempotents = [e for e in maps if after(e, e) == e]
    for e, f in product(idempotents, repeat=2):
        forth = {after(after(e, x), f) for x in maps}
        back = {after(after(f, x), e) for x in maps}
        left = {(_power(after(x, y)), x) for x in forth for y in back}
        right = {(_power(after(z, t)), t) for z in forth for t in back}
        for (u, x), (v, t) in product(left, right):
            if after(after(u, x), after(t, v)) != after(u, v):
                return False
    return True


def test_knast_by_the_definition() -> None:
    star_free = [a for a in all_minimal(3) if measure(a).star_free]
    assert len(star_free) > 50
    answers = []
    for automaton in [*all_minimal(2), *random.Random(1).sample(star_free, 60)]:
        if not measure(automaton).star_free:
            continue
        monoid = transition_monoid(automaton, 1000)
        assert monoid is not None
        answers.append(_knast(monoid))
        assert answers[-1] == _knast_by_definition(semigroup(automaton))
    assert {True, False} <= set(answers)


@pytest.mark.parametrize(
    ("expression", "alphabet", "depth"),
    [
        ("ab|b", "ab", "0"),
        (".*", "ab", "0"),
        ("a&b", "ab", "0"),
        ("...+", "ab", "0"),
        (".*a.*b.*", "abc", "1"),
        (".*ab.*", "abc", "1"),
        ("(ab)*", "ab", "1"),
        ("(a(ab)*b)*", "ab", "2"),
        ("(x(xy)*y)*", "xy", "2"),
        ("(a|b|e)*be*", "abe", "2"),
        ("(a|b|e)*be*b(a|b|e)*", "abe", "≥ 2"),
        ("(aa)*", "a", None),
    ],
)
def test_dot_depth(expression, alphabet, depth) -> None:
    assert measure(from_expression(expression, alphabet)).dot_depth == depth


def test_beyond_the_cap_only_the_states_are_known() -> None:
    found = measure(named_automaton("d-12"), Budget(monoid=100))
    assert (found.states, found.length_complexity) == (14, 26)
    assert found.monoid is found.star_free is found.ac0 is found.dot_depth is None
