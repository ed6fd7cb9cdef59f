"""What is drawn: reproducible, of the stated sizes, and never changed by accident."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.studies.census.canonical_form import canonical_text
from longreach.studies.census.random_languages import STATES, draws, random_automaton, random_expression


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


def test_a_seed_gives_the_same_draws_again() -> None:
    one, other, another = (list(islice(draws(seed), 20)) for seed in (1, 1, 2))
    assert one == other != another


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
