"""Files of examples: always undecided, with what they speak for."""

from __future__ import annotations

from itertools import product

import pytest

from longreach.forecast.examples_to_verdicts import example_sides
from longreach.tasks.data_task import DataTask
from longreach.verdicts.verdict import Answer

Word = tuple[str, ...]
WORDS = [word for size in range(1, 9) for word in product("ab", repeat=size)]


def _task(examples: list[tuple[Word, Word]]) -> DataTask:
    return DataTask("data:mine.jsonl", tuple(examples), "0" * 64)


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        (
            [(w, (str(w.count("a") % 2),)) for w in WORDS],
            "these speak for a no: for an automaton with 2 states",
        ),
        ([(w, (str("a" in w),)) for w in WORDS], "these speak for a yes: for an automaton with 2 states"),
        (
            [(w, (str(2 * w.count("a") >= len(w)),)) for w in WORDS],
            "these speak for a yes: for a program with 5 operations there is no counter-example in 510 ",
        ),
        (
            [(w, w) for w in WORDS],
            "these speak for a no: the bits that a part of the input must pass on grow",
        ),
    ],
    ids=["parity", "contains", "majority", "copy"],
)
def test_what_examples_speak_for(examples: list[tuple[Word, Word]], says: str) -> None:
    for verdict in example_sides(_task(examples), ["nope", "ape"], seconds=3.0).values():
        assert verdict.answer is Answer.UNDECIDED
        assert verdict.reason.startswith(f"examples decide nothing, {says}")
        assert verdict.certificate.kind == "none"


def test_few_examples_speak_for_nothing() -> None:
    few = [(w, (str(w.count("a") % 2),)) for w in WORDS[:20]]
    verdict = example_sides(_task(few), ["ape"], seconds=5.0)["ape"]
    assert verdict.reason.startswith(
        "examples decide nothing: an automaton with 2 states agrees, made from 20 of 20"
    )


def test_many_examples_are_counted() -> None:
    many = [(w, (str(len(w) % 2),)) for w in WORDS]
    verdict = example_sides(_task(many), ["ape"], seconds=5.0)["ape"]
    assert f"no counter-example in {len(WORDS)} examples" in verdict.reason


def test_no_automaton_with_a_state_for_every_length() -> None:
    """A few differences of counts have no small program; up to a length an automaton does it."""
    words = [word for size in range(1, 11) for word in product("ab", repeat=size)]
    odd = [(w, (str(w.count("a") - w.count("b") in (3, 6, 7)),)) for w in words]
    verdict = example_sides(_task(odd), ["nope"], seconds=1.0)["nope"]
    assert verdict.reason.startswith("examples decide nothing: an automaton with ")
    assert verdict.reason.endswith(" states agrees, which are many for inputs to length 10")


def test_programs_of_few_examples_speak_for_nothing() -> None:
    few = [(w, (str(2 * w.count("a") >= len(w)),)) for w in WORDS if len(w) < 6]
    verdict = example_sides(_task(few), ["nope"], seconds=2.0)["nope"]
    assert "these speak for" not in verdict.reason
