"""The kinds of studies, and how a study is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longreach.answers.agreement import Place, PublishedRow, published_row, verdict_of
from longreach.config.run import RunConfig
from longreach.config.scales import Scale, first_seed_of, remark_of, scale_table, seeds_of
from longreach.errors import Field, InputError, near_names
from longreach.figures import figure_bytes
from longreach.runs.index import Row, read_index
from longreach.runs.resolve import resolve
from longreach.runs.train import EngineMaker, Watcher, longest_first, train_pending
from longreach.studies.cells import Outcome, cell_tables, markdown_table, outcomes
from longreach.training.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Studies whose cells are not tasks under encodings: what they offer instead.


class OwnReport(Protocol):
    """What such a study came to."""

    @property
    def failed(self) -> Sequence[Result]:
        """The members that failed this time."""
        ...

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the study's name and scale."""
        ...

    def text(self) -> str:
        """For people."""
        ...

    def content(self, suffix: str, title: str) -> bytes:
        """The figure, or with `.md` the table, in the format of a name's ending."""
        ...


class OwnCells(Protocol):
    """How such a study is run."""

    def members(self, scale: Scale, seeds: int | None = None) -> Sequence[RunConfig]:
        """What is trained at most."""
        ...

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> OwnReport:
        """Train what is missing, unless only what is there counts, and look at the whole of it."""
        ...


# Tables of theory: what we compute for each task, and what the paper says where that differs.


SAME = {("undecided", "none found")}
"""Our word and the paper's for the same answer."""


@dataclass(frozen=True)
class Entry:
    """One answer, ours and the paper's.

    >>> str(Entry("yes", "yes")), str(Entry("yes", "no")), Entry("undecided", "none found").agrees
    ('yes', 'yes (paper: no)', True)
    """

    ours: str
    published: str | None = None
    """None: the paper has no such column."""

    @property
    def agrees(self) -> bool:
        """Whether both say the same, or the paper says nothing."""
        return self.published in (None, self.ours) or (self.ours, self.published) in SAME

    def __str__(self) -> str:
        return self.ours if self.agrees else f"{self.ours} (paper: {self.published})"


