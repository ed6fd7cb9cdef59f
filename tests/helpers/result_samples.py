"""Results for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longreach.files import job_key
from longreach.training.result import (
    Entry,
    Evaluation,
    Final,
    Result,
    Timings,
    check_directory,
    entries,
)


def sample(seed: int = 0, **changes: Any) -> Result:
    """A small result; `config` updates its configuration."""
    config = {
        "task": "parity",
        "encoding": "ape",
        "seed": seed,
        "model": {"layers": 2, "lr": 1e-3},
        **changes.pop("config", {}),
    }
    fields: dict[str, Any] = {
        "key": job_key(config),
        "config": config,
        "seed": seed,
        "status": "done",
        "code": "0.1.0",
        "packages": {"numpy": "2.0"},
        "device": "cpu",
        "timings": Timings(started="2026-01-31T12:00:00Z", seconds=2.5, parts={"train": 2.0}),
        "rows": (
            Evaluation(step=50, loss=0.7, accuracy={"1-50": 0.5}),
            Evaluation(step=100, loss=0.1, accuracy={"1-50": 1.0}),
        ),
        "final": Final(
            steps=100, reached=True, loss=0.1, accuracy={"101-150": 0.25, "1-50": 1.0, "51-100": 0.5}
        ),
    }
    return Result(**fields | changes)


def sample_failure(seed: int = 0, **changes: Any) -> Result:
    fields = {"status": "failed", "error": "ValueError: no", "final": None, "rows": ()}
    return sample(seed, **fields | changes)


def scan(runs: Path) -> list[Entry]:
    """All directories of jobs with their results, damaged and unfinished ones included, by key."""
    return [entry.read() for entry in entries(check_directory(runs))]
