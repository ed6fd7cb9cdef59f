"""Languages from predicates: labels, words, and what is said where a function is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.languages.regular.named_languages import named_automaton
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task
from longreach.tasks.task_check import check_task


def test_membership_at_every_position_of_any_word() -> None:
    task = Task.from_predicate(lambda word: word.count("a") % 2 == 0, "ab", name="even")
    assert task.answer("aab") == ("{accept}", "{reject}", "{accept}", "{accept}")
    batch = task.sample([5] * 40, np.random.default_rng(0))
    for row, targets in zip(batch.tokens, batch.targets, strict=True):
        assert tuple(task.decode(targets.tolist())) == task.answer(task.decode(row[1:].tolist()))
    assert len({tuple(row) for row in batch.tokens.tolist()}) > 10


@pytest.mark.parametrize("name", ["tomita-3", "d-4", "abab"])
def test_what_may_follow_is_that_of_the_language(name: str) -> None:
    """The labels of the automaton itself, from the predicate alone."""
    automaton, own = named_automaton(name), load_task(name)
    task = Task.from_predicate(automaton.accepts, automaton.alphabet, labels="next")
    lengths = own.lengths(1, 14)
    assert task.lengths(1, 14).tolist() == lengths.tolist()
    batch = task.sample(np.repeat(lengths, 3), np.random.default_rng(0))
    for row, targets, size in zip(batch.tokens, batch.targets, batch.sizes, strict=True):
        word = task.decode(row[1:size].tolist())
        assert automaton.accepts(word)
        assert tuple(task.decode(targets[:size].tolist())) == own.answer(word)


def _balanced(word: tuple[str, ...]) -> bool:
    return _open(word) and word.count("(") == word.count(")")


def _open(word: tuple[str, ...]) -> bool:
    return all(word[:k].count("(") >= word[:k].count(")") for k in range(len(word) + 1))


def _nested(length: int, rng: np.random.Generator) -> list[str]:
    return ["("] * (length // 2) + [")"] * (length // 2)


def test_completions_and_words_may_be_given() -> None:
    task = Task.from_predicate(_balanced, "()", labels="next", completes=_open, draw=_nested, least_length=2)
    assert task.answer("(())") == load_task("dyck-1").answer("(())")
    assert task.sample([2, 6], np.random.default_rng(0)).sizes.tolist() == [3, 7]
    with pytest.raises(InputError, match=r"gives 2 letters, not 3"):
        task.sample([3], np.random.default_rng(0))


def test_next_labels_of_what_is_not_regular_need_help() -> None:
    task = Task.from_predicate(_balanced, "()", name="mine", labels="next")
    with pytest.raises(InputError, match=r"mine: labels='next' need completes=… and draw=…: no automaton"):
        task.sample([4], np.random.default_rng(0))


def test_words_that_are_drawn_are_of_the_language() -> None:
    task = Task.from_predicate(
        lambda word: "b" not in word, "ab", name="mine", labels="next", draw=lambda n, rng: ["b"] * n
    )
    with pytest.raises(InputError, match="mine: the word b b is drawn, and not of the language"):
        task.sample([2], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alphabet": ""}, "mine: the alphabet is empty"),
        ({"alphabet": "aa"}, "mine: alphabet: 'a' stands there twice"),
        ({"alphabet": ["SOS"]}, "mine: alphabet: 'SOS' is one the task needs itself"),
        ({"alphabet": ["a b"]}, "mine: alphabet: 'a b' is no token: a string without blanks"),
        ({"labels": "all"}, "mine: labels: 'all' is neither 'member' nor 'next'"),
        ({"least_length": -1}, "mine: least_length: -1 is below 0"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    given = {"alphabet": "ab", **settings}
    with pytest.raises(InputError) as caught:
        Task.from_predicate(lambda word: True, given.pop("alphabet"), name="mine", **given)
    assert caught.value.message == message


def test_a_predicate_that_fails_is_named() -> None:
    task = Task.from_predicate(lambda word: word[7], "ab", name="mine")
    with pytest.raises(InputError, match="mine: the predicate fails for ε: IndexError"):
        task.answer("ab")


def test_the_usual_checks_of_a_task() -> None:
    task = Task.from_predicate(lambda word: word[-1:] == ("b",), "ab", name="ends")
    assert [check for check in check_task(task).checks if check.status == "failed"] == []