@dataclass(frozen=True)
class TheoryTable:
    """Rows of entries under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, dict[str, Entry]], ...]
    """The number in the paper, the task, and its entries by column."""

    @property
    def disagreeing(self) -> list[tuple[str, str]]:
        """Task and column of each entry in which the paper says something else."""
        return [
            (task, column)
            for _, task, entries in self.rows
            for column, entry in entries.items()
            if not entry.agrees
        ]

    def markdown(self) -> str:
        """The table for people; what the paper says stands there only where it differs."""
        rows = [
            (str(number), task, *(str(entries[name]) for name in self.columns))
            for number, task, entries in self.rows
        ]
        lines = markdown_table(("#", "task", *self.columns), rows)
        entries_with = sum(
            entry.published is not None for *_, entries in self.rows for entry in entries.values()
        )
        agree = entries_with - len(self.disagreeing)
        return "\n".join([*lines, "", f"{agree} of {entries_with} entries as in the paper.", ""])

    def document(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return {
            "title": self.title,
            "rows": [
                {
                    "number": number,
                    "task": task,
                    "entries": {
                        name: {"ours": entry.ours, "published": entry.published, "agrees": entry.agrees}
                        for name, entry in entries.items()
                    },
                }
                for number, task, entries in self.rows
            ],
            "disagreeing": [{"task": task, "column": column} for task, column in self.disagreeing],
        }


def verdict_entries(task: str, row: PublishedRow) -> dict[str, Entry]:
    """The two columns that both tables have."""
    return {
        "C-RASP[∅]": Entry(verdict_of(task, "nope"), row.nope),
        "C-RASP[periodic, local]": Entry(verdict_of(task, "ape"), row.ape),
    }


def yes_or_no(value: bool | None) -> str:
    """How tables write a truth value; None is beyond the cap of a computation.

    >>> yes_or_no(True), yes_or_no(None)
    ('yes', 'unknown')
    """
    return "unknown" if value is None else "yes" if value else "no"


def rows_of(tasks: Sequence[str]) -> list[tuple[str, PublishedRow]]:
    """The tasks with what the paper says of them."""
    return [(task, published_row(task)) for task in tasks]


# A study: the cells of a published table or figure, the members to train for them, and the picture.


FIGURES = (".svg", ".png", ".pdf", ".md")
"""The last one has the cells as tables."""
TEXTS = (".md", ".json")
FEW = 8  # names that an error message lists


class Summary(Protocol):
    """What a study says beyond its cells."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""

    def markdown(self) -> str:
        """For the file with the tables."""

    def text(self) -> str:
        """For the terminal."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One published table or figure.

    >>> from longreach.studies.catalog import STUDIES
    >>> len(STUDIES["figure1"].places), len(STUDIES["table2"].members("laptop"))
    (58, 0)
    """

    name: str
    title: str
    source: str
    """The paper and its table or figure."""
    about: str
    time: str
    """How long it takes at which scale."""
    places: tuple[Place, ...] = ()
    """Its cells; none for a table of theory."""
    figure: Callable[[Sequence[Outcome], str], Figure] | None = None
    """From the cells and a title."""
    table: Callable[[], TheoryTable] | None = None
    """What the theory says, for which nothing is trained."""
    config: Callable[[Place, Scale], RunConfig] | None = None
    """The member of a cell with the seed 0, where that is not the setting of the scale for its task."""
    seeds: Mapping[Scale, int] | None = None
    """Members a cell at each scale, where that is not the scale's own number."""
    setting: str = ""
    """Where the setting comes from, if it is the study's own."""
    summary: Callable[[Sequence[Outcome]], Summary] | None = None
    own: OwnCells | None = None
    """Instead of cells that are tasks under encodings."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The endings of the names of its files, the usual one first."""
        return FIGURES if self.table is None else TEXTS

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of its cells, each once."""
        return tuple(dict.fromkeys(place.task for place in self.places))

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings of its cells, each once."""
        return tuple(dict.fromkeys(place.encoding for place in self.places))

    def select(self, tasks: Sequence[str] | None, encodings: Sequence[str] | None) -> tuple[Place, ...]:
        """Its cells with these tasks and encodings; None is all of them."""
        for field, given, known in (
            ("tasks", tasks, self.tasks),
            ("encodings", encodings, self.encodings),
        ):
            for name in given or ():
                if name not in known:
                    close = "" if len(known) <= FEW else near_names(name, known)
                    hint = close or f"; it has {', '.join(known)}"
                    raise InputError(f"{self.name} has no {name!r}{hint}", place=Field(field))
        return tuple(
            place
            for place in self.places
            if (tasks is None or place.task in tasks) and (encodings is None or place.encoding in encodings)
        )

    def members_by_place(
        self, scale: Scale, seeds: int | None = None, places: Iterable[Place] | None = None
    ) -> dict[Place, tuple[RunConfig, ...]]:
        """What is trained for each cell; the seeds follow each other from the first one of the scale."""
        usual = seeds_of(scale) if self.seeds is None else self.seeds[scale]
        start = first_seed_of(scale) if self.config is None else 0
        numbers = range(start, start + (usual if seeds is None else seeds))
        found: dict[Place, tuple[RunConfig, ...]] = {}
        for place in self.places if places is None else places:
            first = (self.config or config_of)(place, scale)
            found[place] = tuple(first.with_seed(seed) for seed in numbers)
        return found

    def members(self, scale: Scale, seeds: int | None = None) -> tuple[RunConfig, ...]:
        """All members; none for a table of theory."""
        if self.own is not None:
            return tuple(self.own.members(scale, seeds))
        return tuple(config for configs in self.members_by_place(scale, seeds).values() for config in configs)

    def outcomes(self, rows: Iterable[Row], scale: Scale, seeds: int | None = None) -> list[Outcome]:
        """What the results say of each cell."""
        members = self.members_by_place(scale, seeds)
        remarks = {place: self.setting or remark_of(place.task, place.encoding, scale) for place in members}
        return outcomes(members, remarks, rows)

    def heading(self, scale: Scale) -> str:
        """The title of its figure, with the scale and what that claims."""
        table = scale_table(scale)
        claim = "" if scale != "smoke" or table is None else f": {table.about}"
        return f"{self.title} ({scale} scale{claim})"

    def content(self, found: Sequence[Outcome], scale: Scale, suffix: str) -> bytes:
        """The figure, or the table, in the format of a name's ending."""
        if self.table is not None:
            check_suffix(suffix, TEXTS)
            table = self.table()
            return (table.markdown() if suffix == ".md" else json.dumps(table.document(), indent=1)).encode()
        check_suffix(suffix, FIGURES)
        if suffix == ".md":
            said = "" if self.summary is None else f"{self.summary(found).markdown()}\n"
            return (said + cell_tables(found)).encode()
        assert self.figure is not None, f"{self.name} has neither a figure nor a table"
        drawn = self.figure
        return figure_bytes(lambda: drawn(found, self.heading(scale)), suffix, salt=self.name)


def check_suffix(suffix: str, known: Sequence[str]) -> None:
    """Refuse a format that cannot be written."""
    if suffix not in known:
        reason = f"the name must end in {', '.join(known)}, not in {suffix!r}"
        raise InputError(reason, place=Field("out"))


def config_of(place: Place, scale: Scale) -> RunConfig:
    """The member of a cell with the seed 0.

    >>> config = config_of(Place("binary-majority", "ape"), "paper")
    >>> config.layers, config.width, config.max_steps, config.test_lengths[-1].name
    (1, 16, 30000, '101-150')
    """
    return resolve(place.task, place.encoding, scale=scale, penalty=place.penalty or None)


