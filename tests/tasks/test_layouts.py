"""Tests of `tasks.layouts`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.counting import ModularArithmetic
from longreach.tasks.layouts import SequenceTask, base_of, check_distinct, joined, laid_out, places_of

TASKS = [
    "addition", "addition+reversed", "addition+reversed+index-hints", "binary-majority", "copy-unique",
    "cycle-navigation", "modular-arithmetic", "multiplication", "parity", "parity+scratchpad",
    "parity-scratchpad:3", "reverse+index-hints", "sort", "sparse-parity:2",
    "variable-assignment:2,variables=20", "boolean-expressions+scratchpad",
]  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_drawn_inputs_are_laid_out_as_the_sampler_does(name: str) -> None:
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    length = int(task.lengths(task.least_length + 3, task.least_length + 30)[0])
    batch = task.sample([length] * 12, np.random.default_rng(1))
    read = []
    for row in range(12):
        begin = int(batch.mask[row].argmax()) + (not task.separated)
        read.append(task.decode(batch.tokens[row, 1:begin].tolist()))
    again = laid_out(task.tokens, read, [task.answer(x) for x in read], separated=task.separated)
    assert (again.tokens == batch.tokens).all()
    assert (again.targets == batch.targets).all()
    assert (again.mask == batch.mask).all()
    assert (again.sizes == batch.sizes).all()
    assert all(task.is_drawn(x) for x in read)


@pytest.mark.parametrize("name", TASKS)
def test_neighbours_differ_in_their_input_and_are_answered(name: str) -> None:
    task, rng = load_task(name), np.random.default_rng(2)
    length = int(task.lengths(task.least_length + 3, task.least_length + 30)[0])
    batch = task.sample([length] * 400, rng)
    found = task.counterfactuals(batch, 0, batch, count=100, rng=rng)
    assert found is not None
    begin = int(batch.mask[0].argmax())
    first = begin + (not task.separated)
    for row in range(len(found)):
        x = task.decode(found.tokens[row, 1:first].tolist())
        assert x != task.decode(batch.tokens[0, 1:first].tolist())
        assert task.decode(found.targets[row][found.mask[row]].tolist()) == list(task.answer(x))
        assert task.is_drawn(x)


def test_words_of_a_language_are_not_changed() -> None:
    task, rng = load_task("regex:(ab)*"), np.random.default_rng(0)
    batch = task.sample([6] * 5, rng)
    assert task.counterfactuals(batch, 0, batch, count=10, rng=rng) is None


def test_batches_of_two_widths() -> None:
    task, rng = load_task("reverse"), np.random.default_rng(0)
    short, long = task.sample([2] * 3, rng), task.sample([5] * 2, rng)
    both = joined(short, long)
    assert len(both) == 5
    assert both.tokens.shape[1] == long.tokens.shape[1]
    assert (both.tokens[:3, : short.tokens.shape[1]] == short.tokens).all()
    assert not both.tokens[:3, short.tokens.shape[1] :].any()
    assert both.sizes.tolist() == [*short.sizes.tolist(), *long.sizes.tolist()]


def test_continuations_are_what_the_answers_say() -> None:
    for name, letters, after in (
        ("even-pairs", {"x": ("a", "b"), "y": "a"}, ("SEP",)),
        ("even-pairs", {"x": "a", "y": "b"}, ("b", "SEP")),
        ("cycle-navigation", {"x": "left", "y": ("right", "right")}, ("stay", "SEP")),
        ("modular-arithmetic", {"x": ("2", "*"), "y": ("3", "-")}, ("4", "SEP")),
    ):
        task = load_task(name)
        for token in ("even", "odd") if name == "even-pairs" else tuple("01234"):
            automaton = task.continuation(letters, after, token)
            assert automaton is not None
            for word in (word for length in range(1, 6) for word in product("xy", repeat=length)):
                x = [s for c in word for s in ([letters[c]] if isinstance(letters[c], str) else letters[c])]
                assert automaton.accepts(word) == (task.answer([*x, *after[:-1]])[0] == token)


def test_what_is_not_asked() -> None:
    task = ModularArithmetic()
    assert task.continuation({"x": "1"}, ("SEP",), "0") is None  # two digits side by side are no input
    assert task.continuation({"x": ("1", "+")}, ("SEP",), "0") is None
    assert task.continuation({"x": ("1", "+")}, ("1",), "0") is None
    assert task.continuation({"x": ("1", "+")}, ("1", "SEP"), "7") is None
    assert task.continuation({"x": ("y", "+")}, ("1", "SEP"), "0") is None


def test_lengths_are_those_of_the_base() -> None:
    lengths = np.arange(12)
    assert load_task("addition+reversed").has(lengths).tolist() == load_task("addition").has(lengths).tolist()
    assert load_task("addition+reversed").least_length == 4


def test_the_base_of_all_changes() -> None:
    assert base_of(load_task("addition+reversed+index-hints")) == load_task("addition")


def test_tokens_that_stand_twice() -> None:
    check_distinct("mine", ["a", "b"])
    with pytest.raises(InputError, match="mine: 'a' cannot be a symbol"):
        check_distinct("mine", ["a", "b", "a"])
    assert places_of(("a", "b"), ("b", "b")) == [1, 1]
