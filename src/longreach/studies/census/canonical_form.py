"""Which languages are one: the minimal automaton up to renaming of letters, and what hangs on it alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Literal, TypeAlias

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, live_states, minimal
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, bracket_depth, named_automaton

Part: TypeAlias = Literal["development", "held-out"]

LETTERS = "abcdef"
_Table: TypeAlias = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def canonical(automaton: Automaton) -> Automaton:
    """The same language over a, b, … so that languages that differ in the names of letters become equal.

    Letters that stand in no word are left out: no example shows them. Of all ways to name the rest, the one
    with the least table of transitions, then of accepting states, is taken.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> one, other = from_expression("(yx)*y", "wxy"), from_expression("0(10)*")
    >>> canonical(one) == canonical(other), canonical(one).alphabet
    (True, ('a', 'b'))
    """
    live = live_states(automaton)
    used = [
        letter
        for letter in range(len(automaton.alphabet))
        if any(automaton.transitions[state][letter] in live for state in live)
    ]
    if not used or len(used) > len(LETTERS):
        raise InputError(f"a language of the census has 1 to {len(LETTERS)} letters, not {len(used)}")
    rows = [[row[letter] for letter in used] for row in automaton.transitions]
    trimmed = minimal([LETTERS[place] for place in range(len(used))], rows, 0, automaton.accepting)
    table = min(_renamed(trimmed, order) for order in permutations(range(len(used))))
    return Automaton(trimmed.alphabet, table[0], frozenset(table[1]))


def _renamed(automaton: Automaton, order: Sequence[int]) -> _Table:
    """Transitions and accepting states when the letters stand in this order, states breadth-first again."""
    number = {0: 0}
    queue = [0]
    for state in queue:
        for letter in order:
            target = automaton.transitions[state][letter]
            if target not in number:
                number[target] = len(number)
                queue.append(target)
    rows = tuple(tuple(number[automaton.transitions[state][letter]] for letter in order) for state in queue)
    return rows, tuple(sorted(number[state] for state in automaton.accepting))


def canonical_text(automaton: Automaton) -> str:
    """The canonical form in one line; the same text means the same language.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> canonical_text(from_expression("(10)*"))
    '{"accepting":[0],"transitions":[[1,2],[1,1],[0,1]]}'
    """
    found = canonical(automaton)
    document = {"accepting": sorted(found.accepting), "transitions": [list(row) for row in found.transitions]}
    return json.dumps(document, separators=(",", ":"), sort_keys=True)


def part_of(automaton: Automaton) -> Part:
    """The part of the census in which a language is: one third is for development, the rest held out.

    It depends on the language alone, so that nobody can move one.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> part_of(from_expression("(ab)*")), part_of(from_expression("(a|b)*a"))
    ('held-out', 'held-out')
    """
    digest = hashlib.sha256(canonical_text(automaton).encode()).digest()
    return "development" if int.from_bytes(digest[:8], "big") % 3 == 0 else "held-out"


def in_benchmark(automaton: Automaton) -> bool:
    """Whether it is a language of the benchmark, D_n for any n included.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> in_benchmark(from_expression("(xy)*")), in_benchmark(from_expression("(xyy)*"))
    (True, False)
    """
    return bracket_depth(canonical(automaton)) is not None or canonical_text(automaton) in _benchmark()


@cache
def _benchmark() -> frozenset[str]:
    return frozenset(canonical_text(named_automaton(name)) for name in NAMED_LANGUAGES)


def is_finite(automaton: Automaton) -> bool:
    """Whether there are only finitely many words.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> is_finite(from_expression("a(b|ba)?")), is_finite(from_expression("a*"))
    (True, False)
    """
    live = live_states(automaton)
    left = set(live)
    while True:
        ends = {state for state in left if not left & set(automaton.transitions[state])}
        if not ends:
            return not left
        left -= ends
