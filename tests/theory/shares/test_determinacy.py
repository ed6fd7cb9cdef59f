"""Determinacy against all words of a length and the definition, read literally."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.shares.determinacy import ANY_LENGTH, determinacy, profiles
from longreach.theory.shares.summaries import Summary
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata

Prefix = tuple[str, ...]


def _words(automaton: Automaton, length: int) -> list[Prefix]:
    return [word for word in product(automaton.alphabet, repeat=length) if automaton.accepts(word)]


def _answers(task: RegularLanguage, word: Prefix) -> list[tuple[Prefix, str]]:
    """Every prefix with its label, as the task has them."""
    return [(word[:place], label) for place, label in enumerate(task.answer(word))]


def _literal(automaton: Automaton, summary: Summary, length: int, within: int) -> float | None:
    task = RegularLanguage("mine", automaton)
    known: dict[object, set[str]] = defaultdict(set)
    for shorter in range(within + 1):
        for word in _words(automaton, shorter):
            for prefix, label in _answers(task, word):
                known[summary.value(prefix)].add(label)
    words = _words(automaton, length)
    right = sum(
        all(known.get(summary.value(prefix)) == {label} for prefix, label in _answers(task, word))
        for word in words
    )
    return right / len(words) if words else None


SUMMARIES = st.builds(
    Summary, window=st.integers(0, 4), modulus=st.integers(1, 4), clip=st.sampled_from([0, 0, 1, 2, 3])
)


@given(automata(states=5), SUMMARIES, st.integers(0, 9), st.one_of(st.none(), st.integers(0, 7)))
def test_it_is_what_the_definition_says(
    automaton: Automaton, summary: Summary, length: int, within: int | None
) -> None:
    assume(automaton.accepting)
    found = determinacy(automaton, summary, [length], within=within)
    wanted = _literal(automaton, summary, length, length if within is None else within)
    assert found.probabilities == (pytest.approx(wanted, rel=1e-12, abs=0) if wanted else wanted,)


@settings(max_examples=at_most(40))
@given(automata(states=4, letters="abc"), SUMMARIES, st.integers(0, 5), st.integers(0, 6))
def test_three_letters(automaton: Automaton, summary: Summary, length: int, within: int) -> None:
    assume(automaton.accepting)
    found = determinacy(automaton, summary, [length], within=within).at(length)
    wanted = _literal(automaton, summary, length, within)
    assert found == (pytest.approx(wanted, rel=1e-12, abs=0) if wanted else wanted)


@settings(max_examples=at_most(60))
@given(automata(states=5), SUMMARIES, st.integers(0, 12), st.one_of(st.none(), st.integers(0, 9)))
def test_many_lengths_at_once_are_those_one_by_one(
    automaton: Automaton, summary: Summary, first: int, within: int | None
) -> None:
    """What is in play at the shortest length is not told apart; longer ones must not notice."""
    assume(automaton.accepting)
    together = determinacy(automaton, summary, range(first, 16), within=within)
    for length in range(first, 16):
        alone = determinacy(automaton, summary, [length], within=within).at(length)
        assert together.at(length) == (alone and pytest.approx(alone, rel=1e-12))


@given(automata(states=6), st.integers(1, 6))
def test_seeing_more_determines_no_less(automaton: Automaton, window: int) -> None:
    assume(automaton.accepting)
    for finer, coarser in [
        (Summary(window=window + 1), Summary(window=window)),
        (Summary(window=window, modulus=6), Summary(window=window, modulus=3)),
        (Summary(window=window, modulus=2), Summary(modulus=2)),
        (Summary(clip=window + 1), Summary(clip=window)),
    ]:
        more, less = (determinacy(automaton, each, range(13)).probabilities for each in (finer, coarser))
        for one, other in zip(more, less, strict=True):
            assert (one is None and other is None) or (one or 0.0) >= (other or 0.0) - 1e-12


@pytest.mark.parametrize(
    ("expression", "summary"),
    [
        ("(a|b)*a(a|b)(a|b)", Summary(window=3)),
        ("(ab)*", Summary(window=1)),
        ("(ab)*", Summary(modulus=2)),
        ("(aab)*", Summary(modulus=3)),
        ("a*ba*ba*", Summary(clip=2)),
        ("((a|b)a)*", Summary(window=1, modulus=2)),
    ],
)
def test_a_summary_that_knows_the_state_determines_all_lengths(expression: str, summary: Summary) -> None:
    found = determinacy(from_expression(expression), summary, range(3, 61))
    assert all(each is None or each == pytest.approx(1.0) for each in found.probabilities)
    assert found.falls_below() is None


def test_a_window_is_enough_until_a_word_is_likely_to_hide_something() -> None:
    """Of words over a, b the parity of b's is unknown after k letters without c, which tells it anew."""
    language = from_expression("(a|ca|b(a|b)*c)*", "abc")
    shares = [
        [determinacy(language, Summary(window=k), [n]).probabilities[0] or 0.0 for n in (10, 20, 40, 80)]
        for k in (2, 4, 8, 16)
    ]
    for row in shares:
        assert row == sorted(row, reverse=True)
    for column in zip(*shares, strict=True):
        assert list(column) == sorted(column)


