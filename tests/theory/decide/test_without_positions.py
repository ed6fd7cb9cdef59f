"""The criterion without positions, and its proofs."""

from __future__ import annotations

from collections import Counter
from itertools import chain, product

import pytest
from hypothesis import given

from longreach.theory.automata.automaton import Word, combine, minimal
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import Fooling, plain_analysis, refutation
from tests.helpers.language_oracles import all_minimal, automata, plain_membership


def _answers(automaton) -> tuple[bool, bool]:
    analysis = plain_analysis(automaton)
    return analysis.holds(Convention.LAST_LETTER), analysis.holds(Convention.END_OF_SEQUENCE)


@pytest.mark.parametrize("states", [1, 2, 3])
def test_all_small_automata_by_the_definition(states) -> None:
    for automaton in all_minimal(states):
        assert _answers(automaton) == plain_membership(automaton)


@given(automata(states=8, letters="abc"))
def test_random_automata_by_the_definition(automaton) -> None:
    assert _answers(automaton) == plain_membership(automaton)


@pytest.mark.parametrize(
    ("expression", "alphabet", "wanted"),
    [
        ("(a|b)*b", "ab", (True, False)),
        ("(a|b|e)*be*", "abe", (False, False)),
        ("e*b(a|b|e)*", "abe", (True, True)),
        (".*ab.*", "ab", (True, True)),
        (".*ab.*", "abc", (False, False)),
        (".*", "ab", (True, True)),
        ("()", "ab", (True, True)),
        ("a&b", "ab", (True, True)),
        ("a*", "a", (True, True)),
        ("a", "a", (True, True)),
        ("(aaa)*", "a", (False, False)),
        ("aaa(aa)*", "a", (False, False)),
        ("(ab)*", "ab", (True, True)),
        ("(abab)*", "ab", (False, False)),
    ],
)
def test_known_languages(expression, alphabet, wanted) -> None:
    assert _answers(from_expression(expression, alphabet)) == wanted


def test_dead_and_unreachable_states_do_not_matter() -> None:
    plain = minimal("ab", [[0, 1], [0, 1]], 0, [1])
    more = minimal("ab", [[0, 1], [2, 1], [2, 3], [4, 4], [3, 5], [5, 4]], 2, [1, 3])
    assert _answers(plain) == (True, False)
    assert _answers(more) == plain_membership(more)
    with_dead_end = from_expression("(a|b)*bc", "abc")
    assert _answers(with_dead_end) == plain_membership(with_dead_end)


@given(automata(states=5), automata(states=4))
def test_closure(left, right) -> None:
    """The class is closed under complement, quotients and Boolean combinations (at the last letter)."""
    holds = plain_analysis(left).holds()
    assert plain_analysis(left.complement()).holds() == holds
    if holds:
        for word in ("a", "b", "ab"):
            assert plain_analysis(left.left_quotient(word)).holds()
            assert plain_analysis(left.right_quotient(word)).holds()
        if plain_analysis(right).holds():
            assert plain_analysis(combine(left, right, lambda x, y: x and y)).holds()


@given(automata(states=5))
def test_the_empty_word_does_not_matter(automaton) -> None:
    empty = from_expression("()", "ab")
    toggled = combine(automaton, empty, lambda x, y: x != y)
    assert _answers(toggled) == _answers(automaton)


@given(automata(states=6))
def test_the_end_of_the_sequence_is_harder(automaton) -> None:
    at_letter, at_end = _answers(automaton)
    assert at_letter or not at_end


def test_depth_of_nested_counts() -> None:
    assert plain_analysis(named_automaton("tomita-1")).rounds() == 0
    assert plain_analysis(named_automaton("d-12")).rounds() == 1
    deep = [plain_analysis(automaton).rounds() for automaton in all_minimal(3)]
    assert max(rounds for rounds in deep if rounds is not None) == 1


def fooling_words(words: Fooling, repetitions: int) -> tuple[Word, Word]:
    """One pair, with each loop repeated far more often than the one before it: a program of depth one with
    coefficients below about `repetitions` cannot tell these two apart."""
    loops = [loop * repetitions ** (place + 1) for place, loop in enumerate(words.loops)]
    begin = (*words.before, *chain.from_iterable(loops))
    return begin + words.first + words.after, begin + words.second + words.after


@pytest.mark.parametrize("convention", list(Convention))
@pytest.mark.parametrize("name", ["tomita-3", "tomita-4", "tomita-6", "aaaa", "abab", "sigma-be", "l-bb"])
def test_fooling_words(name, convention) -> None:
    automaton = named_automaton(name)
    proof = refutation(plain_analysis(automaton), convention, 100)
    assert proof is not None
    for repetitions in (0, 1, 2, 3):
        first, second = fooling_words(proof.fooling, repetitions)
        assert automaton.accepts(first) != automaton.accepts(second)
        assert convention is Convention.END_OF_SEQUENCE or first[-1] == second[-1]


def test_fooling_words_look_alike_to_shallow_programs() -> None:
    automaton = named_automaton("sigma-be")
    proof = refutation(plain_analysis(automaton), Convention.LAST_LETTER, 100)
    assert proof is not None
    left, right = (Counter(word) for word in fooling_words(proof.fooling, 16))
    for weights in product(range(-2, 3), repeat=3):
        sums = [sum(w * count[a] for w, a in zip(weights, "abe", strict=True)) for count in (left, right)]
        for threshold in range(-2, 3):
            assert (sums[0] >= threshold) == (sums[1] >= threshold)


def test_a_proof_beyond_the_limit_is_not_written() -> None:
    analysis = plain_analysis(named_automaton("aaaa"))
    assert refutation(analysis, Convention.LAST_LETTER, 3) is None
    with pytest.raises(ValueError, match="in the class"):
        refutation(plain_analysis(named_automaton("d-2")), Convention.LAST_LETTER, 3)
