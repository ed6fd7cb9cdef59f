"""The functions that executors call: configurations go in, results come out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from longreach.config.run import RunConfig
from longreach.files import ResultError
from longreach.training import checkpoint
from longreach.training.checkpoint import MODEL
from longreach.training.devices import CPU, describe, find_device
from longreach.training.log import write_log
from longreach.training.loop import End, train_runs
from longreach.training.result import (
    Diary,
    Final,
    Result,
    Timings,
    code_version,
    package_versions,
    read_result,
    write_into,
)
from longreach.training.run import CHECKPOINT_SECONDS, Diverged, Report
from longreach.training.setup import network_of, read_run

FUNCTION = "longreach.training.job:run"
GROUP_FUNCTION = "longreach.training.job:run_group"


def run(
    config: Mapping[str, Any],
    directory: Path | None = None,
    *,
    report: Report | None = None,
    device: str = "cpu",
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Result:
    """Train the run with this configuration.

    The directory keeps its state, and in the end its model and its result.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("binary-majority", max_steps=5, train_lengths=(1, 5), test_size=10)
    >>> run(config.document()).final.steps
    5
    >>> given = {"train_lengths": [1, 5], "test_lengths": [[10, 10]], "max_steps": 3, "batch": 8, "hidden": 4}
    >>> sorted(run({"task": "simple-task:omega=1", "test_size": 8, **given}).final.other)
    ['L', 'logit margin', 'loss 1-5', 'loss 10-10']
    """
    (result,) = _results([read_run(config)], [directory], [report], device, checkpoint_seconds)
    return result


def run_group(
    config: Mapping[str, Any], runs: Path | None = None, *, checkpoint_seconds: float = CHECKPOINT_SECONDS
) -> list[dict[str, Any]]:
    """Train runs side by side: their configurations under `members`, where under `device`.

    Each has its directory in `runs`, as if it trained alone, and is done when its result lies there: if all
    are killed after that, the others resume without it. The results are returned as JSON.

    >>> from longreach.runs.resolve import resolve
    >>> given = {"max_steps": 5, "train_lengths": (1, 5), "test_size": 10}
    >>> configs = [resolve("parity", seed=seed, **given).document() for seed in range(2)]
    >>> [result["final"]["steps"] for result in run_group({"members": configs})]
    [5, 5]
    """
    configs = [read_run(document) for document in config["members"]]
    results = {each.key: _earlier(runs, each.key) for each in configs}
    waiting = [each for each in configs if results[each.key] is None]
    directories = [None if runs is None else runs / each.key for each in waiting]
    nobody: list[None] = [None] * len(waiting)
    device = str(config.get("device", "cpu"))
    for result in _results(waiting, directories, nobody, device, checkpoint_seconds):
        results[result.key] = result
    return [json.loads(result.model_dump_json()) for result in results.values() if result is not None]


def _results(
    configs: Sequence[RunConfig],
    directories: Sequence[Path | None],
    reports: Sequence[Report | None],
    device: str,
    checkpoint_seconds: float,
) -> list[Result]:
    """Train runs of one shape; each leaves its result in its directory when it ends."""
    if not configs:
        return []
    started = datetime.now(UTC)
    # Models of numbers are so small that a GPU would be slower.
    where = CPU if configs[0].loss == "squared" else find_device(device)
    told = [
        Diary(directory) if report is None and directory is not None else report
        for directory, report in zip(directories, reports, strict=True)
    ]
    ends = train_runs(configs, directories, reports=told, checkpoint_seconds=checkpoint_seconds, device=where)
    found = {
        place: _close(configs[place], ended, started, where, directories[place]) for place, ended in ends
    }
    return [found[place] for place in range(len(configs))]


def _earlier(runs: Path | None, key: str) -> Result | None:
    """The result of a run that was done before its group was killed."""
    if runs is None:
        return None
    try:
        result = read_result(runs, key)
    except ResultError:
        return None
    return result if result.status == "done" else None


def _close(
    config: RunConfig, ended: End, started: datetime, where: torch.device, directory: Path | None
) -> Result:
    """The result of a run that has ended; the result and the model are left in its directory."""
    has_failed = isinstance(ended, Diverged)
    if not isinstance(ended, Diverged) and directory is not None:
        checkpoint.save_model(directory, ended.parameters, network_of(config).shape)
    result = Result(
        key=config.key,
        config=config.document(),
        seed=config.seed,
        status="failed" if has_failed else "done",
        error=str(ended) if isinstance(ended, Diverged) else None,
        code=code_version(),
        packages=package_versions(),
        device=describe(where),
        # A run that was resumed has the seconds from before as well.
        timings=Timings(started=started, seconds=sum(ended.seconds.values()), parts=ended.seconds),
        rows=ended.rows,
        final=Final(steps=ended.step, reached=False) if isinstance(ended, Diverged) else ended.final,
        checkpoints=() if directory is None or has_failed else (MODEL,),
    )
    if directory is not None:
        # Before the state goes: if the disk is full, or all is killed now, the run ends again in a moment.
        write_log(directory, result.rows)
        write_into(directory, result)
        checkpoint.remove(directory)
    return result