def test_parity_has_no_window_and_no_modulus() -> None:
    family = [Summary(window=16), Summary(modulus=8), Summary(window=4, modulus=2)]
    found = profiles(named_automaton("parity-language"), family, [40, 41])
    assert [each.probabilities for each in found] == [(0.0, 0.0)] * 3
    assert [each.falls_below() for each in found] == [40] * 3


def test_many_summaries_of_a_benchmark_language() -> None:
    family = [Summary(window=k, modulus=m) for k in range(17) for m in range(1, 9)]
    family += [Summary(clip=c) for c in range(1, 9)]
    found = profiles(named_automaton("tomita-4"), family, [60])
    by_name = {str(each.summary): each.at(60) for each in found}
    assert by_name["last 2 letters"] == pytest.approx(1.0)
    assert by_name["last letter"] == pytest.approx(0.0, abs=1e-3)
    assert not any(each.exhausted for each in found)


def test_a_budget_that_ends_the_work_is_named() -> None:
    found = determinacy(named_automaton("tomita-3"), Summary(window=12), [30], most_nodes=50)
    assert found.exhausted == "last 12 letters: more than the budget of 50 states with their summaries"
    assert (found.probabilities, found.at(30), found.falls_below(), found.mean) == ((), None, None, None)
    counted = determinacy(named_automaton("l-bb"), Summary(clip=8), [30], most_nodes=50)
    assert counted.exhausted is not None
    assert "letter counts up to 8" in counted.exhausted


def test_lengths_without_words_have_no_determinacy() -> None:
    found = determinacy(from_expression("(aa)*"), Summary(modulus=2), [3, 4])
    assert found.probabilities == (None, 1.0)
    assert (found.mean, determinacy(from_expression("(aa)*"), Summary(), [3]).mean) == (1.0, None)


def test_what_cannot_be_asked() -> None:
    language = from_expression("(ab)*")
    with pytest.raises(InputError, match="needs lengths"):
        determinacy(language, Summary(), [])
    with pytest.raises(InputError, match="at most -1 letters"):
        determinacy(language, Summary(), [3], within=-1)
    with pytest.raises(InputError, match="empty"):
        determinacy(from_expression("a&b"), Summary(), [3])


@settings(max_examples=at_most(60))
@given(automata(states=5), SUMMARIES, st.integers(0, 40))
def test_words_of_any_length_are_words_up_to_a_large_one(
    automaton: Automaton, summary: Summary, length: int
) -> None:
    assume(automaton.accepting)
    enough = summary.window + 2 * len(automaton) * summary.modulus * (summary.clip + 1) ** 2
    always, long, own = (
        determinacy(automaton, summary, [length], within=within).at(length)
        for within in (ANY_LENGTH, max(enough, length), None)
    )
    assert always == (long and pytest.approx(long, rel=1e-12))
    assert (always or 0.0) <= (own or 0.0) + 1e-12
