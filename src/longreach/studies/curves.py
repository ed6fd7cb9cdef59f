"""Studies of curves: accuracy against length, a line for each configuration, and claims about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.figures import LOOKS, accuracy_axis
from longreach.runs.cells import Spread, without_seed
from longreach.runs.index import Row
from longreach.studies.drawing import titled
from longreach.studies.study import (
    Claim,
    Study,
    StudyOptions,
    StudyReport,
    rows_by_cell,
    table_of,
    table_text,
)
from longreach.tasks.catalog import load_task, self_contained
from longreach.training.result import task_number
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line of a figure: a configuration under several seeds, tested on its own task or on another."""

    panel: str
    name: str
    config: RunConfig
    """With the seed 0."""
    seeds: int
    tested: str | None = None
    """A further task of the configuration; None: its own."""

    def members(self, seeds: int | None = None) -> tuple[RunConfig, ...]:
        """What is trained for it, with the seeds 0, 1, …."""
        return tuple(self.config.with_seed(seed) for seed in range(self.seeds if seeds is None else seeds))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Those tested, in order, where the task that is tested has inputs."""
        task = load_task(self.tested or self.config.task)
        known = np.array(sorted(first for first, last in self.config.test_lengths if first == last))
        return tuple(known[task.has(known)].tolist())

    @property
    def chance(self) -> float:
        """What guessing gets right."""
        return load_task(self.tested or self.config.task).chance

    def accuracy(self, row: Row, length: int) -> float | None:
        """What one run has at a length."""
        name = f"{length}-{length}"
        return (
            row.accuracy.get(name) if self.tested is None else row.other.get(task_number(self.tested, name))
        )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A curve with its finished runs."""

    curve: Curve
    wanted: int
    """Runs that it should have."""
    rows: tuple[Row, ...]

    def spread(self, length: int) -> Spread | None:
        """Mean, lowest and highest over the runs; None without runs."""
        found = [self.curve.accuracy(row, length) for row in self.rows]
        values = [value for value in found if value is not None]
        return Spread.of(values) if values else None

    def mean(self, length: int) -> float | None:
        spread = self.spread(length)
        return None if spread is None else spread.mean

    def in_training(self, row: Row) -> float | None:
        """What a run has on the training range of its own task."""
        return row.accuracy.get(self.curve.config.train_lengths.name)

    def document(self) -> dict[str, Any]:
        curve = self.curve
        spreads = [(length, spread) for length in curve.lengths if (spread := self.spread(length))]
        return {
            "panel": curve.panel,
            "curve": curve.name,
            "task": curve.config.task,
            "tested": curve.tested or curve.config.task,
            "chance": curve.chance,
            "train_lengths": list(curve.config.train_lengths),
            "seeds": self.wanted,
            "points": [
                {
                    "length": length, "mean": spread.mean, "low": spread.low, "high": spread.high,
                    "deviation": spread.deviation, "runs": spread.count,
                }
                for length, spread in spreads
            ],
            "runs": [
                {
                    "key": row.key, "seed": row.seed, "seconds": row.seconds,
                    "training": self.in_training(row),
                    "accuracy": {str(length): curve.accuracy(row, length) for length in curve.lengths},
                }
                for row in self.rows
            ],
            "config": without_seed(curve.config.document()),
        }  # fmt: skip


def curve_study(
    curves: Callable[[Scale], Sequence[Curve]],
    claims: Callable[[Scale, Sequence[Measured]], Sequence[Claim]],
    **about: Any,
) -> Study:
    """A study of curves; what it is called and about goes to `Study` as it is."""

    def members(options: StudyOptions) -> dict[tuple[str, str], tuple[RunConfig, ...]]:
        return {(each.panel, each.name): each.members(options.seeds) for each in curves(options.scale)}

    def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
        lines = curves(options.scale)
        found = rows_by_cell({place: each.members(options.seeds) for place, each in enumerate(lines)}, rows)
        measured = [
            Measured(curve=each, wanted=len(each.members(options.seeds)), rows=found[place])
            for place, each in enumerate(lines)
        ]
        # The smallest models show that everything runs, and nothing else.
        return curve_report(measured, () if options.scale == "smoke" else claims(options.scale, measured))

    return Study(members=members, report=report, options=frozenset({"--seeds"}), **about)


