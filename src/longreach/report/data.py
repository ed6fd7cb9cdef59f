"""From a results directory to what the report shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.errors import Argument, InputError
from longreach.report import measured
from longreach.report.command import train_command
from longreach.report.forecasts import BENCHMARK, Known, further_verdicts, known_of
from longreach.report.summary import RULE, provenance, sentence, without_place
from longreach.report.text import slugs
from longreach.report.view import CellView, Judgement, ReportView, TaskView
from longreach.results.atomic import ResultError
from longreach.results.cells import Cell, cells
from longreach.results.files import read_result
from longreach.results.index import Row, open_index
from longreach.results.schema import Result, setting
from longreach.studies.agreement import Budget, Observation, judge, level
from longreach.studies.places import Place
from longreach.tasks.program import PREFIX, is_text, short_name

ALGORITHMIC, LANGUAGES, OWN = "Algorithmic tasks", "Formal languages", "Further tasks"
MOST_EXPRESSION = 200  # characters: a report must not take minutes because of one file
MOST_PROGRAM = 4_000
MOST_DEPTH = 40
_BESIDE: tuple[Judgement, str] = ("not counted", "another configuration of more runs stands for it")
_IN_THE_LINE = ("encoding", "penalty", "layers", "heads", "width", "lr", "max_steps")


@dataclass(frozen=True)
class _Read:
    """The results directory, as it was found."""

    rows: list[Row]
    results: dict[str, Result]
    cells: list[Cell]
    unfinished: tuple[str, ...]


def report_view(runs: Path | None, title: str) -> ReportView:
    """All that the report shows of a results directory; without one, the forecasts."""
    read = _Read([], {}, [], ()) if runs is None else _read(runs)
    names = list(dict.fromkeys([*BENCHMARK, *(cell.task for cell in read.cells)]))
    links = slugs(names)
    known = {name: _known(name, _alphabet(name, read.cells), links[name]) for name in names}
    chosen = _chosen(read.cells)
    judgements = _judged(chosen, known)
    tasks = tuple(
        _task_view(name, links[name], known[name], read, chosen, judgements)
        for name in _ordered(names, known)
    )
    columns = {"nope", "ape", *(column for _, column in chosen)}
    states = [cell.judgement for task in tasks for cell in task.chosen]
    whole = [row for row in read.rows if row.status != "damaged"]
    return ReportView(
        title=title,
        sentence=sentence(read.cells, len(tasks)),
        tasks=tasks,
        encodings=tuple(sorted(columns, key=_column_order)),
        cells=len(read.cells),
        runs=sum(len(cell.rows) for cell in read.cells),
        successes=sum(len(cell.successful) for cell in read.cells),
        failed=sum(row.status == "failed" for cell in read.cells for row in cell.rows),
        agreeing=states.count("agrees"),
        counted=states.count("agrees") + states.count("disagrees"),
        rule=RULE,
        others=len(whole) - sum(len(cell.rows) for cell in read.cells),
        damaged=tuple(
            (row.key, without_place(row.error or "", runs)) for row in read.rows if row.status == "damaged"
        ),
        unfinished=read.unfinished,
        provenance=provenance(runs, whole, read.results),
    )


def _read(runs: Path) -> _Read:
    with open_index(runs) as index:
        rows, unfinished = index.rows(), index.unfinished
    results = {}
    for row in rows:
        if row.status != "damaged":
            try:
                results[row.key] = read_result(runs, row.key)
            except ResultError:
                continue  # taken away since it was listed; its curve is missing
    return _Read(rows, results, cells(rows), unfinished)


def _alphabet(name: str, found: Iterable[Cell]) -> tuple[str, ...] | None:
    """The alphabet with which a task was run, if any."""
    for cell in found:
        letters = setting(cell.config, "alphabet") if cell.task == name else None
        if isinstance(letters, list) and all(isinstance(letter, str) for letter in letters):
            return tuple(letters)
    return None


def _known(name: str, alphabet: tuple[str, ...] | None, slug: str) -> Known:
    """The task of a name that comes from a file: nothing is imported and no other file is read for it."""
    try:
        _check_name(name)
        return known_of(name, alphabet, slug)
    except InputError as error:
        message = error.reason if isinstance(error.place, Argument) else error.message
        return Known(task=None, statements={}, note=f"There is no forecast: {message}.")


def _check_name(name: str) -> None:
    depth = re.fullmatch(r"d-(\d+)", name)
    if depth and (len(depth[1]) > 9 or int(depth[1]) > MOST_DEPTH):
        raise InputError(f"brackets nested deeper than {MOST_DEPTH} are left to `longreach forecast`")
    if name.startswith("regex:"):
        if len(name) > MOST_EXPRESSION:
            raise InputError("the expression is too long for a report")
    elif name.startswith(PREFIX) and is_text(name):
        if len(name) > MOST_PROGRAM:
            raise InputError("the program is too long for a report")
    elif not re.fullmatch(r"[a-z0-9-]+", name):
        raise InputError("files and Python objects that a result names are not loaded")


def _level(name: str, known: Known) -> float | None:
    """From which accuracy on a task works; None if that is not known."""
    if known.task is None:
        return None
    try:
        return level(name)
    except InputError:  # an expression whose alphabet cannot be told from it
        return None


def _chosen(found: Sequence[Cell]) -> dict[tuple[str, str], Cell]:
    """One cell per task and column of the matrix."""
    best: dict[tuple[str, str], Cell] = {}
    for cell in found:
        place = cell.task, measured.column_of(cell)
        if place not in best or measured.weight(cell) > measured.weight(best[place]):
            best[place] = cell
    return best


def _judged(
    chosen: Mapping[tuple[str, str], Cell], known: Mapping[str, Known]
) -> dict[tuple[str, str], tuple[Judgement, str]]:
    """What each chosen cell says about the forecast, by the rule of the studies."""
    found: dict[tuple[str, str], tuple[Judgement, str]] = {}
    observed: dict[tuple[str, str], Observation] = {}
    forecasts: dict[Place, Any] = {}
    for (task, column), cell in chosen.items():
        verdict = known[task].answer(cell.encoding)
        budget = _budget(cell.config)
        if _level(task, known[task]) is None or budget is None:
            why = "there is no forecast for the task" if budget else "its configuration says too little"
            found[task, column] = ("not counted", why)
            continue
        place = Place(task, cell.encoding, float(column.partition(" + ")[2] or 0.0))
        last = list(cell.accuracy.values())[-1].mean if len(cell.accuracy) > 1 else None
        observed[task, column] = Observation(place, len(cell.finished), cell.learned, last, budget)
        forecasts[place] = verdict
    judged = judge(list(observed.values()), forecasts)
    for key, each in observed.items():
        one = judged[each.place]
        why = "there is no verdict for this encoding" if one.state == "no forecast" else one.reason
        found[key] = (_state(one.state), why)
    return found


def _state(state: str) -> Judgement:
    states: dict[str, Judgement] = {
        "agrees": "agrees", "disagrees": "disagrees", "undecided": "undecided", "not run": "not measured",
    }  # fmt: skip
    return states.get(state, "not counted")


def _budget(config: Mapping[str, Any]) -> Budget | None:
    values = [setting(config, name) for name in ("max_steps", "batch", "layers", "width")]
    if all(isinstance(value, int) for value in values):
        return Budget(*values)
    return None


def _ordered(names: Sequence[str], known: Mapping[str, Known]) -> list[str]:
    """The benchmark in the papers' order by kind, then what else was run."""
    order = [ALGORITHMIC, LANGUAGES, OWN]
    return sorted(names, key=lambda name: order.index(_kind(name, known[name])))