# A study from its members to its cells: train what is missing, then look at the whole of it.


@dataclass(frozen=True, kw_only=True)
class StudyRun:
    """What a study came to."""

    cells: tuple[Outcome, ...]
    """Those that were asked for."""
    failed: tuple[Result, ...]
    """The members that failed this time."""


def study_members(
    study: Study, scale: Scale, *, seeds: int | None = None, places: Iterable[Place] | None = None
) -> list[RunConfig]:
    """What is trained, the most work first. Figures may share members: each is trained once."""
    members = study.members_by_place(scale, seeds, places)
    return longest_first(config for configs in members.values() for config in configs)


def run_study(
    study: Study,
    scale: Scale,
    *,
    seeds: int | None = None,
    places: Iterable[Place] | None = None,
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    train: bool = True,
) -> StudyRun:
    """Train the members that are not done, unless only what is there counts, and judge the cells.

    A cell is judged in the light of the whole study, whatever part of it was asked for.
    """
    wanted = study.places if places is None else tuple(places)
    results: dict[str, Result] = {}
    if train:
        configs = study_members(study, scale, seeds=seeds, places=wanted)
        results = train_pending(configs, runs, engine=engine, progress=progress)
    every = study.outcomes(_rows(Path(runs)), scale, seeds)
    return StudyRun(
        cells=tuple(outcome for outcome in every if outcome.place in wanted),
        failed=tuple(result for result in results.values() if result.status == "failed"),
    )


def _rows(runs: Path) -> list[Row]:
    if not runs.is_dir():
        return []
    with read_index(runs) as index:
        return index.rows()


# Studies that compute and train nothing: a table, remarks and a figure.


FORMATS = (".svg", ".png", ".pdf", ".md")


@dataclass(frozen=True, kw_only=True)
class ComputedReport:
    """What such a study came to."""

    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]
    document: dict[str, Any]
    """As JSON has it, beside the study's name and scale."""
    figure: Callable[[str], Figure]
    """From a title."""
    spare: tuple[str, ...] = ()
    """Columns that go where the terminal is narrow, the first one first."""

    def markdown(self) -> str:
        """The table and the remarks."""
        rows = markdown_table(self.columns, self.lines)
        return "\n".join([*rows, "", *(f"{remark}\n" for remark in self.remarks)])


@dataclass(frozen=True, kw_only=True)
class ComputedStudy:
    """Beside the others in the list of studies.

    >>> from longreach.studies.catalog import COMPUTED_STUDIES
    >>> report = COMPUTED_STUDIES["counter-examples"].compute("smoke")
    >>> report.columns[0], len(report.lines)
    ('dropped', 9)
    """

    name: str
    title: str
    source: str
    about: str
    time: str
    compute: Callable[[Scale], ComputedReport]

    formats = FORMATS

    def heading(self, scale: Scale) -> str:
        """Its title, with the scale."""
        return f"{self.title} ({scale} scale)"

    def content(self, report: ComputedReport, scale: Scale, suffix: str) -> bytes:
        """The figure, or the table, in the format of a name's ending."""
        if suffix == ".md":
            return report.markdown().encode()
        return figure_bytes(lambda: report.figure(self.heading(scale)), suffix, salt=self.name)


# A study that trains no members of `longreach train`: it computes its own numbers, or reads what was run.


class StandaloneResult(Protocol):
    """What such a study came to."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""

    def text(self) -> str:
        """For the terminal."""

    def content(self, suffix: str, heading: str) -> bytes:
        """The figure, or the tables, in the format of a name's ending."""


@dataclass(frozen=True, kw_only=True)
class StandaloneAsked:
    """What a study is asked for."""

    scale: Scale
    seeds: int | None
    runs: Path
    held_out: bool
    """Whether held-out languages of the census are looked at, and they alone."""
    train: bool
    """Whether what is missing is computed."""
    tell: Callable[[str], None]
    """Says what is being done …"""
    progress: Callable[[str], None]
    """… and, where somebody looks, how far it is."""
    table: Path | None = None
    """A file that keeps what was computed, a line for each run."""
    fit: bool = False
    """Whether a model is fitted and kept with the package."""


@dataclass(frozen=True, kw_only=True)
class StandaloneStudy:
    """One study."""

    name: str
    title: str
    source: str
    about: str
    time: str
    options: tuple[str, ...]
    """Of `longreach study`, those that it uses beside --scale, --runs, --out and --json."""
    plan: Callable[[StandaloneAsked], dict[str, Any]]
    """What would be done: how many jobs, and how many of them are."""
    run: Callable[[StandaloneAsked], StandaloneResult]

    formats = FORMATS

    def heading(self, scale: Scale) -> str:
        """The title of its figure."""
        claim = ": few steps and runs, no claim" if scale == "smoke" else ""
        return f"{self.title} ({scale} scale{claim})"
