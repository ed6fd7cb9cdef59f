"""Results directories for tests of the report."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from longreach.files import job_key
from longreach.training.result import RESULT, Evaluation, Final, Result, Timings

RANGES = ("1-10", "11-20", "21-30")


def config(task: str, encoding: str, seed: int, **changes: Any) -> dict[str, Any]:
    """A configuration as training writes it, in short."""
    return {
        "task": task, "alphabet": None, "encoding": encoding, "layers": 2, "heads": 1, "width": 16,
        "lr": 1e-3, "batch": 64, "max_steps": 300, "train_lengths": [1, 10],
        "test_lengths": [[11, 20], [21, 30]], "penalty": 0.0, "seed": seed, **changes,
    }  # fmt: skip


def _write(runs: Path, result: Result) -> None:
    """As `write_result` does, but without waiting for the disk."""
    directory = runs / result.key
    directory.mkdir()
    (directory / RESULT).write_text(result.model_dump_json(), encoding="utf-8")


def add(
    runs: Path,
    task: str,
    encoding: str,
    seed: int,
    accuracy: dict[str, float] | None,
    *,
    error: str | None = None,
    rows: tuple[Evaluation, ...] | None = None,
    packages: dict[str, str] | None = None,
    **changes: Any,
) -> Result:
    """Write the result of a run that came to these accuracies, or failed with an error."""
    settings = config(task, encoding, seed, **changes)
    reached = None if accuracy is None else next(iter(accuracy.values()), 0.0) == 1.0
    curve = (
        Evaluation(step=100, loss=0.9, accuracy={"1-10": 0.5}),
        Evaluation(step=200, loss=math.nan, accuracy={"1-10": 0.75}),
        Evaluation(step=300, loss=0.01, accuracy=accuracy or {}),
    )
    result = Result(
        key=job_key(settings),
        config=settings,
        seed=seed,
        status="done" if error is None else "failed",
        error=error,
        code="0.1.0",
        packages={"numpy": "2.0"} if packages is None else packages,
        device="cpu",
        timings=Timings(started=f"2026-01-{1 + seed % 28:02d}T12:00:00Z", seconds=61.0),
        rows=curve if rows is None else rows,
        final=None if accuracy is None else Final(steps=300, reached=reached, loss=0.01, accuracy=accuracy,
                                                  accuracy_random_offset=accuracy),
    )  # fmt: skip
    _write(runs, result)
    return result


def damage(runs: Path, key: str, share: str = "Infinity") -> str:
    """Give the last numbers of a result an accuracy that no run can have."""
    path = runs / key / RESULT
    whole, part, rest = path.read_text(encoding="utf-8").rpartition('"accuracy":{')
    assert whole
    path.write_text(f'{whole}{part}"31-40":{share},{rest}', encoding="utf-8")
    return key


def accuracies(*values: float) -> dict[str, float]:
    return dict(zip(RANGES, values, strict=False))


def several(runs: Path, task: str, encoding: str, *lasts: float, **changes: Any) -> None:
    """Runs that learned the training range, one for each accuracy on the longest range."""
    for seed, last in enumerate(lasts):
        add(runs, task, encoding, seed, accuracies(1.0, (1 + last) / 2, last), **changes)


def hostile(runs: Path) -> None:
    """All that a results directory can hold that is not as it should be."""
    evil = "<script>window.evil = 1</script>"
    several(runs, "aa", "ape", 1.0, 0.9, 0.8)
    several(runs, "aa", "nope", 0.0, 0.0, 0.1)
    several(runs, "aa", "rope", 0.6, 0.5)
    several(runs, "sort", "ape", 0.9, 0.9, 0.9, penalty=1e-4)
    add(runs, f"regex:{evil}", "ape", 0, accuracies(1.0, 0.5, 0.25))
    add(runs, "regex:(ab)*", "ape", 0, accuracies(1.0, 0.5, 0.25), alphabet=["a", "b"])
    add(runs, "regex:.*", "ape", 0, accuracies(1.0, 0.5, 0.25), alphabet=["a", "b"])
    add(runs, "longreach_probe:task", "ape", 0, accuracies(1.0, 0.5, 0.25))
    add(runs, "d-999999999999999999", "nope", 0, accuracies(0.5))
    add(runs, "crasp:../../secret.cr", "ape", 0, accuracies(0.5))
    add(runs, 'crasp:#alphabet a b\nL = # "a" >= 1', "nope", 0, accuracies(1.0, 1.0, 1.0))
    add(runs, "parity", f"en{evil}", 0, accuracies(1.0, 0.5, 0.25))
    add(runs, "parity", "nope", 0, None, error=f"ValueError: {evil} \u202e", rows=())
    add(runs, "parity", "nope", 1, {"11-20": 0.5}, packages={evil: evil})
    add(runs, "parity", "ape", 0, {}, rows=())
    add(runs, "parity", "ape", 1, {"1-9": 0.25, "1-10": 0.5}, lr=2)
    add(runs, "parity", "a + b", 0, accuracies(1.0, 0.5), lr=10**400, width=10**400, penalty=10**400)
    add(runs, "$(touch x); `id` 'q'\"", "ape", 0, accuracies(1.0, 0.5))
    add(runs, "majority", "ape", 0, accuracies(1.0), model=evil, train_lengths=evil, max_steps=evil)
    settings = {"study": evil, "seed": 0}  # no task and no encoding
    timings = Timings(started="2026-01-01T12:00:00Z", seconds=1)
    _write(
        runs,
        Result(
            key=job_key(settings), config=settings, status="done", code="0.1.0", packages={},
            timings=timings, final=Final(steps=1),
        ),
    )  # fmt: skip
    (runs / "0123456789abcdef").mkdir()
    (runs / "fedcba9876543210").mkdir()
    (runs / "fedcba9876543210" / "result.json").write_text('{"version": 1, "key', encoding="utf-8")
    (runs / "notes.txt").write_text("not a result", encoding="utf-8")
