"""A task and an encoding → runs on short inputs, measured on long ones, beside the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.answers.forecast import forecast
from longreach.answers.judge import Finding, Tally, judge_runs
from longreach.config.encodings import side_title
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.runs.collected import CollectedRuns, of_keys
from longreach.runs.resolve import resolve
from longreach.runs.train import Watcher
from longreach.runs.train import train as train_members
from longreach.tasks.catalog import name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.names import TaskName
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Result
from longreach.training.setup import task_of
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class TrainedRuns:
    """Runs that differ in their seed only, and what they say of the forecast."""

    config: RunConfig
    """Of the first one."""
    results: tuple[Result, ...]
    """In the order of the seeds; those that failed are among them."""
    directory: Path
    """Where the results lie."""

    @cached_property
    def collected(self) -> CollectedRuns:
        """The same runs as rows."""
        return of_keys(self.directory, (result.key for result in self.results))

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per run."""
        return self.collected.rows()

    def to_pandas(self) -> Any:
        """The same as a pandas data frame, where pandas is installed."""
        return self.collected.to_pandas()

    def plot(self, ax: Axes | None = None) -> Axes | list[Axes]:
        """Accuracy by length, a thin line per run."""
        return self.collected.plot(ax)

    @property
    def tested(self) -> LengthRange:
        """The longest inputs."""
        return self.config.test_lengths[-1]

    @cached_property
    def tally(self) -> Tally:
        """How many runs learned, and how many work on the longest inputs."""
        return Tally.of(self.results, self.tested, task_of(self.config).chance)

    @cached_property
    def forecast(self) -> Answer | None:
        """What theory expects of these runs; None where it has no forecast for the encoding."""
        if self.config.encoding not in ("nope", "ape"):
            return None
        return forecast(self.config.task, self.config.alphabet).sides[self.config.encoding].trained

    @cached_property
    def finding(self) -> Finding:
        """What the runs say of the forecast."""
        return judge_runs(self.forecast, self.tally)

    @property
    def _title(self) -> str:
        name = TaskName(self.config.task)
        task = task_of(self.config).name if name.is_session else TaskName(name.short).expression
        lengths = self.config.train_lengths.words
        return f"{task} {side_title(self.config.encoding)}, trained on lengths {lengths}"

    def __repr__(self) -> str:
        shares = [self._shares(result) for result in self.results]
        return "\n".join(
            [self._title, f"  accuracy at {self._lengths}: {', '.join(shares)}", self.finding.words]
        )

    @property
    def _lengths(self) -> str:
        return self.tested.words

    def _shares(self, result: Result) -> str:
        share = None if result.final is None else result.final.accuracy.get(self.tested.name)
        return "failed" if share is None else f"{100 * share:.1f} %"

    def _repr_html_(self) -> str:
        ranges = [lengths.name for lengths in self.config.ranges]
        rows = []
        for result in self.results:
            final = result.final
            shares = {} if final is None else final.accuracy
            learned = "" if final is None else "yes" if final.reached else "no"
            numbers = [f"{100 * shares[name]:.1f} %" if name in shares else "" for name in ranges]
            rows.append([result.seed, result.status, learned, *numbers])
        head = ["seed", "status", "learned", *ranges]
        return Table(head, rows, title=self._title, note=self.finding.words).html()


def train(
    task: str | Task,
    encoding: str = "ape",
    *,
    seeds: int | Sequence[int] = 3,
    runs: str | Path = "runs",
    scale: Scale = "laptop",
    progress: Watcher | None = None,
    **settings: Any,
) -> TrainedRuns:
    """Train runs with different seeds; what is done already is read, and what was interrupted goes on.

    `seeds` is their number, from 0 on, or the seeds themselves. What `settings` do not give, such as
    `train_lengths=(1, 20)`, `max_steps=1000` or `alphabet="ab"`, is as the scale has it for the task.

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
    first = resolve(name, encoding, scale=scale, seed=numbers[0], alphabet=alphabet, **settings)
    members = [first, *(first.with_seed(seed) for seed in numbers[1:])]
    found = train_members(members, runs, progress=progress)
    return TrainedRuns(config=first, results=tuple(found), directory=Path(runs))
