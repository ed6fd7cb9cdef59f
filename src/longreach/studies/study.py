"""A study: what it trains, what it reports, and the one way to run it.

A study names the runs it needs and turns their results into a report. The runner trains what is missing; the
command line prints the report, and writes its figure, its tables or its document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from longreach.config.run import RunConfig
from longreach.config.scales import Scale, scale_table
from longreach.errors import Field, InputError
from longreach.figures import figure_bytes
from longreach.runs.index import Row, read_index
from longreach.runs.train import EngineMaker, Nobody, Watcher, longest_first, train_pending
from longreach.training.result import Result
from longreach.wording import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = (".svg", ".png", ".pdf", ".md")
TEXTS = (".md", ".json")
"""The formats of a study without a figure."""
Members: TypeAlias = Mapping[Any, Sequence[RunConfig]]
"""By cell, the runs that differ in their seed."""
Stages: TypeAlias = Callable[[str, int], Callable[[int], None]]
"""Told what begins and how much there is to do; returns what is to be told of each advance."""


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _ignore(text: str) -> None:
    pass


def _silent(silent: bool) -> AbstractContextManager[Stages]:
    return nullcontext(lambda doing, total: lambda more: None)


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """What a study is asked for.

    >>> sorted(StudyOptions(seeds=2, tasks=("parity",)).given)
    ['--seeds', '--tasks']
    """

    scale: Scale = "laptop"
    runs: Path = Path("runs")
    train: bool = True
    """Whether to train or compute what is missing."""
    device: str = "auto"
    tasks: tuple[str, ...] | None = field(default=None, metadata={"less": "some --tasks"})
    encodings: tuple[str, ...] | None = field(default=None, metadata={"less": "some --encodings"})
    part: Literal["development", "held-out", "all"] = field(
        default="all", metadata={"less": "--part development"}
    )
    train_to: tuple[str, ...] | None = field(default=None, metadata={"less": "one --train-to"})
    source: Literal["drawn", "typed", "all"] = field(default="all", metadata={"less": "--source drawn"})
    strata: tuple[str, ...] | None = field(default=None, metadata={"less": "some --strata"})
    layers: int | None = field(default=None, metadata={"less": ""})
    seeds: int | None = field(default=None, metadata={"less": "fewer --seeds"})
    table: Path | None = field(default=None, metadata={"less": ""})
    recipes: bool = field(default=False, metadata={"less": ""})
    fit: bool = field(default=False, metadata={"less": ""})
    text: tuple[Path, ...] = field(default=(), metadata={"less": ""})
    note: Callable[[str], None] = _ignore
    """Tells the user what was written."""
    stages: Callable[[bool], AbstractContextManager[Stages]] = _silent
    """Shows work as it advances; silent if told so."""

    @property
    def given(self) -> frozenset[str]:
        """The options, of those that only some studies take, that differ from their defaults."""
        return frozenset(
            _option(each.name)
            for each in fields(self)
            if "less" in each.metadata and getattr(self, each.name) != each.default
        )

    @property
    def whole(self) -> StudyOptions:
        """The same for all tasks and encodings."""
        return replace(self, tasks=None, encodings=None)


def table_of(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", spare: Sequence[str] = ()
) -> Table:
    """A table of words; `spare` columns are left out where the terminal is narrow, the first one first.

    >>> table_of(["a", "b"], [["1", "2"]], spare=["b"]).left_out(width=1)
    ['b']
    """
    ranks = {name: len(spare) - place for place, name in enumerate(spare)}
    known = [Column(name, rank=ranks.get(name, 0), right=False) for name in columns]
    return Table(known, rows, title=title)


def table_text(table: Table) -> str:
    """A table in Markdown, below its title."""
    return f"{table.title}\n\n{table.markdown()}" if table.title else table.markdown()


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim, usually of a paper, and whether the runs bear it out.

    >>> Claim(text="one is ahead", holds=True, detail="90.0 against 60.0").words
    'holds: one is ahead (90.0 against 60.0)'
    """

    text: str
    holds: bool | None
    """None: not measured."""
    detail: str = ""

    @property
    def words(self) -> str:
        said = {True: "holds", False: "does not hold", None: "not measured"}[self.holds]
        return f"{said}: {self.text}" + (f" ({self.detail})" if self.detail else "")

    def document(self) -> dict[str, Any]:
        return {"claim": self.text, "holds": self.holds, "detail": self.detail}


@dataclass(frozen=True, kw_only=True)
class StudyReport:
    """What a study found."""

    document: Mapping[str, Any]
    tables: Sequence[Table] = ()
    remarks: Sequence[str] = ()
    claims: Sequence[Claim] = ()
    figure: Callable[[str], Figure] | None = None
    """Draws it under a title."""
    file: Callable[[], str] | None = None
    """The .md file, where it says more than tables, remarks and claims."""

    def markdown(self) -> str:
        """Tables, remarks and claims, for a file."""
        if self.file is not None:
            return self.file()
        claims = ["\n".join(f"- {claim.words}" for claim in self.claims)] if self.claims else []
        return "\n\n".join([*map(table_text, self.tables), *self.remarks, *claims]) + "\n"

    def content(self, suffix: str, title: str, *, salt: str) -> bytes:
        """The figure, the tables or the document, in the format of a name's ending."""
        if suffix == ".md":
            return self.markdown().encode()
        if suffix == ".json":
            return json.dumps(self.document, indent=1).encode()
        figure = self.figure
        if figure is None or suffix not in FIGURES:
            raise InputError(f"there is no {suffix!r} of this study", place=Field("out"))
        return figure_bytes(lambda: figure(title), suffix, salt=salt)


