"""Canonical forms: the same for all names of letters, different for different languages; the split pinned."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.studies.census.canonical_form import (
    canonical,
    canonical_text,
    in_benchmark,
    is_finite,
    part_of,
)
from tests.helpers.language_oracles import all_minimal, automata


def _words(automaton: Automaton, longest: int = 7) -> frozenset[tuple[str, ...]]:
    found = (word for length in range(longest + 1) for word in product(automaton.alphabet, repeat=length))
    return frozenset(word for word in found if automaton.accepts(word))


@given(automata(states=5, letters="abc"), st.permutations(range(3)))
def test_renaming_letters_changes_nothing(automaton: Automaton, order: list[int]) -> None:
    assume(any(len(word) for word in _words(automaton, 5)))
    rows = [[row[letter] for letter in order] for row in automaton.transitions]
    renamed = minimal("xyz", rows, 0, automaton.accepting)
    assert canonical(renamed) == canonical(automaton)
    assert canonical_text(renamed) == canonical_text(automaton)
    assert part_of(renamed) == part_of(automaton)


@given(automata(states=5))
def test_it_has_the_same_words_under_some_names(automaton: Automaton) -> None:
    words = _words(automaton)
    used = sorted({letter for word in words for letter in word})
    assume(used)
    found = canonical(automaton)
    assert canonical(found) == found
    assert len(found.alphabet) == len(used)
    renamings = [dict(zip(used, names, strict=True)) for names in permutations(found.alphabet)]
    assert _words(found) in [frozenset(tuple(map(names.get, word)) for word in words) for names in renamings]  # type: ignore[comparison-overlap]


def test_different_languages_stay_different() -> None:
    """Among all minimal automata with 3 states, at most the two names of the letters make one."""
    texts: dict[str, set[frozenset[tuple[str, ...]]]] = {}
    for automaton in all_minimal(3):
        words = _words(automaton, 6)
        swapped = frozenset(tuple("ba"["ab".index(letter)] for letter in word) for word in words)
        if any(words) and len({letter for word in words for letter in word}) == 2:
            texts.setdefault(canonical_text(automaton), set()).add(min(words, swapped, key=sorted))
    assert all(len(languages) == 1 for languages in texts.values())
    assert len({words for languages in texts.values() for words in languages}) == len(texts)


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("(ab)*", "held-out"),
        ("(a|b)*a", "held-out"),
        ("(a|bb)*", "development"),
        ("(a|b)*ab", "development"),
        ("(a|ba)*b?", "held-out"),
        ("(a|b|c)*ab(a|b|c)*", "development"),
        ("(aab|b)*", "development"),
        ("a*ba*", "held-out"),
    ],
)
def test_the_split_is_pinned(expression: str, part: str) -> None:
    assert part_of(from_expression(expression)) == part


def test_a_third_is_for_development() -> None:
    languages = {canonical(each) for each in all_minimal(3) if not is_finite(each)}
    share = sum(part_of(each) == "development" for each in languages) / len(languages)
    assert 0.28 < share < 0.39


@pytest.mark.parametrize("name", [*sorted(NAMED_LANGUAGES), "d-7"])
def test_the_benchmark_is_known_by_any_names(name: str) -> None:
    automaton = named_automaton(name)
    order = list(range(len(automaton.alphabet)))[::-1]
    rows = [[row[letter] for letter in order] for row in automaton.transitions]
    assert in_benchmark(minimal([f"t{place}" for place in order], rows, 0, automaton.accepting))


def test_letters_without_a_word_do_not_count() -> None:
    assert in_benchmark(from_expression("(xy)*", "wxyz"))
    assert canonical(from_expression("a*", "abc")).alphabet == ("a",)
    with pytest.raises(InputError, match="1 to 6 letters, not 0"):
        canonical(from_expression("()", "ab"))


@given(automata(states=5))
def test_finite_languages_have_no_long_words(automaton: Automaton) -> None:
    states = len(automaton)
    long = any(
        automaton.accepts(word)
        for length in range(states, 2 * states)
        for word in product(automaton.alphabet, repeat=length)
    )
    assert is_finite(automaton) == (not long)
