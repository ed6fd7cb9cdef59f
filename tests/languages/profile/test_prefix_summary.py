"""Summaries, and the states that carry them, against the values of all short prefixes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.budget import OverBudget
from longreach.languages.profile.prefix_summary import Summary, carried, summaries
from longreach.languages.profile.word_measure import WordMeasure
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from tests.helpers.language_oracles import automata


@given(automata(states=4), st.integers(1, 4), st.integers(0, 3))
def test_the_carried_pairs_are_those_of_prefixes(automaton: Automaton, modulus: int, clip: int) -> None:
    assume(automaton.accepting)
    words = WordMeasure(automaton)
    summary = Summary(modulus=modulus, clip=clip)
    found = carried(words, summary, 10_000)
    at = {(): 0}
    values: dict[int, object] = {}
    for length in range(7):
        for prefix in product(automaton.alphabet, repeat=length):
            if prefix and prefix[:-1] in at:
                letter = automaton.letter_index[prefix[-1]]
                there = int(found.targets[at[prefix[:-1]], letter])
                assert (there >= 0) == (automaton.run(prefix) in words.states)
                if there >= 0:
                    at[prefix] = there
            if prefix in at:
                pair = at[prefix]
                assert words.states[found.states[pair]] == automaton.run(prefix)
                assert values.setdefault(int(found.values[pair]), summary.value(prefix)) == summary.value(
                    prefix
                )
                assert found.depth[pair] <= length
    assert len(set(values.values())) == len(values)
    reached = {pair: min(len(p) for p, q in at.items() if q == pair) for pair in set(at.values())}
    assert all(found.depth[pair] == depth for pair, depth in reached.items())


def test_too_many_pairs_are_refused() -> None:
    with pytest.raises(OverBudget, match="letter counts up to 9: more than the budget of 20"):
        carried(WordMeasure(from_expression("(a|b)*")), Summary(clip=9), 20)


def test_the_family_has_each_summary_once() -> None:
    family = summaries()
    assert len(set(family)) == len(family) == 16 + 7 + 8 + 16 * 7
    assert len({str(each) for each in family}) == len(family)


@pytest.mark.parametrize("wrong", [{"window": -1}, {"modulus": 0}, {"clip": -2}])
def test_impossible_summaries_are_refused(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=f"the {name} of a summary is at least"):
        Summary(**wrong)
