"""Automata as the tables that certificates carry, and back."""

from __future__ import annotations

from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.certificates.documents import AutomatonTable


def automaton_table(automaton: Automaton) -> AutomatonTable:
    """The automaton as certificates carry it."""
    return AutomatonTable(
        alphabet=automaton.alphabet,
        transitions=automaton.transitions,
        accepting=tuple(sorted(automaton.accepting)),
    )


def table_automaton(table: AutomatonTable) -> Automaton:
    """The automaton that a certificate carries, with its numbers of states."""
    return Automaton(table.alphabet, table.transitions, frozenset(table.accepting))


def same_language(left: Automaton, right: Automaton) -> bool:
    """Whether two automata accept the same language; the order of letters does not matter."""
    if set(left.alphabet) != set(right.alphabet):
        return False
    order = [right.letter_index[letter] for letter in left.alphabet]
    rows = [[row[place] for place in order] for row in right.transitions]
    return left == minimal(left.alphabet, rows, 0, right.accepting)


def automaton_of(table: AutomatonTable) -> Automaton:
    """The minimal automaton of a table; a ValueError says what is wrong with the table."""
    count = len(table.transitions)
    if not count:
        raise ValueError("the automaton has no states")
    if len(set(table.alphabet)) != len(table.alphabet):
        raise ValueError("a letter appears twice in the alphabet")
    if any(not 0 <= state < count for state in table.accepting):
        raise ValueError("an accepting state does not exist")
    for row in table.transitions:
        if len(row) != len(table.alphabet) or any(not 0 <= target < count for target in row):
            raise ValueError("the automaton is not complete")
    return minimal(table.alphabet, table.transitions, 0, table.accepting)
