"""The decision with positions, against its criterion read literally and brute force."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from longreach.theory.automata.automaton import combine, minimal
from longreach.theory.automata.monoid import stable_semigroup, transition_monoid
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.decide.arrows import Arrow, find_failure, idempotent_graph, sampled_failure
from longreach.theory.decide.views import analyse, extend
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import (
    all_minimal,
    automata,
    idempotent_graph_separates,
    random_automaton,
    semigroup,
    stable,
)


def test_resets_leave_states_together() -> None:
    """Two maps to constants, and back: what Σ*be* does after long runs of e."""
    resets = [Arrow(0, 0, (0, 0), 0), Arrow(0, 0, (1, 1), 1)]
    failure = find_failure([[0, 1]], resets)
    assert failure is not None
    assert failure.classes == (0, 0)
    assert find_failure([[0, 1]], resets[:1]) is None


def test_states_in_different_components_are_known() -> None:
    assert find_failure([[0, 1]], [Arrow(0, 0, (0, 1), 0)]) is None


@pytest.mark.parametrize("name", ["tomita-3", "tomita-5", "tomita-6", "parity-language", "012-0-2", "l-bb"])
def test_samples_are_what_they_say(name) -> None:
    automaton = named_automaton(name)
    sample = sampled_failure(automaton, 24)
    assert sample is not None
    spell = automaton.alphabet
    for state, number in sample.failure.vertices:
        word = sample.objects[number]
        assert len(word) == sample.block
        assert automaton.run((spell[a] for a in word), state) == state
    for s, label, t in zip(
        sample.failure.graph.source, sample.failure.graph.label, sample.failure.graph.target, strict=True
    ):
        word = sample.words[label]
        assert len(word) % sample.block == 0
        target = sample.objects[sample.failure.arrows[label].target]
        state = sample.failure.vertices[s][0]
        reached = automaton.run((spell[a] for a in (*word, *target)), state)
        assert reached == sample.failure.vertices[t][0]


@pytest.mark.parametrize("name", ["aa", "abab", "tomita-4", "d-3"])
def test_no_sample_where_a_program_exists(name) -> None:
    assert sampled_failure(named_automaton(name), 40) is None


@pytest.mark.parametrize(
    ("states", "every"), [(1, 1), (2, 1), (3, 4), pytest.param(3, 1, marks=pytest.mark.slow)]
)
def test_all_small_automata_are_decided(states: int, every: int) -> None:
    for automaton in all_minimal(states)[::every]:
        plain = plain_analysis(automaton)
        both = decide_positional(automaton, plain)
        for decision in (both.periodic_local, both.local):
            assert decision.answer is not None
            # Every answer comes with its evidence, and never with that of the other answer.
            assert (decision.analysis is not None) == decision.answer
            assert (decision.refutation is None) == decision.answer
            assert decision.analysis is None or decision.analysis.holds()
        assert not plain.holds() or both.local.answer
        assert not both.local.answer or both.periodic_local.answer


def test_two_states_by_the_definition() -> None:
    for automaton in all_minimal(2):
        both = decide_positional(automaton)
        assert both.periodic_local.answer == idempotent_graph_separates(stable(automaton)[1])
        assert both.local.answer == idempotent_graph_separates(semigroup(automaton))


def test_three_states_by_the_definition() -> None:
    small = [automaton for automaton in all_minimal(3) if len(semigroup(automaton)) <= 7]
    for automaton in random.Random(3).sample(small, 60):
        both = decide_positional(automaton)
        assert both.periodic_local.answer == idempotent_graph_separates(stable(automaton)[1])
        assert both.local.answer == idempotent_graph_separates(semigroup(automaton))


@settings(max_examples=at_most(60), deadline=None)
@given(automata(states=5))
def test_sampling_and_the_monoid_agree(automaton) -> None:
    monoid = transition_monoid(automaton, 4000)
    if monoid is None:
        return
    graph = idempotent_graph(monoid.elements[stable_semigroup(monoid).members], 200_000)
    if not graph.complete:
        return
    failure = graph.failure()
    if sampled_failure(automaton, 24) is not None:
        assert failure is not None
    decision = decide_positional(automaton).periodic_local
    assert decision.answer == (failure is None)


@pytest.mark.parametrize(
    ("expression", "alphabet", "window", "modulus", "local"),
    [
        ("(aa)*", "a", 0, 2, None),
        ("(aaaaaa)*", "a", 0, 6, None),
        ("(abab)*", "ab", 0, 4, None),
        (".*ab.*", "abc", 1, 1, 1),
        (".*aba.*", "ab", 2, 1, 2),
        ("(1|01|001)*(0|00)?", "01", 2, 1, 2),
        (".*a.", "ab", 1, 1, 1),
        (".*a..", "ab", 2, 1, 2),
        ("(a|b)*b", "ab", 0, 1, 0),
        ("((a|b)(a|b))*", "ab", 0, 2, None),
        ("((a|b)(a|b))*a", "ab", 0, 2, None),
    ],
)
def test_windows_and_moduli(expression, alphabet, window, modulus, local) -> None:
    both = decide_positional(from_expression(expression, alphabet))
    analysis = both.periodic_local.analysis
    assert analysis is not None
    assert (analysis.extended.window, analysis.extended.modulus) == (window, modulus)
    assert both.periodic_local.smallest
    assert (both.local.analysis.extended.window if both.local.analysis else None) == local


def test_windows_are_the_smallest() -> None:
    chance = random.Random(7)
    tried = 0
    while tried < 15:
        automaton = random_automaton(6, "ab", chance, sink=0.4)
        decision = decide_positional(automaton).periodic_local
        if not decision.answer or decision.analysis is None or plain_analysis(automaton).holds():
            continue
        tried += 1
        monoid = transition_monoid(automaton, 10_000)
        assert monoid is not None
        length = stable_semigroup(monoid).length
        assert length % decision.analysis.extended.modulus == 0
        window = decision.analysis.extended.window
        passing = [
            (r, m)
            for r in range(window + 1)
            for m in range(1, length + 1)
            if length % m == 0 and analyse(extend(automaton, r, m)).holds()
        ]
        assert passing[0] == (window, decision.analysis.extended.modulus)


def test_the_whole_graph_is_needed() -> None:
    """This language fails, although every idempotent taken alone separates its states."""
    automaton = minimal("ab", [(1, 2), (2, 3), (0, 4), (3, 3), (3, 2)], 0, {0, 1, 2})
    monoid = transition_monoid(automaton, 1000)
    assert monoid is not None
    graph = idempotent_graph(monoid.elements[stable_semigroup(monoid).members], 50_000)
    assert graph.failure() is not None
    for k, fixed in enumerate(graph.fixed):
        arrows = [Arrow(0, 0, a.images, 0) for a in graph.arrows if (a.source, a.target) == (k, k)]
        assert find_failure([fixed], arrows) is None
    assert decide_positional(automaton).periodic_local.answer is False


def test_budgets_end_in_undecided() -> None:
    automaton = named_automaton("abab")
    both = decide_positional(automaton, budget=Budget(monoid=5, samples=0))
    assert both.periodic_local.answer is None
    assert "more than 5 elements" in both.periodic_local.exhausted
    both = decide_positional(automaton, budget=Budget(arrows=3, samples=0, window_states=3))
    assert both.periodic_local.answer is None
    assert "more than 3 edges" in both.periodic_local.exhausted


def test_a_part_of_the_graph_is_enough_for_a_no() -> None:
    both = decide_positional(from_expression("(a{500})*"), budget=Budget(arrows=10_000))
    assert (both.periodic_local.answer, both.local.answer) == (True, False)


def test_a_window_may_be_found_without_the_monoid() -> None:
    both = decide_positional(named_automaton("tomita-4"), budget=Budget(monoid=5))
    assert both.local.answer
    assert both.local.smallest
    assert not both.periodic_local.smallest


def test_a_window_beyond_the_budget_leaves_the_answer() -> None:
    both = decide_positional(named_automaton("tomita-4"), budget=Budget(window_states=6))
    assert both.periodic_local.answer
    assert both.periodic_local.analysis is None


@settings(max_examples=at_most(40), deadline=None)
@given(automata(states=4), automata(states=3))
def test_closure(left, right) -> None:
    answer = decide_positional(left).periodic_local.answer
    assert decide_positional(left.complement()).periodic_local.answer == answer
    if answer:
        assert decide_positional(left.left_quotient("ab")).periodic_local.answer
        assert decide_positional(left.right_quotient("ba")).periodic_local.answer
        if decide_positional(right).periodic_local.answer:
            union = combine(left, right, lambda x, y: x or y)
            assert decide_positional(union).periodic_local.answer
