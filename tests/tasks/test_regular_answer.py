"""What comes next after SEP, for all lengths, against the answers themselves."""

from __future__ import annotations

from itertools import product

from longreach.tasks.catalog import load_task
from longreach.tasks.modular_arithmetic import ModularArithmetic


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
