"""What a study found in each cell, beside forecast and paper, and tables of it.

A study that compares settings, such as positional encodings, has a line for each of them and a column for
each group of tasks: those with a program without positions, those whose programs need positions, and those
without any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

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
from longreach.files import canonical_json
from longreach.runs.cells import ByAccuracy, Cell, Spread, Tally, cells, without_seed
from longreach.runs.index import Row
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange

# What a study found in one cell: runs, forecast, published numbers and judgement side by side.


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
        """The cell as JSON has it."""
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
    members: Mapping[Place, Sequence[RunConfig]], remarks: Mapping[Place, str], rows: Iterable[Row]
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
            cell=own[place],
            remark=remarks[place],
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


# A table in Markdown, for the files of studies.


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""The lines of a table; an expression may have what separates columns.

    >>> print("\n".join(markdown_table(["language", "works"], [["a|b", "yes"]])))
    | language | works |
    |---|---|
    | a\|b | yes |
    """
    return [_line(head), f"|{'---|' * len(head)}", *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


# The cells of a study as tables in Markdown: those that do not agree, then all of them.


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


def cell_tables(found: Sequence[Outcome]) -> str:
    """What the results say, cell by cell; accuracies at random offsets stand in brackets.

    >>> print(cell_tables([]).splitlines()[0])
    Forecast and measurement agree in 0 of 0 counted cells by the mean, in 0 of 0 by runs; undecided ...
    """
    bins = max((len(each.ranges) for each in found), default=USUAL_BINS)
    columns = (*FIRST_COLUMNS, *(f"bin {place + 1}" for place in range(bins)), *LAST_COLUMNS)
    return "\n".join(
        [
            _counted(found),
            "",
            "## Cells that do not agree, or are not counted",
            "",
            *markdown_table(SHORT_COLUMNS, [_short(each) for each in found if not _is_usual(each)]),
            "",
            "## All cells",
            "",
            ABOUT_CELLS,
            "",
            *markdown_table(columns, [_long(each) for each in found if each.cell.rows]),
            "",
        ]
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


def _long(each: Outcome) -> tuple[str, ...]:
    bins = [
        _bin(tally, spread, shifted)
        for tally, spread, shifted in zip(
            each.tallies, each.accuracy, each.accuracy_random_offset, strict=True
        )
    ]
    success = f"{len(each.cell.successful)} of {len(each.cell.rows)}"
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
    return f"{100 * each.published[-1]:.1f} % at {each.published_lengths[-1]}".replace("*", "\\*")


# The runs of a study counted by what theory says of their task: which settings work where.


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


@dataclass(frozen=True, kw_only=True)
class WorkByTheory:
    """A line for each setting.

    >>> WorkByTheory(tasks={"none": 1}, counts={"ape": {"none": Tally(runs=3, learned=1, work=0)}}).document()
    {'tasks': {'none': 1}, 'settings': {'ape': {'none': {'runs': 3, 'learned': 1, 'work': 0}}}}
    """

    tasks: dict[Group, int]
    """How many each group has."""
    counts: dict[str, dict[Group, Tally]]
    """By the setting and the group."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        settings = {
            setting: {group: count.document() for group, count in found.items()}
            for setting, found in self.counts.items()
        }
        return {"tasks": dict(self.tasks), "settings": settings}

    def markdown(self) -> str:
        """A table, with a sentence on what it counts."""
        heading, *lines = self._lines(GROUPS)
        return "\n".join([ABOUT_WORK, "", *markdown_table(heading, lines), ""])

    def text(self) -> str:
        """The same for a terminal."""
        lines = self._lines({group: group for group in GROUPS})
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = (
            "  ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])])
            for first, *others in lines
        )
        return "\n".join(["runs that work on the longest test range, by the programs of the task:", *rows])

    def _lines(self, names: Mapping[Group, str]) -> list[list[str]]:
        titles = [f"{names[group]} ({number})" for group, number in self.tasks.items()]
        return [["setting", *titles, "learned"], *map(self._line, self.counts)]

    def _line(self, setting: str) -> list[str]:
        found = self.counts[setting]
        total = sum(found.values(), Tally())
        cells = [(count.work, count.runs) for group in self.tasks if (count := found[group])]
        cells.append((total.learned, total.runs))
        return [setting, *(f"{number} of {runs}" if runs else "–" for number, runs in cells)]


def work_by_theory(found: Sequence[Outcome]) -> WorkByTheory:
    """Count the finished runs of each setting in each group; groups without tasks are left out."""
    tasks = {task: group_of(task) for task in dict.fromkeys(each.place.task for each in found)}
    groups: list[Group] = [group for group in GROUPS if group in tasks.values()]
    counts: dict[str, dict[Group, Tally]] = {}
    for each in found:
        own = counts.setdefault(each.place.label, dict.fromkeys(groups, Tally()))
        own[tasks[each.place.task]] += each.tallies[-1]
    return WorkByTheory(tasks={group: list(tasks.values()).count(group) for group in groups}, counts=counts)
