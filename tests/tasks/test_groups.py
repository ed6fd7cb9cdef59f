"""Tests of `tasks.groups`."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.answers import structured
from longreach.answers.forecast import forecast
from longreach.answers.structured import class_sides, hidden_count
from longreach.tasks.catalog import load_task
from longreach.tasks.groups import group, word_problem
from longreach.tasks.names import GROUPS
from longreach.tasks.regular import LabelledLanguage
from longreach.theory.automata.automaton import LabelledAutomaton, labelled
from tests.helpers.refusals import refusal
from tests.helpers.task_oracles import product_of

SIZES = {"D4": 8, "Q8": 8, "S3": 6, "A4": 12, "S4": 24, "A5": 60, "S5": 120}


@pytest.mark.parametrize("name", GROUPS)
def test_they_are_groups(name: str) -> None:
    found = group(name)
    table, size = found.table, SIZES.get(name) or int(name[1:])
    assert len({*found.elements}) == len(table) == size
    assert (table[0] == np.arange(size)).all()
    assert (table[:, 0] == np.arange(size)).all()
    assert (np.sort(table, axis=0) == np.arange(size)[:, None]).all()
    assert (np.sort(table, axis=1) == np.arange(size)).all()
    assert (table[table] == table[:, table]).all()  # (a b) c = a (b c)


@pytest.mark.parametrize("name", ["Z2", "Z5", *SIZES])
def test_products_and_generators(name: str) -> None:
    found, literal = group(name), product_of(name)
    pairs = list(product(found.elements, repeat=2))[:2000]
    assert all(found.product(pair) == literal(pair) for pair in pairs)
    reached = {found.neutral}
    while new := {found.product([a, b]) for a in reached for b in found.generators} - reached:
        reached |= new
    assert reached == {*found.elements}


def test_d4_and_q8_are_not_the_same() -> None:
    orders = {name: sorted(map(group(name).order, group(name).elements)) for name in ("D4", "Q8")}
    assert orders == {"D4": [1, 2, 2, 2, 2, 2, 4, 4], "Q8": [1, 2, 4, 4, 4, 4, 4, 4]}


def test_what_a_group_refuses() -> None:
    assert refusal(group, "M11").startswith("unknown group 'M11'; known are Z2 to Z60")
    assert refusal(group("S3").product, ["213", "12"]) == "'12' is not an element of S3"


def test_letters_are_uniform() -> None:
    batch = load_task("word-problem").sample([40] * 3000, np.random.default_rng(0))
    counts = np.bincount(batch.tokens[:, 1:].ravel(), minlength=8)[2:8]
    assert (abs(counts - 20_000) < 600).all()
    last = np.bincount(batch.targets[:, -1], minlength=14)[8:]
    assert (abs(last - 500) < 100).all()


@pytest.mark.parametrize(
    ("name", "language"), [("word-problem:Z2", "parity-language"), ("word-problem:Z2,generators=yes", "aa")]
)
def test_two_elements_are_parity(name: str, language: str) -> None:
    """With the neutral element as a letter the number of ones is asked for, without it the length."""
    ours, theirs = forecast(name).sides, forecast(language).sides
    for key in ("nope", "ape", "local"):
        assert ours[key].answer is theirs[key].answer


def _answers(task: LabelledLanguage) -> dict[str, str]:
    return {key: side.answer.value for key, side in class_sides(task, task.name, True).items()}


@pytest.mark.parametrize("generators", [False, True])
@pytest.mark.parametrize("name", ["Z2", "Z3", "Z4", "Z6", "S3", "D4", "Q8", "A4"])
def test_a_hidden_count_decides_as_the_whole_does(
    name: str, generators: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = word_problem(name, generators)
    monkeypatch.setattr(structured, "SMALL", 0)
    short = _answers(task)
    monkeypatch.setattr(structured, "SMALL", 10**9)
    assert short == _answers(task)
    # A single letter tells its number by the position.
    assert (short["ape"] == "no") == (len(task.letters) > 1)


RESET = labelled("abc", [[0, 1, 2], [0, 1, 2], [0, 1, 2]], 0, ["a", "b", "c"])
LOOPS = labelled("ab", [[0, 1], [1, 0]], 0, ["even", "odd"])


@pytest.mark.parametrize(
    ("machine", "expected"),
    [(RESET, None), (LOOPS, (("a",), ("b",))), (word_problem("Z3", True).machine, None)],
)
def test_hidden_counts(machine: LabelledAutomaton, expected: object) -> None:
    assert hidden_count(machine) == expected


@pytest.mark.parametrize("name", ["S3", "A4", "S4", "A5"])
@pytest.mark.parametrize("generators", [False, True])
def test_the_words_of_a_hidden_count(name: str, generators: bool) -> None:
    found = hidden_count(word_problem(name, generators).machine)
    assert found is not None
    still, turn = found
    assert len(still) == len(turn)
    assert group(name).product(still) == group(name).neutral != group(name).product(turn)


def test_programs_where_positions_are_enough() -> None:
    found = forecast("word-problem:Z3,generators=yes")
    assert found.ape.answer.value == "yes"
    assert found.predict(["1", "1", "1", "1"]) == ("1",)
