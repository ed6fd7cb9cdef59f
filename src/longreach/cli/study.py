"""`longreach study`: run a study, print its report, and write its figure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, flag, option
from longreach.cli.output import console, figure_path, note, print_json, say, write_bytes
from longreach.cli.progress import Bars, counted_stages, going_on, print_plan, stage
from longreach.cli.train import announce_members
from longreach.cli.training_options import HERE, ScaleName, ScaleOption, Where
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.runs.train import EngineMaker
    from longreach.studies.study import Study, StudyOptions, StudyReport
    from longreach.training.result import Result


class PartName(StrEnum):
    development = "development"
    held_out = "held-out"
    all = "all"


class SourceName(StrEnum):
    drawn = "drawn"
    typed = "typed"
    all = "all"


def study(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A study; --list names them.")] = None,
    listed: Annotated[bool, flag("--list", "List the studies.")] = False,
    scale: ScaleOption = ScaleName.laptop,
    tasks: Annotated[str | None, option("Only these tasks of the study.", "A,B,…")] = None,
    encodings: Annotated[str | None, option("Only these encodings of the study.", "A,B,…")] = None,
    seeds: Annotated[int | None, option("Runs per cell (default depends on --scale).", "K", min=1)] = None,
    where: Where = HERE,
    runs: Annotated[Path, option("The results directory.", "DIR")] = DEFAULT_RUNS,
    part: Annotated[PartName, option("census, inspection-score: which languages.")] = PartName.all,
    train_to: Annotated[str | None, option("census: training lengths (default: all).", "N,…")] = None,
    source: Annotated[
        SourceName, option("census: random languages, or expressions as people type them.")
    ] = SourceName.all,
    strata: Annotated[
        str | None, option("census: yes/yes, no/yes, no/no-inside or no/no-outside AC⁰.", "A,B,…")
    ] = None,
    layers: Annotated[int | None, option("census: number of layers.", "K", min=1, max=16)] = None,
    table: Annotated[
        Path | None,
        option("census, inspection-score: file with one line per run, read first and then updated.", "FILE"),
    ] = None,
    recipes: Annotated[
        bool, flag("--recipes", "census: compare training recipes on development languages.")
    ] = False,
    fit: Annotated[
        bool,
        flag(
            "--fit",
            "census: fit the odds of forecasts, inspection-score: the scores, on development languages.",
        ),
    ] = False,
    text: Annotated[
        list[Path] | None,
        option(
            "natural-language: a text file, a local dataset, or `python` for the source of the standard "
            "library; repeat for more.",
            "FILE|DIR|python",
        ),
    ] = None,
    out: Annotated[
        Path | None, option("The figure, or the tables as .md (default: a figure in DIR/figures).", "FILE")
    ] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Show the number of jobs and an estimated time; train nothing.")
    ] = False,
    no_train: Annotated[
        bool, flag("--no-train", "Use existing results only; train nothing and write nothing but --out.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Reproduce a published table or figure.

    Trains its runs, draws it, and compares forecast and measurement.
    Finished runs are not trained again: after an interruption, run the same command to resume.
    The exit code is 1 when a run failed.

    Example: longreach study figure1 --scale smoke
    """
    if listed:
        _list(as_json)
        return
    if name is None:
        raise InputError("NAME: missing; --list names the studies")
    from longreach.runs.train import check_runs
    from longreach.studies.catalog import load_study
    from longreach.studies.study import StudyOptions

    chosen = load_study(name)
    _check_out(out, chosen)
    options = StudyOptions(
        scale=scale.value, runs=runs, train=not no_train, device=where.device, seeds=seeds, part=part.value,
        tasks=_task_names(tasks), encodings=_names("--encodings", encodings),
        train_to=_names("--train-to", train_to), source=source.value,
        strata=_names("--strata", strata), layers=layers,
        table=table, recipes=recipes, fit=fit,
        text=tuple(text or ()), note=note, stages=counted_stages,
    )  # fmt: skip
    chosen.check(options)
    check_runs(runs)

    def make() -> EngineMaker:
        return where.engine_maker(runs)

    if dry_run:
        _plan(chosen, options, make, as_json)
        return
    report, failed = _run(chosen, options, make, here=lambda: where.is_here)
    if report is None:  # another process speaks
        return
    path = out or _figure_path(chosen, options, report)
    if path is not None:
        write_bytes(path, chosen.content(report, options.scale, path.suffix.lower()))
    if as_json:
        print_json(_document(chosen, options, path, report))
    else:
        _print(report)
        if options.scale == "smoke" and not _computes(chosen):
            say("\nsmoke scale: tiny models, no claim")
        if path is not None:
            note(f"wrote {path}")
    _end(failed)


