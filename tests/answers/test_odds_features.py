"""The numbers of a language: those of the commands and of brute force, in one place."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.answers.odds_features import SUMMARIES, language_features
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.shares.summaries import Summary
from longreach.theory.verdicts.judge import judge


@pytest.mark.parametrize("name", ["tomita-4", "tomita-3", "d-3", "aa"])
def test_sides_are_what_the_language_command_says(name: str) -> None:
    automaton = named_automaton(name)
    found = language_features(automaton, 20, [LengthRange(21, 40)], summaries=[])
    document = judge(automaton).document(name)
    assert (found.states, found.letters) == (document["states"], len(document["alphabet"]))
    for side, features in found.sides.items():
        told = document[side]
        assert features.verdict == told["prediction"]
        assert (features.size is not None) == (features.verdict == "yes")
        for number in ("window", "modulus", "depth"):
            assert getattr(features, number) == told.get(f"prediction_{number}")


def test_a_range_is_what_a_test_draws() -> None:
    """Determinacy of a window as the accuracy of a table, learned from all words of training lengths."""
    automaton, summary = from_expression("(a|bb)*"), Summary(window=4)
    task = RegularLanguage("mine", automaton)
    table: dict[object, set[str]] = {}
    for length in range(9):
        for word in product("ab", repeat=length):
            if automaton.accepts(word):
                for place, label in enumerate(task.answer(word)):
                    table.setdefault(summary.value(word[:place]), set()).add(label)
    rng = np.random.default_rng(0)
    known = task.lengths(9, 16)
    lengths = known[rng.integers(0, len(known), 6000)]
    batch = task.sample(lengths, rng)
    right = 0
    for row, length in zip(batch.tokens.tolist(), lengths.tolist(), strict=True):
        word = task.decode(row[1 : length + 1])
        answers = enumerate(task.answer(word))
        right += all(table.get(summary.value(word[:place])) == {label} for place, label in answers)
    found = language_features(automaton, 8, [LengthRange(9, 16)], summaries=[summary])
    share = found.ranges[0].determined[0].from_training
    assert share == pytest.approx(right / 6000, abs=4 * 0.5 / 6000**0.5)
    assert 0.1 < share < 0.9


def test_ranges_without_words_are_left_out() -> None:
    found = language_features(from_expression("(aaa)*"), 3, [LengthRange(1, 3), LengthRange(4, 5)])
    assert [each.lengths.name for each in found.ranges] == ["1-3"]
    assert [each.summary for each in found.ranges[0].determined] == list(SUMMARIES)
    assert found.sides["ape"].verdict == "yes"
