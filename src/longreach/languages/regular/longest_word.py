"""Whether a language is finite, and how long its longest word is."""

from __future__ import annotations

from longreach.languages.regular.automaton import Automaton, live_states, strong_components


def longest_word(automaton: Automaton) -> int | None:
    """The number of letters of the longest word; -1 for the empty language, None for an infinite one.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> longest_word(from_expression("a|ab?c")), longest_word(from_expression("a*"))
    (3, None)
    """
    live = live_states(automaton)
    length = dict.fromkeys(range(len(automaton)), -1)
    for members in reversed(strong_components(automaton.transitions)):
        state = members[0]
        if state not in live:
            continue
        if len(members) > 1 or state in automaton.transitions[state]:
            return None
        ends = 0 if state in automaton.accepting else -1
        further = [length[target] + 1 for target in automaton.transitions[state] if target in live]
        length[state] = max([ends, *further])
    return length[0]
