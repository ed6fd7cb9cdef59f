"""When the values of a summary are in play, against all short words."""

from __future__ import annotations

from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.languages.profile.prefix_summary import Summary
from longreach.languages.profile.summary_graph import NEVER, summary_graph
from longreach.languages.profile.word_measure import WordMeasure
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.named_languages import named_automaton
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata

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
