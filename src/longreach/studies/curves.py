"""Studies of curves of accuracy against length: members, claims, report and figure.

highest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.figures import LOOKS, accuracy_axis, figure_bytes
from longreach.runs.cells import Spread, without_seed
from longreach.runs.train import EngineMaker, Watcher, longest_first, train_pending
from longreach.tasks.catalog import load_task, self_contained
from longreach.training.result import Result, finished, task_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Curves of accuracy against length: what is trained for one, what its runs came to, and claims.


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

    def accuracy(self, result: Result, length: int) -> float | None:
        """What one run has at a length."""
        assert result.final is not None, result.key
        name = f"{length}-{length}"
        if self.tested is None:
            return result.final.accuracy.get(name)
        return result.final.other.get(task_number(self.tested, name))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A curve with its runs."""

    curve: Curve
    members: tuple[RunConfig, ...]
    results: tuple[Result, ...]
    """Those that are done."""

    def runs(self, length: int) -> list[float]:
        """The accuracy of every run that is done."""
        found = (self.curve.accuracy(result, length) for result in self.results)
        return [value for value in found if value is not None]

    def spread(self, length: int) -> Spread | None:
        """Mean, lowest and highest over the runs; None without runs."""
        values = self.runs(length)
        return Spread.of(values) if values else None

    def mean(self, length: int) -> float | None:
        """Over the runs."""
        spread = self.spread(length)
        return None if spread is None else spread.mean

    def in_training(self, result: Result) -> float | None:
        """What a run has on the training range of its own task."""
        assert result.final is not None, result.key
        return result.final.accuracy.get(self.curve.config.train_lengths.name)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that the paper says, and what the runs say of it."""

    text: str
    holds: bool | None
    """None: not measured."""
    detail: str = ""


def above(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that the least of some numbers is above the greatest of others, by a margin.

    >>> above("one is above the other", [0.9], [0.5, 0.6], 0.1).holds
    True
    """
    if not better or not worse or None in (*better, *worse):
        return Claim(text=text, holds=None)
    low = min(value for value in better if value is not None)
    high = max(value for value in worse if value is not None)
    return Claim(
        text=text, holds=round(low - high, 9) >= margin, detail=f"{100 * low:.1f} against {100 * high:.1f}"
    )


