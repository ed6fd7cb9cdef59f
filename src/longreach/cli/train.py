"""`longreach train`: train one member or several on a task, and measure them on longer inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.change_options import IndexHintsOption, ReversedOption, ScratchpadOption, changed_name
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
from longreach.cli.fitted_table import Column, fits, print_fitted
from longreach.cli.output import console, exit_code, note, print_json
from longreach.cli.progress import Bars, announce, going_on, print_plan
from longreach.cli.setting_options import (
    ScaleName,
    ScaleOption,
    given_settings,
    help_of,
    with_setting_options,
)
from longreach.cli.shared_options import DEFAULT_RUNS, JsonOption, RunsOption
from longreach.cli.summary import (
    BRACKETS,
    cell_of,
    judged,
    judgement,
    print_judgement,
    print_summary,
    summary,
)
from longreach.cli.train_numbers import print_losses, regression_members
from longreach.config.cell_label import encoding_label
from longreach.config.regression_name import RegressionName
from longreach.config.task_name import TaskName
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.any_member import AnyMember
    from longreach.config.training import TrainConfig
    from longreach.experiments.engine_makers import EngineMaker
    from longreach.results.schema import Result

SEARCHED = ("layers", "heads", "width", "lr")
FOR_LESS = "--scale laptop, fewer --max-steps, shorter --train-lengths, fewer --seeds"
FOR_LESS_AT_LAPTOP = "fewer --max-steps, a smaller --width, shorter --train-lengths, fewer --seeds"


TELLING_IDS = (
    "the position ids of this task's answers depend on the input and tell part of the answer; "
    "with --predict-ids the model must find them"
)


@with_setting_options
def train(
    task: Annotated[str, typer.Argument(metavar="TASK", help=help_of("task"))],
    *,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    scale: ScaleOption = ScaleName.laptop,
    seed: Annotated[int | None, typer.Option(metavar="S", help=help_of("seed"))] = None,
    seeds: Annotated[int | None, typer.Option(metavar="K", help="Members with the seeds 0 … K−1.")] = None,
    search: Annotated[bool, typer.Option("--search", help="Search the published grid of shapes.")] = False,
    engine: EngineOption = EngineName.local,
    workers: WorkersOption = None,
    address: AddressOption = None,
    gpus: GpusOption = None,
    partition: PartitionOption = None,
    time_limit: TimeLimitOption = None,
    device: DeviceOption = "auto",
    stack: StackOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the jobs and train nothing.")] = False,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
    **settings: Any,
) -> None:
    """Train members on short inputs and measure them on long ones.

    At the end runs are counted one by one and compared with the forecast.
    Members that are done are not trained again; one that was killed goes on where it was.
    Without --scale paper a member takes a minute or two on one core; --dry-run says how long.
    The exit code is 0 when all members finished, right or not, and 1 when one failed.

    Example: longreach train binary-majority --seeds 3
    """
    task = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    if seed is not None and seeds is not None:
        raise InputError("--seeds: goes without --seed")
    if seeds is not None and seeds < 1:
        raise InputError(f"--seeds: {seeds} is less than 1")
    if settings["alphabet"] is not None and not TaskName(task).has_alphabet:
        raise InputError("--alphabet: goes with a TASK regex:… or states:…")
    from longreach.experiments.running import check_runs
    from longreach.experiments.running import train as train_members
    from longreach.experiments.shape_search import grid
    from longreach.experiments.shape_search import search as search_shape

    check_runs(runs)
    given = given_settings(settings)
    make = chosen_engine(
        engine, runs,
        workers=workers, address=address, gpus=gpus, partition=partition, time_limit=time_limit,
        device=device, stack=stack,
    )  # fmt: skip
    numbers = range(seeds) if seeds is not None else [0 if seed is None else seed]
    given |= {"scale": scale.value}
    if RegressionName.is_one(task):
        if search:
            raise InputError(f"--search: the shapes are for tasks with tokens as answers, not for {task}")
        members = regression_members(task, numbers, given)
        if dry_run:
            _plan(members, runs, make, as_json, FOR_LESS_AT_LAPTOP)
            return
        if trains_here(engine, device):
            announce_members(members, runs, make, FOR_LESS_AT_LAPTOP)
        with going_on():
            fitted = train_members(members, runs, engine=make, progress=Bars())
        print_losses(fitted, as_json)
        return
    configs = grid(task, seed=numbers[0], **given) if search else _members(task, numbers, given)
    if _reads_telling_ids(configs[0]):
        note(TELLING_IDS)
    less = FOR_LESS if scale is ScaleName.paper else FOR_LESS_AT_LAPTOP
    if dry_run:
        _plan(configs, runs, make, as_json, less)
        return
    if trains_here(engine, device):
        announce_members(configs, runs, make, less)
    tried: Sequence[Result] = ()
    results: Sequence[Result]
    extra = dict[str, Any]()
    chosen: TrainConfig | None = configs[0]
    with going_on():
        if search:
            found = search_shape(task, seeds=numbers, runs=runs, engine=make, progress=Bars(), **given)
            tried, results, chosen = found.tried, found.results, found.chosen
            extra = {
                "chosen": None if chosen is None else _shape(chosen.document()),
                "search": [{**_document(each), **_shape(each.config)} for each in tried],
            }
        else:
            results = train_members(configs, runs, engine=make, progress=Bars())
    cell = cell_of(results) if len(results) > 1 else None
    with exit_code(1, when=any(result.status == "failed" for result in [*tried, *results])):
        if as_json:
            if cell is not None:
                extra["summary"] = summary(cell)
            if chosen is not None:
                extra["judgement"] = judgement(*judged(chosen, results))
            print_json({"runs": [_document(result) for result in results], **extra})
        else:
            if search:
                _print(tried, SEARCHED)
                print()
            _print(results, SEARCHED if search else ())
            if chosen is not None:
                if cell is not None:
                    print_summary(cell, chosen)
                print_judgement(judged(chosen, results)[1])


def _reads_telling_ids(config: TrainConfig) -> bool:
    if config.id_scheme != "coupled" or config.predict_ids:
        return False
    from longreach.tasks.id_locality import ids_tell
    from longreach.training.shape import task_of

    return ids_tell(task_of(config))


def _members(task: str, seeds: Sequence[int], given: dict[str, Any]) -> list[TrainConfig]:
    from longreach.experiments.resolve import resolve

    first = resolve(task, seed=seeds[0], **given)
    return [first, *(first.with_seed(seed) for seed in seeds[1:])]


def _shape(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in SEARCHED}


def _plan(configs: Sequence[AnyMember], runs: Path, make: EngineMaker, as_json: bool, less: str) -> None:
    from longreach.experiments.planning import plan

    planned = plan(configs, runs, engine=make)
    if as_json:
        keys = [{"key": one.key, "seed": one.seed} for one in configs]
        print_json({**planned.document(), "members": keys, "config": configs[0].document()})
        return
    print_plan(planned, less=less, stops_early=any(config.stop_early for config in configs))


def announce_members(configs: Sequence[AnyMember], runs: Path, make: EngineMaker, less: str) -> None:
    """Say what will run and for how long."""
    from longreach.experiments.planning import plan
    from longreach.experiments.running import writable_runs

    planned = plan(configs, runs, engine=make)
    if planned.plan.pending:
        writable_runs(runs)
    cores = make(max(1, planned.plan.pending)).parallel
    announce(planned, cores, less=less, stops_early=any(config.stop_early for config in configs))


def _document(result: Result) -> dict[str, Any]:
    final = result.final
    document: dict[str, Any] = {
        "key": result.key,
        "seed": result.seed,
        "status": result.status,
        "steps": None if final is None else final.steps,
        "seconds": result.timings.seconds,
        "reached": final is not None and bool(final.reached),
        "accuracy": {} if final is None else final.accuracy,
        "accuracy_random_offset": {} if final is None else final.accuracy_random_offset,
    }
    if final is not None and final.other:
        document["other"] = final.other
    if result.error is not None:
        document["error"] = result.error.splitlines()[0]
    return document


def _print(results: Sequence[Result], settings: Sequence[str] = ()) -> None:
    if not results:
        return
    finals = [each.final for each in results if each.final is not None]
    names = list(dict.fromkeys(name for final in finals for name in final.accuracy))
    # The last range says whether a run works; what was asked for, and how long it took, can be looked up.
    columns = [
        Column("key", rank=3, right=False),
        *(Column(name) for name in settings),
        Column("seed"),
        Column("status", rank=0 if any(each.error for each in results) else 4, right=False),
        Column("steps", rank=5),
        Column("seconds", rank=6),
        *(Column(name, rank=2 if name != names[-1] else 0) for name in names),
    ]
    offsets = any(final.accuracy_random_offset for final in finals)
    lines = [_line(each, settings, names, offsets=offsets) for each in results]
    ranges = [Column(column.title, 0 if column.title in names else column.rank) for column in columns]
    if offsets and not fits(ranges, lines, console().width):  # rather all ranges than the brackets
        offsets, lines = False, [_line(each, settings, names, offsets=False) for each in results]
    print_fitted(columns, lines)
    about = [f"with {label}" for label in dict.fromkeys(_label(each) for each in results)]
    about += [f"accuracy from the first position on ({BRACKETS})"] if offsets else []
    console().print(": ".join(about), style="dim", markup=False, highlight=False)
    for each in results:
        if each.final is not None and each.final.other:
            out = f"seed {each.seed} on its own: {_written(each.final.other)} (brackets: tokens alone)"
            console().print(out, style="dim", highlight=False)
        if each.error is not None:
            note(f"{each.key}: {each.error.splitlines()[0]}")


def _line(each: Result, settings: Sequence[str], names: Sequence[str], *, offsets: bool) -> list[str]:
    final = each.final
    found = {} if final is None else final.accuracy
    shifted = {} if final is None or not offsets else final.accuracy_random_offset
    return [
        each.key, *(str(each.config[name]) for name in settings), str(each.seed), each.status,
        "" if final is None else str(final.steps), f"{each.timings.seconds:.1f}",
        *(_shares(found.get(name), shifted.get(name)) for name in names),
    ]  # fmt: skip


def _label(result: Result) -> str:
    return encoding_label(str(result.config["encoding"]), result.config)


def _written(other: Mapping[str, float]) -> str:
    """What a model writes right on its own, by range, and in brackets whatever the position ids."""
    from longreach.results.schema import TOKENS_WRITTEN, WRITTEN

    spans = [name.removeprefix(WRITTEN).strip() for name in other if name.startswith(WRITTEN)]
    return ", ".join(
        f"{span} {_shares(other[f'{WRITTEN} {span}'], other.get(f'{TOKENS_WRITTEN} {span}'))}"
        for span in spans
    )


def _shares(first: float | None, shifted: float | None) -> str:
    """From the first position on, and in brackets at random offsets."""
    text = "" if first is None else f"{100 * first:.2f} %"
    return text if shifted is None else f"{text} ({100 * shifted:.2f} %)"
