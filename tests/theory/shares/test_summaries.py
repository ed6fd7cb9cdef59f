"""Summaries, the states that carry them, and when their values are in play, against all short words."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import OverBudget
from longreach.theory.shares.summaries import NEVER, Summary, carried, summary_graph
from longreach.theory.shares.words import WordMeasure
from tests.helpers.examples import at_most
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


@pytest.mark.parametrize("wrong", [{"window": -1}, {"modulus": 0}, {"clip": -2}])
def test_impossible_summaries_are_refused(wrong: dict[str, int]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=f"the {name} of a summary is at least"):
        Summary(**wrong)


LONGEST = 9


@settings(max_examples=at_most(40))
@given(automata(states=4), st.integers(0, 3), st.integers(1, 2), st.integers(0, 2))
def test_the_first_words_with_a_value_and_with_another_label(
    automaton: Automaton, window: int, modulus: int, clip: int
) -> None:
    assume(automaton.accepting)
    measure = WordMeasure(automaton)
    summary = Summary(window=window, modulus=modulus, clip=clip)
    seen: dict[object, dict[int, int]] = {}
    for length in range(LONGEST + 1):
        for word in product("ab", repeat=length):
            if automaton.accepts(word):
                for place in range(length + 1):
                    state = measure.states.index(automaton.run(word[:place]))
                    labels = seen.setdefault(summary.value(word[:place]), {})
                    labels.setdefault(int(measure.labels[state]), length)
    graph = summary_graph(measure, summary, LONGEST)
    for length in range(5):
        for word in product("ab", repeat=length):
            node = 0
            for letter in word:
                node = (
                    int(graph.targets[node, automaton.letter_index[letter]])
                    if node < len(graph.first)
                    else node
                )
            if node == len(graph.first):
                continue
            times = [*sorted(seen.get(summary.value(word), {}).values()), NEVER, NEVER]
            for found, wanted in zip((int(graph.first[node]), int(graph.second[node])), times, strict=False):
                assert found == wanted or (found > LONGEST and wanted > LONGEST)


def test_windows_that_say_the_same_are_one() -> None:
    """Of 2^16 windows of 16 letters, few tell more about bracket depth or runs than others."""
    for name, most in [("tomita-4", 60), ("tomita-7", 2000), ("d-2", 400)]:
        graph = summary_graph(WordMeasure(named_automaton(name)), Summary(window=16), 100, within=100)
        assert len(graph.first) < most