def leads(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that each of some numbers is above its partner, by a margin.

    >>> leads("both are above", [0.9, 0.5], [0.6, 0.3], 0.1).detail
    'the least lead is 20.0 points'
    """
    if not better or None in (*better, *worse):
        return Claim(text=text, holds=None)
    pairs = zip(better, worse, strict=True)
    least = min(high - low for high, low in pairs if high is not None and low is not None)
    detail = f"the least lead is {100 * least:.1f} points"
    return Claim(text=text, holds=round(least, 9) >= margin, detail=detail)


def at_least(text: str, values: Sequence[float | None], level: float) -> Claim:
    """The claim that all numbers reach a level.

    >>> at_least("all are high", [0.9, None], 0.8).holds is None
    True
    """
    if not values or None in values:
        return Claim(text=text, holds=None)
    low = min(value for value in values if value is not None)
    return Claim(text=text, holds=low >= level, detail=f"least {100 * low:.1f}")


# What curves came to, for people and as JSON: all runs, their means, and which claims hold.


HOLDS = {True: "holds", False: "does not hold", None: "not measured"}


@dataclass(frozen=True, kw_only=True)
class CurveReport:
    """All curves of a study."""

    study: str
    curves: tuple[Measured, ...]
    claims: tuple[Claim, ...]
    failed: tuple[Result, ...] = ()

    @property
    def panels(self) -> dict[str, list[Measured]]:
        """The curves of each panel, in order."""
        found: dict[str, list[Measured]] = {}
        for each in self.curves:
            found.setdefault(each.curve.panel, []).append(each)
        return found

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "curves": [_document(each) for each in self.curves],
            "claims": [
                {"claim": each.text, "holds": each.holds, "detail": each.detail} for each in self.claims
            ],
        }

    def text(self) -> str:
        """A table for each panel, then the claims."""
        parts = [f"{panel}\n\n{_table(curves)}" for panel, curves in self.panels.items()]
        return "\n".join([*parts, *(_line(each) for each in self.claims), ""])

    def content(self, suffix: str, title: str) -> bytes:
        """The figure, or with `.md` the tables, those of all runs included."""
        if suffix == ".md":
            return f"{self.text()}\nAll runs\n\n{_all_runs(self.curves)}".encode()

        return figure_bytes(lambda: curve_figure(self.panels, title), suffix, salt=self.study)


def _document(each: Measured) -> dict[str, Any]:
    curve = each.curve
    points = []
    for length in curve.lengths:
        spread = each.spread(length)
        if spread is not None:
            points.append(
                {
                    "length": length, "mean": spread.mean, "low": spread.low, "high": spread.high,
                    "deviation": spread.deviation, "runs": spread.count,
                }
            )  # fmt: skip
    return {
        "panel": curve.panel,
        "curve": curve.name,
        "task": curve.config.task,
        "tested": curve.tested or curve.config.task,
        "chance": curve.chance,
        "train_lengths": list(curve.config.train_lengths),
        "seeds": len(each.members),
        "points": points,
        "runs": [
            {
                "key": result.key, "seed": result.seed, "seconds": result.timings.seconds,
                "training": each.in_training(result),
                "accuracy": {str(length): curve.accuracy(result, length) for length in curve.lengths},
            }
            for result in each.results
        ],
        "config": without_seed(curve.config.document()),
    }  # fmt: skip


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _table(curves: list[Measured]) -> str:
    """Mean per cent at each length, and in brackets the lowest and the highest run."""
    lengths = sorted({length for each in curves for length in each.curve.lengths})
    head = ["", "runs", "training", *map(str, lengths)]
    lines = []
    for each in curves:
        trained = [value for result in each.results if (value := each.in_training(result)) is not None]
        mean = sum(trained) / len(trained) if trained else None
        cells = [_cell(each, length) for length in lengths]
        lines.append([each.curve.name, f"{len(each.results)}/{len(each.members)}", _percent(mean), *cells])
    return _markdown(head, lines)


def _cell(each: Measured, length: int) -> str:
    spread = each.spread(length)
    if spread is None:
        return ""
    if spread.count == 1:
        return _percent(spread.mean)
    return f"{_percent(spread.mean)} ({100 * spread.low:.0f}–{100 * spread.high:.0f})"


def _markdown(head: list[str], lines: list[list[str]]) -> str:
    widths = [max(len(line[place]) for line in (head, *lines)) for place in range(len(head))]
    rows = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (head, *lines)
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:], ""])


def _all_runs(curves: tuple[Measured, ...]) -> str:
    lines = [
        [
            each.curve.panel, each.curve.name, str(result.seed), _percent(each.in_training(result)),
            " ".join(
                f"{length}: {_percent(value)}"
                for length in each.curve.lengths
                if (value := each.curve.accuracy(result, length)) is not None
            ),
        ]
        for each in curves
        for result in each.results
    ]  # fmt: skip
    return _markdown(["panel", "curve", "seed", "training", "accuracy at length"], lines)


def _line(claim: Claim) -> str:
    return f"{HOLDS[claim.holds]}: {claim.text}" + (f" ({claim.detail})" if claim.detail else "")


# Studies of curves, run: train what is missing, collect all runs, and look at the claims.


Curves = Callable[[Scale], Sequence[Curve]]
Claims = Callable[[Scale, Sequence[Measured]], Sequence[Claim]]


@dataclass(frozen=True)
class CurveCells:
    """How a study of curves is run."""

    name: str
    curves: Curves
    claims: Claims

    def members(self, scale: Scale, seeds: int | None = None) -> list[RunConfig]:
        """What is trained, the most work first; curves that differ in the test only share their members."""
        return longest_first(member for curve in self.curves(scale) for member in curve.members(seeds))

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> CurveReport:
        """Train what is missing, unless only what is there counts, and look at all curves."""
        failed: tuple[Result, ...] = ()
        if train:
            found = train_pending(self.members(scale, seeds), runs, engine=engine, progress=progress)
            failed = tuple(result for result in found.values() if result.status == "failed")
        measured = tuple(self._measured(scale, seeds, Path(runs)))
        # The smallest models show that everything runs, and nothing else.
        claims = () if scale == "smoke" else tuple(self.claims(scale, measured))
        return CurveReport(study=self.name, curves=measured, claims=claims, failed=failed)

    def _measured(self, scale: Scale, seeds: int | None, runs: Path) -> Iterator[Measured]:
        known: dict[str, Result | None] = {}
        for curve in self.curves(scale):
            members = curve.members(seeds)
            for member in members:
                if member.key not in known:
                    known[member.key] = finished(runs / member.key)
            there = [known[member.key] for member in members]
            done = tuple(result for result in there if result is not None and result.status == "done")
            yield Measured(curve=curve, members=members, results=done)


# Curves as a figure: a panel each, mean accuracy against length, with a band from the lowest run to the


MOST_COLUMNS = 4


def curve_figure(panels: Mapping[str, Sequence[Measured]], title: str) -> Figure:
    """All panels under one title, with the same scale of accuracy."""
    from matplotlib.figure import Figure

    columns = min(len(panels), MOST_COLUMNS)
    rows = -(-len(panels) // columns)
    drawn = Figure(figsize=(0.6 + 3.1 * columns, 0.5 + 2.9 * rows), layout="constrained")
    drawn.suptitle(title, fontsize=9)
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


# What the studies of sparsity and coupling share: the published setting, the smallest one, the encodings.


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
