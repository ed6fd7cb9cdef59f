"""The runs of a task as the pages show them, and the cells that stand for it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from longreach import __version__
from longreach.answers.agreement import BUDGET, Place, judge
from longreach.answers.judge import judge_runs
from longreach.config.model import CellLabel
from longreach.report.forecast_view import Known
from longreach.report.view import CellView, CurveView, Group, Judgement, Point, RunView
from longreach.runs.cells import ByAccuracy, Cell, Spread, Tally
from longreach.runs.index import Row
from longreach.tasks.lengths import read_name
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Result, setting
from longreach.wording import counted, duration

# The runs of a task as the pages show them.


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
    return replace(CellLabel.read(cell.encoding), penalty=float(penalty) if _is_number(penalty) else 0.0).text


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
            parts.append(counted(value, noun))
    width, rate, steps = (setting(config, name) for name in ("width", "lr", "max_steps"))
    parts += [f"width {width}"] if _is_number(width) else []
    parts += [f"learning rate {rate:g}"] if _is_number(rate) else []
    parts += [f"at most {counted(steps, 'step')}"] if _is_number(steps) and isinstance(steps, int) else []
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
    """The name of the range that was trained on."""
    return None if cell.trained is None else cell.trained.name


def _known(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def weight(cell: Cell) -> tuple[int, bool, int, str]:
    """Which cell of several stands for an encoding.

    The one of most runs, then one that learned, then the one trained on the longest inputs, then the latest.
    """
    trained = read_name(training_range(cell) or "")
    last = 0 if trained is None else trained.last
    return len(cell.rows), cell.learned, last, max(row.started or "" for row in cell.rows)


# Which cells stand for a task and an encoding, and what they say about the forecast.


Chosen: TypeAlias = Mapping[tuple[str, str], Cell]
"""By task and column of the matrix."""


def chosen_cells(found: Sequence[Cell]) -> dict[tuple[str, str], Cell]:
    """One cell per task and column of the matrix."""
    best: dict[tuple[str, str], Cell] = {}
    for cell in found:
        place = cell.task, column_of(cell)
        if place not in best or weight(cell) > weight(best[place]):
            best[place] = cell
    return best


@dataclass(frozen=True)
class Judged:
    """What a cell says about the forecast."""

    state: Judgement
    """By the mean over its runs."""
    why: str
    by_runs: Judgement = "not counted"
    """By the share of its runs that work."""


def judgements(chosen: Chosen, known: Mapping[str, Known]) -> dict[tuple[str, str], Judged]:
    """What each chosen cell says about the forecast, by the rules of the studies."""
    found: dict[tuple[str, str], Judged] = {}
    places: dict[tuple[str, str], Place] = {}
    forecasts: dict[Place, Any] = {}
    for (task, column), cell in chosen.items():
        says_enough = all(isinstance(setting(cell.config, name), int) for name in BUDGET)
        if not known[task].comparable or not says_enough:
            why = "there is no forecast for the task" if says_enough else "its configuration says too little"
            found[task, column] = Judged("not counted", why)
            continue
        place = Place(task, cell.encoding, CellLabel.read(column).penalty)
        places[task, column] = place
        forecasts[place] = known[task].answer(cell.encoding)
    own = {place: chosen[key] for key, place in places.items()}
    by_mean, by_runs = judge(own, forecasts), judge(own, forecasts, by_runs=True)
    for key, place in places.items():
        one = by_mean[place]
        why = "there is no verdict for this encoding" if one.state == "no forecast" else one.reason
        found[key] = Judged(_state(one.state), why, _state(by_runs[place].state))
    return found


def _state(state: str) -> Judgement:
    states: dict[str, Judgement] = {
        "agrees": "agrees", "disagrees": "disagrees", "undecided": "undecided", "not run": "not measured",
    }  # fmt: skip
    return states.get(state, "not counted")


def tally_of(cell: Cell, chance: float | None) -> Tally | None:
    """The runs of a cell counted on its longest range; None if it was not tested, or chance is unknown."""
    longest = read_name(cell.ranges[-1]) if len(cell.ranges) > 1 else None
    if longest is None or chance is None or longest == cell.trained:
        return None
    return cell.count(ByAccuracy(chance), longest)


def reasons(answer: str | None, tally: Tally | None) -> tuple[str, ...]:
    """Why runs may do what was not expected of them, each with what to try next."""
    if answer not in ("yes", "no") or tally is None:
        return ()
    return judge_runs(Answer(answer), tally).reasons


def by_training_range(shown: Iterable[tuple[Cell, CellView]]) -> tuple[Group, ...]:
    """The cells by the lengths that they were trained on; of several under one encoding that of most runs."""
    best: dict[tuple[str | None, str], tuple[Cell, CellView]] = {}
    for cell, view in shown:
        place = view.trained, view.encoding
        if place not in best or weight(cell) > weight(best[place][0]):
            best[place] = cell, view
    trained = sorted({trained for trained, _ in best}, key=_length_order)
    return tuple(
        Group(trained=name, cells=tuple(view for (own, _), (_, view) in best.items() if own == name))
        for name in trained
    )


def trained_order(cell: CellView) -> tuple[int, int]:
    """For sorting cells by the lengths that they were trained on."""
    return _length_order(cell.trained)


def _length_order(name: str | None) -> tuple[int, int]:
    lengths = read_name(name or "")
    return (-1, -1) if lengths is None else (lengths.last, lengths.first)


# What the report says of a results directory as a whole.


RULE = (
    "A cell counts as working when its mean accuracy on the longest range is at least half way from chance "
    "to 100 %; the mean is over the runs that learned the training range where there are any. A run works by "
    "the same level. A forecast agrees when yes meets a cell that works, or no one that fails. Not counted "
    "are cells with fewer than three finished runs, and failures where nothing shows that the training was "
    "long enough."
)
PUBLISHED_LENGTH = 50


def sentence(found: Sequence[Cell], tasks: int) -> str:
    """What was measured, and at which scale."""
    if not found:
        return (
            f"No runs yet: the theory's forecasts for {counted(tasks, 'task')}, each with its certificate, "
            "beside the published accuracies."
        )
    runs = counted(sum(len(cell.rows) for cell in found), "run")
    text = f"{runs} of small transformers on {counted(len({cell.task for cell in found}), 'task')}"
    trained = {_end(name) for cell in found if (name := training_range(cell)) is not None} - {0}
    tested = max((_end(name) for cell in found for name in cell.ranges), default=0)
    if trained and tested:
        text += f", trained up to a length of {_span(trained)} and tested up to one of {tested}"
    steps = [value for cell in found if isinstance(value := setting(cell.config, "max_steps"), int)]
    text += f", with at most {counted(max(steps), 'step')}" if steps else ""
    seeds = {len(cell.rows) for cell in found}
    text += f" and {_span(seeds)} seed{'' if seeds == {1} else 's'} each."
    if trained and max(trained) < PUBLISHED_LENGTH:
        text += f" A reduced scale: the published runs train on lengths up to {PUBLISHED_LENGTH}."
    return text


def _end(name: str) -> int:
    lengths = read_name(name)
    return 0 if lengths is None else lengths.last


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def without_place(message: str, runs: Path | None) -> str:
    """A message without the path to the results directory, which is nobody else's business."""
    for place in () if runs is None else (str(runs), str(runs.resolve())):
        message = message.replace(f"{place}/", "").replace(f"{place}\\", "")
    return message


def provenance(
    runs: Path | None, rows: Sequence[Row], results: Mapping[str, Result]
) -> tuple[tuple[str, str], ...]:
    """Which code made the runs, with what, on what, when."""
    facts = [("results", "none" if runs is None else runs.resolve().name)]
    facts.append(("report made by", f"longreach {__version__}"))
    codes = sorted({row.code for row in rows if row.code})
    devices = sorted({row.device for row in rows if row.device})
    days = sorted({row.started[:10] for row in rows if row.started})
    packages: dict[str, set[str]] = {}
    for result in results.values():
        for name, version in result.packages.items():
            packages.setdefault(name, set()).add(version)
    versions = [f"{name} {' / '.join(sorted(found))}" for name, found in sorted(packages.items())]
    if rows:
        facts += [
            ("runs made by", f"longreach {', '.join(codes)}" if codes else ""),
            ("with", ", ".join(versions)),
            ("device", ", ".join(devices)),
            ("runs of", days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""),
            ("time of all runs", duration(sum(row.seconds or 0.0 for row in rows))),
        ]
    return tuple((name, value) for name, value in facts if value)
