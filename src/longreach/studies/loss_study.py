"""A study of losses: tasks with numbers as answers, trained up to several lengths, tested far beyond."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.config.length_range import LengthRange
from longreach.config.regression import RegressionConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.regression_members import resolve_regression
from longreach.experiments.running import Watcher, longest_first, train_pending
from longreach.results.figure_files import figure_bytes
from longreach.results.index import Row, read_index
from longreach.results.schema import Result
from longreach.studies.loss_report import LossCell, LossReport, report_of
from longreach.studies.loss_tables import loss_tables
from longreach.tasks.regression_catalog import load_regression

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".md")


@dataclass(frozen=True, kw_only=True)
class LossGrid:
    """What is trained at a scale."""

    train_to: Mapping[str, Sequence[int]]
    """By task, the longest training lengths N."""
    tests: Sequence[int]
    """Test lengths T′; those below N are left out, the last one is where losses are compared."""
    seeds: int


@dataclass(frozen=True, kw_only=True)
class LossStudy:
    """Test loss against test length, its plateau against N, and the least N for a loss against parameters.

    >>> from longreach.studies.all_studies import LOSS_STUDIES
    >>> study = LOSS_STUDIES["simple-task"]
    >>> study.axes, study.loss, len(study.members("smoke"))
    (('omega',), 0.01, 4)
    """

    name: str
    title: str
    source: str
    about: str
    time: str
    axes: tuple[str, ...]
    """The parameters that the least N is compared with."""
    loss: float
    """The loss that N is to reach."""
    law: str
    """What the paper says of the least N, in a few words."""
    grid: Callable[[Scale], LossGrid]
    figure: Callable[[LossReport, str], Figure]

    formats = FORMATS

    def select(self, scale: Scale, tasks: Sequence[str] | None) -> tuple[str, ...]:
        """Its tasks at a scale; None is all of them."""
        known = tuple(self.grid(scale).train_to)
        for name in tasks or ():
            if name not in known:
                reason = f"{self.name} has no {name!r} at this scale; it has {', '.join(known)}"
                raise InputError(reason, place=Field("tasks"))
        return known if tasks is None else tuple(name for name in known if name in tasks)

    def members_by_cell(
        self, scale: Scale, seeds: int | None = None, tasks: Sequence[str] | None = None
    ) -> dict[LossCell, tuple[RegressionConfig, ...]]:
        """What is trained for each task and N; the seeds are 0, 1, …."""
        grid, found = self.grid(scale), dict[LossCell, tuple[RegressionConfig, ...]]()
        for task in self.select(scale, tasks):
            known = load_regression(task)
            for train_to in grid.train_to[task]:
                # All residues of the length, where the model sees positions modulo a period.
                tests = tuple(
                    LengthRange(length, length + known.period - 1)
                    for length in grid.tests
                    if length >= train_to
                )
                lengths = LengthRange(known.least_length, train_to)
                first = resolve_regression(task, scale=scale, train_lengths=lengths, test_lengths=tests)
                members = range(grid.seeds if seeds is None else seeds)
                found[LossCell(task, train_to)] = tuple(first.with_seed(seed) for seed in members)
        return found

    def members(
        self, scale: Scale, seeds: int | None = None, tasks: Sequence[str] | None = None
    ) -> list[RegressionConfig]:
        """All of them, the most work first."""
        cells = self.members_by_cell(scale, seeds, tasks)
        return longest_first(config for configs in cells.values() for config in configs)

    def report(
        self, rows: Iterable[Row], scale: Scale, seeds: int | None = None, tasks: Sequence[str] | None = None
    ) -> LossReport:
        """What the results say."""
        return report_of(self.members_by_cell(scale, seeds, tasks), rows, loss=self.loss, axes=self.axes)

    def heading(self, scale: Scale) -> str:
        """The title of its figure, with the scale and what that claims."""
        claim = ": tiny models and 20 steps: no claim" if scale == "smoke" else ""
        return f"{self.title} ({scale} scale{claim})"

    def content(self, report: LossReport, scale: Scale, suffix: str) -> bytes:
        """The figure, or the tables, in the format of a name's ending."""
        if suffix == ".md":
            return loss_tables(report, self.law).encode()
        return figure_bytes(lambda: self.figure(report, self.heading(scale)), suffix, salt=self.name)


@dataclass(frozen=True, kw_only=True)
class LossRun:
    """What a study came to."""

    report: LossReport
    failed: tuple[Result, ...]
    """The members that failed this time."""


def run_loss_study(
    study: LossStudy,
    scale: Scale,
    *,
    seeds: int | None = None,
    tasks: Sequence[str] | None = None,
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    train: bool = True,
) -> LossRun:
    """Train the members that are not done, unless only what is there counts, and look at the whole of it."""
    results: dict[str, Result] = {}
    if train:
        members = study.members(scale, seeds, tasks)
        results = train_pending(members, runs, engine=engine, progress=progress)
    rows: list[Row] = []
    if Path(runs).is_dir():
        with read_index(Path(runs)) as index:
            rows = index.rows()
    failed = tuple(result for result in results.values() if result.status == "failed")
    return LossRun(report=study.report(rows, scale, seeds, tasks), failed=failed)
