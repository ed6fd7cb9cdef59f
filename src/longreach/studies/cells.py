"""Studies of tasks under encodings: what each cell came to, beside forecast and paper.

Some of them compare settings, such as positional encodings. Those count runs by group of tasks: tasks with a
program without positions, tasks whose programs need positions, and tasks without any program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from longreach.answers.agreement import (
    Judgement,
    Place,
    Verdict,
    count,
    forecast_of,
    judge,
    level,
    published_accuracy,
    published_lengths,
)
from longreach.config.run import RunConfig
from longreach.config.scales import Scale, first_seed_of, remark_of, seeds_of
from longreach.errors import Field, InputError, near_names
from longreach.files import canonical_json
from longreach.runs.cells import ByAccuracy, Cell, Spread, Tally, cells, without_seed
from longreach.runs.index import Row
from longreach.runs.resolve import resolve
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW = 8  # names that an error message lists


def cell_study(
    *,
    places: Sequence[Place],
    figure: Callable[[Sequence[Outcome], str], Figure],
    config: Callable[[Place, Scale], RunConfig] | None = None,
    seeds: Mapping[Scale, int] | None = None,
    setting: str = "",
    summary: Callable[[Sequence[Outcome]], StudyReport] | None = None,
    **about: Any,
) -> Study:
    """A study with a cell for each place; what it is called and about goes to `Study` as it is.

    `config` gives the member of a cell with the seed 0, and `seeds` how many there are, where these are not
    those of the scale; `setting` then says where they come from. `summary` adds to the report.

    >>> study = cell_study(
    ...     name="one", title="One", source="", about="", time="",
    ...     places=[Place("parity", "ape")], figure=lambda found, title: None,
    ... )
    >>> [[config.seed for config in configs] for configs in study.members(StudyOptions(seeds=2)).values()]
    [[3, 4]]
    """

    def members(options: StudyOptions) -> dict[Place, tuple[RunConfig, ...]]:
        scale = options.scale
        usual = seeds_of(scale) if seeds is None else seeds[scale]
        start = first_seed_of(scale) if config is None else 0
        numbers = range(start, start + (usual if options.seeds is None else options.seeds))
        wanted = selected(about["name"], places, options.tasks, options.encodings)
        firsts = {place: (config or config_of)(place, scale) for place in wanted}
        return {place: tuple(first.with_seed(seed) for seed in numbers) for place, first in firsts.items()}

    def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
        # A cell is judged in the light of the whole study, whatever part of it was asked for.
        every = outcomes(members(options.whole), rows, options.scale, setting)
        wanted = selected(about["name"], places, options.tasks, options.encodings)
        found = [each for each in every if each.place in wanted]
        return cell_report(found, figure, summary, judged=options.scale != "smoke")

    taken = frozenset({"--tasks", "--encodings", "--seeds"})
    return Study(members=members, report=report, options=taken, **about)


def config_of(place: Place, scale: Scale) -> RunConfig:
    """The member of a cell with the seed 0.

    >>> config = config_of(Place("binary-majority", "ape"), "paper")
    >>> config.layers, config.width, config.max_steps, config.test_lengths[-1].name
    (1, 16, 30000, '101-150')
    """
    return resolve(place.task, scale=scale, penalty=place.penalty or None, **place.model)


def selected(
    study: str, places: Sequence[Place], tasks: Sequence[str] | None, encodings: Sequence[str] | None
) -> tuple[Place, ...]:
    """The places with these tasks and encodings, None being all; names that the study lacks are refused."""
    for field, given, names in (
        ("tasks", tasks, [place.task for place in places]),
        ("encodings", encodings, [place.encoding for place in places]),
    ):
        known = tuple(dict.fromkeys(names))
        for name in given or ():
            if name not in known:
                close = "" if len(known) <= FEW else near_names(name, known)
                hint = close or f"; it has {', '.join(known)}"
                raise InputError(f"{study} has no {name!r}{hint}", place=Field(field))
    found = tuple(
        place
        for place in places
        if (tasks is None or place.task in tasks) and (encodings is None or place.encoding in encodings)
    )
    if not found:
        raise InputError(f"no cell of {study} is left", place=Field("encodings"))
    return found


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One cell of a study."""

    place: Place
    cell: Cell
    remark: str
    """Where this setting comes from."""
    forecast: Verdict | None
    published: tuple[float, ...] | None
    judgement: Judgement
    """By the mean over runs, the rule that was fixed before anything was measured."""
    judgement_by_runs: Judgement
    """By the share of runs that work."""

    @property
    def ranges(self) -> tuple[str, ...]:
        """The names of the training range and the test ranges."""
        return tuple(span.name for span in self._spans)

    @property
    def published_lengths(self) -> tuple[str, ...]:
        """Of the published bins."""
        return published_lengths(self.place.task)

    @property
    def accuracy(self) -> tuple[Spread | None, ...]:
        """Per range, over the successful runs; over all finished ones where none is successful."""
        return tuple(self.cell.accuracy.get(name) for name in self.ranges)

    @property
    def accuracy_random_offset(self) -> tuple[Spread | None, ...]:
        """The same at random offsets."""
        return tuple(self.cell.accuracy_random_offset.get(name) for name in self.ranges)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Per range, the finished runs counted one by one: where they differ, their mean says nothing."""
        criterion = ByAccuracy(load_task(self.place.task).chance)
        return tuple(self.cell.count(criterion, span) for span in self._spans)

    @property
    def _spans(self) -> tuple[LengthRange, ...]:
        spans = [self.cell.config["train_lengths"], *self.cell.config["test_lengths"]]
        return tuple(LengthRange(*span) for span in spans)

    def document(self) -> dict[str, Any]:
        cell = self.cell
        return {
            "task": self.place.task,
            "encoding": self.place.encoding,
            "penalty": self.place.penalty,
            "runs": len(cell.rows),
            "finished": len(cell.finished),
            "successful": len(cell.successful),
            "success": cell.success,
            "learned": cell.learned,
            "accuracy": _spreads(cell.accuracy),
            "accuracy_all": _spreads(cell.accuracy_all),
            "accuracy_random_offset": _spreads(cell.accuracy_random_offset),
            "seconds": cell.seconds,
            "forecast": self.forecast,
            "published": None if self.published is None else list(self.published),
            "published_lengths": None if self.published is None else list(self.published_lengths),
            "level": level(self.place.task),
            "works": self.judgement.works,
            "judgement": self.judgement.state,
            "reason": self.judgement.reason,
            "work": self.tallies[-1].work,
            "works_by_runs": self.judgement_by_runs.works,
            "judgement_by_runs": self.judgement_by_runs.state,
            "setting": self.remark,
            "config": cell.config,
            "keys": list(cell.keys),
        }


def _spreads(found: Mapping[str, Spread]) -> dict[str, Any]:
    return {name: asdict(spread) for name, spread in found.items()}


def outcomes(
    members: Mapping[Place, Sequence[RunConfig]],
    rows: Iterable[Row],
    scale: Scale = "laptop",
    setting: str = "",
) -> list[Outcome]:
    """What the results say of each cell; results of other members are not looked at."""
    keys = {config.key for configs in members.values() for config in configs}
    found = {canonical_json(cell.config): cell for cell in cells(row for row in rows if row.key in keys)}
    configs = {place: without_seed(each[0].document()) for place, each in members.items()}
    own = {place: found.get(canonical_json(config)) or Cell.of(config) for place, config in configs.items()}
    forecasts = {place: forecast_of(place) for place in members}
    judged, by_runs = judge(own, forecasts), judge(own, forecasts, by_runs=True)
    return [
        Outcome(
            place=place,
            remark=setting or remark_of(place.task, place.encoding, scale),
            cell=own[place],
            forecast=forecasts[place],
            published=published_accuracy(place),
            judgement=judged[place],
            judgement_by_runs=by_runs[place],
        )
        for place in members
    ]


def agreement(found: Sequence[Outcome]) -> dict[str, Any]:
    """How many cells agree, and which do not or were not counted, with the paper's last number beside them.

    The counts are by the mean over runs; those by the share of runs that work stand under `by_runs`.
    Baselines are left out.

    >>> agreement([])["counted"], agreement([])["by_runs"]["counted"]
    (0, 0)
    """
    found = [outcome for outcome in found if not outcome.place.is_baseline]

    def named(*states: str) -> list[dict[str, Any]]:
        return [
            {
                "task": each.place.task,
                "encoding": each.place.encoding,
                "penalty": each.place.penalty,
                "forecast": each.forecast,
                "measured": None if each.accuracy[-1] is None else each.accuracy[-1].mean,
                "measured_random_offset": (
                    None if (shifted := each.accuracy_random_offset[-1]) is None else shifted.mean
                ),
                "published": None if each.published is None else each.published[-1],
                "published_lengths": None if each.published is None else each.published_lengths[-1],
                "reason": each.judgement.reason,
                "runs": each.tallies[-1].runs,
                "work": each.tallies[-1].work,
            }
            for each in found
            if each.judgement.state in states
        ]

    by_runs = [each for each in found if each.judgement_by_runs.state == "disagrees"]
    return {
        **_counts(each.judgement for each in found),
        "disagreeing": named("disagrees"),
        "apart": named("undecided", "not counted"),
        "by_runs": {
            **_counts(each.judgement_by_runs for each in found),
            "disagreeing": [
                {"task": each.place.task, "encoding": each.place.encoding, "penalty": each.place.penalty}
                for each in by_runs
            ],
        },
    }


def _counts(judged: Iterable[Judgement]) -> dict[str, int]:
    counts = count(judged)
    return {
        "counted": counts["agrees"] + counts["disagrees"],
        **{state.replace(" ", "_"): number for state, number in counts.items()},
    }


# The report: all cells, and those where forecast and measurement disagree.


SHORT_COLUMNS = ("task", "encoding", "forecast", "last bin", "work", "paper", "judgement", "why")
FIRST_COLUMNS = ("task", "encoding", "forecast", "learned")
LAST_COLUMNS = ("work", "paper", "by the mean", "by runs")
USUAL_BINS = 3
ABOUT_CELLS = (
    "Mean and standard deviation in per cent over the runs that are right on the whole training range, over "
    "all where none is (learned: how many are); in brackets the mean at random offsets. Where some runs work "
    "and others do not, their number stands in place of the mean. Judgements are by the mean and by runs (at "
    "least half of them work). A star: lengths of the figure's axis."
)


def cell_report(
    found: Sequence[Outcome],
    figure: Callable[[Sequence[Outcome], str], Figure],
    summary: Callable[[Sequence[Outcome]], StudyReport] | None = None,
    *,
    judged: bool = True,
) -> StudyReport:
    """Cell by cell, and how many agree with the forecast if they are to be judged."""
    more = None if summary is None else summary(found)
    unusual = _unusual(found)
    document = {"cells": [outcome.document() for outcome in found], "agreement": agreement(found)}
    return StudyReport(
        document=document if more is None else {**document, "summary": more.document},
        tables=[
            _all_cells(found),
            *([unusual] if judged and unusual.rows else ()),
            *(more.tables if more else ()),
        ],
        remarks=[ABOUT_CELLS, *([_counted(found)] if judged else ()), *(more.remarks if more else ())],
        figure=lambda title: figure(found, title),
        file=lambda: (f"{more.markdown()}\n" if more else "") + cell_tables(found),
    )


def cell_tables(found: Sequence[Outcome]) -> str:
    """The report as Markdown.

    >>> print(cell_tables([]).splitlines()[0])
    Forecast and measurement agree in 0 of 0 counted cells by the mean, in 0 of 0 by runs; undecided ...
    """
    unusual, every = _unusual(found), _all_cells([each for each in found if each.cell.rows])
    parts = [
        _counted(found),
        "## Cells that do not agree, or are not counted",
        _starred(unusual),
        "## All cells",
        ABOUT_CELLS,
        _starred(every),
    ]
    return "\n\n".join(parts) + "\n"


def _starred(table: Table) -> str:
    return table.markdown().replace("*", "\\*")


def _unusual(found: Sequence[Outcome]) -> Table:
    rows = [_short(each) for each in found if not _is_usual(each)]
    return table_of(SHORT_COLUMNS, rows, spare=("paper", "why"))


def _all_cells(found: Sequence[Outcome]) -> Table:
    bins = [
        f"bin {place + 1}" for place in range(max((len(each.ranges) for each in found), default=USUAL_BINS))
    ]
    return table_of(
        (*FIRST_COLUMNS, *bins, *LAST_COLUMNS),
        [_long(each, len(bins)) for each in found],
        spare=("by runs", "paper", *bins[:-1], "learned", "forecast", bins[-1]),
    )


def _counted(found: Sequence[Outcome]) -> str:
    counts = agreement(found)
    rows = [row for each in found for row in each.cell.rows]
    right = sum(bool(row.reached) for row in rows)
    minutes = sum(row.seconds or 0.0 for row in rows) / 60
    return (
        f"Forecast and measurement agree in {counts['agrees']} of {counts['counted']} counted cells by the "
        f"mean, in {counts['by_runs']['agrees']} of {counts['by_runs']['counted']} by runs; "
        f"undecided by the theory: {counts['undecided']}, not counted: {counts['not_counted']}. "
        f"Right on the whole training range: {right} of {len(rows)} runs. "
        f"Recorded times: {minutes:.0f} minutes, {minutes / 2:.0f} on two cores."
    )


def _is_usual(outcome: Outcome) -> bool:
    states = {outcome.judgement.state, outcome.judgement_by_runs.state}
    return states == {"agrees"} or outcome.place.is_baseline or not outcome.cell.rows


def _short(each: Outcome) -> tuple[str, ...]:
    last, shifted, tally = each.accuracy[-1], each.accuracy_random_offset[-1], each.tallies[-1]
    measured = "–"
    if tally.is_mixed:
        measured = f"– at {each.ranges[-1]}"
    elif last is not None:
        measured = f"{100 * last.mean:.1f} %{_brackets(shifted)} at {each.ranges[-1]}"
    state, by_runs = each.judgement.state, each.judgement_by_runs.state
    return (
        each.place.task, each.place.label, each.forecast or "–", measured, _work(tally), _paper(each),
        state if state == by_runs else f"{state}; by runs {by_runs}", each.judgement.reason,
    )  # fmt: skip


def _long(each: Outcome, most: int) -> tuple[str, ...]:
    bins = [*map(_bin, each.tallies, each.accuracy, each.accuracy_random_offset)]
    bins[-1:-1] = ["–"] * (most - len(bins))  # the longest range comes last, also where a task has fewer
    success = f"{len(each.cell.successful)} of {len(each.cell.rows)}" if each.cell.rows else "–"
    return (
        each.place.task, each.place.label, each.forecast or "–", success, *bins, _work(each.tallies[-1]),
        _paper(each), each.judgement.state, each.judgement_by_runs.state,
    )  # fmt: skip


def _work(tally: Tally) -> str:
    return f"{tally.work} of {tally.runs}"


def _bin(tally: Tally, spread: Spread | None, shifted: Spread | None) -> str:
    if tally.is_mixed:
        return f"{_work(tally)} work"
    if spread is None:
        return "–"
    return f"{100 * spread.mean:.1f} ± {100 * spread.deviation:.1f}{_brackets(shifted)}"


def _brackets(shifted: Spread | None) -> str:
    return "" if shifted is None else f" ({100 * shifted.mean:.1f})"


def _paper(each: Outcome) -> str:
    if each.published is None:
        return "–"
    return f"{100 * each.published[-1]:.1f} % at {each.published_lengths[-1]}"


# Which settings work where: runs counted by what theory says of their task.


Group: TypeAlias = Literal["without positions", "with positions", "none"]
GROUPS: dict[Group, str] = {
    "without positions": "program without positions",
    "with positions": "program with positions only",
    "none": "no program",
}
"""In the order of figures and tables, with their headings."""
ABOUT_WORK = (
    "Runs that work on the longest test range, of all that finished, by the programs that the task has (in "
    "brackets: how many tasks); learned: right on the whole training range."
)


def group_of(task: str) -> Group:
    """Which programs a task has, as it is trained.

    >>> group_of("tomita-1"), group_of("aa"), group_of("parity")
    ('without positions', 'with positions', 'none')
    """
    if forecast_of(Place(task, "nope")) == "yes":
        return "without positions"
    return "with positions" if forecast_of(Place(task, "ape")) == "yes" else "none"


def counts_by_theory(found: Sequence[Outcome]) -> dict[str, dict[Group, Tally]]:
    """The finished runs of each setting, by group; groups without tasks are left out."""
    tasks = {each.place.task: group_of(each.place.task) for each in found}
    groups: list[Group] = [group for group in GROUPS if group in tasks.values()]
    counts: dict[str, dict[Group, Tally]] = {}
    for each in found:
        own = counts.setdefault(each.place.label, dict.fromkeys(groups, Tally()))
        own[tasks[each.place.task]] += each.tallies[-1]
    return counts


def work_by_theory(found: Sequence[Outcome]) -> StudyReport:
    """A line for each setting, a column for each group."""
    counts = counts_by_theory(found)
    groups = list(next(iter(counts.values()), {}))
    known = [group_of(task) for task in dict.fromkeys(each.place.task for each in found)]
    tasks = {group: known.count(group) for group in groups}

    def line(setting: str) -> list[str]:
        own = counts[setting]
        total = sum(own.values(), Tally())
        shares = [*((own[group].work, own[group].runs) for group in groups), (total.learned, total.runs)]
        return [setting, *(f"{number} of {runs}" if runs else "–" for number, runs in shares)]

    titles = [f"{GROUPS[group]} ({number})" for group, number in tasks.items()]
    settings = {name: {group: each.document() for group, each in own.items()} for name, own in counts.items()}
    table = table_of(("setting", *titles, "learned"), map(line, counts), title=ABOUT_WORK)
    return StudyReport(document={"tasks": tasks, "settings": settings}, tables=[table])
