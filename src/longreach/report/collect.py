"""From a results directory to what the report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.errors import InputError
from longreach.files import ResultError
from longreach.report import runs_view as measured
from longreach.report.forecast_view import BENCHMARK, Known, further_verdicts, known_of
from longreach.report.outside import Outside, without
from longreach.report.runs_view import (
    RULE,
    Chosen,
    Judged,
    by_training_range,
    chosen_cells,
    judgements,
    provenance,
    reasons,
    sentence,
    tally_of,
    trained_order,
    without_place,
)
from longreach.report.view import CellView, CurveView, ReportView, TaskView
from longreach.report.words import command, slugs, task_title, train_command
from longreach.runs.cells import ByAccuracy, Cell, cells
from longreach.runs.index import Row, read_index
from longreach.theory.names import Origin, TaskName
from longreach.training.result import Result, read_result, setting

OWN, ALGORITHMIC, LANGUAGES, FURTHER = "Your tasks", "Algorithmic tasks", "Formal languages", "Further tasks"
MOST_TASKS = 100  # beside those of the benchmark: each takes up to a second
MOST_CELLS = 12  # of a task
_BESIDE = Judged("not counted", "another configuration of more runs stands for it")
_IN_THE_LINE = (
    "encoding",
    "penalty",
    "layers",
    "heads",
    "width",
    "lr",
    "max_steps",
    "train_lengths",
    "test_lengths",
)


@dataclass(frozen=True)
class _Read:
    """The results directory, as it was found."""

    rows: list[Row]
    cells: list[Cell]
    unfinished: tuple[str, ...]


def report_view(runs: Path | None, title: str, *, load: bool = False) -> ReportView:
    """All that the report shows of a results directory; without one, the forecasts.

    With `load` the caller trusts the results: modules and files that they name as tasks are loaded.
    """
    read = _Read([], [], ()) if runs is None else _read(runs)
    names, further = _names(read.cells)
    links = slugs(names)
    alphabets = _alphabets(read.cells)
    with Outside() as outside:
        known = {
            name: _known(name, alphabets.get(name), links[name])
            if name in BENCHMARK or (load and TaskName(name).origin is not Origin.BUILT_IN)
            else outside.known(name, alphabets.get(name), links[name])
            for name in names
        }
    by_task: dict[str, list[Cell]] = {name: [] for name in names}
    for cell in read.cells:
        if cell.task in by_task:
            by_task[cell.task].append(cell)
    chosen = chosen_cells([cell for own in by_task.values() for cell in own])
    judged = judgements(chosen, known)
    seen: dict[str, Result] = {}
    tasks = tuple(
        _task_view(
            name, by_task[name],
            slug=links[name], known=known[name], chosen=chosen, judged=judged,
            results=_Results(runs, seen), alphabet=alphabets.get(name),
        )
        for name in _ordered(names, known)
    )  # fmt: skip
    columns = {"nope", "ape", *(column for _, column in chosen)}
    states = [cell.judgement for task in tasks for cell in task.chosen]
    by_runs = [cell.by_runs for task in tasks for cell in task.chosen]
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
        agreeing_by_runs=by_runs.count("agrees"),
        counted_by_runs=by_runs.count("agrees") + by_runs.count("disagrees"),
        rule=RULE,
        further=further,
        others=len(whole) - sum(len(cell.rows) for cell in read.cells),
        damaged=tuple(
            (row.key, without_place(row.error or "", runs)) for row in read.rows if row.status == "damaged"
        ),
        unfinished=read.unfinished,
        provenance=provenance(runs, whole, seen),
    )


def single_task(runs: Path | None, name: str, alphabet: tuple[str, ...] | None) -> TaskView:
    """What the report shows of one task that the caller trusts: its module is imported, its file read."""
    found = [] if runs is None or not runs.is_dir() else _read(runs).cells
    own = [cell for cell in found if cell.task == name and _over(cell, alphabet)]
    slug = slugs([name])[name]
    known = _known(name, alphabet, slug)
    chosen = chosen_cells(own)
    return _task_view(
        name, own,
        slug=slug, known=known, chosen=chosen, judged=judgements(chosen, {name: known}),
        results=_Results(runs, {}), alphabet=alphabet,
    )  # fmt: skip


def _known(name: str, alphabet: tuple[str, ...] | None, slug: str) -> Known:
    """What is known of a task that may be loaded."""
    try:
        return known_of(name, alphabet, slug)
    except InputError as error:
        return without(error.about_argument)


def _over(cell: Cell, alphabet: tuple[str, ...] | None) -> bool:
    """Whether its task is over an alphabet, where one is asked for."""
    return alphabet is None or setting(cell.config, "alphabet") in (None, list(alphabet))


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
        sharp = len(rows) <= measured.SHARP_CURVES
        most = measured.MOST_EVALUATIONS if sharp else measured.FEW_EVALUATIONS
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


def _ordered(names: Sequence[str], known: Mapping[str, Known]) -> list[str]:
    """One's own tasks, the benchmark in the papers' order by kind, then what else was run."""
    order = [OWN, ALGORITHMIC, LANGUAGES, FURTHER]
    return sorted(names, key=lambda name: order.index(_kind(name, known[name])))


def _kind(name: str, known: Known) -> str:
    if name not in BENCHMARK:
        return FURTHER if TaskName(name).origin is Origin.BUILT_IN else OWN
    return LANGUAGES if known.kind == "language" else ALGORITHMIC


def _task_view(
    name: str,
    own: Sequence[Cell],
    *,
    slug: str,
    known: Known,
    chosen: Chosen,
    judged: Mapping[tuple[str, str], Judged],
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
        judgement = judged[name, column] if is_chosen else _BESIDE
        views.append((is_chosen, cell, _cell_view(cell, column, judgement, common, results, known)))
    views.sort(key=lambda three: (_column_order(three[2].encoding), not three[0], trained_order(three[2])))
    columns = dict.fromkeys(view.encoding for _, _, view in views)
    return TaskView(
        name=TaskName(name).short,
        title=task_title(name),
        slug=slug,
        about=known.about or "",
        kind=_kind(name, known),
        verdicts=(*known.verdicts, *further_verdicts(name, columns, known)),
        cells=tuple(view for _, _, view in views),
        chosen=tuple(view for is_chosen, _, view in views if is_chosen),
        groups=by_training_range((cell, view) for _, cell, view in views),
        further=len(own) - len(views),
        listing=command("longreach", "results", "list", f"--task={name}", "--all"),
        forecasting=_command("forecast", name, alphabet, "--json"),
        training=_command("train", name, alphabet, "--seeds", "3"),
        common=tuple((key, value) for key, value in common.items() if key != "task"),
        automaton=known.automaton,
        automaton_note=known.automaton_note,
        attention=known.attention,
        level=None if known.chance is None else ByAccuracy(known.chance).level,
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
    judgement: Judged,
    common: Mapping[str, str],
    results: _Results,
    known: Known,
) -> CellView:
    own = measured.flat(cell.config)
    tally = tally_of(cell, known.chance)
    return CellView(
        encoding=column,
        model=measured.model_line(cell.config),
        trained=measured.training_range(cell),
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
        tally=tally,
        judgement=judgement.state,
        by_runs=judgement.by_runs,
        why=judgement.why,
        reasons=reasons(known.answer(cell.encoding), tally),
        command=train_command(cell.config, [row.seed for row in cell.rows]),
    )
