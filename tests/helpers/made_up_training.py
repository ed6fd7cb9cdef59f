"""Training replaced for tests of `ask` and `threshold`: results appear as a rule says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longreach.config.run import RunConfig
from longreach.runs import timed as timed_training
from tests.helpers.asked_results import write_results

Rule = Callable[[RunConfig], bool | None]


def replace_training(
    monkeypatch: pytest.MonkeyPatch, works: Rule, seconds: float = 0.0, *, interrupt: bool = False
) -> list[list[RunConfig]]:
    """Results as the rule says, none where it says None; a thousand steps take so long by the estimate.

    Returns what is asked for, a list for each call.
    """
    asked: list[list[RunConfig]] = []

    def train(members: Sequence[RunConfig], runs: Path, **_: Any) -> dict[str, Any]:
        asked.append(list(members))
        write_results(runs, members, works)
        if interrupt:
            raise KeyboardInterrupt
        return {}

    def estimate(members: Sequence[RunConfig]) -> dict[str, float]:
        return {each.key: seconds * each.max_steps / 1000 for each in members}

    monkeypatch.setattr(timed_training, "train_pending", train)
    monkeypatch.setattr(timed_training, "seconds_of", estimate)
    monkeypatch.setattr(timed_training, "cores", lambda: 2)
    return asked
