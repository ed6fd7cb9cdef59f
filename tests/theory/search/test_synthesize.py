"""Synthesis: what is found is right, smallest where that is said, and what is impossible is refused."""

from __future__ import annotations

import pytest

from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.library import load
from longreach.theory.search.space import Family
from longreach.theory.search.synthesize import Status, synthesize
from tests.helpers.all_programs import all_programs
from tests.helpers.crasp_oracle import all_words


def test_languages_are_proved() -> None:
    found = synthesize(from_expression("(a|b)*ab(a|b)*"))
    assert (found.status, found.size, found.smallest, found.method) == (Status.PROVED, 7, True, "enumeration")
    assert found.program is not None
    assert found.program.core.class_name == "C-RASP[∅]"


def test_predicates_are_checked_to_a_length() -> None:
    found = synthesize(lambda word: word.count("1") >= word.count("0"), alphabet="01", length=9)
    assert (found.status, found.size, found.checked_to) == (Status.CHECKED, 5, 9)
    assert found.program is not None
    assert found.program.accepts("0110")


def test_programs_are_made_smaller() -> None:
    found = synthesize(load("tomita-1"))
    assert found.size == 4 < load("tomita-1").core.size
    assert found.status is Status.PROVED


@pytest.mark.parametrize("seed", range(4))
def test_examples_of_a_small_program_give_one_that_is_no_larger(seed: int) -> None:
    programs = all_programs("ab", Family(), 4)
    core = programs[(7 + 31 * seed) % len(programs)]
    other = synthesize(core)
    labels = {word: other.program.accepts(word) for word in all_words("ab", 4)}  # type: ignore[union-attr]
    found = synthesize(labels, alphabet="ab")
    assert found.status is Status.CONSISTENT
    assert found.examples == 31
    assert found.size is not None
    assert found.size <= 4
    assert {word: found.program.accepts(word) for word in labels} == labels  # type: ignore[union-attr]


def test_what_no_program_does_is_impossible() -> None:
    for family in ("empty", "local", "periodic", "both"):
        found = synthesize(named_automaton("parity-language"), family=family)
        assert found.status is Status.IMPOSSIBLE
        assert found.program is None
        assert found.reason
    assert synthesize(named_automaton("aa"), family="empty").status is Status.IMPOSSIBLE
    assert synthesize(named_automaton("aa"), family="periodic").size == 1


def test_a_construction_has_the_modulus_that_it_needs() -> None:
    found = synthesize(named_automaton("aaaa"), family=Family(modulus=2))
    assert (found.status, found.size, found.method) == (Status.PROVED, 1, "construction")
    assert found.program is not None
    assert (found.program.core.modulus, found.program.core.locality) == (4, 0)


def test_a_search_that_ends_says_how_far_it_went() -> None:
    found = synthesize(lambda word: word.count("a") % 3 == 1, alphabet="ab", max_size=4, seconds=1)
    assert (found.status, found.program, found.none_up_to) == (Status.NONE, None, 4)
    assert "none up to size 4" in found.reason
    assert found.words(Family()).startswith("no program in C-RASP[∅] up to size 4")


def test_construction_is_the_answer_where_nothing_smaller_is_found() -> None:
    found = synthesize(named_automaton("tomita-7"), seconds=0.5)
    assert (found.status, found.method) == (Status.PROVED, "construction")
    assert found.none_up_to >= 5
    assert not found.smallest
