from __future__ import annotations

import pytest

from longreach.languages.decide.arrows import Arrow, find_failure
from longreach.languages.decide.sampled_arrows import sampled_failure
from longreach.languages.regular.named_languages import named_automaton


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
