"""The functions that engines run: configurations go in, results come out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from pydantic import JsonValue

from longreach.config.run import RunConfig
from longreach.files import ResultError, write_atomically
from longreach.models.counting import RegressionShape
from longreach.models.parameters import Parameters
from longreach.tasks.names import has_numbers
from longreach.training import checkpoint
from longreach.training.checkpoint import MODEL
from longreach.training.devices import CPU, describe, find_device
from longreach.training.loop import train, train_members
from longreach.training.members import CHECKPOINT_SECONDS, Diverged, Report, Trained
from longreach.training.numbers import Fitted, shape_of, train_regression
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
from longreach.training.setup import model_of, read_run

# The functions that engines run for tasks with numbers as answers: configurations in, results out.


NUMBERS_FUNCTION = "longreach.training.job:run_numbers"
"""The name of `run`, for a `Job`."""


def run_numbers(
    config: Mapping[str, Any],
    directory: Path | None = None,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Result:
    """Train the member with this configuration.

    >>> given = {"train_lengths": [1, 5], "test_lengths": [[10, 10]], "max_steps": 3, "batch": 8, "hidden": 4}
    >>> result = run_numbers({"task": "simple-task:omega=1", "test_size": 8, **given})
    >>> result.final.steps, sorted(result.final.other)
    (3, ['L', 'logit margin', 'loss 1-5', 'loss 10-10'])
    """
    (result,) = run_all([read_run(config)], [directory], checkpoint_seconds=checkpoint_seconds)
    return result


def run_all(
    members: Sequence[RunConfig],
    directories: Sequence[Path | None],
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> list[Result]:
    """Train members of one shape side by side; each leaves its result in its directory when it ends."""
    started = datetime.now(UTC)
    reports = [None if directory is None else Diary(directory) for directory in directories]
    found: dict[int, Result] = {}
    ends = train_regression(members, directories, reports=reports, checkpoint_seconds=checkpoint_seconds)
    for place, ended in ends:
        found[place] = _close_numbers(members[place], ended, started, directories[place])
    return [found[place] for place in range(len(members))]


def regression_groups(documents: Sequence[Mapping[str, Any]], size: int) -> list[list[RunConfig]]:
    """The members that train side by side, at most `size` of them: those of one shape and batch."""
    alike: defaultdict[tuple[RegressionShape, int], list[RunConfig]] = defaultdict(list)
    for document in documents:
        config = RunConfig.read(document)
        alike[shape_of(config), config.batch].append(config)
    return [each[first : first + size] for each in alike.values() for first in range(0, len(each), size)]


def save_regression(directory: Path, parameters: Parameters, shape: RegressionShape) -> None:
    """Write the parameters by name, with the model's shape in the header."""
    directory.mkdir(parents=True, exist_ok=True)
    metadata = {"regression": json.dumps(asdict(shape))}
    write_atomically(directory / MODEL, safetensors.torch.save(parameters, metadata))


def _close_numbers(
    config: RunConfig, ended: Fitted | Diverged, started: datetime, directory: Path | None
) -> Result:
    if isinstance(ended, Diverged):
        error, final = str(ended), Final(steps=ended.step, reached=False)
    else:
        if directory is not None:
            save_regression(directory, ended.parameters, shape_of(config))
        stopped = "the target loss" if ended.reached else "the step budget"
        details: dict[str, JsonValue] = {
            "resumed": ended.resumed,
            "stopped": stopped,
            "notes": [*ended.notes],
        }
        error, final = None, Final(
            steps=ended.steps, reached=ended.reached, loss=ended.loss, other=ended.measured, details=details
        )  # fmt: skip
    result = Result(
        key=config.key,
        config=config.document(),
        seed=config.seed,
        status="done" if error is None else "failed",
        error=error,
        code=code_version(),
        packages=package_versions(),
        device=describe(CPU),
        timings=Timings(started=started, seconds=sum(ended.seconds.values()), parts=ended.seconds),
        rows=ended.rows,
        final=final,
        checkpoints=() if directory is None or error is not None else (MODEL,),
    )
    if directory is not None:
        write_into(directory, result)
        checkpoint.remove(directory)
    return result


# The functions that engines run: a configuration goes in, a result comes out, or several of both.


FUNCTION = "longreach.training.job:run"
"""The name of `run`, for a `Job`."""
GROUP_FUNCTION = "longreach.training.job:run_members"
"""The name of `run_members`, for a `Group` of jobs."""


