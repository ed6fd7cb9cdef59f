"""From a results directory to what the report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.comparison.agreement import Budget, Observation, judge
from longreach.comparison.places import Place
from longreach.config.cell_label import CellLabel
from longreach.config.task_name import TaskName
from longreach.report import runs_view as measured
from longreach.report.forecast_view import BENCHMARK, Known, further_verdicts, known_of
from longreach.report.outside import Outside
from longreach.report.overview import RULE, provenance, sentence, without_place
from longreach.report.text import slugs
from longreach.report.train_command import command, train_command
from longreach.report.view import CellView, CurveView, Judgement, ReportView, TaskView
from longreach.results.atomic import ResultError
from longreach.results.cells import Cell, cells
from longreach.results.files import read_result
from longreach.results.index import Row, read_index
from longreach.results.schema import Result, setting

ALGORITHMIC, LANGUAGES, OWN = "Algorithmic tasks", "Formal languages", "Further tasks"
MOST_TASKS = 100  # beside those of the benchmark: each takes up to a second
MOST_CELLS = 12  # of a task
_BESIDE: tuple[Judgement, str] = ("not counted", "another configuration of more runs stands for it")
_IN_THE_LINE = ("encoding", "penalty", "layers", "heads", "width", "lr", "max_steps")


@dataclass(frozen=True)
class _Read:
    """The results directory, as it was found."""

    rows: list[Row]
    cells: list[Cell]
    unfinished: tuple[str, ...]


def report_view(runs: Path | None, title: str) -> ReportView:
    """All that the report shows of a results directory; without one, the forecasts."""
    read = _Read([], [], ()) if runs is None else _read(runs)
    names, further = _names(read.cells)
    links = slugs(names)
    alphabets = _alphabets(read.cells)
    with Outside() as outside:
        known = {
            name: known_of(name, None, links[name])
            if name in BENCHMARK
            else outside.known(name, alphabets.get(name), links[name])
            for name in names
        }
    by_task: dict[str, list[Cell]] = {name: [] for name in names}
    for cell in read.cells:
        if cell.task in by_task:
            by_task[cell.task].append(cell)
    chosen = _chosen([cell for own in by_task.values() for cell in own])
    judgements = _judged(chosen, known)
    seen: dict[str, Result] = {}
    tasks = tuple(
        _task_view(
            name, by_task[name],
            slug=links[name], known=known[name], chosen=chosen, judgements=judgements,
            results=_Results(runs, seen), alphabet=alphabets.get(name),
        )
        for name in _ordered(names, known)
    )  # fmt: skip
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
        further=further,
        others=len(whole) - sum(len(cell.rows) for cell in read.cells),
        damaged=tuple(
            (row.key, without_place(row.error or "", runs)) for row in read.rows if row.status == "damaged"
        ),
        unfinished=read.unfinished,
        provenance=provenance(runs, whole, seen),
    )


def _read(runs: Path) -> _Read:
    with read_index(runs) as index:
        rows, unfinished = index.rows(), index.unfinished
    return _Read(rows, cells(rows), unfinished)


@dataclass(frozen=True)
class _Results:
    """The results whose evaluations are drawn, read when they are asked for."""

    runs: Path | None
    seen: dict[str, Result]

    def curves(self, cell: Cell) -> tuple[CurveView, ...]:
        """Of the cell's runs, or of some of them."""
        training = measured.training_range(cell)
        rows = measured.some(cell.rows, measured.MOST_CURVES)
        dotted = len(rows) <= measured.DOTTED_CURVES
        most = measured.MOST_EVALUATIONS if dotted else measured.FEW_EVALUATIONS
        found = [measured.curve_view(result, training, most) for result in map(self._read, rows) if result]
        return tuple(curve for curve in found if curve is not None)

    def _read(self, row: Row) -> Result | None:
        assert self.runs is not None
        try:
            self.seen[row.key] = read_result(self.runs, row.key)
        except ResultError:  # taken away since it was listed; its curve is missing
            return None
        return self.seen[row.key]


def _names(found: Sequence[Cell]) -> tuple[list[str], int]:
    """The tasks of the benchmark and those that have most runs, and how many are left out."""
    runs: Counter[str] = Counter()
    for cell in found:
        runs[cell.task] += len(cell.rows)
    own = [name for name, _ in runs.most_common() if name not in BENCHMARK]
    kept = set(own[:MOST_TASKS])
    others = [name for name in dict.fromkeys(cell.task for cell in found) if name in kept]
    return [*BENCHMARK, *others], len(own) - len(others)


