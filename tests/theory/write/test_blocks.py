"""Blocks of a run: components that follow each other share counters as far as one set serves."""

from __future__ import annotations

from longreach.theory.automata.automaton import strong_components
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import DEFAULT_BUDGET
from longreach.theory.decide.views import component_of
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.write.blocks import Style, blocks_of
from tests.helpers.small_automata import small_automata


def test_joined_blocks_are_those_that_grow_by_one_component_at_a_time() -> None:
    long = ["a{7}b{5}(ab){4}", "(a|b){3}(aab){3}b*a{4}", "a*b*a*b*a*b*", "ab*a{3}b*ab{4}a*", "(a(ab)*b){5}"]
    split = 0
    for automaton in [*small_automata(3, "ab"), *map(from_expression, long)]:
        analysis = plain_analysis(automaton)
        if any(component.rounds is None for component in analysis.components):
            continue
        extended, alive = analysis.extended, automaton.live
        wanted: list[set[int]] = []
        for part in strong_components(automaton.transitions):
            if not alive & set(part):
                continue
            here = {number for number, state in enumerate(extended.states) if state.state in part}
            longer = tuple(sorted(wanted[-1] | here)) if wanted else ()
            if wanted and component_of(extended, longer, complete=False).rounds is not None:
                wanted[-1] |= here
            else:
                wanted.append(here)
        blocks = blocks_of(analysis, alive, Style(joined=True), DEFAULT_BUDGET)
        assert [set(block.states) for block in blocks] == wanted
        split += len(wanted) > 1
    assert split > 50
