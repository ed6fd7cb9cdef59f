"""Lengths of failure against the slow reading: a table of what training shows, tried on all words."""

from __future__ import annotations

from itertools import product

import pytest

from longreach.languages.profile.prefix_summary import Summary
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.studies.census.failure_length import AS_FAR, failure_lengths, longest_lasting
from longreach.tasks.language_task import RegularLanguage


@pytest.mark.parametrize("expression", ["(a|bb)*", "a*b(a|b)*", "(b|ab*a)*", "(ab|b)*a?"])
@pytest.mark.parametrize("summary", [Summary(window=1), Summary(window=2), Summary(window=1, modulus=2)])
def test_it_is_where_a_table_from_training_is_wrong_on_most_words(expression: str, summary: Summary) -> None:
    automaton, trained_to, longest = from_expression(expression), 4, 12
    task = RegularLanguage("mine", automaton)
    words = {n: [w for w in product("ab", repeat=n) if automaton.accepts(w)] for n in range(longest + 1)}
    table: dict[object, set[str]] = {}
    for length in range(trained_to + 1):
        for word in words[length]:
            for place, label in enumerate(task.answer(word)):
                table.setdefault(summary.value(word[:place]), set()).add(label)
    shares = {
        length: sum(
            all(table.get(summary.value(w[:n])) == {each} for n, each in enumerate(task.answer(w)))
            for w in words[length]
        )
        / len(words[length])
        for length in range(trained_to + 1, longest + 1)
        if words[length]
    }
    slow = next((length for length, share in shares.items() if share < 0.5), None)
    found = failure_lengths(automaton, trained_to, [summary])[summary]
    assert slow == (found if found is None or found <= longest else None)
    assert found is None or trained_to < found <= AS_FAR * trained_to


def test_without_positions_no_summary_knows_one() -> None:
    fails = {Summary(window=8): 30, Summary(modulus=2): None, Summary(window=2, modulus=3): 50}
    assert longest_lasting(fails, 20, positions=False).length == 30
    assert longest_lasting(fails, 20, positions=False, most_letters=4).summary is None
    assert longest_lasting(fails, 20, positions=True).summary == Summary(modulus=2)
    assert longest_lasting({}, 20, positions=True).length == 21
