"""From a results directory to what the report shows: which cells stand for a task, and what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from longreach import __version__
from longreach.answers.agreement import BUDGET, Place, judge
from longreach.answers.board import kept_profiles
from longreach.answers.judge import judge_runs
from longreach.answers.kept_forecast import kept_forecasts
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.files import ResultError
from longreach.report.forecast_view import BENCHMARK, Answer, Known, further_verdicts, known_of, known_of_kept
from longreach.report.outside import Outside, name_problem, without
from longreach.report.view import (
    KINDS,
    CellView,
    Group,
    ImportedView,
    Judged,
    Judgement,
    ReportView,
    TaskView,
    is_number,
    training_range,
    written,
)
from longreach.report.words import slugs
from longreach.runs.cells import ByAccuracy, Cell, Tally, cells
from longreach.runs.imported import IMPORTED, ImportedRun, read_imported
from longreach.runs.index import Row, read_index
from longreach.tasks.lengths import read_name
from longreach.theory.names import Origin, TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import Answer as TheoryAnswer
from longreach.training.result import Result, read_result, setting
from longreach.wording import duration

MOST_TASKS = 100  # beside those of the benchmark: each takes up to a second
MOST_CELLS = 12  # of a task
MOST_IMPORTED = 100  # lines of the table of imported runs
MOST_RUNS = 30  # lines of the run table of a cell
MOST_CURVES = 20  # of a cell
MOST_EVALUATIONS = 120  # points of a curve
SHARP_CURVES = 6  # with more of them each has fewer points
FEW_EVALUATIONS = 40
_BESIDE = Judged("not counted", "another configuration of more runs stands for it")

Columns: TypeAlias = Mapping[tuple[str, str], Cell]
"""By task and column of the matrix."""
AnyPlace = TypeVar("AnyPlace", bound=Hashable)


@dataclass(frozen=True)
class Directory:
    """A results directory as it was found; results are read when they are drawn."""

    runs: Path | None = None
    rows: Sequence[Row] = ()
    unfinished: tuple[str, ...] = ()
    imported: tuple[ImportedRun, ...] = ()
    problem: str | None = None
    """Why imported runs cannot be read."""
    seen: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def read(cls, runs: Path | None) -> Directory:
        if runs is None:
            return cls()
        imported, problem = tuple[ImportedRun, ...](), None
        try:
            imported = read_imported(runs)
        except ResultError as error:
            problem = error.message
        with read_index(runs) as index:
            return cls(runs, index.rows(), index.unfinished, imported, problem)

    def curves(self, cell: Cell) -> tuple[Result, ...]:
        """The results of the cell's runs, or of some of them, with some of their evaluations."""
        assert self.runs is not None
        rows = some(cell.rows, MOST_CURVES)
        most = MOST_EVALUATIONS if len(rows) <= SHARP_CURVES else FEW_EVALUATIONS
        found = []
        for row in rows:
            try:
                result = self.seen[row.key] = read_result(self.runs, row.key)
            except ResultError:  # taken away since it was listed; its curve is missing
                continue
            if result.rows:
                every = -(-len(result.rows) // most)  # the last one included
                found.append(result.model_copy(update={"rows": result.rows[::-every][::-1]}))
        return tuple(found)

    def without_place(self, message: str) -> str:
        """A message without the path to the results directory, which is nobody else's business."""
        for place in () if self.runs is None else (str(self.runs), str(self.runs.resolve())):
            message = message.replace(f"{place}/", "").replace(f"{place}\\", "")
        return message

    def provenance(self) -> tuple[tuple[str, str], ...]:
        """Which code made the runs, with what, on what, when."""
        rows = [row for row in self.rows if row.status != "damaged"]
        facts = [("results", "none" if self.runs is None else self.runs.resolve().name)]
        facts.append(("report made by", f"longreach {__version__}"))
        codes = sorted({row.code for row in rows if row.code})
        devices = sorted({row.device for row in rows if row.device})
        days = sorted({row.started[:10] for row in rows if row.started})
        packages: dict[str, set[str]] = {}
        for result in self.seen.values():
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


def some(rows: Sequence[Row], most: int) -> tuple[Row, ...]:
    """So many of the runs at most: those that failed first, then as they come."""
    if len(rows) <= most:
        return tuple(rows)
    failed = [row.key for row in rows if row.status == "failed"][: most // 2]
    kept = {*failed, *[row.key for row in rows if row.status != "failed"][: most - len(failed)]}
    return tuple(row for row in rows if row.key in kept)


def report_view(runs: Path | None, title: str, *, load: bool = False) -> ReportView:
    """All that the report shows of a results directory; without one, the forecasts.

    With `load` the caller trusts the results: modules and files that they name as tasks are loaded.
    """
    directory = Directory.read(runs)
    found = cells(directory.rows)
    names, further = _names(found)
    links, alphabets = slugs(names), _alphabets(found)
    kept = kept_forecasts(runs)

    def find(name: str) -> Known:
        if name in BENCHMARK or (load and TaskName(name).origin is not Origin.BUILT_IN):
            return _known(name, alphabets.get(name), links[name], _models(found, name))
        if name in kept and name_problem(name) is not None:
            return known_of_kept(kept[name])
        return outside.known(name, alphabets.get(name), links[name], _models(found, name))

    with Outside() as outside:
        known = {name: find(name) for name in names}
    by_task: dict[str, list[Cell]] = {name: [] for name in names}
    for cell in found:
        if cell.task in by_task:
            by_task[cell.task].append(cell)
    chosen = chosen_cells(cell for own in by_task.values() for cell in own)
    judged = judgements(chosen, known)
    empty = [
        TaskView(task=name, slug=links[name], known=known[name], alphabet=alphabets.get(name))
        for name in names
    ]
    empty.sort(key=lambda task: KINDS.index(task.kind))
    columns = {*ENCODING_SIDES, *(column for _, column in chosen)}
    damaged = [row for row in directory.rows if row.status == "damaged"]
    shown = sum(len(cell.rows) for cell in found)
    problems = [(row.key, row.error or "") for row in damaged]
    problems += [(IMPORTED, directory.problem)] if directory.problem else []
    profiles, wrong = kept_profiles(runs)
    problems += wrong
    tasks = tuple(_with_runs(task, by_task[task.task], chosen, judged, directory) for task in empty)
    imported = _imported(directory.imported, tasks)
    return ReportView(
        title=title,
        tasks=tasks,
        encodings=tuple(sorted(columns, key=_column_order)),
        found=found,
        further=further,
        others=len(directory.rows) - len(damaged) - shown,
        damaged=tuple((name, directory.without_place(problem)) for name, problem in problems),
        unfinished=directory.unfinished,
        provenance=directory.provenance(),
        imported=imported[:MOST_IMPORTED],
        profiles=profiles,
        imported_further=sum(len(each.runs) for each in imported[MOST_IMPORTED:]),
    )


def _imported(found: Sequence[ImportedRun], tasks: Sequence[TaskView]) -> tuple[ImportedView, ...]:
    """By task, model, encoding and training length."""
    pages = {task.task: task for task in tasks}
    groups: dict[tuple[str, str, str | None, int], list[ImportedRun]] = {}
    for run in found:
        groups.setdefault((run.task, run.model, run.encoding, run.trained_to), []).append(run)
    views = []
    for (name, _, encoding, _), runs in groups.items():
        page = pages.get(name)
        cells = () if page is None else [cell for cell in page.chosen if encoding in (None, cell.encoding)]
        own = [f"{cell.encoding}: {cell.tally.words}" for cell in cells if cell.tally is not None]
        slug = None if page is None else page.slug
        views.append(ImportedView(task=name, slug=slug, runs=tuple(runs), own="; ".join(own)))
    return tuple(views)


def single_task(runs: Path | None, name: str, alphabet: tuple[str, ...] | None) -> TaskView:
    """What the report shows of one task that the caller trusts: its module is imported, its file read."""
    directory = Directory.read(runs if runs is not None and runs.is_dir() else None)
    letters = None if alphabet is None else list(alphabet)
    own = [
        cell
        for cell in cells(directory.rows)
        if cell.task == name and (letters is None or setting(cell.config, "alphabet") in (None, letters))
    ]
    slug = slugs([name])[name]
    known = _known(name, alphabet, slug, _models(own, name))
    chosen = chosen_cells(own)
    task = TaskView(task=name, slug=slug, known=known, alphabet=alphabet)
    return _with_runs(task, own, chosen, judgements(chosen, {name: known}), directory)


def _models(found: Iterable[Cell], task: str) -> tuple[str, ...]:
    """The labels of a task's runs other than those of both sides."""
    labels = {cell.encoding for cell in found if cell.task == task}
    return tuple(sorted(labels - {*ENCODING_SIDES}))


def _known(name: str, alphabet: tuple[str, ...] | None, slug: str, models: tuple[str, ...]) -> Known:
    """What is known of a task that may be loaded."""
    try:
        return known_of(name, alphabet, slug, models)
    except InputError as error:
        return without(error.about_argument)


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


def _with_runs(
    task: TaskView,
    own: Sequence[Cell],
    chosen: Columns,
    judged: Mapping[tuple[str, str], Judged],
    directory: Directory,
) -> TaskView:
    """The task with its cells: those that stand for an encoding, and of the others those of most runs."""
    settings = [written(cell.config) for cell in own]
    common = {
        name: value
        for name, value in (settings[0] if settings else {}).items()
        if all(one.get(name) == value for one in settings)
    }
    mine = {id(cell) for (name, _), cell in chosen.items() if name == task.task}
    rest = sorted((cell for cell in own if id(cell) not in mine), key=_weight, reverse=True)
    shown = mine | {id(cell) for cell in rest[: max(0, MOST_CELLS - len(mine))]}
    views = []
    for cell in (cell for cell in own if id(cell) in shown):
        column, tally = _column(cell), tally_of(cell, task.known.chance)
        view = CellView(
            cell=cell,
            encoding=column,
            runs=some(cell.rows, MOST_RUNS),
            curves=directory.curves(cell),
            common=common,
            tally=tally,
            chance=task.known.chance,
            judged=judged[task.task, column] if id(cell) in mine else _BESIDE,
            reasons=reasons(task.known.answer(cell.encoding), tally),
        )
        views.append(view)
    views.sort(
        key=lambda view: (
            _column_order(view.encoding), id(view.cell) not in mine, _length_order(view.trained),
        )
    )  # fmt: skip
    columns = dict.fromkeys(view.encoding for view in views)
    return replace(
        task,
        verdicts=(*task.known.verdicts, *further_verdicts(task.task, columns, task.known)),
        cells=tuple(views),
        chosen=tuple(view for view in views if id(view.cell) in mine),
        groups=_by_training_range(views),
        further=len(own) - len(views),
        common=tuple((key, value) for key, value in common.items() if key != "task"),
    )


def _by_training_range(views: Sequence[CellView]) -> tuple[Group, ...]:
    """The cells by the lengths that they were trained on; of several under one encoding that of most runs."""
    best = _heaviest(((view.trained, view.encoding), view.cell) for view in views)
    view_of = {id(view.cell): view for view in views}
    return tuple(
        Group(trained=name, cells=tuple(view_of[id(cell)] for (own, _), cell in best.items() if own == name))
        for name in sorted({trained for trained, _ in best}, key=_length_order)
    )


def chosen_cells(found: Iterable[Cell]) -> dict[tuple[str, str], Cell]:
    """One cell per task and column of the matrix."""
    return _heaviest(((cell.task, _column(cell)), cell) for cell in found)


def _heaviest(found: Iterable[tuple[AnyPlace, Cell]]) -> dict[AnyPlace, Cell]:
    best: dict[AnyPlace, Cell] = {}
    for place, cell in found:
        if place not in best or _weight(cell) > _weight(best[place]):
            best[place] = cell
    return best


def _weight(cell: Cell) -> tuple[int, int, bool, str]:
    """Which cell of several stands for an encoding.

    The one trained on the longest inputs, then that of most runs, then one that learned, then the latest.
    """
    last, _ = _length_order(training_range(cell))
    return max(0, last), len(cell.rows), cell.learned, max(row.started or "" for row in cell.rows)


def _column(cell: Cell) -> str:
    """The column of a cell in the matrix: its encoding, and a penalty if it has one."""
    penalty = setting(cell.config, "penalty")
    return replace(CellLabel.read(cell.encoding), penalty=float(penalty) if is_number(penalty) else 0.0).text


def _column_order(column: str) -> tuple[int, str]:
    sides: Sequence[str] = ENCODING_SIDES
    return (sides.index(column) if column in sides else len(sides), column)


def _length_order(name: str | None) -> tuple[int, int]:
    lengths = read_name(name or "")
    return (-1, -1) if lengths is None else (lengths.last, lengths.first)


def judgements(chosen: Columns, known: Mapping[str, Known]) -> dict[tuple[str, str], Judged]:
    """What each chosen cell says about the forecast, by the rules of the studies."""
    found: dict[tuple[str, str], Judged] = {}
    places: dict[tuple[str, str], Place] = {}
    for (task, column), cell in chosen.items():
        says_enough = all(isinstance(setting(cell.config, name), int) for name in BUDGET)
        if known[task].comparable and says_enough:
            places[task, column] = Place(task, cell.encoding, CellLabel.read(column).penalty)
        else:
            why = "there is no forecast for the task" if says_enough else "its configuration says too little"
            found[task, column] = Judged("not counted", why)
    own = {place: chosen[key] for key, place in places.items()}
    forecasts: dict[Place, Any] = {place: known[place.task].answer(place.encoding) for place in own}
    chances = {name: each.chance for name, each in known.items() if each.is_kept and each.chance is not None}
    by_mean, by_runs = (judge(own, forecasts, by_runs=each, chances=chances) for each in (False, True))
    for key, place in places.items():
        one = by_mean[place]
        why = "theory has no forecast for this encoding" if one.state == "no forecast" else one.reason
        found[key] = Judged(_STATES[one.state], why, _STATES[by_runs[place].state])
    return found


_STATES: dict[str, Judgement] = {
    "agrees": "agrees",
    "disagrees": "disagrees",
    "undecided": "undecided",
    "not run": "not measured",
    "not counted": "not counted",
    "no forecast": "not counted",
}


def tally_of(cell: Cell, chance: float | None) -> Tally | None:
    """The runs of a cell counted on its longest range; None if it was not tested, or chance is unknown."""
    longest = read_name(cell.ranges[-1]) if len(cell.ranges) > 1 else None
    if longest is None or chance is None or longest == cell.trained:
        return None
    return cell.count(ByAccuracy(chance), longest)


def reasons(answer: Answer | None, tally: Tally | None) -> tuple[str, ...]:
    """Why runs may do what was not expected of them, each with what to try next."""
    if answer not in ("yes", "no") or tally is None:
        return ()
    return judge_runs(TheoryAnswer(answer), tally).reasons
