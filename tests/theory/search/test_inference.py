"""The inference procedure, against a literal reading on all programs of small sizes."""

from __future__ import annotations

import pytest

from longreach.theory.automata.named import named_automaton
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.words import Encoder
from longreach.theory.search.inference import SCHEDULES, infer
from longreach.theory.search.space import Family
from longreach.theory.search.targets import PredicateTarget, RegularTarget, target_of
from tests.helpers.all_programs import all_programs
from tests.helpers.crasp_oracle import all_words


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wanted", ["aa", "a+", "odd"])
def test_steps_are_those_of_the_definition(schedule: str, wanted: str) -> None:
    family = Family(modulus=2)
    rule = {"aa": lambda w: len(w) % 2 == 0, "a+": lambda w: len(w) > 0, "odd": lambda w: len(w) == 3}[wanted]
    target = PredicateTarget(rule, ("a",))
    run = infer(target, family=family, schedule=SCHEDULES[schedule], to=5, max_size=3)
    words = list(all_words("a", 5))
    tables = []
    for size in range(1, 4):
        for core in all_programs("a", family, size):
            said = accepts(core, [Encoder(core).tokens(word) for word in words])
            tables.append((size, {word: bool(value) for word, value in zip(words, said, strict=True)}))
    for step in run.steps:
        fits = [
            (size, table)
            for size, table in tables
            if all(table[w] == rule(w) for w in words if len(w) <= SCHEDULES[schedule](step.n))
        ]
        assert step.complexity == min((size for size, _ in fits), default=None)
        if step.complexity is None:
            assert step.at_least == 4
            continue
        wrong = [
            sum(table[w] != rule(w) for w in words if len(w) <= step.n)
            for size, table in fits
            if size == step.complexity
        ]
        assert step.errors in wrong
        assert step.worst_errors == max(wrong)
    good = [step.errors == 0 for step in run.steps]
    n0 = max((n for n, right in enumerate(good, 1) if not right), default=0)
    assert run.n0 == (None if n0 == 5 else n0)


def test_majority_is_found_and_stays() -> None:
    run = infer(target_of(lambda w: w.count("1") >= w.count("0"), "01"), to=8)
    assert (run.n0, run.n0_of_any, run.n0_trained_to, run.bounded) == (3, 3, 2, True)
    assert run.error_count == sum(step.errors or 0 for step in run.steps) == 5
    document = run.document()
    assert document["n0"] == 3
    assert document["steps"][3] == {
        "n": 4, "trained_to": 2, "complexity": 5, "at_least": 5, "errors": 0, "worst_errors": 0, "choices": 1,
    }  # fmt: skip


def test_parity_needs_ever_larger_programs() -> None:
    run = infer(RegularTarget(named_automaton("parity-language")), to=7, max_size=8)
    assert [step.complexity for step in run.steps] == [1, 2, 2, 6, 6, 8, 8]
    assert all(step.errors for step in run.steps)
    assert run.n0 is None
    assert not run.bounded
    assert "N₀: none up to n = 7" in run.words()


def test_even_length_is_found_with_positions_and_proved() -> None:
    run = infer(RegularTarget(named_automaton("aa")), family=Family.named("periodic"), to=12)
    assert (run.n0, run.proved, run.bounded) == (1, True, True)


def test_a_search_that_ends_says_why() -> None:
    run = infer(RegularTarget(named_automaton("parity-language")), to=6, max_size=4)
    assert run.stopped == "none up to size 4"
    assert run.steps[-1].complexity is None
    assert run.steps[-1].at_least == 5
    assert run.error_count is None
