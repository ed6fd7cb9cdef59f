"""Tests of `answers.oracle`."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from longreach.answers.black_box import black_box_sides
from longreach.answers.forecast import Forecast, forecast
from longreach.answers.oracle import draw_inputs, every_word_to
from longreach.answers.verdicts import expected_to_work, read_by_program, tokens_of
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.copying import Sort
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.regular import label_name
from longreach.tasks.task import Task
from longreach.theory.verdicts.verdict import Answer

# Which words are inputs, as far as drawing tells.


EVERY_WORD = ("parity", "copy-repeat")
SOME_WORDS = ("addition", "binary-majority", "binary-majority-interleave", "sort", "majority")


@pytest.mark.parametrize("name", EVERY_WORD + SOME_WORDS)
def test_tasks_of_the_benchmark(name: str) -> None:
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    drawn = draw_inputs(task, left=lambda: 1.0)
    assert (every_word_to(task, drawn) > 0) == (name in EVERY_WORD)
    for words in drawn.inputs.values():
        for x, y in list(words.items())[:20]:
            assert task.answer(x) == y


def test_without_time_little_is_drawn() -> None:
    task = load_task("parity")
    assert isinstance(task, SequenceTask)
    assert list(draw_inputs(task, left=lambda: -1.0).inputs) == [1]


def test_a_rare_word_is_waited_for_and_a_missing_one_is_not_an_input() -> None:
    def rare(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in (rng.random(length) < 0.3).astype(int)]

    def without_bb(length: int, rng: np.random.Generator) -> list[str]:
        return list("".join("ab"[k] for k in rng.integers(0, 2, length)).replace("bb", "ab"))

    for draw, every in ((rare, True), (without_bb, False)):
        task = Task.from_function(draw, lambda x: "a")
        assert (every_word_to(task, draw_inputs(task, left=lambda: 1.0)) > 0) == every


def test_an_input_with_two_answers_is_no_function() -> None:
    def word(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in rng.integers(0, 2, length)]

    turns = itertools.cycle("abb")
    task = Task.from_function(word, lambda x: next(turns), name="by turns", tokens="ab", longest_answer=1)
    with pytest.raises(InputError, match=r"^by turns: [ab] has different answers, [ab] EOS and [ab] EOS$"):
        draw_inputs(task, left=lambda: 1.0)
    found = black_box_sides(task, "mine", ["nope", "ape"], seconds=1.0)
    assert {verdict.answer.value for verdict in found.values()} == {"undecided"}
    assert "has different answers" in found["nope"].reason


# What programs answer is what the tasks themselves say.


ALGORITHMIC = [
    "binary-majority", "majority", "sort", "binary-majority-interleave", "count", "mode", "bucket-sort",
    "even-pairs",
]  # fmt: skip
LANGUAGES = [
    "aa", "tomita-4", "d-3", "dyck-1", "anbncn", "shuffle-dyck", "anbn", "aaaa",
    "regex:(a|b)*bb(a|b)*", "regex:(a|ba)*",
]  # fmt: skip


def _inputs(task: Task) -> list[list[str]]:
    """Some inputs of short lengths."""
    lengths = task.lengths(task.least_length, task.least_length + 6)[:4].repeat(3)
    batch = task.sample(lengths, np.random.default_rng(0))
    read = [
        task.decode(row[: length + 1].tolist()) for row, length in zip(batch.tokens, lengths, strict=True)
    ]
    return [tokens[1:] for tokens in read]  # without SOS


@pytest.mark.parametrize("name", ALGORITHMIC)
def test_the_answer_is_the_right_one(name: str) -> None:
    found = forecast(name)
    for x in _inputs(found.task):
        assert found.predict(x) == found.task.answer(x)
        assert found.predict(" ".join(x)) == found.task.answer(x)


@pytest.mark.parametrize("name", LANGUAGES)
def test_what_may_follow_is_what_the_language_says(name: str) -> None:
    found = forecast(name)
    for word in [[], *_inputs(found.task)]:
        for end in range(len(word) + 1):
            assert label_name(found.predict(word[:end])) == found.task.answer(word[:end])[-1]


def test_an_acceptor_accepts_or_rejects() -> None:
    found = forecast("crasp:lib:dyck-1")
    assert [found.predict(word) for word in ("(())", "())(", "")] == [("accept",), ("reject",), ("accept",)]


def test_the_first_side_that_works_has_the_program() -> None:
    found = forecast("aa")
    assert expected_to_work(found.sides) is found.ape
    assert found.program is found.ape.program
    easier = forecast("sort")
    assert expected_to_work(easier.sides) is easier.nope
    assert easier.program is easier.nope.program


def test_a_yes_for_what_is_trained_alone_has_its_predictor() -> None:
    """Membership has no program without positions, and predicting what may follow has one."""
    found = forecast("regex:(a|ba)*")
    assert (found.nope.answer, found.nope.trained) == (Answer.NO, Answer.YES)
    assert found.program is not None
    assert found.program.core.is_predictor
    assert found.predict("aab") == ("a",)


@pytest.mark.parametrize("name", ["parity", "copy-repeat"])
def test_without_a_program_there_is_one_line(name: str) -> None:
    found = forecast(name)
    assert found.program is None
    for ask in (lambda: found.trace("01"), lambda: found.predict("01"), found.compile):
        with pytest.raises(InputError) as error:
            ask()
        assert error.value.message == "no program exists: it is expected to fail"


@pytest.mark.slow
def test_an_open_question_is_not_a_no() -> None:
    class Unknown(Sort):
        nope = ape = load_task("binary-majority-interleave").nope

    found: Forecast = forecast(Unknown(), budget=0)
    with pytest.raises(InputError, match="no program is known"):
        found.compile()


def test_words_that_begin_no_word_are_refused() -> None:
    with pytest.raises(InputError, match=r"regex:\(ab\)\*: no word begins with a a"):
        forecast("regex:(ab)*").predict("aab")
    with pytest.raises(InputError, match="'c'"):
        forecast("regex:(ab)*").predict("abc")


def test_inputs_are_written_in_several_ways() -> None:
    task = load_task("sort")
    assert tokens_of(task, "14 3") == tokens_of(task, ("14", "3")) == ["14", "3"]
    assert tokens_of(task, "14") == ["14"]
    assert tokens_of(load_task("parity"), "010") == ["0", "1", "0"]
    assert tokens_of(load_task("aa"), "ε") == tokens_of(load_task("aa"), "") == []


def test_programs_read_what_models_read() -> None:
    assert read_by_program(load_task("sort"), ["3"]) == ["SOS", "3", "SEP"]
    assert read_by_program(load_task("sort"), ["SOS", "3", "SEP", "3"]) == ["SOS", "3", "SEP", "3"]
    assert read_by_program(load_task("aa"), ["a"]) == ["a"]


def test_a_trace_is_that_of_the_program() -> None:
    found = forecast("binary-majority")
    traced = found.trace("110")
    assert traced.tokens == ("SOS", "1", "1", "0", "SEP")
    assert traced.predicted[-1] == ("1",)
    assert found.trace("SOS 1 SEP 1").predicted[-1] == ("EOS",)
