"""Transition monoids and measures, against their definitions."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.monoid import (
    _knast,
    idempotent_representatives,
    idempotents,
    least_modulus,
    measure,
    stable_semigroup,
    transition_monoid,
)
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
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


@settings(max_examples=60, deadline=None)
@given(automata(states=3))
def test_the_least_modulus_leaves_no_group(automaton: Automaton) -> None:
    """Words whose lengths are multiples of m, one product of their maps after the other."""

    def has_group(block: set[Map]) -> bool:
        found = new = block
        while new:
            new = {after(m, x) for m in new for x in block} - found
            found = found | new
        return any(after(_power(m), m) != _power(m) for m in found)

    length, _ = stable(automaton)
    moduli = range(1, length + 1)
    wanted = next((m for m in moduli if not has_group(maps_of_length(automaton, m))), length)
    monoid = transition_monoid(automaton, 1000)
    assert monoid is not None
    assert least_modulus(monoid) == wanted


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


@given(automata(states=4))
def test_elements_and_words(automaton) -> None:
    monoid = transition_monoid(automaton, 10_000)
    assert monoid is not None
    maps = [tuple(row) for row in monoid.elements.tolist()]
    assert set(maps) == semigroup(automaton) | {tuple(range(len(automaton)))}
    assert {maps[x] for x in monoid.semigroup()} == semigroup(automaton)
    for x, image in enumerate(maps):
        assert tuple(automaton.run(monoid.word(x), q) for q in range(len(automaton))) == image


@given(automata(states=4))
def test_stable_semigroup(automaton) -> None:
    monoid = transition_monoid(automaton, 10_000)
    assert monoid is not None
    found = stable_semigroup(monoid)
    length, maps = stable(automaton)
    assert found.length == length
    assert {tuple(monoid.elements[x]) for x in found.members} == maps
    for x in found.members[:20]:
        word = found.word(int(x))
        assert len(word) == length
        assert [automaton.run(word, q) for q in range(len(automaton))] == monoid.elements[x].tolist()


@given(automata(states=4))
def test_one_idempotent_per_d_class(automaton) -> None:
    monoid = transition_monoid(automaton, 10_000)
    assert monoid is not None
    members = monoid.elements[stable_semigroup(monoid).members]
    maps = [tuple(row) for row in members.tolist()]
    everything = [maps[e] for e in idempotents(members)]

    def same(e, f) -> bool:
        """In a finite semigroup e D f when e = xy and f = yx for some x, y."""
        arrows = ([after(after(a, x), b) for x in maps] for a, b in ((e, f), (f, e)))
        forth, back = (set(found) for found in arrows)
        return any(after(x, y) == e and after(y, x) == f for x in forth for y in back)

    chosen = [maps[e] for e in idempotent_representatives(members)]
    assert all(sum(same(e, f) for f in chosen) == 1 for e in everything)


@pytest.mark.parametrize(("name", "size"), [("d-2", 15), ("parity-language", 2), ("d-12", 820)])
def test_sizes(name, size) -> None:
    monoid = transition_monoid(named_automaton(name), 1000)
    assert monoid is not None
    assert len(monoid) == size


def test_the_limit_is_kept() -> None:
    assert transition_monoid(named_automaton("d-12"), 819) is None
