"""Tests of `studies.census.draw`."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice, permutations, product
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.census.draw import (
    STRATA,
    Census,
    canonical,
    canonical_text,
    draw_census,
    in_benchmark,
    is_finite,
    part_of,
    refusal,
    size_class,
    verdict_pair,
)
from longreach.studies.census.sources import (
    STATES,
    Draw,
    draws,
    random_automaton,
    random_expression,
    to_expression,
)
from longreach.tasks.catalog import load_task
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.shares.words import label_entropy, position_chance
from longreach.theory.verdicts.judge import judge
from tests.helpers.language_oracles import all_minimal, automata

# Expressions of automata have the automata they were made from.


@given(automata(states=7) | automata(states=4, letters="abc"))
def test_there_and_back(automaton: Automaton) -> None:
    assume(automaton.accepting)
    assert from_expression(to_expression(automaton), automaton.alphabet) == automaton


@pytest.mark.parametrize("name", sorted(NAMED_LANGUAGES))
def test_the_benchmark(name: str) -> None:
    automaton = named_automaton(name)
    assert from_expression(to_expression(automaton), automaton.alphabet) == automaton


def test_at_least_once_or_not_at_all_is_any_number_of_times() -> None:
    assert to_expression(from_expression("b(aa*)?", "ab")) == "ba*"


def test_the_empty_word_and_the_empty_language() -> None:
    only_empty = minimal("ab", [[1, 1], [1, 1]], 0, {0})
    assert from_expression(to_expression(only_empty), "ab") == only_empty
    with pytest.raises(InputError, match="the language is empty"):
        to_expression(minimal("ab", [[0, 0]], 0, set()))


@pytest.mark.parametrize("letter", ["*", "ab", "("])
def test_letters_with_a_meaning_are_refused(letter: str) -> None:
    with pytest.raises(InputError, match="needs letters or digits"):
        to_expression(minimal((letter,), [[0]], 0, {0}))


# Canonical forms: the same for all names of letters, different for different languages; the split pinned.


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


def test_the_split_is_pinned() -> None:
    parts = {
        "held-out": ("(ab)*", "(a|b)*a", "(a|ba)*b?", "a*ba*"),
        "development": ("(a|bb)*", "(a|b)*ab", "(a|b|c)*ab(a|b|c)*", "(aab|b)*"),
    }
    for part, expressions in parts.items():
        assert {part_of(from_expression(each)) for each in expressions} == {part}


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


# The census: every language once, in its stratum and part, and none of the benchmark.


DRAWN = 90


@pytest.fixture(scope="module")
def census() -> Census:
    return draw_census(2, 3, most_drawn=DRAWN)


def test_every_language_is_what_it_says(census: Census) -> None:
    assert len(census.languages) > 20
    assert len({each.automaton for each in census.languages}) == len(census.languages)
    assert len({each.key for each in census.languages}) == len(census.languages)
    for each in census.languages:
        assert canonical(each.automaton) == each.automaton
        assert (verdict_pair(each.automaton), size_class(len(each.automaton))) == each.stratum
        assert part_of(each.automaton) == each.part
        assert refusal(each.automaton) is None
        assert not in_benchmark(each.automaton)
        assert not is_finite(each.automaton)


def test_quotas_are_filled_or_missing_and_every_draw_is_accounted_for(census: Census) -> None:
    found = Counter((each.stratum, each.part) for each in census.languages)
    for stratum in STRATA:
        for part, quota in (("development", 2), ("held-out", 3)):
            assert found[stratum, part] + census.missing.get((stratum, part), 0) == quota  # type: ignore[index, call-overload]
    assert census.drawn == sum(census.left_out.values()) + len(census.languages) <= DRAWN


def test_the_first_drawn_are_taken(census: Census) -> None:
    """A smaller census is part of a larger one."""
    smaller = draw_census(1, 1, most_drawn=DRAWN)
    assert set(smaller.languages) <= set(census.languages)
    by_number = dict(enumerate(zip(range(DRAWN), draws(2026), strict=False)))
    for each in smaller.languages:
        assert canonical(by_number[each.drawn][1].automaton) == each.automaton


def test_languages_are_trained_by_their_names(census: Census) -> None:
    for each in census.languages[:12]:
        task = load_task(each.task)
        assert isinstance(task, RegularLanguage)
        assert task.automaton == each.automaton


def test_the_census_is_pinned(census: Census) -> None:
    """Whoever changes what is drawn, kept or how it is split makes another census."""
    assert [(each.key, each.part) for each in census.languages[:6]] == [
        ("8a9368b8db", "held-out"),
        ("1ba31d9256", "held-out"),
        ("fdada37bc5", "held-out"),
        ("37a0e67c2e", "development"),
        ("2db3cff12d", "development"),
        ("6308ff784a", "held-out"),
    ]


# What is drawn: reproducible, of the stated sizes, and never changed by accident.


def test_the_first_draws_are_pinned() -> None:
    first = list(islice(draws(2026), 6))
    assert [each.expression for each in first[::2]] == [
        "a(baa|a)(a|b)*",
        "(b*|c*)b",
        "b*|c*|b(b|c)?|(b|b*)?|a",
    ]
    assert [canonical_text(each.automaton) for each in first[1::2]] == [
        '{"accepting":[0,1],"transitions":[[1,1,1],[1,2,2],[2,2,2]]}',
        '{"accepting":[0,2,3,4,5],"transitions":[[0,1],[0,2],[3,4],[3,2],[5,1],[2,0]]}',
        '{"accepting":[4],"transitions":[[1,1,2],[1,1,1],[1,3,1],[0,4,2],[1,1,0]]}',
    ]


def test_draws_are_what_they_say() -> None:
    some = list(islice(draws(3), 60))
    assert Counter(each.source for each in some) == {"expression": 30, "automaton": 30}
    for each in some:
        assert len(each.automaton) in STATES
        if each.expression is not None:
            assert from_expression(each.expression, each.automaton.alphabet) == each.automaton
    assert {len(each.automaton.alphabet) for each in some} == {2, 3}
    assert {len(each.automaton) for each in some if each.source == "automaton"} == set(STATES)


def _size(expression: str) -> int:
    """Letters and operators, a product of n factors having n - 1."""
    size, factors = 0, [0]
    for char in expression:
        if char == "(":
            size += factors[-1] > 0
            factors[-1] += 1
            factors.append(0)
        elif char == ")":
            factors.pop()
        elif char == "|":
            size += 1
            factors[-1] = 0
        elif char in "*?":
            size += 1
        else:
            size += 1 + (factors[-1] > 0)
            factors[-1] += 1
    return size


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_expressions_have_their_size(seed: int, size: int) -> None:
    text = random_expression(Random(seed), size, "abc")
    assert _size(text) == size
    assert not any(twice in text for twice in ("**", "*?", "?*", "??"))
    from_expression(text, "abc")


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_only_a_share_leads_to_a_sink(share: float) -> None:
    found = [random_automaton(Random(seed), 6, "ab", share) for seed in range(200)]
    sinks = [
        sum(all(target == state for target in row) and state not in each.accepting
            for state, row in enumerate(each.transitions))
        for each in found if len(each) == 6
    ]  # fmt: skip
    assert (sum(sinks) / len(sinks) > 0.9) == bool(share)


# Strata against the verdicts as the commands print them.


@settings(max_examples=40)
@given(automata(states=6))
def test_a_stratum_is_what_is_forecast_for_training(automaton: Automaton) -> None:
    verdicts = judge(automaton)
    pair = f"{verdicts.nope.prediction.answer.value}/{verdicts.ape.prediction.answer.value}"
    assert verdict_pair(automaton) == (None if "undecided" in pair else pair)
    size = size_class(len(automaton))
    if size is None:
        assert len(automaton) == 1
    else:
        first, last = map(int, size.split("-"))
        assert first <= len(automaton) <= last


def test_there_are_nine() -> None:
    assert len(set(STRATA)) == 9
    assert [size_class(states) for states in range(1, 10)] == [
        None, "2-3", "2-3", "4-5", "4-5", "6-8", "6-8", "6-8", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "pair"), [("d-4", "yes/yes"), ("tomita-4", "no/yes"), ("tomita-3", "no/no"), ("aa", "no/yes")]
)
def test_the_benchmark_strata(name: str, pair: str) -> None:
    assert verdict_pair(named_automaton(name)) == pair


def test_what_is_undecided_has_no_stratum() -> None:
    spent = Budget(samples=0, monoid=1, window=2, window_states=50)
    language = from_expression("(a|ba*b)*")
    assert verdict_pair(language) is not None
    assert verdict_pair(language, spent) is None


# The rules for languages worth testing, applied by other means.


@cache
def _kept() -> list[Draw]:
    return list(islice((each for each in draws(5) if refusal(each.automaton, 5) is None), 24))


@settings(max_examples=40)
@given(automata(states=5))
def test_a_kept_language_keeps_all_rules(automaton: Automaton) -> None:
    assume(automaton.accepting)
    task = RegularLanguage("mine", automaton)
    tested = [*range(1, 16), *range(21, 26)]  # for a training length of 5
    enough = 2 * sum(task.words.count(length) >= 50 for length in tested) >= len(tested)
    found = refusal(automaton, 5)
    if not enough:
        assert found == "few words"
    elif found is None:
        assert label_entropy(automaton, range(21, 26), after=6) >= 0.3
        assert position_chance(automaton, range(21, 26)) <= 0.9


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_no_fixed_labels_are_right_on_nearly_all_drawn_words(number: int) -> None:
    """By drawing words as a run does: the labels most frequent at each position stay below the level."""
    automaton = _kept()[number].automaton
    task = RegularLanguage("mine", automaton)
    rng = np.random.default_rng(0)
    known = task.lengths(21, 25)
    lengths = known[rng.integers(0, len(known), 4000)]
    batch = task.sample(lengths, rng)
    guess = [
        np.bincount(column[mask]).argmax() for column, mask in zip(batch.targets.T, batch.mask.T, strict=True)
    ]
    right = ((batch.targets == np.array(guess)) | ~batch.mask).all(axis=1).mean()
    assert right < 0.93  # the level, and what the draw adds
    assert right < position_chance(automaton, known.tolist()) + 0.03


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("a*ba*", "few words"),
        ("((a|b)(a|b)(a|b))*", "few words"),  # words at a third of the lengths
        ("(a|b)*", "answers hardly vary"),
        ("(a|b)*b(a|b)*", "answers hardly vary"),
        ("(a|b)(a|b|c)*", "answers hardly vary"),
        ("b(b|abb)(a|b)*", "answers hardly vary"),  # only the first letters tell anything
        ("((a|b)(a|c))*(a|b)?", "guessed from the position"),
        ("(a|bb)*", None),
    ],
)
def test_examples(expression: str, reason: str | None) -> None:
    assert refusal(from_expression(expression)) == reason


def test_the_benchmark_has_languages_that_would_be_left_out() -> None:
    reasons = {
        name: refusal(named_automaton(name)) for name in ("aa", "tomita-1", "tomita-3", "parity-language")
    }
    assert reasons == {"aa": "few words", "tomita-1": "few words", "tomita-3": None, "parity-language": None}
