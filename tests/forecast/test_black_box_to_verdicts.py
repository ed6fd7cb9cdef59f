"""Verdicts from answers alone, against those of the same tasks with their evidence."""

from __future__ import annotations

import re

import numpy as np
import pytest

from longreach.forecast.black_box import is_black_box
from longreach.forecast.black_box_to_verdicts import black_box_sides
from longreach.forecast.task_forecast import forecast, forecast_all
from longreach.languages.program_class import ENCODING_SIDES
from longreach.tasks.catalog import load_task
from longreach.tasks.published import FIGURE_1_TASKS
from longreach.tasks.task import Task
from longreach.verdicts.plain_words import clause
from longreach.verdicts.verdict import Answer, Verdict
from tests.helpers.anonymous_tasks import anonymous


def _found(task: Task) -> dict[str, Verdict]:
    return black_box_sides(anonymous(task), "mine", ENCODING_SIDES, seconds=8.0)


def _wrong(found: dict[str, Verdict], known: dict[str, Verdict]) -> list[str]:
    return [
        key
        for key in ENCODING_SIDES
        for mine, right in ((found[key].answer, known[key].answer), (found[key].trained, known[key].trained))
        if mine not in (Answer.UNDECIDED, right)
    ]


@pytest.mark.parametrize("name", [name for name in FIGURE_1_TASKS if load_task(name).kind == "language"])
def test_the_languages_of_the_benchmark_by_their_predicates(name: str) -> None:
    found, known = _found(load_task(name)), forecast(name).sides
    for key in ENCODING_SIDES:
        assert found[key].answer is known[key].answer
        assert found[key].trained is known[key].trained
        assert found[key].checked_to == 100
        assert found[key].reason.startswith("for the automaton learned up to length 100: ")


@pytest.mark.slow
def test_the_whole_benchmark_as_functions() -> None:
    """Nothing is wrong, and at least 20 of 25 are the same; what is copied once is a no that only its own
    reduction knows."""
    same = []
    for known in forecast_all():
        found = _found(known.task)
        assert _wrong(found, known.sides) == [], known.name
        if all(found[key].answer is known.sides[key].answer for key in ENCODING_SIDES):
            same.append(known.name)
        assert all(
            found[key].checked_to is not None for key in found if found[key].answer is not Answer.UNDECIDED
        )
    assert set(FIGURE_1_TASKS) - set(same) <= {"copy-unique"}


@pytest.mark.parametrize(("name", "answer"), [("copy-repeat", "no"), ("parity", "no")])
def test_functions_that_fail(name: str, answer: str) -> None:
    found = _found(load_task(name))
    assert [found[key].answer.value for key in ENCODING_SIDES] == [answer, answer]
    kind = found["ape"].certificate.kind
    assert kind == ("learned-flow" if name == "parity" else "measured-communication")


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _sorted_word(length: int, rng: np.random.Generator) -> list[str]:
    return sorted(_word(length, rng))


def test_where_not_every_word_is_an_input_an_automaton_says_no_no() -> None:
    """Of words a…ab…b alone, whether the last letter is b is whether there is one: counting is enough.

    Over all words the same function is out of reach."""

    def last(x: tuple[str, ...]) -> bool:
        return x[-1] == "b"

    every = black_box_sides(Task.from_function(_word, last), "mine", ["nope"])["nope"]
    some = black_box_sides(Task.from_function(_sorted_word, last), "mine", ["nope"])["nope"]
    assert every.answer is Answer.NO
    assert some.answer is not Answer.NO


def test_the_first_token_of_a_long_answer_may_be_out_of_reach() -> None:
    backwards = Task.from_function(_word, lambda x: x[::-1])
    found = black_box_sides(backwards, "mine", ENCODING_SIDES)
    assert found["nope"].certificate.kind == "learned-flow"
    assert found["ape"].certificate.kind == "measured-communication"


def test_a_language_that_no_automaton_has() -> None:
    """To any length it is regular; so states must be few for the length."""

    def balanced(word: tuple[str, ...]) -> bool:
        depth = 0
        for letter in word:
            depth += 1 if letter == "(" else -1
            if depth < 0:
                return False
        return depth == 0

    found = black_box_sides(Task.from_predicate(balanced, "()"), "mine", ENCODING_SIDES)
    assert all(found[key].certificate.kind == "found-program" for key in ENCODING_SIDES)
    mirrored = Task.from_predicate(lambda word: word == word[::-1], "ab")
    found = black_box_sides(mirrored, "mine", ENCODING_SIDES, seconds=2.0)
    assert {each.answer for each in found.values()} == {Answer.NO}


def test_what_is_undecided_says_what_was_tried() -> None:
    def squares(word: tuple[str, ...]) -> bool:
        return round(len(word) ** 0.5) ** 2 == len(word)

    found = black_box_sides(Task.from_predicate(squares, "a"), "mine", ["ape"], seconds=1.0)["ape"]
    assert found.answer is Answer.UNDECIDED
    assert found.reason.startswith(
        "no automaton with at most 30 states gives the answers; no program was found; "
    )


def test_a_function_that_fails_is_undecided() -> None:
    def never(x: tuple[str, ...]) -> str:
        raise KeyError("oh")

    found = black_box_sides(Task.from_function(_word, never, tokens="ab", longest_answer=1), "mine", ["ape"])
    assert found["ape"].answer is Answer.UNDECIDED
    assert "KeyError" in found["ape"].reason


def test_an_empty_language_is_not_believed() -> None:
    found = black_box_sides(Task.from_predicate(lambda word: False, "ab"), "mine", ["nope"])["nope"]
    assert found.answer is Answer.UNDECIDED


def test_only_tasks_without_evidence_are_black_boxes() -> None:
    assert is_black_box(Task.from_function(_word, lambda x: "a"), trusted=False)
    assert not is_black_box(load_task("sort"), trusted=True)
    assert is_black_box(load_task("sort"), trusted=False)
    assert forecast("binary-majority-interleave").nope.answer is Answer.UNDECIDED


def test_no_seconds_no_search() -> None:
    assert forecast(Task.from_function(_word, lambda x: "a"), budget=0).nope.answer is Answer.UNDECIDED


def test_what_own_functions_do_wrong_is_said_in_plain_words() -> None:
    fails = Task.from_predicate(lambda word: 1 / 0, "ab", name="fails")
    one = Task.from_predicate(lambda word: False, "ab", name="one answer")
    assert clause(black_box_sides(fails, "mine", ["nope"])["nope"]) == (
        "its answers cannot be asked for: ZeroDivisionError: division by zero"
    )
    said = clause(black_box_sides(one, "mine", ["ape"])["ape"])
    assert re.fullmatch(r"all \d+ words asked about have one answer, reject", said)