def run(
    config: Mapping[str, Any],
    directory: Path | None = None,
    *,
    report: Report | None = None,
    device: str = "cpu",
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Result:
    """Train the member with this configuration.

    The directory keeps its state, and in the end its model and its result.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("binary-majority", max_steps=5, train_lengths=(1, 5), test_size=10)
    >>> run(config.document()).final.steps
    5
    """
    member = read_run(config)
    started, where = datetime.now(UTC), find_device(device)
    if report is None and directory is not None:
        report = Diary(directory)
    ended: Trained | Diverged
    try:
        ended = train(member, directory, report=report, checkpoint_seconds=checkpoint_seconds, device=where)
    except Diverged as error:
        ended = error
    return _close(member, ended, started, where, directory)


def run_members(
    config: Mapping[str, Any], runs: Path | None = None, *, checkpoint_seconds: float = CHECKPOINT_SECONDS
) -> list[dict[str, Any]]:
    """Train members side by side: their configurations under `members`, where under `device`.

    Each has its directory in `runs`, as if it trained alone, and is ready when its result lies there: if all
    are killed after that, the others go on without it. The results are returned as JSON.

    >>> from longreach.runs.resolve import resolve
    >>> given = {"max_steps": 5, "train_lengths": (1, 5), "test_size": 10}
    >>> configs = [resolve("parity", seed=seed, **given).document() for seed in range(2)]
    >>> [result["final"]["steps"] for result in run_members({"members": configs})]
    [5, 5]
    """
    if has_numbers(str(config["members"][0]["task"])):
        return _run_regression(config["members"], runs, checkpoint_seconds)
    members = [read_run(document) for document in config["members"]]
    device = str(config.get("device", "cpu"))
    results = {member.key: _earlier(runs, member.key) for member in members}
    waiting = [member for member in members if results[member.key] is None]
    directories = [None if runs is None else runs / member.key for member in waiting]
    if len(waiting) == 1:
        (member,), (directory,) = waiting, directories
        results[member.key] = run(
            member.document(), directory, device=device, checkpoint_seconds=checkpoint_seconds
        )
    elif waiting:
        started, where = datetime.now(UTC), find_device(device)
        reports = [None if directory is None else Diary(directory) for directory in directories]
        ends = train_members(
            waiting, directories, reports=reports, checkpoint_seconds=checkpoint_seconds, device=where
        )
        for place, ended in ends:
            result = _close(waiting[place], ended, started, where, directories[place])
            results[result.key] = result
    return [json.loads(result.model_dump_json()) for result in results.values() if result is not None]


def _run_regression(
    documents: Sequence[Mapping[str, Any]], runs: Path | None, checkpoint_seconds: float
) -> list[dict[str, Any]]:
    """The same for tasks with numbers as answers, on the processor."""
    members = [read_run(document) for document in documents]
    results = {member.key: _earlier(runs, member.key) for member in members}
    waiting = [member for member in members if results[member.key] is None]
    directories = [None if runs is None else runs / member.key for member in waiting]
    if waiting:
        for result in run_all(waiting, directories, checkpoint_seconds=checkpoint_seconds):
            results[result.key] = result
    return [json.loads(result.model_dump_json()) for result in results.values() if result is not None]


def _earlier(runs: Path | None, key: str) -> Result | None:
    """The result of a member that was done before its group was killed."""
    if runs is None:
        return None
    try:
        result = read_result(runs, key)
    except ResultError:
        return None
    return result if result.status == "done" else None


def _close(
    member: RunConfig,
    ended: Trained | Diverged,
    started: datetime,
    where: torch.device,
    directory: Path | None,
) -> Result:
    """The result of a member that has ended; in its directory it and the model are left."""
    if isinstance(ended, Diverged):
        result = _diverged(member, ended, started, where)
    else:
        if directory is not None:
            checkpoint.save_model(directory, ended.parameters, model_of(member))
        result = _done(member, ended, started, directory)
    if directory is not None:
        # Before the state goes: if the disk is full, or all is killed now, the run ends again in a moment.
        write_into(directory, result)
        checkpoint.remove(directory)
    return result


def _done(config: RunConfig, trained: Trained, started: datetime, directory: Path | None) -> Result:
    last = trained.rows[-1]
    return Result(
        key=config.key,
        config=config.document(),
        seed=config.seed,
        status="done",
        code=code_version(),
        packages=package_versions(),
        device=trained.device,
        # A run that went on has the seconds from before as well.
        timings=Timings(started=started, seconds=sum(trained.seconds.values()), parts=trained.seconds),
        rows=trained.rows,
        final=Final(
            steps=trained.steps,
            reached=trained.reached,
            loss=last.loss,
            accuracy=last.accuracy,
            accuracy_random_offset=last.accuracy_random_offset,
            other=last.other,
            details={"resumed": trained.resumed, "compiled": trained.compiled, "notes": list(trained.notes)},
        ),
        checkpoints=() if directory is None else (checkpoint.MODEL,),
    )


def _diverged(config: RunConfig, error: Diverged, started: datetime, where: torch.device) -> Result:
    return Result(
        key=config.key,
        config=config.document(),
        seed=config.seed,
        status="failed",
        error=str(error),
        code=code_version(),
        packages=package_versions(),
        device=describe(where),
        timings=Timings(started=started, seconds=sum(error.seconds.values()), parts=error.seconds),
        rows=error.rows,
        final=Final(steps=error.step, reached=False),
    )