def curve_report(measured: Sequence[Measured], claims: Sequence[Claim] = ()) -> StudyReport:
    """A table for each panel, then the claims; a file has all runs as well."""
    panels: dict[str, list[Measured]] = {}
    for each in measured:
        panels.setdefault(each.curve.panel, []).append(each)
    report = StudyReport(
        document={
            "curves": [each.document() for each in measured],
            "claims": [each.document() for each in claims],
        },
        tables=[_table(panel, curves) for panel, curves in panels.items()],
        claims=claims,
        figure=lambda title: curve_figure(panels, title),
    )
    return replace(report, file=lambda: f"{report.markdown()}\n{table_text(_all_runs(measured))}\n")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _table(panel: str, curves: Sequence[Measured]) -> Table:
    """Mean per cent at each length, and in brackets the lowest and the highest run."""
    lengths = sorted({length for each in curves for length in each.curve.lengths})
    rows = []
    for each in curves:
        trained = [value for row in each.rows if (value := each.in_training(row)) is not None]
        mean = sum(trained) / len(trained) if trained else None
        cells = [_cell(each.spread(length)) for length in lengths]
        rows.append([each.curve.name, f"{len(each.rows)}/{each.wanted}", _percent(mean), *cells])
    columns = ("", "runs", "training", *map(str, lengths))
    return table_of(title=panel, columns=columns, rows=rows, spare=("training", *columns[3:-1]))


def _cell(spread: Spread | None) -> str:
    if spread is None:
        return ""
    if spread.count == 1:
        return _percent(spread.mean)
    return f"{_percent(spread.mean)} ({100 * spread.low:.0f}–{100 * spread.high:.0f})"


def _all_runs(curves: Sequence[Measured]) -> Table:
    rows = [
        [
            each.curve.panel, each.curve.name, str(row.seed), _percent(each.in_training(row)),
            " ".join(
                f"{length}: {_percent(value)}"
                for length in each.curve.lengths
                if (value := each.curve.accuracy(row, length)) is not None
            ),
        ]
        for each in curves
        for row in each.rows
    ]  # fmt: skip
    columns = ("panel", "curve", "seed", "training", "accuracy at length")
    return table_of(title="All runs", columns=columns, rows=rows)


# Claims. Any of the numbers may be missing: then a claim is not measured.


