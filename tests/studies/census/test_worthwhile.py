"""The rules for languages worth testing, applied by other means."""

from __future__ import annotations

from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings

from longreach.languages.profile.position_only import label_entropy, position_chance
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import named_automaton
from longreach.studies.census.random_languages import Draw, draws
from longreach.studies.census.worthwhile import ranges_tested, refusal
from longreach.tasks.language_task import RegularLanguage
from tests.helpers.language_oracles import automata


@cache
def _kept() -> list[Draw]:
    return list(islice((each for each in draws(5) if refusal(each.automaton, 5) is None), 24))


@pytest.mark.parametrize("trained_to", [10, 20, 50])
def test_ranges_do_not_overlap_and_reach_five_times_as_far(trained_to: int) -> None:
    lengths = [length for first, last in ranges_tested(trained_to) for length in range(first, last + 1)]
    assert len(set(lengths)) == len(lengths) == 4 * trained_to
    assert (min(lengths), max(lengths)) == (1, 5 * trained_to)


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