def _kind(name: str, known: Known) -> str:
    if name not in BENCHMARK or known.task is None:
        return OWN
    return LANGUAGES if known.task.kind == "language" else ALGORITHMIC


def _task_view(
    name: str,
    slug: str,
    known: Known,
    read: _Read,
    chosen: Mapping[tuple[str, str], Cell],
    judgements: Mapping[tuple[str, str], tuple[Judgement, str]],
) -> TaskView:
    own = [cell for cell in read.cells if cell.task == name]
    common = measured.shared(cell.config for cell in own)
    views = []
    for cell in own:
        column = measured.column_of(cell)
        is_chosen = chosen[name, column] is cell
        judgement = judgements[name, column] if is_chosen else _BESIDE
        views.append((is_chosen, _cell_view(cell, column, judgement, common, read.results)))
    views.sort(key=lambda pair: (_column_order(pair[1].encoding), not pair[0]))
    columns = dict.fromkeys(view.encoding for _, view in views)
    return TaskView(
        name=short_name(name),
        slug=slug,
        about="" if known.task is None else known.task.about,
        kind=_kind(name, known),
        verdicts=(*known.verdicts, *further_verdicts(name, columns, known)),
        cells=tuple(view for _, view in views),
        chosen=tuple(view for is_chosen, view in views if is_chosen),
        common=tuple((key, value) for key, value in common.items() if key != "task"),
        automaton=known.automaton,
        automaton_note=known.automaton_note,
        attention=known.attention,
        level=_level(name, known),
        note=known.note,
    )


def _column_order(column: str) -> tuple[int, str]:
    return ({"nope": 0, "ape": 1}.get(column, 2), column)


def _cell_view(
    cell: Cell,
    column: str,
    judgement: tuple[Judgement, str],
    common: Mapping[str, str],
    results: Mapping[str, Result],
) -> CellView:
    training = measured.training_range(cell)
    found = [measured.curve_view(results[row.key], training) for row in cell.rows if row.key in results]
    own = measured.flat(cell.config)
    return CellView(
        encoding=column,
        model=measured.model_line(cell.config),
        ranges=cell.ranges,
        points=measured.points(cell),
        runs=tuple(measured.run_view(row, cell.ranges) for row in cell.rows),
        curves=tuple(curve for curve in found if curve is not None),
        settings=tuple(
            (name, value) for name, value in own.items() if name not in common and name not in _IN_THE_LINE
        ),
        successes=len(cell.successful),
        learned=cell.learned,
        judgement=judgement[0],
        why=judgement[1],
        command=train_command(cell.config, [row.seed for row in cell.rows]),
    )
