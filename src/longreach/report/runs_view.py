"""The runs of a task as the pages show them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longreach.config.cell_label import CellLabel
from longreach.config.length_range import LengthRange, read_name
from longreach.report.text import plural
from longreach.report.view import CurveView, Point, RunView
from longreach.results.cells import Cell, Spread
from longreach.results.index import Row
from longreach.results.schema import Result, setting

_SHAPE = (("layers", "layer"), ("heads", "head"))
MOST_EVALUATIONS = 120  # points of a curve
FEW_EVALUATIONS = 40  # of one among many
MOST_CURVES = 20  # of a cell
SHARP_CURVES = 6  # with more of them each has fewer points
MOST_RUNS = 30  # lines of the run table of a cell
MOST = 10**15


def column_of(cell: Cell) -> str:
    """The column of a cell in the matrix: its encoding, and a penalty if it has one."""
    penalty = setting(cell.config, "penalty")
    return CellLabel(cell.encoding, penalty if _is_number(penalty) else 0.0).text


def _is_number(value: object) -> bool:
    """Whether it can be calculated with; a file may hold integers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST


def model_line(config: Mapping[str, Any]) -> str:
    """The shape of a model and its training in a line.

    >>> model_line({"layers": 1, "width": 16, "lr": 1e-3, "max_steps": 30000})
    '1 layer, width 16, learning rate 0.001, at most 30,000 steps'
    """
    parts = []
    for name, noun in _SHAPE:
        value = setting(config, name)
        if isinstance(value, int) and _is_number(value):
            parts.append(plural(value, noun))
    width, rate, steps = (setting(config, name) for name in ("width", "lr", "max_steps"))
    parts += [f"width {width}"] if _is_number(width) else []
    parts += [f"learning rate {rate:g}"] if _is_number(rate) else []
    parts += [f"at most {plural(steps, 'step')}"] if _is_number(steps) and isinstance(steps, int) else []
    return ", ".join(parts)


def flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Settings by their full names, values as JSON has them, strings without quotes."""
    found: dict[str, str] = {}
    for name, value in config.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return found


def shared(configs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The settings that are the same in all configurations."""
    every = [flat(config) for config in configs]
    first = every[0] if every else {}
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in every)}


def points(cell: Cell) -> tuple[Point, ...]:
    """The accuracies per range, of the runs that count."""
    offsets = cell.accuracy_random_offset
    return tuple(
        Point(label=name, mean=s.mean, low=s.low, high=s.high, offset=_mean(offsets.get(name)))
        for name, s in cell.accuracy.items()
    )


def _mean(spread: Spread | None) -> float | None:
    return None if spread is None else spread.mean


def run_view(row: Row, ranges: Sequence[str]) -> RunView:
    """A line of the run table."""
    return RunView(
        key=row.key,
        seed="–" if row.seed is None else str(row.seed),
        status="failed" if row.status == "failed" else "done",
        steps=row.steps,
        seconds=row.seconds,
        reached=row.reached,
        accuracy=tuple(_known(row.accuracy.get(name)) for name in ranges),
        offset=tuple(_known(row.accuracy_random_offset.get(name)) for name in ranges),
        error=row.error,
    )


def some(rows: Sequence[Row], most: int) -> tuple[Row, ...]:
    """So many of the runs at most: those that failed first, then as they come."""
    if len(rows) <= most:
        return tuple(rows)
    failed = [row.key for row in rows if row.status == "failed"][: most // 2]
    kept = {*failed, *[row.key for row in rows if row.status != "failed"][: most - len(failed)]}
    return tuple(row for row in rows if row.key in kept)


def curve_view(result: Result, training: str | None, most: int = MOST_EVALUATIONS) -> CurveView | None:
    """The evaluations of a run; of very many only some, the last one included."""
    rows = result.rows
    if not rows:
        return None
    every = -(-len(rows) // most)
    rows = tuple(row for number, row in enumerate(reversed(rows)) if number % every == 0)[::-1]
    return CurveView(
        seed="–" if result.seed is None else str(result.seed),
        steps=tuple(row.step for row in rows),
        loss=tuple(_known(row.loss) for row in rows),
        accuracy=tuple(_known(row.accuracy.get(training or "")) for row in rows),
    )


def training_range(cell: Cell) -> str | None:
    """The name of the range that was trained on: as configured, else the one with the least lengths."""
    lengths = setting(cell.config, "train_lengths")
    if isinstance(lengths, list) and len(lengths) == 2:
        return LengthRange(*lengths).name
    return cell.ranges[0] if cell.ranges else None


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def weight(cell: Cell) -> tuple[int, bool, int, str]:
    """Which cell of several stands for an encoding.

    The one of most runs, then one that learned, then the one trained on the longest inputs, then the latest.
    """
    trained = read_name(training_range(cell) or "")
    last = 0 if trained is None else trained.last
    return len(cell.rows), cell.learned, last, max(row.started or "" for row in cell.rows)
