"""Tests of `answers.evaluated`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import longreach
from longreach.answers.evaluated import Evaluated, evaluate, read_lengths
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task


def _oracle(task: Task, wrong: Any = None) -> Any:
    """Right at every place of a language by its own slow answer, but on words that `wrong` names."""
    places = {token: place for place, token in enumerate(task.tokens)}

    def model(ids: torch.Tensor) -> torch.Tensor:
        logits = torch.zeros(*ids.shape, len(task.tokens))
        for row, each in enumerate(ids.tolist()):
            word = [task.tokens[place] for place in each[1:] if place]
            for column, token in enumerate(task.answer(word)):
                logits[row, column, places[token]] = 1.0
            if wrong is not None and wrong("".join(word)):
                logits[row, 0, 0] = 2.0
        return logits

    return model


def test_a_right_model_is_right_everywhere() -> None:
    found = evaluate(_oracle(load_task("tomita-4")), "tomita-4", lengths=["5:9", (20, 30), 50], size=60)
    assert found.accuracy == found.probing == found.worst_loop == {"5-9": 1.0, "20-30": 1.0, "50-50": 1.0}
    assert found.chance == {"5-9": 0.0, "20-30": 0.0, "50-50": 0.0}
    assert all(found.sure.values())
    assert found.words == "works on lengths 5–9, 20–30, 50"
    assert longreach.evaluate is evaluate


def test_one_loop_may_be_wrong_where_random_words_are_right() -> None:
    """Words that are mostly ones hardly come up among random words."""
    model = _oracle(load_task("tomita-4"), wrong=lambda word: "1111111111" in word)
    found = evaluate(model, load_task("tomita-4"), lengths=[(41, 60)], size=200)
    assert found.accuracy["41-60"] > 0.9
    assert 0.5 < found.probing["41-60"] < 0.75  # one loop of three
    assert found.worst_loop["41-60"] == 0.0
    assert found.sure == {"41-60": False}
    assert found.words == "works on lengths 41–60; fails on its worst loop at 41–60"
    assert evaluate(model, "tomita-4", lengths=[(41, 60)], size=200, probing=False).probing == {}


def test_accuracies_are_counted_by_whole_words() -> None:
    task = load_task("tomita-1")
    found = evaluate(_oracle(task, wrong=lambda word: len(word) % 2), task, lengths=[(1, 10)], size=400)
    lengths = np.random.default_rng([0, 1, 10]).integers(0, 10, 400) + 1
    assert found.accuracy["1-10"] == float((lengths % 2 == 0).mean())


class Module(torch.nn.Module):
    """Predicts some letters; dropout would make its answers random."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, 8)
        self.still = torch.nn.Dropout(0.5)
        self.head = torch.nn.Linear(8, vocabulary)
        self.modes: list[bool] = []
        self.sizes: list[int] = []

    def forward(self, ids: torch.Tensor) -> SimpleNamespace:
        self.modes.append(self.training or torch.is_grad_enabled())
        self.sizes.append(ids.numel())
        return SimpleNamespace(logits=self.head(self.still(self.embedding(ids))))


def test_modules_are_still_and_then_as_they_were() -> None:
    task = load_task("aa")
    model = Module(len(task.tokens))
    model.still.eval()
    first = evaluate(model, task, lengths=[(2, 300)], size=800)
    assert model.training
    assert not model.still.training
    assert not any(model.modes)
    assert max(model.sizes) <= 16_384 + 301
    assert evaluate(model, task, lengths=[(2, 300)], size=800) == first
    broken = Module(3)
    with pytest.raises(InputError):
        evaluate(broken, task, lengths=5)
    assert broken.training


def test_all_ways_to_return_logits() -> None:
    task = load_task("tomita-1")
    right = _oracle(task)
    ways = [right, lambda ids: right(ids).numpy(), lambda ids: SimpleNamespace(logits=right(ids))]
    documents = [evaluate(model, task, lengths=[7], size=20).document() for model in ways]
    assert documents[0] == documents[1] == documents[2]
    assert documents[0]["accuracy"] == {"7-7": 1.0}
    assert documents[0]["task"] == "tomita-1"


def test_the_seed_says_which_words_come() -> None:
    seen: list[list[list[int]]] = []
    right = _oracle(load_task("tomita-4"))

    def model(ids: torch.Tensor) -> torch.Tensor:
        seen.append(ids.tolist())
        return torch.as_tensor(right(ids))

    for seed in (1, 1, 2):
        evaluate(model, "tomita-4", lengths=[9], size=5, seed=seed, probing=False)
    assert seen[0] == seen[1] != seen[2]


def test_ranges_do_not_change_each_others_words() -> None:
    model = _oracle(load_task("tomita-4"), wrong=lambda word: word.count("0") > 20)
    both = evaluate(model, "tomita-4", lengths=[(5, 9), (30, 60)], size=50)
    alone = evaluate(model, "tomita-4", lengths=[(30, 60)], size=50)
    assert both.accuracy["30-60"] == alone.accuracy["30-60"]
    assert both.probing["30-60"] == alone.probing["30-60"]