def above(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that the least of some numbers is above the greatest of others, by a margin.

    >>> above("one is above the other", [0.9], [0.5, 0.6], 0.1).holds
    True
    """
    high, low = _known(worse), _known(better)
    if not high or not low:
        return Claim(text=text, holds=None)
    lead = round(min(low) - max(high), 9)
    return Claim(
        text=text, holds=lead >= margin, detail=f"{100 * min(low):.1f} against {100 * max(high):.1f}"
    )


def leads(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that each of some numbers is above its partner, by a margin.

    >>> leads("both are above", [0.9, 0.5], [0.6, 0.3], 0.1).detail
    'the least lead is 20.0 points'
    """
    first, second = _known(better), _known(worse)
    if not first or not second:
        return Claim(text=text, holds=None)
    least = min(high - low for high, low in zip(first, second, strict=True))
    detail = f"the least lead is {100 * least:.1f} points"
    return Claim(text=text, holds=round(least, 9) >= margin, detail=detail)


def at_least(text: str, values: Sequence[float | None], level: float) -> Claim:
    """The claim that all numbers reach a level.

    >>> at_least("all are high", [0.9, None], 0.8).holds is None
    True
    """
    known = _known(values)
    if not known:
        return Claim(text=text, holds=None)
    return Claim(text=text, holds=min(known) >= level, detail=f"least {100 * min(known):.1f}")


def _known(values: Sequence[float | None]) -> list[float]:
    """All of them, or none if one is missing."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


# The figure: mean accuracy by length, with a band from the lowest to the highest run.


MOST_COLUMNS = 4


def curve_figure(panels: Mapping[str, Sequence[Measured]], title: str) -> Figure:
    """All panels under one title, with the same scale of accuracy."""
    columns = min(len(panels), MOST_COLUMNS)
    rows = -(-len(panels) // columns)
    drawn = titled(title, (0.6 + 3.1 * columns, 0.5 + 2.9 * rows), fontsize=9)
    axes = drawn.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axis, (name, curves) in zip(axes, panels.items(), strict=False):
        _panel(axis, name, curves)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis in axes[::columns]:
        axis.set_ylabel("accuracy, %", fontsize=8)
    return drawn


def _panel(axis: Axes, name: str, curves: Sequence[Measured]) -> None:
    axis.set_title(name, fontsize=8)
    axis.set_xlabel("length", fontsize=7)
    axis.tick_params(labelsize=7)
    for each in curves:
        accuracy_axis(axis, chance=each.curve.chance, trained_to=each.curve.config.train_lengths.last)
    for place, each in enumerate(curves):
        colour, marker = LOOKS[place % len(LOOKS)]
        known = [(length, spread) for length in each.curve.lengths if (spread := each.spread(length))]
        if not known:
            continue
        at = [length for length, _ in known]
        axis.fill_between(
            at, [spread.low for _, spread in known], [spread.high for _, spread in known],
            color=colour, alpha=0.2, linewidth=0,
        )  # fmt: skip
        axis.plot(
            at, [spread.mean for _, spread in known],
            color=colour, marker=marker, markersize=3.5, linewidth=1.3, label=each.curve.name,
        )  # fmt: skip
    if axis.get_legend_handles_labels()[1]:
        axis.legend(fontsize=6, frameon=False, loc="best")


# Settings that studies share.


SOURCE = "Golowich et al., arXiv 2502.16792"
PAPER: dict[str, Any] = {
    "layers": 12, "heads": 16, "width": 1024, "lr": 5e-5, "weight_decay": 0.1, "schedule": "linear",
    "warmup": 300, "max_steps": 50_000, "evaluate_every": 1000, "stop_early": False, "tied": False,
}  # fmt: skip
"""Appendix E. GPT-NeoX, the paper's model, has an output matrix of its own."""
SMOKE: dict[str, Any] = {
    "layers": 1, "heads": 1, "width": 8, "lr": 1e-3, "batch": 8, "warmup": 0, "max_steps": 5,
    "evaluate_every": 5, "stop_early": False, "test_size": 4,
}  # fmt: skip

COUPLED: dict[str, Any] = {"encoding": "ape", "position_ids": "coupled", "predict_ids": True}
"""Predictive position coupling: learned positions under the task's ids, of which the next is predicted."""
SHIFTED: dict[str, Any] = {"encoding": "ape", "position_ids": "shift"}
"""Learned positions with a random shift."""
POSE: dict[str, Any] = {"encoding": "rope", "position_ids": "pose"}
"""Rotary positions under PoSE."""


def curve_config(task: str, *settings: dict[str, Any], **given: Any) -> RunConfig:
    """The member of a curve with the seed 0, from settings of which the later ones prevail.

    >>> config = curve_config(
    ...     "sparse-parity:8", PAPER, POSE,
    ...     train_lengths=(20, 50), test_lengths=((100, 100),), max_position=510,
    ... )
    >>> config.width, config.position_ids, config.max_position
    (1024, 'pose', 510)
    """
    fields: dict[str, Any] = {"task": self_contained(task)}
    for each in settings:
        fields |= each
    return RunConfig.read(fields | given)


def lengths_at(*lengths: int) -> tuple[tuple[int, int], ...]:
    """Test ranges of one length each, every one once.

    >>> lengths_at(20, 40, 40)
    ((20, 20), (40, 40))
    """
    return tuple((length, length) for length in dict.fromkeys(lengths))
