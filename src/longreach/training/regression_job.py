"""The functions that engines run for tasks with numbers as answers: configurations in, results out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import safetensors.torch
from pydantic import JsonValue

from longreach.config.regression import RegressionConfig
from longreach.models.parameters import Parameters
from longreach.models.regression_shape import RegressionShape
from longreach.results.atomic import write_atomically
from longreach.results.files import write_into
from longreach.results.provenance import code_version, package_versions
from longreach.results.schema import Final, Result, Timings
from longreach.tasks.regression_catalog import read_regression
from longreach.training import checkpoint
from longreach.training.checkpoint import MODEL
from longreach.training.devices import CPU, describe
from longreach.training.member import CHECKPOINT_SECONDS, Diverged
from longreach.training.regression_batches import shape_of
from longreach.training.regression_loop import Fitted, train_regression
from longreach.training.run_diary import Diary

FUNCTION = "longreach.training.regression_job:run"
"""The name of `run`, for a `Job`."""


def run(
    config: Mapping[str, Any],
    directory: Path | None = None,
    *,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Result:
    """Train the member with this configuration.

    >>> given = {"train_lengths": [1, 5], "test_lengths": [[10, 10]], "max_steps": 3, "batch": 8, "hidden": 4}
    >>> result = run({"task": "simple-task:omega=1", "test_size": 8, **given})
    >>> result.final.steps, sorted(result.final.other)
    (3, ['L', 'logit margin', 'loss 1-5', 'loss 10-10'])
    """
    (result,) = run_all([read_regression(config)], [directory], checkpoint_seconds=checkpoint_seconds)
    return result


def run_all(
    members: Sequence[RegressionConfig],
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
        found[place] = _close(members[place], ended, started, directories[place])
    return [found[place] for place in range(len(members))]


def regression_groups(documents: Sequence[Mapping[str, Any]], size: int) -> list[list[RegressionConfig]]:
    """The members that train side by side, at most `size` of them: those of one shape and batch."""
    alike: defaultdict[tuple[RegressionShape, int], list[RegressionConfig]] = defaultdict(list)
    for document in documents:
        config = RegressionConfig.read(document)
        alike[shape_of(config), config.batch].append(config)
    return [each[first : first + size] for each in alike.values() for first in range(0, len(each), size)]


def save_regression(directory: Path, parameters: Parameters, shape: RegressionShape) -> None:
    """Write the parameters by name, with the model's shape in the header."""
    directory.mkdir(parents=True, exist_ok=True)
    metadata = {"regression": json.dumps(asdict(shape))}
    write_atomically(directory / MODEL, safetensors.torch.save(parameters, metadata))


def _close(
    config: RegressionConfig, ended: Fitted | Diverged, started: datetime, directory: Path | None
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
