"""What `--log` writes of finished runs: event files of TensorBoard, or offline runs of Weights & Biases."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from longreach.errors import MissingExtra
from longreach.runs.index import row_of
from longreach.runs.table import flat
from longreach.theory.names import TaskName
from longreach.training.log import numbers_of
from longreach.training.result import Result

Logger: TypeAlias = Literal["tensorboard", "wandb"]
LOGGERS: Final[tuple[Logger, ...]] = get_args(Logger)
PROJECT: Final = "longreach"
_MODULES: Final = {"tensorboard": "torch.utils.tensorboard", "wandb": "wandb"}


def logger(name: Logger) -> Callable[[Path, Iterable[Result]], Path]:
    """Writes runs below a results directory, and says where; refused at once where its package is missing."""
    try:
        module: Any = import_module(_MODULES[name])
    except ModuleNotFoundError:
        raise MissingExtra(f"--log {name}", name) from None

    def write(runs: Path, results: Iterable[Result]) -> Path:
        where = runs / name
        for result in results:
            if result.rows:
                _WRITERS[name](module, where, result)
        return where

    return write


def title_of(result: Result) -> str:
    """What a run is called: task, model, seed and key.

    >>> from longreach.training.result import Final, Timings
    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("regex:(ab)*", "ape", seed=2)
    >>> timings = Timings(started="2026-01-31T12:00:00Z", seconds=2.5)
    >>> title_of(Result(
    ...     key=config.key, config=config.document(), seed=2, status="done", code="0.1.0", packages={},
    ...     timings=timings, final=Final(steps=1),
    ... ))
    'regex-ab-ape-seed2-...'
    """
    row = row_of(result)
    task = "" if row.task is None else TaskName(row.task).short
    words = f"{task} {row.encoding or ''} seed{result.seed}"
    return f"{re.sub('[^A-Za-z0-9]+', '-', words).strip('-')[:80]}-{result.key}"


def _tags(result: Result) -> Iterable[tuple[int, dict[str, float]]]:
    """The numbers of each evaluation, in groups such as `accuracy/1-50`."""
    for row in result.rows:
        numbers = numbers_of(row)
        step = numbers.pop("step")
        named = {_tag(name): value for name, value in numbers.items() if value is not None}
        yield step, named


def _tag(name: str) -> str:
    kind, blank, label = name.partition(" ")
    return f"{kind}/{label}" if blank else name


def _write_tensorboard(module: Any, where: Path, result: Result) -> None:
    directory = where / title_of(result)
    if directory.exists():  # an earlier one of the same run
        shutil.rmtree(directory)
    with module.SummaryWriter(str(directory)) as writer:
        for step, numbers in _tags(result):
            for tag, value in numbers.items():
                writer.add_scalar(tag, value, step)
        settings = "".join(f"| {name} | {value} |\n" for name, value in flat(result.config).items())
        writer.add_text("settings", f"| setting | value |\n|---|---|\n{settings}")


def _write_wandb(module: Any, where: Path, result: Result) -> None:
    where.mkdir(parents=True, exist_ok=True)
    if any(where.glob(f"wandb/offline-run-*-{result.key}")):
        return
    run = module.init(
        project=PROJECT,
        name=title_of(result),
        id=result.key,
        config=dict(result.config),
        dir=str(where),
        mode=os.environ.get("WANDB_MODE", "offline"),
        settings=module.Settings(silent=True, disable_git=True, disable_code=True),
    )
    for step, numbers in _tags(result):
        run.log(numbers, step=step)
    run.finish(exit_code=int(result.status == "failed"))


_WRITERS: Final[dict[Logger, Callable[[Any, Path, Result], None]]] = {
    "tensorboard": _write_tensorboard,
    "wandb": _write_wandb,
}
