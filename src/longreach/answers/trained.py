"""A task and an encoding → runs on short inputs, measured on long ones, beside the forecast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from longreach.answers.forecast import Forecast, forecast
from longreach.answers.judge import Finding
from longreach.config.architectures import DECODER
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.runs.cells import ByAccuracy, Cell, Tally
from longreach.runs.collected import CollectedRuns, learned_word
from longreach.runs.index import row_of
from longreach.runs.resolve import resolve
from longreach.runs.train import Watcher
from longreach.runs.train import train as train_members
from longreach.tasks.catalog import name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Result
from longreach.training.setup import task_of
from longreach.wording import Table, percent


@dataclass(frozen=True, eq=False, repr=False)
class TrainedRuns(CollectedRuns):
    """Runs that differ in their seed alone, and what they say of the forecast."""

    config: RunConfig
    """Of the first one."""
    results: tuple[Result, ...]
    """In the order of the seeds; those that failed are among them."""

    @classmethod
    def of(cls, config: RunConfig, results: Sequence[Result]) -> TrainedRuns:
        return cls(tuple(map(row_of, results)), config, tuple(results))

    @property
    def tested(self) -> LengthRange:
        return self.config.test_lengths[-1]

    @cached_property
    def tally(self) -> Tally:
        """How many runs fit the training range, and how many work on the longest inputs."""
        cell = Cell.of(self.config.document(), self.found)
        return cell.count(ByAccuracy(task_of(self.config).chance), self.tested)

    @cached_property
    def _known(self) -> Forecast:
        return forecast(self.config.task, self.config.alphabet)

    @property
    def forecast(self) -> Answer | None:
        """What theory expects of these runs; None where it has no forecast for the encoding."""
        return self._known.expected(self.config.label)

    @cached_property
    def finding(self) -> Finding:
        """What the runs say of the forecast."""
        return self._known.judge(self.config.label, self.tally)

    @property
    def _title(self) -> str:
        lengths = self.config.train_lengths.words
        return f"{self._known.title} {self.config.label.words}, trained on lengths {lengths}"

    def __repr__(self) -> str:
        shares = ", ".join(percent(row.accuracy.get(self.tested.name)) or "failed" for row in self.found)
        return f"{self._title}\n  accuracy at {self.tested.words}: {shares}\n{self.finding.words}"

    def _repr_html_(self) -> str:
        ranges = [lengths.name for lengths in self.config.ranges]
        rows = [
            [row.seed, row.status, learned_word(row), *(percent(row.accuracy.get(name)) for name in ranges)]
            for row in self.found
        ]
        head = ["seed", "status", "learned", *ranges]
        return Table(head, rows, title=self._title, note=self.finding.words).html()


def train(
    task: str | Task,
    encoding: str | None = None,
    *,
    model: str | Callable[..., Any] = DECODER,
    model_options: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 3,
    runs: str | Path = "runs",
    scale: Scale = "laptop",
    progress: Watcher | None = None,
    **settings: Any,
) -> TrainedRuns:
    """Train runs with different seeds; finished runs are reused, interrupted ones resume.

    `model` is an architecture's name, `module:make`, `hf:CONFIG.json`, or a function
    `make(*, vocabulary, positions, **model_options)` that returns a `torch.nn.Module`. A decoder has an
    `encoding`, `ape` by default.

    `seeds` is a number of seeds, from 0 on, or the seeds themselves. `settings` such as
    `train_lengths=(1, 20)`, `max_steps=1000` or `alphabet="ab"` override those of the scale.

    >>> import tempfile
    >>> tiny = {"train_lengths": (1, 5), "max_steps": 5, "test_size": 10}
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     found = train("binary-majority", "nope", seeds=1, runs=runs, **tiny)
    ...     found.tally.runs, len(found.rows())
    (1, 1)
    """
    numbers = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    if not numbers:
        raise InputError(f"{seeds!r}: at least one run has to be trained", place=Field("seeds"))
    name, alphabet = name_of_task(task, settings.pop("alphabet", None))
    if not isinstance(model, str):
        from longreach.models.module import name_of_factory  # loads torch

        model = name_of_factory(model)
    chosen = {} if model == DECODER else {"architecture": model}
    first = resolve(
        name, encoding, scale=scale, seed=numbers[0], alphabet=alphabet, model_options=model_options,
        **chosen, **settings,
    )  # fmt: skip
    members = [first, *(first.with_seed(seed) for seed in numbers[1:])]
    found = train_members(members, runs, progress=progress)
    return TrainedRuns.of(first, found)
