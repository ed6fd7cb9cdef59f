"""Tests of `answers.asking`: calls are counted and sleeps are bounded; nothing asserts tight times."""

from __future__ import annotations

import io
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from longreach.answers import asking as module
from longreach.answers.asking import Asking, OutOfTime, guarded_task
from longreach.answers.black_box import black_box_sides
from longreach.tasks.task import Task
from longreach.theory.verdicts.verdict import Answer

ENOUGH = 30.0
"""Seconds that no test comes near unless a budget is not kept, on a busy machine either."""


def _sleeping(seconds: float, calls: list[Any]) -> Callable[[Any], bool]:
    def asked(word: Any) -> bool:
        calls.append(word)
        time.sleep(seconds)
        return len(word) % 7 == 3

    return asked


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


@pytest.mark.parametrize("kind", ["predicate", "function"])
def test_slow_functions_are_asked_as_often_as_fits(kind: str) -> None:
    calls: list[Any] = []
    slow = _sleeping(0.05, calls)
    task = Task.from_predicate(slow, "ab") if kind == "predicate" else Task.from_function(_word, slow)
    started = time.monotonic()
    found = black_box_sides(task, "mine", ["ape"], seconds=1.0)["ape"]
    assert found.answer is Answer.UNDECIDED
    assert 5 <= len(calls) <= 21  # each takes 0.05 s or more
    assert time.monotonic() - started < ENOUGH
    assert found.clause is not None
    assert found.clause.startswith("out of time after ")
    assert found.clause.endswith(" s each: --budget 10 would allow more")
    assert "no automaton was learned: out of time after " in found.reason


def test_computing_counts_as_waiting_does() -> None:
    calls: list[Any] = []

    def computes(word: Any) -> bool:
        calls.append(word)
        started = time.thread_time()
        while time.thread_time() - started < 0.05:
            pass
        return len(word) % 7 == 3

    black_box_sides(Task.from_predicate(computes, "ab"), "mine", ["ape"], seconds=1.0)
    assert 5 <= len(calls) <= 21


def test_a_call_that_does_not_return_is_interrupted() -> None:
    """Unlike an `Exception`, the interruption is not caught by the function itself."""
    calls: list[Any] = []

    def once(word: Any) -> bool:
        calls.append(word)
        try:
            time.sleep(60 if len(word) == 5 else 0)
        except Exception:
            return False
        return len(word) % 7 == 3

    started = time.monotonic()
    found = black_box_sides(Task.from_predicate(once, "ab"), "mine", ["ape"], seconds=0.5)["ape"]
    assert found.answer is Answer.UNDECIDED
    assert time.monotonic() - started < ENOUGH


def test_elsewhere_than_on_the_main_thread_calls_are_counted_only() -> None:
    calls: list[Any] = []
    task = Task.from_predicate(_sleeping(0.05, calls), "ab")
    thread = threading.Thread(target=lambda: black_box_sides(task, "mine", ["ape"], seconds=1.0))
    thread.start()
    thread.join(ENOUGH)
    assert not thread.is_alive()
    assert 5 <= len(calls) <= 21


def test_slow_functions_are_asked_twice_about_a_word() -> None:
    calls: list[Any] = []
    asked = Asking(60.0).guarded(_sleeping(0.005, calls), words=True)
    assert [asked("abc") for _ in range(10)] == [True] * 10
    assert len(calls) == 3  # the first shows that it is slow
    assert asked(("a", "b", "c"))  # a tuple is another word
    assert len(calls) == 4


def test_quick_functions_are_asked_each_time() -> None:
    asking, calls = Asking(60.0), list[Any]()
    asked = asking.guarded(calls.append, words=True)
    for _ in range(40):
        asked("ab")
    assert len(calls) == asking.calls == 40


def test_no_call_begins_after_the_end() -> None:
    asking = Asking(0.0)
    with asking.step("rows"), pytest.raises(OutOfTime):
        asking.guarded(len)("ab")
    assert asking.calls == 0


def test_guarded_tasks_name_their_functions_and_keep_what_is_known() -> None:
    def broken(word: str) -> bool:
        raise ValueError("oh")

    task = Task.from_predicate(broken, "ab")
    found = black_box_sides(task, "mine", ["ape"], seconds=1.0)["ape"]
    assert "broken(" in found.reason
    copied = Task.from_function(_word, lambda x: x)
    assert copied.tokens
    asking = Asking(60.0)
    assert guarded_task(copied, asking).tokens == copied.tokens
    assert asking.calls == 0


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "FIRST_LINE", 0.0)
    monkeypatch.setattr(module, "TICK", 0.01)
    black_box_sides(Task.from_predicate(_sleeping(0.02, []), "ab"), "mine:slow", ["ape"], seconds=0.3)
    text = stream.getvalue()
    assert ("mine:slow: learning an automaton (" in text) == terminal
    assert text.endswith("\r\x1b[2K") == terminal
    assert terminal or not text
