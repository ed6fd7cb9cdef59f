"""State tracking: labels against running the automaton, and words that are all equally likely."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.languages.regular.labelled_automaton import labelled
from longreach.tasks.labelled_language import LabelledLanguage
from tests.helpers.enumeration import distribution

# a swaps the first two of three things, b turns all three: S₃, by what stands first.
ORDERS = ["012", "120", "201", "102", "021", "210"]


def _moved(order: str, letter: str) -> str:
    return order[1] + order[0] + order[2] if letter == "a" else order[1:] + order[0]


SWAPS = LabelledLanguage(
    "swaps",
    labelled(
        "ab",
        [[ORDERS.index(_moved(order, letter)) for letter in "ab"] for order in ORDERS],
        0,
        [order[0] for order in ORDERS],
    ),
)


def test_labels_are_the_classes_of_all_beginnings() -> None:
    batch = SWAPS.sample([5] * 40 + [9], np.random.default_rng(0))
    for row in range(len(batch)):
        word = SWAPS.decode(batch.tokens[row, 1 : batch.sizes[row]].tolist())
        order, right = "012", ["{0}"]
        for letter in word:
            order = _moved(order, letter)
            right.append(f"{{{order[0]}}}")
        assert SWAPS.decode(batch.targets[row][batch.mask[row]].tolist()) == right == list(SWAPS.answer(word))


def test_all_words_are_equally_likely() -> None:
    def run(rng: Any) -> tuple[str, ...]:
        return tuple(SWAPS.decode(SWAPS.sample([3], rng).tokens[0, 1:].tolist()))

    assert distribution(run, 3)[0] == {word: Fraction(1, 8) for word in product("ab", repeat=3)}


def test_what_comes_next_is_said_for_all_lengths() -> None:
    automaton = SWAPS.continuation({"x": ("a", "b"), "y": "b"}, ("a",), "1")
    assert automaton is not None
    for word in product("xy", repeat=4):
        symbols = "".join("ab" if letter == "x" else "b" for letter in word) + "a"
        assert automaton.accepts(word) == (SWAPS.answer(symbols)[-1] == "{1}")
    assert SWAPS.continuation({"x": "c"}, (), "1") is None


def test_letters_that_the_task_needs_itself() -> None:
    with pytest.raises(InputError, match=r"mine: '\{x\}' cannot be a letter"):
        LabelledLanguage("mine", labelled(["{x}"], [[0]], 0, ["x"]))
    one = LabelledLanguage("one", labelled("a", [[0]], 0, ["x"]))
    assert (one.chance, SWAPS.chance) == (1.0, 0.0)
