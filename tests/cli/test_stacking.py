"""Members side by side from the command line: the same keys and results, whatever the stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.training.result import read_result
from tests.cli.conftest import Outcome as Done

SMALL = (
    "--layers", 1, "--heads", 1, "--width", 16, "--lr", 3e-3, "--max-steps", 20, "--train-lengths", "1:5",
    "--test-lengths", "6:9", "--test-size", 50,
)  # fmt: skip


@pytest.mark.slow
def test_the_same_results_side_by_side(longreach: Callable[..., Done], tmp_path: Path) -> None:
    command = ("train", "parity", *SMALL, "--seeds", 3, "--json")
    alone = longreach(*command, "--runs", tmp_path / "a").document["runs"]
    done = longreach(*command, "--runs", tmp_path / "b", "--stack", 8, "--device", "cpu", "--workers", 1)
    assert done.code == 0
    beside = done.document["runs"]
    assert [each["key"] for each in beside] == [each["key"] for each in alone]
    for mine, yours in zip(alone, beside, strict=True):
        one, other = read_result(tmp_path / "a", mine["key"]), read_result(tmp_path / "b", yours["key"])
        assert (one.config, one.device, one.checkpoints) == (other.config, other.device, other.checkpoints)
        for row, again in zip(one.rows, other.rows, strict=True):
            assert row.loss == pytest.approx(again.loss, abs=1e-4)
    # Whoever runs it again, stacked or not, has nothing to do.
    assert longreach(*command, "--runs", tmp_path / "b").document["runs"] == beside
