"""What `longreach study` was asked for, and what every kind of study does with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from longreach.cli.output import note, print_json
from longreach.cli.progress import print_plan
from longreach.cli.train import announce_members
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.any_member import AnyMember
    from longreach.config.scales import Scale
    from longreach.experiments.engine_makers import EngineMaker
    from longreach.results.schema import Result
    from longreach.studies.all_studies import AnyStudy


class PartName(StrEnum):
    development = "development"
    held_out = "held-out"
    all = "all"


@dataclass(frozen=True, kw_only=True)
class StudyAsked:
    """The options, as they were given."""

    scale: Scale
    tasks: str | None
    encodings: str | None
    seeds: int | None
    runs: Path
    out: Path | None
    dry_run: bool
    train: bool
    as_json: bool
    part: PartName
    train_to: str | None
    table: Path | None
    recipes: bool
    fit: bool
    make: Callable[[], EngineMaker]
    """The engine that the options describe."""
    here: Callable[[], bool]
    """Whether members train on this machine's processor."""
    device: str = "auto"
    text: tuple[Path, ...] = ()

    def refuse(self, study: str, reason: str, *options: str) -> None:
        """Options that a study cannot use are said, not ignored."""
        given = {
            "--tasks": self.tasks is not None,
            "--encodings": self.encodings is not None,
            "--seeds": self.seeds is not None,
            "--part": self.part is not PartName.all,
            "--train-to": self.train_to is not None,
            "--table": self.table is not None,
            "--recipes": self.recipes,
            "--fit": self.fit,
            "--text": bool(self.text),
        }
        for option in options:
            if given[option]:
                raise InputError(f"{option}: {study} {reason}")

    def check_out(self, formats: Sequence[str]) -> None:
        """Refuse a figure that cannot be written before anything is trained."""
        if self.out is None:
            return
        if self.out.suffix.lower() not in formats:
            raise InputError(f"--out: {self.out}: must end in {', '.join(formats)}")
        if not self.out.parent.is_dir():
            raise InputError(f"--out: {self.out}: no such directory")

    def figure_path(self, study: str, suffix: str) -> Path | None:
        """Where the figure goes; None where nothing is trained and none was asked for."""
        if self.out is not None:
            return self.out
        if not self.train:
            return None
        path = self.runs / "figures" / f"{study}-{self.scale}{suffix}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
        return path

    def show_plan(
        self, study: str, members: Sequence[AnyMember], *, less: str, stops_early: bool = False
    ) -> None:
        """What would run, and how long it takes."""
        from longreach.experiments.planning import plan

        planned = plan(members, self.runs, engine=self.make())
        if self.as_json:
            print_json({"study": study, "scale": self.scale, **planned.document()})
        else:
            print_plan(planned, less=less, stops_early=stops_early)

    def print_document(self, study: AnyStudy, figure: Path | None, found: Mapping[str, Any]) -> None:
        """What a study found, as JSON, behind what it is."""
        heading = {"study": study.name, "title": study.title, "source": study.source, "scale": self.scale}
        print_json({**heading, "figure": None if figure is None else str(figure), **found})

    def announce(self, members: Sequence[AnyMember], *, less: str) -> None:
        """Say what will run where it trains on this machine."""
        if not self.train:
            return
        make = self.make()
        if self.here():
            announce_members(members, self.runs, make, less)


def listed_names(option: str, text: str | None) -> list[str] | None:
    """The names in an option.

    >>> listed_names("--tasks", "a, b")
    ['a', 'b']
    """
    if text is None:
        return None
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError(f"{option}: {text!r} is not a list of names, as in a,b")
    return names


def end(failed: Iterable[Result]) -> None:
    """Say which members failed; the exit code is then 1."""
    every = list(failed)
    for result in every:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if every:
        raise typer.Exit(1)
