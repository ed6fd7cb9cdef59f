"""The regular languages of the benchmark by name.

The list is that of Bhattamishra et al., arXiv 2009.11264, as used by Huang et al., arXiv 2410.02140, with the
two languages of the latter's proofs. Tomita 3 is the standard language: no maximal odd run of ones is
directly followed by a maximal odd run of zeros, at the ends of the word too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from longreach.errors import InputError, near_names
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.regex import from_expression


@dataclass(frozen=True)
class NamedLanguage:
    expression: str
    alphabet: str


NAMED_LANGUAGES: dict[str, NamedLanguage] = {
    "tomita-1": NamedLanguage("1*", "01"),
    "tomita-2": NamedLanguage("(10)*", "01"),
    "tomita-3": NamedLanguage("0*((11)+0+|1(11)*(00)+)*1*", "01"),
    "tomita-4": NamedLanguage("(1|01|001)*(0|00)?", "01"),
    "tomita-5": NamedLanguage("((0|1)(0|1))*&((0*10*1)*0*)", "01"),
    "tomita-6": NamedLanguage("(0(01)*(1|00)|1(10)*(0|11))*", "01"),
    "tomita-7": NamedLanguage("0*1*0*1*", "01"),
    "d-2": NamedLanguage("(a(ab)*b)*", "ab"),
    "d-3": NamedLanguage("(a(a(ab)*b)*b)*", "ab"),
    "d-4": NamedLanguage("(a(a(a(ab)*b)*b)*b)*", "ab"),
    "d-12": NamedLanguage("(a" * 11 + "(ab)*" + "b)*" * 11, "ab"),
    "parity-language": NamedLanguage("b*(ab*ab*)*", "ab"),
    "aa": NamedLanguage("(aa)*", "a"),
    "aaaa": NamedLanguage("(aaaa)*", "a"),
    "abab": NamedLanguage("(abab)*", "ab"),
    "aa-bb-cc-dd-ee": NamedLanguage("aa*bb*cc*dd*ee*", "abcde"),
    "ab-d-bc": NamedLanguage("(a|b)*d(b|c)*", "abcd"),
    "012-0-2": NamedLanguage("(0|1|2)*02*", "012"),
    "sigma-be": NamedLanguage("(a|b|e)*be*", "abe"),
    "l-bb": NamedLanguage("(a|b|e)*be*b(a|b|e)*", "abe"),
}

_LARGEST_DEPTH = 4000


def named_automaton(name: str) -> Automaton:
    """The automaton of a named language; `d-N` is understood for every N.

    >>> len(named_automaton("tomita-3")), len(named_automaton("d-5"))
    (5, 7)
    """
    if name in NAMED_LANGUAGES:
        return from_expression(NAMED_LANGUAGES[name].expression, NAMED_LANGUAGES[name].alphabet)
    if re.fullmatch(r"d-(0|[1-9]\d{0,5})", name):
        return bounded_brackets(int(name[2:]))
    raise InputError(f"no language named {name!r}{near_names(name, NAMED_LANGUAGES)}")


def bounded_brackets(depth: int) -> Automaton:
    """D_n: balanced words of brackets a, b nested at most n deep.

    >>> bounded_brackets(2) == named_automaton("d-2")
    True
    """
    if not 1 <= depth <= _LARGEST_DEPTH:
        raise InputError(f"d-{depth}: the depth must lie between 1 and {_LARGEST_DEPTH}")
    sink = depth + 1
    rows = [[level + 1, level - 1 if level else sink] for level in range(sink)]
    return minimal(("a", "b"), [*rows, [sink, sink]], 0, {0})


def bracket_depth(automaton: Automaton) -> int | None:
    """The n for which the automaton is that of D_n, up to the names of the letters; None if it is not.

    >>> bracket_depth(named_automaton("d-12")), bracket_depth(named_automaton("aa"))
    (12, None)
    """
    depth = len(automaton) - 2
    if len(automaton.alphabet) != 2 or not 1 <= depth <= _LARGEST_DEPTH:
        return None
    pattern = bounded_brackets(depth)
    swapped = minimal(("a", "b"), [row[::-1] for row in automaton.transitions], 0, automaton.accepting)
    shapes = {(a.transitions, a.accepting) for a in (automaton, swapped)}
    return depth if (pattern.transitions, pattern.accepting) in shapes else None
