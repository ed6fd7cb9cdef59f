"""The named languages."""

from __future__ import annotations

import re
from itertools import groupby, pairwise

import pytest

from longreach.theory.automata.named import NAMED_LANGUAGES, bounded_brackets, bracket_depth, named_automaton
from tests.helpers.language_oracles import words


def _tomita_3(word: str) -> bool:
    runs = [(symbol, len(list(run))) for symbol, run in groupby(word)]
    return not any(a == "1" and m % 2 and b == "0" and n % 2 for (a, m), (b, n) in pairwise(runs))


def _brackets(depth: int):
    def balanced(word: str) -> bool:
        level = 0
        for token in word:
            level += 1 if token == "a" else -1
            if not 0 <= level <= depth:
                return False
        return level == 0

    return balanced


DEFINITIONS = {
    "tomita-1": lambda w: "0" not in w,
    "tomita-2": lambda w: w == "10" * (len(w) // 2),
    "tomita-3": _tomita_3,
    "tomita-4": lambda w: "000" not in w,
    "tomita-5": lambda w: len(w) % 2 == 0 and w.count("1") % 2 == 0,
    "tomita-6": lambda w: (w.count("0") - w.count("1")) % 3 == 0,
    "tomita-7": lambda w: bool(re.fullmatch("0*1*0*1*", w)),
    "d-2": _brackets(2),
    "d-3": _brackets(3),
    "d-4": _brackets(4),
    "d-12": _brackets(12),
    "parity-language": lambda w: w.count("a") % 2 == 0,
    "aa": lambda w: len(w) % 2 == 0,
    "aaaa": lambda w: len(w) % 4 == 0,
    "abab": lambda w: w == "abab" * (len(w) // 4),
    "aa-bb-cc-dd-ee": lambda w: bool(re.fullmatch("a+b+c+d+e+", w)),
    "ab-d-bc": lambda w: bool(re.fullmatch("[ab]*d[bc]*", w)),
    "012-0-2": lambda w: bool(re.fullmatch("[012]*02*", w)),
    "sigma-be": lambda w: bool(re.fullmatch("[abe]*be*", w)),
    "l-bb": lambda w: bool(re.fullmatch("[abe]*be*b[abe]*", w)),
}


@pytest.mark.parametrize("name", list(NAMED_LANGUAGES))
def test_definitions(name) -> None:
    automaton = named_automaton(name)
    longest = {1: 12, 2: 9, 3: 6, 4: 5, 5: 5}[len(automaton.alphabet)]
    for word in words(automaton.alphabet, longest):
        assert automaton.accepts(word) == DEFINITIONS[name]("".join(word)), word


def test_sizes() -> None:
    assert len(named_automaton("tomita-3")) == 5
    assert [len(bounded_brackets(n)) for n in (1, 2, 12)] == [3, 4, 14]
    assert named_automaton("d-7") == bounded_brackets(7)


def test_brackets_are_recognized() -> None:
    for depth in (1, 2, 9):
        assert bracket_depth(bounded_brackets(depth)) == depth
    assert bracket_depth(named_automaton("tomita-2")) == 1
    assert bracket_depth(named_automaton("tomita-4")) is None
