"""`longreach study` for studies whose cells are not tasks under encodings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from longreach.cli.output import note, print_json, say, write_bytes
from longreach.cli.progress import Bars, going_on, print_plan
from longreach.cli.train import announce_members

if TYPE_CHECKING:
    from longreach.config.scales import Scale
    from longreach.experiments.engine_makers import EngineMaker
    from longreach.studies.own_cells import OwnReport
    from longreach.studies.study_definition import Study

FOR_LESS = "--scale smoke, fewer --seeds"


def plan_own_study(
    chosen: Study, scale: Scale, *, seeds: int | None, runs: Path, make: EngineMaker, as_json: bool
) -> None:
    """What would be trained at most."""
    from longreach.experiments.planning import plan

    members = chosen.members(scale, seeds)
    planned = plan(members, runs, engine=make)
    if as_json:
        print_json({"study": chosen.name, "scale": scale, **planned.document()})
    else:
        print_plan(
            planned, less=FOR_LESS, stops_early=True
        )  # where fewer seeds decide, the others are spared


def run_own_study(
    chosen: Study,
    scale: Scale,
    *,
    seeds: int | None,
    runs: Path,
    make: EngineMaker,
    here: bool,
    train: bool,
) -> OwnReport:
    """Train what is missing, with bars, and look at the whole of it."""
    assert chosen.own is not None, chosen.name
    if train and here:
        announce_members(chosen.members(scale, seeds), runs, make, FOR_LESS)
    with going_on():
        return chosen.own.run(
            scale,
            seeds=seeds,
            runs=runs,
            engine=make,
            progress=Bars(overall=True, remarks=False),
            train=train,
        )


def show_own_study(chosen: Study, scale: Scale, done: OwnReport, path: Path | None, *, as_json: bool) -> None:
    """The document or the text, the figure, and whoever failed."""
    if path is not None:
        write_bytes(path, done.content(path.suffix.lower(), chosen.heading(scale)))
    if as_json:
        heading = {"study": chosen.name, "title": chosen.title, "source": chosen.source, "scale": scale}
        print_json({**heading, "figure": None if path is None else str(path), **done.document()})
    else:
        say(done.text(), end="")
        if scale == "smoke":
            say("\nsmoke scale: tiny models, no claim")
        if path is not None:
            note(f"wrote {path}")
    for result in done.failed:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if done.failed:
        raise typer.Exit(1)
