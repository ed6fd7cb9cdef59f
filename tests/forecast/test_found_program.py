"""Programs of the library for tasks that nobody can see into."""

from __future__ import annotations

import pytest

from longreach.forecast.found_program import found_verdict, library_program
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task
from tests.helpers.anonymous_tasks import anonymous


@pytest.mark.parametrize(
    ("name", "program"),
    [("binary-majority", "binary-majority"), ("count", "count-unary"), ("parity", None)],
)
def test_the_program_that_is_right_is_found(name: str, program: str | None) -> None:
    found = library_program(anonymous(load_task(name)), left=lambda: 1.0)
    assert (found.source if found else None) == (f"program {program} of the library" if program else None)


def test_relations_decide_for_which_side_it_counts() -> None:
    found = library_program(anonymous(load_task("binary-majority-interleave")), left=lambda: 1.0)
    assert found is not None
    assert found_verdict(found, name="mine", key="nope") is None
    verdict = found_verdict(found, name="mine", key="ape")
    assert verdict is not None
    assert verdict.checked_to == found.longest == 60
    assert verdict.program is not None


def test_membership_is_said_by_an_acceptor_and_nothing_else() -> None:
    majority = Task.from_predicate(lambda word: 2 * word.count("1") >= len(word), "01")
    found = library_program(majority, left=lambda: 1.0)
    assert found is not None
    assert not found.program.core.is_predictor
    other = Task.from_predicate(lambda word: 3 * word.count("1") >= len(word), "01")
    assert library_program(other, left=lambda: 1.0) is None
    assert library_program(majority, left=lambda: -1.0) is None


def test_a_rare_language_is_not_taken_for_another_rare_one() -> None:
    def other(word: tuple[str, ...]) -> bool:
        n = len(word) // 4
        return word == ("a",) * n + ("b",) * 2 * n + ("c",) * n

    assert library_program(Task.from_predicate(other, "abc"), left=lambda: 1.0) is None
    assert library_program(Task.from_predicate(lambda word: False, "ab"), left=lambda: 1.0) is None