def _alphabets(found: Iterable[Cell]) -> dict[str, tuple[str, ...]]:
    """The alphabets with which tasks were run, if with any."""
    alphabets: dict[str, tuple[str, ...]] = {}
    for cell in found:
        letters = setting(cell.config, "alphabet")
        if isinstance(letters, list) and all(isinstance(letter, str) for letter in letters):
            alphabets.setdefault(cell.task, tuple(letters))
    return alphabets


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
        if known[task].level is None or budget is None:
            why = "there is no forecast for the task" if budget else "its configuration says too little"
            found[task, column] = ("not counted", why)
            continue
        place = Place(task, cell.encoding, CellLabel.read(column).penalty)
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
    if name not in BENCHMARK:
        return OWN
    return LANGUAGES if known.kind == "language" else ALGORITHMIC


def _task_view(
    name: str,
    own: Sequence[Cell],
    *,
    slug: str,
    known: Known,
    chosen: Mapping[tuple[str, str], Cell],
    judgements: Mapping[tuple[str, str], tuple[Judgement, str]],
    results: _Results,
    alphabet: tuple[str, ...] | None,
) -> TaskView:
    common = measured.shared(cell.config for cell in own)
    mine = {id(cell) for (task, _), cell in chosen.items() if task == name}
    rest = sorted((cell for cell in own if id(cell) not in mine), key=measured.weight, reverse=True)
    shown = mine | {id(cell) for cell in rest[: max(0, MOST_CELLS - len(mine))]}
    views = []
    for cell in (cell for cell in own if id(cell) in shown):
        column = measured.column_of(cell)
        is_chosen = chosen[name, column] is cell
        judgement = judgements[name, column] if is_chosen else _BESIDE
        views.append((is_chosen, _cell_view(cell, column, judgement, common, results)))
    views.sort(key=lambda pair: (_column_order(pair[1].encoding), not pair[0]))
    columns = dict.fromkeys(view.encoding for _, view in views)
    return TaskView(
        name=TaskName(name).short,
        slug=slug,
        about=known.about or "",
        kind=_kind(name, known),
        verdicts=(*known.verdicts, *further_verdicts(name, columns, known)),
        cells=tuple(view for _, view in views),
        chosen=tuple(view for is_chosen, view in views if is_chosen),
        further=len(own) - len(views),
        listing=command("longreach", "results", "list", f"--task={name}", "--all"),
        forecasting=_command("forecast", name, alphabet, "--json"),
        training=_command("train", name, alphabet, "--seeds", "3"),
        common=tuple((key, value) for key, value in common.items() if key != "task"),
        automaton=known.automaton,
        automaton_note=known.automaton_note,
        attention=known.attention,
        level=known.level,
        note=known.note,
    )


def _command(verb: str, name: str, alphabet: tuple[str, ...] | None, *rest: str) -> str | None:
    if alphabet is None:
        return command("longreach", verb, name, *rest)
    if any(len(letter) != 1 for letter in alphabet):
        return None
    return command("longreach", verb, name, "--alphabet", "".join(alphabet), *rest)


def _column_order(column: str) -> tuple[int, str]:
    return ({"nope": 0, "ape": 1}.get(column, 2), column)


def _cell_view(
    cell: Cell,
    column: str,
    judgement: tuple[Judgement, str],
    common: Mapping[str, str],
    results: _Results,
) -> CellView:
    own = measured.flat(cell.config)
    return CellView(
        encoding=column,
        model=measured.model_line(cell.config),
        ranges=cell.ranges,
        points=measured.points(cell),
        number=len(cell.rows),
        runs=tuple(
            measured.run_view(row, cell.ranges) for row in measured.some(cell.rows, measured.MOST_RUNS)
        ),
        curves=results.curves(cell),
        settings=tuple(
            (name, value) for name, value in own.items() if name not in common and name not in _IN_THE_LINE
        ),
        successes=len(cell.successful),
        learned=cell.learned,
        judgement=judgement[0],
        why=judgement[1],
        command=train_command(cell.config, [row.seed for row in cell.rows]),
    )