def no_members(options: StudyOptions) -> Members:
    """Of a study that trains nothing."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Study:
    """A published table or figure, or a question of our own."""

    name: str
    title: str
    source: str
    about: str
    time: str
    """How long it takes at which scale."""
    report: Callable[[StudyOptions, Sequence[Row]], StudyReport | None]
    """From all results in the directory; None: another process reports."""
    members: Callable[[StudyOptions], Members] = no_members
    """What is trained at most."""
    options: frozenset[str] = frozenset()
    """Those it takes of `StudyOptions.given`."""
    formats: tuple[str, ...] = FIGURES
    """The endings of its files, the usual one first."""
    waiting: Callable[[StudyOptions], Sequence[RunConfig]] | None = None
    """What to train next, where that depends on what was found before; None: all members at once."""
    ended: Callable[[StudyOptions], Callable[[Result], None]] | None = None
    """Told of each result as it comes, so that an interruption loses nothing."""
    in_order: bool = False
    """Whether members are trained in the order of the cells; otherwise the most work comes first."""
    plan: Callable[[StudyOptions], tuple[dict[str, Any], str]] | None = None
    """What would be done, as a document and for people, by a study whose work is not members."""

    def check(self, options: StudyOptions) -> None:
        """Refuse options that it does not take."""
        for option in sorted(options.given - self.options):
            known = f"; it takes {', '.join(sorted(self.options))}" if self.options else ""
            raise InputError(f"{option}: not an option of {self.name}{known}")

    @property
    def less(self) -> str:
        """How to ask for less work."""
        known = [each.metadata["less"] for each in fields(StudyOptions) if _option(each.name) in self.options]
        return ", ".join(["--scale smoke", *filter(None, known)])

    def heading(self, scale: Scale) -> str:
        """The title of its figure, with the scale and what that claims."""
        table = scale_table(scale)
        trains = self.members is not no_members or self.plan is not None
        claim = f": {table.about}" if scale == "smoke" and table is not None and trains else ""
        return f"{self.title} ({scale} scale{claim})"

    def content(self, report: StudyReport, scale: Scale, suffix: str) -> bytes:
        """A file of a report, in the format of a name's ending."""
        if suffix not in self.formats:
            reason = f"the name must end in {', '.join(self.formats)}, not in {suffix!r}"
            raise InputError(reason, place=Field("out"))
        return report.content(suffix, self.heading(scale), salt=self.name)


@dataclass(frozen=True, kw_only=True)
class StudyRun:
    """What a study came to."""

    report: StudyReport | None
    failed: tuple[Result, ...]
    """The runs that failed this time."""


def study_members(study: Study, options: StudyOptions) -> list[RunConfig]:
    """What is trained, each member once though cells may share it."""
    found = [each for members in study.members(options).values() for each in members]
    return list({each.key: each for each in found}.values()) if study.in_order else longest_first(found)


def run_study(
    study: Study, options: StudyOptions, *, engine: EngineMaker | None = None, progress: Watcher | None = None
) -> StudyRun:
    """Train what is missing, unless only existing results count, and report on all of it."""
    failed = _trained(study, options, engine, progress) if options.train else ()
    rows = [] if study.members is no_members else rows_in(options.runs)
    return StudyRun(report=study.report(options, rows), failed=failed)


def _trained(
    study: Study, options: StudyOptions, engine: EngineMaker | None, progress: Watcher | None
) -> tuple[Result, ...]:
    """Train round after round; returns the runs that failed, which end it."""
    if study.ended is not None:
        progress = _Telling(progress or Nobody(), study.ended(options))
    while wanted := study_members(study, options) if study.waiting is None else study.waiting(options):
        results = train_pending(wanted, options.runs, engine=engine, progress=progress)
        failed = tuple(each for each in results.values() if each.status == "failed")
        if failed or study.waiting is None:
            return failed
    return ()


@dataclass(frozen=True)
class _Telling:
    """A watcher that hands on each result as well."""

    watcher: Watcher
    told: Callable[[Result], None]

    @property
    def ended_by(self) -> str:
        return self.watcher.ended_by

    @contextmanager
    def watch(
        self, waiting: Sequence[RunConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        with self.watcher.watch(waiting, runs, total) as ended:

            def both(result: Result) -> None:
                ended(result)
                self.told(result)

            yield both

    def say(self, remark: str) -> None:
        self.watcher.say(remark)


def rows_in(runs: Path) -> list[Row]:
    """All results of a directory; none where there is no directory."""
    if not runs.is_dir():
        return []
    with read_index(runs) as index:
        return index.rows()


def rows_by_cell(members: Members, rows: Iterable[Row]) -> dict[Hashable, tuple[Row, ...]]:
    """The finished runs of each cell, in the order of its members."""
    known = {row.key: row for row in rows if row.status == "done"}
    return {
        cell: tuple(known[each.key] for each in members if each.key in known)
        for cell, members in members.items()
    }
