""""""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.runs.resolve import resolve
from longreach.runs.timed import LEAST_STEPS, SHARES, kept_share, largest_share, with_share


def test_a_share_of_the_steps() -> None:
    usual = resolve("aa")
    assert with_share(usual, 1.0) == usual
    assert with_share(usual, 0.35).max_steps == 400
    assert with_share(resolve("aa", max_steps=150), 0.05).max_steps == LEAST_STEPS


def test_the_least_share_where_nothing_fits() -> None:
    assert largest_share(lambda share: [with_share(resolve("aa"), share)], 0, len) == SHARES[-1]


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"question": {"a": 1}, "share": 0.123}'])
def test_a_plan_is_kept_for_the_same_question(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "runs" / "mine.plan.json"
    assert kept_share(path, {"a": 1}, lambda: 0.5) == 0.5
    assert kept_share(path, {"a": 1}, lambda: 1.0) == 0.5
    assert kept_share(path, {"a": 2}, lambda: 0.25) == 0.25
    path.write_text(damaged)
    assert kept_share(path, {"a": 1}, lambda: 0.75) == 0.75
