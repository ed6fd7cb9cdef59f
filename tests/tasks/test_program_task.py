"""Programs as tasks: labels against the program itself, and how words are drawn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.config.task_name import TaskName
from longreach.crasp import parse
from longreach.crasp.library import load
from longreach.errors import InputError
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.task import PAD, SOS

MAJORITY = '#alphabet a b\nL = # "a" >= # "b"'


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "aa"])
def test_answers_of_acceptors(name: str) -> None:
    program = load(name)
    task = ProgramTask(name, program)
    assert task.tokens == (PAD, SOS, *program.core.alphabet, "{reject}", "{accept}")
    for word in product(program.core.alphabet, repeat=5):
        expected = ["{accept}" if program.accepts(list(word[:end])) else "{reject}" for end in range(6)]
        assert task.answer(word) == tuple(expected)


def test_answers_of_predictors() -> None:
    program = load("induction-all")
    task = ProgramTask("mine", program)
    assert len(task.labels) == 8
    assert task.answer("abab") == ("{}", "{}", "{}", "{b}", "{a}")


@pytest.mark.parametrize("name", ["majority", "dyck-1", "tomita-4", "dyck-1-next", "induction-all"])
def test_samples_are_answered_rightly(name: str) -> None:
    task = ProgramTask(name, load(name))
    lengths = [1, 2, 5, 9, 30] * 8
    batch = task.sample(lengths, np.random.default_rng(3))
    for row, length in enumerate(lengths):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        assert (len(read), read[0]) == (length + 1, SOS)
        targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
        assert tuple(targets) == task.answer(read[1:])
    again = task.sample(lengths, np.random.default_rng(3))
    assert (again.tokens == batch.tokens).all()


def test_half_of_the_words_stay_accepted_where_they_can() -> None:
    task = ProgramTask("mine", load("tomita-4"))  # no 000: uniform words of length 60 nearly all have one
    batch = task.sample([60] * 400, np.random.default_rng(0))
    accepted = (batch.targets[:, -1] == task.tokens.index("{accept}")).sum()
    assert 200 <= accepted < 220
    letters = batch.tokens[:, 1:]
    assert 0.3 < (letters == 2).mean() < 0.5


def test_half_of_the_words_follow_a_predictor() -> None:
    task = ProgramTask("mine", load("dyck-1-next"))
    batch = task.sample([40] * 400, np.random.default_rng(0))
    words = [task.decode(row[1:].tolist()) for row in batch.tokens]
    followed = [
        all(letter in said[1:-1].split(",") for letter, said in zip(word, task.answer(word), strict=False))
        for word in words
    ]
    assert sum(followed) == 200


def test_the_name_is_the_text_without_comments() -> None:
    first = ProgramTask("one", parse(f"// a comment\n{MAJORITY}"))
    second = ProgramTask("two", parse('L   = # "a" >= (# "b")  // another'))
    assert first.self_contained == second.self_contained == f"crasp:{MAJORITY}"
    assert TaskName(first.self_contained).is_text
    assert not TaskName("crasp:mine.cr").is_text
    assert TaskName(first.self_contained).short == TaskName(second.self_contained).short
    assert len(TaskName(first.self_contained).short) == 16
    assert parse(first.text).core == first.program.core


def test_programs_that_cannot_be_trained_on() -> None:
    with pytest.raises(InputError, match="mine: 151 outputs make too many labels to train on"):
        _ = ProgramTask("mine", load("sort")).tokens
    with pytest.raises(InputError, match="mine: the alphabet has 'SOS'"):
        _ = ProgramTask("mine", load("binary-majority")).tokens
