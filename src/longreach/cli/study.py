"""`longreach study`: train what a published table or figure needs, draw it, judge the forecasts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption
from longreach.cli.output import Column, console, note, print_fitted, print_json, say, write_bytes
from longreach.cli.progress import Bars, counted_stages, going_on
from longreach.cli.study_kinds import (
    PartName,
    StudyAsked,
    computed_study,
    end,
    listed_names,
    loss_study,
    own_study,
    standalone,
    study_cells,
)
from longreach.cli.training_options import (
    AddressOption,
    DeviceOption,
    EngineName,
    EngineOption,
    GpusOption,
    PartitionOption,
    ScaleName,
    ScaleOption,
    StackOption,
    TimeLimitOption,
    WorkersOption,
    chosen_engine,
    trains_here,
)
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.runs.train import EngineMaker
    from longreach.studies.census.draw import Part
    from longreach.studies.census.members import Collected, RecipeScore
    from longreach.studies.census.study import CensusStudy
    from longreach.studies.census.tables import CensusRun
    from longreach.studies.language_network import LanguageSettings
    from longreach.studies.language_training import LanguageRun
    from longreach.studies.natural_language import LanguageStudy
    from longreach.studies.study import Study
    from longreach.training.result import Result

# `longreach study census`: train the languages of the census, keep all runs in a table, judge forecasts.


FOR_LESS = "--scale smoke, --part development, one --train-to, fewer --seeds"
BOTH: tuple[Part, ...] = ("development", "held-out")


def census(study: CensusStudy, asked: StudyAsked) -> None:
    """Train the runs that are missing, keep them in the table, and say what they are worth."""
    asked.refuse(study.name, "draws its languages; --part and --train-to choose among them", "--tasks")
    if asked.recipes:
        _recipes(study, asked)
        return
    from longreach.studies.census.members import (
        check_parts,
        collect,
        fingerprint,
        language_table,
        members,
        settings,
    )

    chosen = settings().at_scale(asked.scale)
    parts = BOTH if asked.part is PartName.all else tuple(part for part in BOTH if part == asked.part.value)
    commit = check_parts(parts) if asked.scale != "smoke" else None
    known = _known(asked)
    wanted = members(
        language_table().values(), chosen,
        parts=parts, trained_to=_lengths(asked.train_to, chosen.trained_to),
        encodings=listed_names("--encodings", asked.encodings), seeds=asked.seeds,
    )  # fmt: skip
    waiting = _waiting(wanted.values(), known)
    if asked.dry_run:
        asked.show_plan(study.name, waiting, less=FOR_LESS)
        return
    failed = _train(asked, waiting)
    named = [(member, config, None) for member, config in wanted.items()]
    collected = collect(named, asked.runs, fingerprint(), known)
    _keep(asked, known, collected.runs)
    if asked.fit:
        _fit(collected.runs)
    _judge(study, asked, parts, collected, known, commit)
    end(failed)


def _lengths(text: str | None, known: tuple[int, ...]) -> tuple[int, ...]:
    """The training lengths that are named; all of them where none is."""
    names = listed_names("--train-to", text)
    if names is None:
        return known
    for each in names:
        if each not in map(str, known):
            said = ", ".join(map(str, known))
            raise InputError(f"--train-to: {each!r} is not a training length of the census; it has {said}")
    return tuple(map(int, names))


def _known(asked: StudyAsked) -> tuple[CensusRun, ...]:
    from longreach.studies.census.tables import read_runs

    if asked.table is None:
        return ()
    if not asked.table.exists() and (asked.train or asked.runs.is_dir()):
        return ()  # it will be made from the results
    return read_runs(asked.table)


def _waiting(wanted: Iterable[RunConfig], known: Sequence[CensusRun]) -> list[RunConfig]:
    """What is in no table; failed runs are tried again."""
    done = {each.run for each in known if not each.failed}
    return [each for each in wanted if each.key not in done]


def _train(asked: StudyAsked, waiting: Sequence[RunConfig]) -> list[Result]:
    """Train what is not done; the runs that failed."""
    if not asked.train:
        return []
    from longreach.runs.train import check_runs, train_pending

    check_runs(asked.runs)
    asked.announce(waiting, less=FOR_LESS)
    with going_on():
        found = train_pending(
            waiting, asked.runs, engine=asked.make(), progress=Bars(overall=True, remarks=False)
        )
    return [result for result in found.values() if result.status == "failed"]


def _keep(asked: StudyAsked, known: Sequence[CensusRun], found: Sequence[CensusRun]) -> None:
    """Write the table with what was in it and what is new."""
    from longreach.studies.census.tables import runs_to_text

    if asked.table is None:
        return
    whole = {each.run: each for each in (*known, *found)}
    if len(whole) > len(known) or set(known) != set(whole.values()):
        write_bytes(asked.table, runs_to_text(whole.values()).encode())
        note(f"wrote {asked.table}: {len(whole)} runs")


def _fit(runs: Sequence[CensusRun]) -> None:
    from longreach.answers.odds import FITTED, fitted_odds
    from longreach.studies.census.study import fit

    write_bytes(FITTED, fit(runs).text().encode())
    fitted_odds.cache_clear()
    note(f"wrote {FITTED}")


def _judge(
    study: CensusStudy,
    asked: StudyAsked,
    parts: Sequence[Part],
    collected: Collected,
    known: Sequence[CensusRun],
    commit: str | None,
) -> None:
    """Say what the runs are worth, part by part; the figure is of the last part that has any.

    Predictors become probabilities by development runs, which may stand in the table alone.
    """
    from longreach.studies.census.analysis import analysis_tables, counted
    from longreach.studies.census.members import fingerprint, language_table
    from longreach.studies.census.study import census_content, judge

    table = language_table()
    by_part: dict[Part, list[CensusRun]] = {part: [] for part in BOTH}
    for run in collected.runs:
        by_part[table[run.language].part].append(run)
    if "development" not in parts:
        by_part["development"] = [
            run for run in known if run.recipe is None and table[run.language].part == "development"
        ]
    found = [
        judge(part, by_part[part], by_part["development"])
        for part in parts
        if any(not run.failed for run in by_part[part])
    ]
    path = asked.figure_path(study.name, study.formats[0]) if found else None
    if path is not None:
        write_bytes(path, census_content(found[-1], path.suffix.lower()))
    if asked.as_json:
        asked.print_document(
            study,
            path,
            {
                "settings": fingerprint(),
                "settings_commit": commit,
                "missing": collected.missing,
                "parts": [each.document() for each in found],
            },
        )
        return
    out = console()
    for each in found:
        document = each.document()
        out.print(counted(document), markup=False, highlight=False)
        for shown in analysis_tables(document):
            out.print()
            out.print(shown.title, markup=False, highlight=False)
            print_fitted([Column(title, right=bool(n)) for n, title in enumerate(shown.columns)], shown.rows)
        out.print()
    if asked.scale == "smoke":
        out.print("smoke scale: tiny models, no claim")
    if collected.missing:
        note(f"{collected.missing} runs are missing")
    if path is not None:
        note(f"wrote {path}")


def _recipes(study: CensusStudy, asked: StudyAsked) -> None:
    """What makes a yes come true: each recipe on the same development languages."""
    from longreach.studies.census.members import (
        RECIPES,
        collect,
        fingerprint,
        language_table,
        recipe_members,
        recipe_scores,
        recipes,
    )

    reason = "tries recipes on languages, lengths and encodings of its own"
    asked.refuse(f"{study.name} --recipes", reason, "--encodings", "--part", "--train-to", "--fit")
    tried = recipes().at_scale(asked.scale)
    wanted = recipe_members(tried, language_table(), asked.seeds)
    known = _known(asked)
    waiting = _waiting(wanted.values(), known)
    if asked.dry_run:
        asked.show_plan(study.name, waiting, less="--scale smoke")
        return
    failed = _train(asked, waiting)
    named = [(member, config, name) for (name, member), config in wanted.items()]
    collected = collect(named, asked.runs, fingerprint(RECIPES), known)
    _keep(asked, known, collected.runs)
    scores = recipe_scores(collected.runs, tried, language_table())
    if asked.as_json:
        print_json(
            {
                "study": study.name,
                "scale": asked.scale,
                "settings": fingerprint(RECIPES),
                "missing": collected.missing,
                "recipes": [each.document() for each in scores],
            }
        )
    else:
        _print_recipes(scores)
        if collected.missing:
            note(f"{collected.missing} runs are missing")
    end(failed)


def _print_recipes(scores: Sequence[RecipeScore]) -> None:
    from longreach.studies.census.analysis import recipe_table

    table = recipe_table(scores)
    ranks = {"learned": 2, "accuracy at 3N": 1, "gain": 3}
    columns = [Column(head, rank=ranks.get(head, 0), right=head != "recipe") for head in table.columns]
    print_fitted(columns, [list(row) for row in table.rows])


# `longreach study natural-language`: two models on real text, Table 1, and the tokens that matter.


def language_study(study: LanguageStudy, asked: StudyAsked) -> None:
    """Train both models, measure them, and show the whole of it; what is done is not done again."""
    from longreach.inspection.texts import default_corpus, from_files
    from longreach.runs.train import check_runs, check_torch

    asked.refuse(study.name, "trains its two models on text", "--tasks", "--encodings", "--seeds")
    check_runs(asked.runs)
    check_torch()
    settings = _settings(asked)
    if asked.dry_run:
        _plan(study, settings, asked)
        return
    from longreach.studies.language_training import LanguageRun, join_workers, leave_workers
    from longreach.training.devices import find_device

    corpus = from_files(asked.text) if asked.text else default_corpus()
    run = LanguageRun(settings, corpus, asked.runs)
    document = _kept(run)
    if document is None:
        if not asked.train:
            raise InputError("--no-train: nothing has been measured yet in this setting")
        device = find_device(asked.device)
        workers = join_workers(device)
        try:
            with going_on():
                document = _run(run, device, workers)
        finally:
            leave_workers()
        if document is None:  # another process speaks
            return
    _show(study, document, asked)


def _settings(asked: StudyAsked) -> LanguageSettings:
    from longreach.inspection.texts import has_byte_pairs
    from longreach.studies.language_network import SETTINGS

    settings = SETTINGS[asked.scale]
    if settings.tokenizer == "bpe" and not has_byte_pairs():
        note("tokens are bytes: byte pairs need the extra 'text': pip install 'longreach[text]'")
        return settings.model_copy(update={"tokenizer": "bytes", "vocabulary": 0})
    return settings


def _plan(study: LanguageStudy, settings: LanguageSettings, asked: StudyAsked) -> None:
    from longreach.studies.language_training import NAMES, estimated_seconds

    shape = settings.shape(settings.vocabulary or 257)
    seconds = estimated_seconds(settings)
    trainings = {name: settings.training(name).model_dump() for name in NAMES}
    if asked.as_json:
        print_json({"study": study.name, "scale": asked.scale, "parameters": shape.parameters,
                    "trainings": trainings, "seconds": round(seconds, 1)})  # fmt: skip
        return
    for name, training in trainings.items():
        pose = f", the last {training['pose_steps']} with PoSE to {training['longest']}" * bool(
            training["pose_steps"]
        )
        print(
            f"h_{name}: {training['steps']} steps of {training['batch']} × {training['context']} tokens{pose}"
        )
    print(
        f"{shape.parameters / 1e6:.1f} M parameters; about {_duration(seconds)} on one core of this machine"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.0f} h"


def _kept(run: LanguageRun) -> dict[str, Any] | None:
    """The findings of an earlier call, whole."""
    try:
        found: dict[str, Any] = json.loads(run.findings_file.read_text(encoding="utf-8"))
        return found
    except OSError:
        return None
    except ValueError:
        raise InputError(f"{run.findings_file}: is damaged; remove it to measure again") from None


def _run(run: LanguageRun, device: Any, workers: Any) -> dict[str, Any] | None:
    from longreach.inspection.texts import read_tokenizer
    from longreach.studies.language_training import NAMES
    from longreach.studies.natural_language import findings_document

    with counted_stages(silent=not workers.first) as stage:
        if workers.first:
            run.prepare(stage)
        workers.wait()
        size = read_tokenizer(run.directory / "tokenizer.json").size
        networks = {
            name: run.train(name, size, device=device, workers=workers, stage=stage) for name in NAMES
        }
        if not workers.first:
            return None
        found = run.measure(networks, stage)
    document = {
        "corpus": run.corpus.source,
        "settings": run.settings.model_dump(),
        "directory": str(run.directory),
        **findings_document(found.perplexity, found.losses),
    }
    run.keep(document)
    return document


def _show(study: LanguageStudy, document: dict[str, Any], asked: StudyAsked) -> None:
    from longreach.figures import figure_bytes
    from longreach.studies.natural_language import language_figure, markdown

    title = study.title + (" (smoke scale: no claim)" if asked.scale == "smoke" else "")
    path: Path | None = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        suffix = path.suffix.lower()
        content = (
            markdown(document).encode()
            if suffix == ".md"
            else figure_bytes(lambda: language_figure(document, title), suffix, salt=study.name)
        )
        write_bytes(path, content)
    if asked.as_json:
        asked.print_document(study, path, document)
        return
    _print(document, asked.scale)
    if path is not None:
        note(f"wrote {path}")


def _print(document: dict[str, Any], scale: str) -> None:
    from longreach.studies.natural_language import influence_rows, perplexity_rows

    for rows in (perplexity_rows(document), influence_rows(document)):
        columns = [Column(title, rank=0, right=place > 2) for place, title in enumerate(rows[0])]
        print_fitted(columns, rows[1:])
        print()
    say(f"text: {document['corpus']}")
    if scale == "smoke":
        print("smoke scale: tiny models, no claim")


# `longreach study`: train what a published table or figure needs, draw it, and judge the forecasts.


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
    """Reproduce a published table or figure.

    Its members are trained, it is drawn, and forecast and measurement are compared.
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
    from longreach.studies.catalog import load_study
    from longreach.studies.census.study import CensusStudy
    from longreach.studies.losses import LossStudy
    from longreach.studies.natural_language import LanguageStudy
    from longreach.studies.study import ComputedStudy, StandaloneStudy

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
    from longreach.studies.catalog import EVERY

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
