"""Checks of tasks: those of ours pass, and each thing that can be wrong is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from longreach.tasks import check as task_check
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.check import check_task
from longreach.tasks.counting import Parity
from longreach.tasks.task import EOS, Batch, IntArray, Task


@pytest.fixture(autouse=True)
def _in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_check, "SECONDS", 0.01)


NAMES = ["vocabulary", "lengths", "draws", "answers", "positions", "seeds", "chance", "speed"]


@pytest.mark.parametrize("name", TASKS)
def test_built_in_tasks_pass(name: str) -> None:
    found = check_task(load_task(name))
    assert [check.name for check in found.checks] == NAMES
    assert found.passed, found.checks
    assert found.per_second is not None
    assert found.per_second > 0


@pytest.mark.parametrize("name", ["parity", "even-pairs", "cycle-navigation", "mode", "boolean-expressions"])
def test_what_guessing_gets_right_is_what_the_task_says(name: str) -> None:
    task = load_task(name)
    found = check_task(task)
    assert found.chance == pytest.approx(task.chance, abs=0.05)
    assert [check.status for check in found.checks if check.name == "chance"] == ["passed"]


@dataclass(frozen=True)
class Changed(Parity):
    """Parity with something wrong."""

    change: dict[str, Any] | None = None

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        batch = super()._sample(lengths, rng)
        fields = {name: getattr(batch, name).copy() for name in ("tokens", "targets", "mask", "position_ids")}
        for name, (place, value) in (self.change or {}).items():
            fields[name][place] = value
        return replace(batch, **fields)


@pytest.mark.parametrize(
    ("change", "check", "detail"),
    [
        ({"targets": ((0, 2), 6)}, "answers", "is drawn with even EOS; answer: odd EOS"),
        ({"targets": ((0, 2), 7)}, None, ""),
        ({"targets": ((0, 2), 99)}, "draws", "targets has the number 99, but there are 8 tokens"),
        ({"tokens": ((0, 0), 4)}, "draws", "an example does not begin with SOS"),
        ({"tokens": ((0, 1), 0)}, "draws", "PAD stands inside an example"),
        ({"tokens": ((0, 2), 4)}, "draws", "has no SEP after 1 tokens"),
        ({"position_ids": ((0, 0), 500)}, "positions", "position ids reach from 0 to 500; expected 0 to 153"),
        ({"mask": ((0, 20), True)}, "answers", "is drawn with"),
    ],
)
def test_what_is_wrong_with_a_batch_is_found(change: dict[str, Any], check: str | None, detail: str) -> None:
    # The first example with this seed is a 1: odd, which is token 7.
    found = check_task(Changed(change))
    failed = {each.name: each.detail for each in found.checks if each.status == "failed"}
    assert found.passed == (check is None)
    if check is not None:
        assert detail in failed[check]


@dataclass(frozen=True)
class WithIds(Parity):
    """Parity with ids of its own that may be wrong."""

    ids: str = ""

    def coupled_ids(self, batch: Batch) -> IntArray:
        good = super().coupled_ids(batch)
        return {"": good, "narrow": good[:, :-1], "low": good - 1}[self.ids]


def test_ids_of_the_task_are_looked_at() -> None:
    details = {}
    for ids in ("", "narrow", "low"):
        found = check_task(WithIds(ids))
        assert found.passed == (not ids)
        (details[ids],) = [check.detail for check in found.checks if check.name == "positions"]
    assert details[""].endswith("; coupled ids 0 to 1")
    assert "one column more than tokens" in details["narrow"]
    assert details["low"] == "a coupled id is not a whole number of at least 0"


def _letters(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def _first(x: Sequence[str]) -> str:
    return x[0]


@pytest.mark.parametrize(
    ("task", "check", "detail"),
    [
        (
            Task.from_function(lambda n, rng: _letters(n, np.random.default_rng()), _first, tokens="ab"),
            "seeds",
            "the same seed gives two different batches: all randomness must come from rng",
        ),
        (Task.from_function(lambda n, rng: ["a"], _first, tokens="ab"), "draws", "gives 1 token, not 2: a"),
        (Task.from_function(_letters, lambda x: x[5], tokens="ab"), "draws", "fails: IndexError"),
        (Task.from_function(_letters, lambda x: [][1]), "vocabulary", "fails: IndexError"),
        (
            Task.from_function(_letters, _first, has=lambda n: n % 2 == 0),
            "lengths",
            "the least length is said to",
        ),
        (
            Task.from_function(_letters, _first, has=lambda n: False),
            "vocabulary",
            "no input has a length in 1:101",
        ),
    ],
)
def test_what_is_wrong_with_functions_is_found(task: Task, check: str, detail: str) -> None:
    found = check_task(task)
    failed = {each.name: each.detail for each in found.checks if each.status == "failed"}
    assert detail in failed[check]
    assert all("\n" not in each for each in failed.values())


def test_a_chance_that_is_not_said_is_noted() -> None:
    found = check_task(Task.from_function(_letters, _first, chance=0.0))
    (chance,) = [check for check in found.checks if check.name == "chance"]
    assert chance.status == "note"
    assert chance.detail.endswith("at length 151; the task says 0 %")
    assert found.passed
    assert EOS in chance.detail


@dataclass(frozen=True)
class Twice(Parity):
    symbols = ("0", "1", "even", "odd", "0")


def test_tokens_that_stand_twice() -> None:
    found = check_task(Twice())
    assert [(check.status, check.detail) for check in found.checks] == [
        ("failed", "the token '0' appears twice")
    ]