def _list(as_json: bool) -> None:
    from longreach.studies.catalog import every_study

    found = every_study()
    if as_json:
        fields = ("name", "title", "source", "about", "time")
        print_json({"studies": [{field: getattr(each, field) for field in fields} for each in found]})
        return
    out, width = console(), max(len(each.name) for each in found)
    for each in found:
        out.hanging(f"{each.name:{width}}  {each.about}", 0, width + 2)
        out.hanging(f"{each.source}; {each.time}", width + 2, style="dim")


def _names(option: str, text: str | None) -> tuple[str, ...] | None:
    """The names in an option.

    >>> _names("--tasks", "a, b")
    ('a', 'b')
    """
    if text is None:
        return None
    names = tuple(part.strip() for part in text.split(","))
    if not all(names):
        raise InputError(f"{option}: {text!r} is not a list of names, as in a,b")
    return names


def _task_names(text: str | None) -> tuple[str, ...] | None:
    """Names with parameters: a comma before a parameter does not end one.

    >>> _task_names("modp-task:p=2,k=0,modp-task:p=3")
    ('modp-task:p=2,k=0', 'modp-task:p=3,k=0')
    """
    names = _names("--tasks", text)
    if names is None:
        return None
    from longreach.tasks.names import FamilyName, has_numbers

    joined: list[str] = []
    for part in names:
        if joined and "=" in part and ":" not in part:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return tuple(FamilyName.read(each).text if has_numbers(each) else each for each in joined)


def _check_out(out: Path | None, study: Study) -> None:
    """Refuse a file that cannot be written before anything is trained."""
    if out is not None and out.suffix.lower() not in study.formats:
        raise InputError(f"--out: {out}: must end in {', '.join(study.formats)}")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")


def _computes(study: Study) -> bool:
    """Whether it trains nothing."""
    from longreach.studies.study import no_members

    return study.members is no_members and study.plan is None


def _plan(study: Study, options: StudyOptions, make: Callable[[], EngineMaker], as_json: bool) -> None:
    """Say what would be done, and how long it takes."""
    from longreach.runs.plan import plan
    from longreach.studies.study import study_members

    heading: dict[str, Any] = {"study": study.name, "scale": options.scale}
    if study.plan is not None or _computes(study):
        nothing = {"jobs": 0}, f"0 jobs: {study.name} computes and trains nothing; {study.time}"
        document, text = study.plan(options) if study.plan is not None else nothing
        if as_json:
            print_json({**heading, **document})
        else:
            say(text)
        return
    members = study_members(study, options)
    planned = plan(members, options.runs, engine=make())
    if as_json:
        print_json({**heading, **asdict(planned)})
    else:
        # Where fewer seeds decide, the others are spared.
        early = study.waiting is not None or any(map(_stops_early, members))
        print_plan(planned, less=study.less, stops_early=early)


def _stops_early(member: RunConfig) -> bool:
    return bool(getattr(member, "stop_early", True))


def _run(
    study: Study, options: StudyOptions, make: Callable[[], EngineMaker], here: Callable[[], bool]
) -> tuple[StudyReport | None, Iterable[Result]]:
    """Train what is missing, saying so, and report."""
    from longreach.studies.study import run_study, study_members

    members = study_members(study, options)
    engine = make() if members and options.train else None
    if engine is not None and here():
        announce_members(members, options.runs, engine, study.less)
    doing = stage(f"computing {study.name}") if _computes(study) else contextlib.nullcontext()
    with going_on(), doing:
        done = run_study(study, options, engine=engine, progress=Bars(overall=True, remarks=False))
    return done.report, done.failed


def _figure_path(study: Study, options: StudyOptions, report: StudyReport) -> Path | None:
    """Where the figure goes if nothing was said; None where nothing is trained, or there is no figure."""
    if not options.train or report.figure is None:
        return None
    return figure_path(options.runs, f"{study.name}-{options.scale}{study.formats[0]}")


def _document(
    study: Study, options: StudyOptions, figure: Path | None, report: StudyReport
) -> dict[str, Any]:
    """What a study found, behind what it is."""
    heading: dict[str, Any] = {"study": study.name, "title": study.title, "source": study.source}
    if ".svg" in study.formats:
        heading |= {"scale": options.scale, "figure": None if figure is None else str(figure)}
    return {**heading, **report.document}


def _print(report: StudyReport) -> None:
    """Tables, remarks and claims, with a line between them."""
    out = console()
    for number, table in enumerate(report.tables):
        above = ([""] if number else []) + ([table.title] if table.title else [])
        out.text("\n".join([*above, ""]), end="")
        out.table(table)
    for remark in report.remarks:
        say(f"\n{remark}" if report.tables else remark)
    if report.claims:
        say("\n" + "\n".join(claim.words for claim in report.claims))


def _end(failed: Iterable[Result]) -> None:
    """Say which runs failed; the exit code is then 1."""
    every = list(failed)
    for result in every:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if every:
        raise typer.Exit(1)
