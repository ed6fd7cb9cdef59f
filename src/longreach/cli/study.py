"""`longreach study`: train what a published table or figure needs, draw it, and judge the forecasts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.engine_options import (
    AddressOption,
    DeviceOption,
    EngineName,
    EngineOption,
    GpusOption,
    PartitionOption,
    StackOption,
    TimeLimitOption,
    WorkersOption,
    chosen_engine,
    trains_here,
)
from longreach.cli.output import console, print_json, write_bytes
from longreach.cli.own_study import own_study
from longreach.cli.setting_options import ScaleName, ScaleOption
from longreach.cli.shared_options import DEFAULT_RUNS, JsonOption
from longreach.cli.study_asked import PartName, StudyAsked
from longreach.cli.study_cells import study_cells
from longreach.cli.study_census import census
from longreach.cli.study_computed import computed_study
from longreach.cli.study_language import language_study
from longreach.cli.study_losses import loss_study
from longreach.cli.study_standalone import standalone
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.experiments.engine_makers import EngineMaker
    from longreach.studies.study_definition import Study

OF_THE_CENSUS = ("--part", "--train-to", "--table", "--recipes", "--fit")


def study(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A study; --list names them.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
    scale: ScaleOption = ScaleName.laptop,
    tasks: Annotated[str | None, typer.Option(metavar="A,B,…", help="Only these tasks of the study.")] = None,
    encodings: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Only these encodings of the study.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Members a cell; default: by the scale.")
    ] = None,
    engine: EngineOption = EngineName.local,
    workers: WorkersOption = None,
    address: AddressOption = None,
    gpus: GpusOption = None,
    partition: PartitionOption = None,
    time_limit: TimeLimitOption = None,
    device: DeviceOption = "auto",
    stack: StackOption = None,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The results directory.")] = DEFAULT_RUNS,
    part: Annotated[PartName, typer.Option(help="census, inspection-score: which languages.")] = PartName.all,
    train_to: Annotated[
        str | None, typer.Option(metavar="N,…", help="census: training lengths; default: all.")
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="census, inspection-score: all runs, a line each; read first, written at the end.",
        ),
    ] = None,
    recipes: Annotated[
        bool, typer.Option("--recipes", help="census: what makes a yes come true, on development languages.")
    ] = False,
    fit: Annotated[
        bool,
        typer.Option(
            "--fit",
            help="census: fit the odds of forecasts, inspection-score: the scores, on development languages.",
        ),
    ] = False,
    text: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE|DIR",
            help="natural-language: a text file or a local dataset; may be given several times.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The figure, or its cells as .md; default: a figure in DIR/figures."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the jobs and train nothing.")] = False,
    no_train: Annotated[
        bool, typer.Option("--no-train", help="Judge what is there; train nothing, write only --out.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a published table or figure: train its members, draw it, compare forecast and measurement.

    Members that are done are not trained again; after an interruption the same command goes on.
    The exit code is 1 when a member failed.

    Example: longreach study figure1 --scale smoke
    """
    if listed:
        _list(as_json)
        return
    if name is None:
        raise InputError("NAME: missing; --list names the studies")

    def make() -> EngineMaker:
        return chosen_engine(
            engine, runs,
            workers=workers, address=address, gpus=gpus, partition=partition, time_limit=time_limit,
            device=device, stack=stack,
        )  # fmt: skip

    asked = StudyAsked(
        scale=scale.value, tasks=tasks, encodings=encodings, seeds=seeds, runs=runs, out=out,
        dry_run=dry_run, train=not no_train, as_json=as_json, part=part, train_to=train_to, table=table,
        recipes=recipes, fit=fit, make=make, here=lambda: trains_here(engine, device), device=device,
        text=tuple(text or ()),
    )  # fmt: skip
    from longreach.studies.all_studies import load_study
    from longreach.studies.census.census_study import CensusStudy
    from longreach.studies.computed_study import ComputedStudy
    from longreach.studies.loss_study import LossStudy
    from longreach.studies.natural_language.language_study import LanguageStudy
    from longreach.studies.standalone_study import StandaloneStudy

    chosen = load_study(name)
    asked.check_out(chosen.formats)
    if not isinstance(chosen, LanguageStudy):
        asked.refuse(name, "is not about natural language, whose option this is", "--text")
    if not isinstance(chosen, CensusStudy | StandaloneStudy):
        asked.refuse(name, "is not the census, whose option this is", *OF_THE_CENSUS)
    if isinstance(chosen, CensusStudy):
        census(chosen, asked)
    elif isinstance(chosen, StandaloneStudy):
        standalone(chosen, asked)
    elif isinstance(chosen, LanguageStudy):
        language_study(chosen, asked)
    elif isinstance(chosen, LossStudy):
        loss_study(chosen, asked)
    elif isinstance(chosen, ComputedStudy):
        computed_study(chosen, asked)
    elif chosen.table is not None:
        _theory(chosen, asked)
    elif chosen.own is not None:
        own_study(chosen, asked)
    else:
        study_cells(chosen, asked)


def _list(as_json: bool) -> None:
    from longreach.studies.all_studies import EVERY

    if as_json:
        fields = ("name", "title", "source", "about", "time")
        print_json(
            {"studies": [{field: getattr(each, field) for field in fields} for each in EVERY.values()]}
        )
        return
    out, width = console(), max(map(len, EVERY))
    for each in EVERY.values():
        out.print(f"{each.name:{width}} {each.about}", markup=False, highlight=False)
        out.print(f"{'':{width}} {each.source}; {each.time}", markup=False, highlight=False, style="dim")


def _theory(chosen: Study, asked: StudyAsked) -> None:
    asked.refuse(chosen.name, "is a table of theory and trains nothing", "--tasks", "--encodings", "--seeds")
    assert chosen.table is not None, chosen.name
    table = chosen.table()
    if asked.as_json:
        print_json({"study": chosen.name, "source": chosen.source, **table.document()})
    else:
        print(table.markdown(), end="")
    if asked.out is not None:
        write_bytes(asked.out, chosen.content((), "paper", asked.out.suffix.lower()))
