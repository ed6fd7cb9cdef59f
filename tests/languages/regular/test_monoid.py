from __future__ import annotations

import pytest
from hypothesis import given

from longreach.languages.regular.monoid import (
    idempotent_representatives,
    idempotents,
    stable_semigroup,
    transition_monoid,
)
from longreach.languages.regular.named_languages import named_automaton
from tests.helpers.language_oracles import after, automata, semigroup, stable


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
