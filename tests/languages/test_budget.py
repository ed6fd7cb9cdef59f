"""Budgets: one deadline for whoever shares it, and sizes refused before they are taken."""

from __future__ import annotations

import pytest

from longreach.languages.budget import Budget, OverBudget


class Clock:
    """A clock that moves by a step whenever it is read."""

    def __init__(self, step: float = 1.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_time_runs_from_the_first_call_and_is_shared() -> None:
    budget = Budget(seconds=3, clock=Clock()).running()
    assert budget.running() is budget
    budget.check()
    budget.check()
    with pytest.raises(OverBudget, match="the budget of 3 s is spent"):
        [budget.check() for _ in range(3)]


def test_a_budget_whose_time_does_not_run_never_ends() -> None:
    Budget(seconds=0).check()


def test_sizes_are_refused_before_they_are_taken() -> None:
    Budget(bytes=100).reserve(100, "a table")
    with pytest.raises(OverBudget, match=r"a table needs 0\.000101 MB, more than the budget of 0\.0001 MB"):
        Budget(bytes=100).reserve(101, "a table")
