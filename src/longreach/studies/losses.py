"""Studies of losses: tasks with numbers as answers, trained to several lengths and tested far beyond.

Each shows the test loss against the test length, its plateau against the training length N, and the least N
for a loss against the parameters of the task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from longreach.answers.bounds import LossBound, bounds_of
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.runs.cells import Spread
from longreach.runs.index import Row
from longreach.runs.resolve import resolve
from longreach.studies.laws import Law, law_of
from longreach.studies.study import Study, StudyOptions, StudyReport, rows_by_cell, table_of, table_text
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import FamilyName
from longreach.tasks.numbers import load_regression
from longreach.training.result import range_number
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class LossGrid:
    """What is trained at a scale."""

    train_to: Mapping[str, Sequence[int]]
    """By task, the longest training lengths N."""
    tests: Sequence[int]
    """Test lengths T′; those below N are left out, the last one is where losses are compared."""
    seeds: int


@dataclass(frozen=True)
class LossCell:
    """A task and the longest length that its members are trained on."""

    task: str
    train_to: int


def loss_study(
    *,
    axes: tuple[str, ...],
    loss: float,
    law: str,
    grids: Mapping[Scale, LossGrid],
    figure: Callable[[LossReport, str], Figure],
    **about: Any,
) -> Study:
    """A study of the least N for a loss, against the parameters in `axes`; `law` is the paper's.

    What the study is called and about goes to `Study` as it is.
    """

    def members(options: StudyOptions) -> dict[LossCell, tuple[RunConfig, ...]]:
        at = grids[options.scale]
        for name in options.tasks or ():
            if name not in at.train_to:
                known = ", ".join(at.train_to)
                reason = f"{about['name']} has no {name!r} at this scale; it has {known}"
                raise InputError(reason, place=Field("tasks"))
        seeds = range(at.seeds if options.seeds is None else options.seeds)
        found = {}
        for task, lengths in at.train_to.items():
            if options.tasks is None or task in options.tasks:
                for train_to in lengths:
                    first = config_of(task, train_to, at.tests, options.scale)
                    found[LossCell(task, train_to)] = tuple(first.with_seed(seed) for seed in seeds)
        return found

    def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
        found = report_of(members(options), rows, loss=loss, axes=axes)
        lines = law_lines(found, law)
        listed = "\n".join(f"- {line.strip()}" for line in lines)
        tables = [cell_table(found), threshold_table(found)]
        return StudyReport(
            document={"law": law, **found.document()},
            tables=tables,
            remarks=() if options.scale == "smoke" else ["\n".join(lines)],
            figure=lambda title: figure(found, title),
            file=lambda: "\n\n".join([*map(table_text, tables), listed]) + "\n",
        )

    taken = frozenset({"--tasks", "--seeds"})
    return Study(members=members, report=report, options=taken, **about)


def config_of(task: str, train_to: int, tests: Iterable[int], scale: Scale) -> RunConfig:
    """The member of a cell with the seed 0, tested at all residues of a length modulo the period."""
    known = load_regression(task)
    ranges = tuple(LengthRange(each, each + known.period - 1) for each in tests if each >= train_to)
    lengths = LengthRange(known.least_length, train_to)
    return resolve(task, scale=scale, train_lengths=lengths, test_lengths=ranges)


# What was measured: curves, plateaus, the least N for a loss, laws and bounds.


@dataclass(frozen=True, kw_only=True)
class LossOutcome:
    """What was found of one cell."""

    cell: LossCell
    ranges: tuple[LengthRange, ...]
    """Training, then tests."""
    runs: tuple[Row, ...]
    """Those that came to their end."""

    def values(self, name: str) -> list[float]:
        """A number of all runs that have it."""
        return [row.other[name] for row in self.runs if name in row.other]

    def spread(self, name: str) -> Spread | None:
        """The same, taken together."""
        found = self.values(name)
        return Spread.of(found) if found else None

    @property
    def curve(self) -> list[tuple[int, Spread]]:
        """Test length and test loss."""
        return [
            (lengths.first, spread)
            for lengths in self.ranges[1:]
            if (spread := self.spread(range_number("loss", lengths.name))) is not None
        ]

    @property
    def plateaus(self) -> dict[int, float]:
        """By seed, the loss at the longest test length."""
        name = range_number("loss", self.ranges[-1].name)
        return {row.seed: row.other[name] for row in self.runs if row.seed is not None and name in row.other}

    @property
    def plateau(self) -> Spread | None:
        """Over all seeds."""
        return Spread.of(self.plateaus.values()) if self.plateaus else None

    def document(self) -> dict[str, Any]:
        names = sorted({name for row in self.runs for name in row.other if not name.startswith("loss ")})
        return {
            "task": self.cell.task,
            "train_to": self.cell.train_to,
            "runs": len(self.runs),
            "reached": sum(bool(row.reached) for row in self.runs),
            "steps": [row.steps for row in self.runs],
            "loss": {
                lengths.name: asdict(spread)
                for lengths in self.ranges
                if (spread := self.spread(range_number("loss", lengths.name))) is not None
            },
            "plateau": None if self.plateau is None else asdict(self.plateau),
            "measured": {name: asdict(spread) for name in names if (spread := self.spread(name)) is not None},
            "seconds": sum(row.seconds or 0.0 for row in self.runs),
            "keys": [row.key for row in self.runs],
        }


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """The least N from which runs of a task reach the loss at the longest test length."""

    task: str
    by_seed: dict[int, float | None]
    """Between the N that were trained on a straight line in logarithms; None: not reached, or not kept."""
    length: int | None
    """The least N that was trained from which the mean over seeds stays below the loss."""
    smallest: int
    """The least N that was trained."""
    bounds: tuple[LossBound, ...]

    @property
    def between(self) -> list[float]:
        """Of the seeds whose least N is above the smallest that was trained."""
        return [each for each in self.reached if each > self.smallest]

    @property
    def reached(self) -> list[float]:
        """Of the seeds that reached the loss."""
        return [each for each in self.by_seed.values() if each is not None]

    def document(self) -> dict[str, Any]:
        return {
            "task": self.task,
            "threshold": self.length,
            "smallest_trained": self.smallest,
            "by_seed": {str(seed): value for seed, value in self.by_seed.items()},
            "bounds": [each.document() for each in self.bounds],
        }


@dataclass(frozen=True, kw_only=True)
class LossReport:
    """What a study found."""

    loss: float
    axes: tuple[str, ...]
    outcomes: tuple[LossOutcome, ...]

    def of_task(self, task: str) -> list[LossOutcome]:
        """Its cells with some result, in the order of N."""
        found = [each for each in self.outcomes if each.cell.task == task and each.runs]
        return sorted(found, key=lambda each: each.cell.train_to)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys(each.cell.task for each in self.outcomes))

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        return tuple(_threshold(task, self.of_task(task), self.loss) for task in self.tasks)

    @cached_property
    def laws(self) -> tuple[Law, ...]:
        return tuple(law for axis in self.axes for law in _laws(axis, self.thresholds))

    def document(self) -> dict[str, Any]:
        return {
            "loss": self.loss,
            "cells": [each.document() for each in self.outcomes],
            "thresholds": [each.document() for each in self.thresholds],
            "laws": [each.document() for each in self.laws],
        }


def report_of(
    members: Mapping[LossCell, Sequence[RunConfig]],
    rows: Iterable[Row],
    *,
    loss: float,
    axes: tuple[str, ...],
) -> LossReport:
    """From the results of these members; others are not looked at."""
    found = rows_by_cell(members, rows)
    outcomes = tuple(
        LossOutcome(cell=cell, ranges=configs[0].ranges, runs=found[cell])
        for cell, configs in members.items()
    )
    return LossReport(loss=loss, axes=axes, outcomes=outcomes)


def _threshold(task: str, cells: Sequence[LossOutcome], loss: float) -> Threshold:
    seeds = sorted({seed for cell in cells for seed in cell.plateaus})
    by_seed = {
        seed: least_length(
            [(cell.cell.train_to, cell.plateaus[seed]) for cell in cells if seed in cell.plateaus], loss
        )
        for seed in seeds
    }
    means = [(cell.cell.train_to, cell.plateau.mean) for cell in cells if cell.plateau is not None]
    below = [length for length, _ in means[_first_kept(means, loss) :]]
    length = below[0] if below else None
    at = next((cell for cell in cells if cell.cell.train_to == length), cells[-1] if cells else None)
    norms = [] if at is None else at.values("L")
    return Threshold(
        task=task,
        by_seed=by_seed,
        length=length,
        smallest=min((cell.cell.train_to for cell in cells), default=0),
        bounds=bounds_of(task, max(norms, default=None), loss),
    )


def _first_kept(points: Sequence[tuple[int, float]], loss: float) -> int:
    """The first place from which all losses are below."""
    above = [place for place, (_, found) in enumerate(points) if found > loss]
    return above[-1] + 1 if above else 0


def least_length(points: Sequence[tuple[int, float]], loss: float) -> float | None:
    """Where the loss falls below for good, on a straight line in logarithms between what was trained.

    >>> least_length([(4, 1.0), (16, 0.01), (32, 0.001)], 0.1)
    8.0
    >>> least_length([(4, 0.01), (16, 1.0)], 0.1) is None
    True
    """
    place = _first_kept(points, loss)
    if place == len(points):
        return None
    length, found = points[place]
    if not place:
        return float(length)
    before, above = points[place - 1]
    share = math.log(above / loss) / math.log(above / max(found, 1e-300))
    return float(round(before * (length / before) ** share, 9))


def parameters_of(task: str, without: str = "") -> str:
    """The parameters of a task, but for one.

    >>> parameters_of("in-context-kgram:S=2,k=1"), parameters_of("in-context-kgram:S=2,k=1", without="k")
    ('S=2, k=1', 'S=2')
    """
    found = FamilyName.read(task).parameters
    return ", ".join(f"{name}={value:g}" for name, value in found.items() if name != without)


def _laws(axis: str, thresholds: Sequence[Threshold]) -> list[Law]:
    """N against one parameter, for each choice of the others that has some values of it."""
    groups: dict[str, list[tuple[float, Threshold]]] = {}
    for each in thresholds:
        value = FamilyName.read(each.task).parameters[axis]
        groups.setdefault(parameters_of(each.task, without=axis), []).append((value, each))
    laws = []
    for fixed, found in groups.items():
        if len({value for value, _ in found}) > 1:
            points = [(value, length) for value, each in found for length in each.between]
            missing = [value for value, each in found if None in each.by_seed.values()]
            below = [value for value, each in found if each.smallest in each.reached]
            laws.append(law_of(axis, fixed, points, missing=missing, below=below))
    return laws


# The report.


def cell_table(report: LossReport) -> Table:
    """A line for each task and N."""
    rows = []
    for each in report.outcomes:
        first, plateau = each.spread(range_number("loss", each.ranges[0].name)), each.plateau
        numbers = ["", "", "", ""]
        if first is not None and plateau is not None:
            numbers = [f"{value:.2e}" for value in (first.mean, plateau.mean, plateau.low, plateau.high)]
        reached = f"{sum(bool(row.reached) for row in each.runs)} of {len(each.runs)}" if each.runs else ""
        rows.append([each.cell.task, str(each.cell.train_to), str(len(each.runs)), reached, *numbers])
    return table_of(
        columns=("task", "N", "runs", "at the target loss", "training", "longest test", "lowest", "highest"),
        rows=rows,
        spare=("highest", "lowest", "runs", "at the target loss", "training"),
    )


def threshold_table(report: LossReport) -> Table:
    """A line for each task and bound."""
    rows = []
    for each in report.thresholds:
        seeds = ", ".join("–" if value is None else f"{value:.1f}" for value in each.by_seed.values())
        first = [each.task, "–" if each.length is None else str(each.length), seeds]
        for bound in each.bounds or (None,):
            rows.append([*first, "" if bound is None else f"{bound.name}: {bound.value}"])
            first = ["", "", ""]
    return table_of(
        columns=("task", "least N", "by seed", "bound, constants 1"), rows=rows, spare=("by seed",)
    )


def law_lines(report: LossReport, law: str) -> list[str]:
    """What the least N follows, and where some run never reached the loss."""
    lines = [f"least N for a loss of {report.loss:g}; the paper: {law}"]
    for each in report.laws:
        lines.append(each.words)
        missing, below = (", ".join(f"{v:g}" for v in values) for values in (each.missing, each.below))
        if missing:
            lines.append(f"  some run did not reach the loss at {each.parameter} = {missing}")
        if below:
            lines.append(f"  the smallest N was enough for some run at {each.parameter} = {below}: left out")
    return lines