def _logits(*shape: int) -> Any:
    return lambda ids: torch.zeros([ids.shape[0] if each < 0 else each for each in shape])


REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    (3, {}, "model: expected a callable, not int"),
    (lambda ids: (ids,), {}, "the model returns a tuple; expected logits: a tensor, an array or .logits"),
    (lambda ids: [1], {}, "the model's logits have the shape (1,), expected (10, 4, 5)"),
    (lambda ids: [[1], []], {}, "the model on ids of shape (10, 4) fails: ValueError"),
    (lambda ids: ids == 0, {}, "the model's logits are bool, not real numbers"),
    (_logits(-1, 5, 4), {}, "the model's logits have the shape (10, 5, 4), expected (10, 4, 5)"),
    (lambda ids: torch.zeros(*ids.shape, 9), {}, "the model's logits have 9 columns; the task has 5 tokens"),
    (
        lambda ids: torch.zeros(ids.shape),
        {},
        "the model's logits have the shape (10, 4), expected (10, 4, 5)",
    ),
    (
        lambda ids: torch.full((*ids.shape, 5), float("nan")),
        {},
        "the model's logits are not numbers (NaN)",
    ),
    (lambda ids: 1 / 0, {}, "the model on ids of shape (10, 4) fails: ZeroDivisionError: division by zero"),
    (_logits(1), {"lengths": []}, "lengths: at least one range is needed, as in [(41, 60)]"),
    (_logits(1), {"lengths": ["41-60"]}, "lengths: '41-60' is not a range of lengths, as in 1:50"),
    (_logits(1), {"lengths": [(9, 3)]}, "lengths: 9:3 is not a range of lengths from 0 to 1,000,000"),
    (_logits(1), {"lengths": [1.5]}, "lengths: 1.5 is not a range of lengths, as in (41, 60)"),
    (_logits(1), {"lengths": [(1, 2, 3)]}, "lengths: (1, 2, 3) is not a range of lengths, as in (41, 60)"),
    (_logits(1), {"lengths": 1.5}, "lengths: 1.5 is not a range of lengths, as in (41, 60)"),
    (_logits(1), {"seed": -1}, "seed: must be a whole number of at least 0, not -1"),
    (_logits(1), {"size": 0}, "size: must be a whole number of at least 1, not 0"),
    (_logits(1), {"task": "nosuch"}, "task: no task named 'nosuch'"),
    (
        _logits(1),
        {"task": "aa", "lengths": [3]},
        "lengths: aa: no input has a length in 3:3, the longest of shorter ones is 2",
    ),
]


@pytest.mark.parametrize(("model", "given", "message"), REFUSALS, ids=[row[2][:40] for row in REFUSALS])
def test_refusals_are_one_line(model: Any, given: dict[str, Any], message: str) -> None:
    task = given.pop("task", "tomita-1")
    with pytest.raises(InputError) as caught:
        evaluate(model, task, **{"lengths": [3], "size": 10, **given})
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_lengths_as_people_write_them() -> None:
    assert read_lengths((41, 60)) == (LengthRange(41, 60),)
    assert read_lengths([41, 60]) == (LengthRange(41, 41), LengthRange(60, 60))
    assert read_lengths("41:60,61:80") == (LengthRange(41, 60), LengthRange(61, 80))
    assert read_lengths(7) == read_lengths("7") == (LengthRange(7, 7),)


def test_own_tasks_know_the_chance_of_their_probing_words() -> None:
    task = Task.from_predicate(lambda word: word.count("a") % 2 == 0, "ab", name="even")
    found = evaluate(_oracle(task), task, lengths=[(9, 12)], size=40)
    assert found.probing == {"9-12": 1.0}
    assert set(found.probing_chance) == {"9-12"}


def test_kinds_of_hard_inputs_and_words_of_a_certificate_have_their_names() -> None:
    """Always saying that all is balanced is wrong on every hard word; the oracle is right on all."""
    brackets = load_task("dyck-1")
    closed = brackets.tokens.index("{(,EOS}")
    found = evaluate(_always(closed, len(brackets.tokens)), brackets, lengths=[(20, 30)], size=60)
    assert found.probed_by == "kind"
    assert (found.probing, found.worst_loop, found.flow) == ({"20-30": 0.0}, {"20-30": 0.0}, {})
    assert "worst kind" in repr(found)
    odd = load_task("regex:(b|ab*a)*")
    found = evaluate(_oracle(odd), odd, lengths=[(20, 30)], size=60)
    assert (found.probed_by, found.flow) == ("loop", {"20-30": 1.0})
    assert "flow words" in repr(found)
    assert found.document()["flow"] == {"20-30": 1.0}


def _always(token: int, vocabulary: int) -> Any:
    def model(ids: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.one_hot(torch.full_like(ids, token), vocabulary)

    return model


def test_a_notebook_shows_a_table() -> None:
    found = Evaluated("aa", 9, 0, {"2-4": 1.0}, {}, {}, {"2-4": 0.5})
    assert "<table" in found._repr_html_()
    assert "worst loop" not in repr(found)
    assert repr(found).splitlines()[0] == "aa: works on lengths 2–4"
