"""`longreach train`: train one member or several on a task, and measure them on longer inputs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.engines import (
    AddressOption,
    EngineMaker,
    EngineName,
    EngineOption,
    GpusOption,
    PartitionOption,
    TimeLimitOption,
    WorkersOption,
    engine_maker,
)
from longreach.cli.members import check_torch, planned, print_plan, train_pending
from longreach.cli.output import console, note, print_json
from longreach.cli.stacking import DeviceOption, StackOption, stacked_maker
from longreach.cli.summary import BRACKETS, cell_of, print_summary, summary
from longreach.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longreach.results.schema import Result
    from longreach.training.config import Range, TrainConfig

DEFAULT_RUNS = Path("runs")
TASK_HELP = "A built-in task, d-N, regex:…, crasp:FILE, or module:attribute."
SEARCHED = ("layers", "heads", "width", "lr")
SEED_FACTOR = 3  # a search tries up to so many times the seeds that were asked for


class Schedule(StrEnum):
    linear = "linear"
    constant = "constant"


class Offsets(StrEnum):
    random = "random"
    none = "none"


class Dtype(StrEnum):
    float32 = "float32"
    bfloat16 = "bfloat16"


def train(
    task: Annotated[str, typer.Argument(metavar="TASK", help=TASK_HELP)],
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="The positional encoding; mlp: the baseline.")
    ] = "ape",
    alphabet: Annotated[
        str | None, typer.Option(metavar="LETTERS", help="The alphabet of regex:…, as in abc.")
    ] = None,
    layers: Annotated[int | None, typer.Option(metavar="N", help="Default: the published shape.")] = None,
    heads: Annotated[int | None, typer.Option(metavar="N")] = None,
    width: Annotated[int | None, typer.Option(metavar="N")] = None,
    lr: Annotated[float | None, typer.Option("--lr", metavar="RATE", help="The learning rate.")] = None,
    batch: Annotated[int | None, typer.Option(metavar="N", help="Sequences per step.")] = None,
    max_steps: Annotated[int | None, typer.Option(metavar="N", help="Stop here at the latest.")] = None,
    warmup: Annotated[int | None, typer.Option(metavar="N", help="Steps of warm-up.")] = None,
    schedule: Annotated[Schedule | None, typer.Option(help="Of the learning rate.")] = None,
    train_lengths: Annotated[
        str | None, typer.Option(metavar="A:B", help="Default: from the task's least length to 50.")
    ] = None,
    test_lengths: Annotated[
        str | None,
        typer.Option(metavar="A:B,…", help="Default: up to twice and three times the training length."),
    ] = None,
    test_size: Annotated[int | None, typer.Option(metavar="N", help="Test sequences per range.")] = None,
    evaluate_every: Annotated[
        int | None, typer.Option(metavar="N", help="Steps between evaluations.")
    ] = None,
    train_on: Annotated[
        bool, typer.Option("--train-on", help="Do not stop at 100 % on the training range.")
    ] = False,
    layer_norm: Annotated[bool, typer.Option("--layer-norm/--no-layer-norm", help="Layer norms.")] = True,
    log_length: Annotated[
        bool, typer.Option("--log-length", help="Scale attention by the logarithm of the length.")
    ] = False,
    tied: Annotated[bool, typer.Option("--tied/--untied", help="Output matrix and embedding.")] = True,
    offsets: Annotated[Offsets | None, typer.Option(help="Where training inputs stand.")] = None,
    dtype: Annotated[Dtype | None, typer.Option(help="Of matrix products.")] = None,
    penalty: Annotated[
        float | None, typer.Option(metavar="C", help="Penalize attention between positions.")
    ] = None,
    compile_step: Annotated[
        bool | None,
        typer.Option("--compile/--no-compile", help="Compile the step; default: by the config."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="S", help="One member with this seed.")] = None,
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
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The results directory.")] = DEFAULT_RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Train members on short inputs and measure them on long ones.

    Members that are done are not trained again; one that was killed goes on where it was.
    The exit code is 0 when all members finished, right or not, and 1 when one failed.

    Example: longreach train binary-majority --seeds 3
    """
    if seed is not None and seeds is not None:
        raise InputError("--seeds: goes without --seed")
    if seeds is not None and seeds < 1:
        raise InputError(f"--seeds: {seeds} is less than 1")
    if alphabet is not None and not task.startswith("regex:"):
        raise InputError("--alphabet: goes with a TASK regex:…")
    if runs.exists() and not runs.is_dir():
        raise InputError(f"--runs: {runs}: not a directory")
    make = engine_maker(
        engine, runs,
        workers=workers, address=address, gpus=gpus, partition=partition, time_limit=time_limit,
    )  # fmt: skip
    given = {
        "alphabet": None if alphabet is None else tuple(alphabet), "layers": layers, "heads": heads,
        "width": width, "lr": lr, "batch": batch, "max_steps": max_steps, "warmup": warmup,
        "schedule": None if schedule is None else schedule.value,
        "train_lengths": None if train_lengths is None else _range("--train-lengths", train_lengths),
        "test_lengths": None if test_lengths is None else _ranges(test_lengths),
        "test_size": test_size, "evaluate_every": evaluate_every, "stop_early": not train_on,
        "layer_norm": layer_norm, "log_length": log_length, "tied": tied,
        "offsets": None if offsets is None else offsets.value,
        "dtype": None if dtype is None else dtype.value, "penalty": penalty, "compile": compile_step,
    }  # fmt: skip
    members = range(seeds) if seeds is not None else [0 if seed is None else seed]
    check_torch()
    make = stacked_maker(make, device, stack, engine=engine, workers=workers, gpus=gpus)
    configs = (_grid if search else _configs)(task, encoding, given, members)
    if dry_run:
        _plan(configs, runs, make, as_json)
        return
    tried = _run(configs, runs, make)
    results, extra = tried, dict[str, Any]()
    if search:
        chosen = _choose(configs, tried, task, encoding, given)
        results = [] if chosen is None else _successes(chosen, members, runs, make)
        extra = {
            "chosen": None if chosen is None else _shape(chosen.document()),
            "search": [{**_document(each), **_shape(each.config)} for each in tried],
        }
    cell = cell_of(results, runs) if len(results) > 1 else None
    if as_json:
        if cell is not None:
            extra["summary"] = summary(cell)
        print_json({"runs": [_document(result) for result in results], **extra})
    else:
        if search:
            _print(tried, SEARCHED)
            print()
        _print(results, SEARCHED if search else ())
        if cell is not None:
            print_summary(cell)
    if any(result.status == "failed" for result in [*tried, *results]):
        raise typer.Exit(1)


def _range(option: str, text: str) -> Range:
    first, colon, last = text.strip().partition(":")
    if not (colon and first.isascii() and first.isdecimal() and last.isascii() and last.isdecimal()):
        raise InputError(f"{option}: {text!r} is not a range of lengths, as in 1:50")
    return int(first), int(last)


def _ranges(text: str) -> tuple[Range, ...]:
    return tuple(_range("--test-lengths", part) for part in text.split(","))


def _configs(task: str, encoding: str, given: dict[str, Any], seeds: Sequence[int]) -> list[TrainConfig]:
    from longreach.training.config import TrainConfig

    first = TrainConfig.resolve(task, encoding, **given, seed=seeds[0])
    return [first, *(_with_seed(first, seed) for seed in seeds[1:])]


def _with_seed(config: TrainConfig, seed: int) -> TrainConfig:
    return type(config).read({**config.document(), "seed": seed})


def _grid(task: str, encoding: str, given: dict[str, Any], seeds: Sequence[int]) -> list[TrainConfig]:
    """The members of the search, all with the first seed."""
    from longreach.training.search import grid

    return grid(task, encoding, **given, seed=seeds[0])


def _choose(
    configs: Sequence[TrainConfig], tried: Sequence[Result], task: str, encoding: str, given: dict[str, Any]
) -> TrainConfig | None:
    from longreach.training.search import choose, last_resort

    chosen = choose(configs, {each.key: each.final for each in tried if each.final is not None})
    if chosen is None:
        note("no member of the search is right on the whole training range")
        chosen = last_resort(task, encoding, **given, seed=configs[0].seed)
    return chosen


def _successes(chosen: TrainConfig, seeds: Sequence[int], runs: Path, make: EngineMaker) -> list[Result]:
    """The results of the chosen shape: further seeds while fewer are successful than were asked for."""
    wanted, configs = len(seeds), [_with_seed(chosen, seed) for seed in seeds]
    results = _run(configs, runs, make)
    while len(seeds) > 1 and len(results) < SEED_FACTOR * wanted:
        missing = wanted - sum(bool(each.final and each.final.reached) for each in results)
        if not missing:
            break
        more = range(len(results), min(len(results) + missing, SEED_FACTOR * wanted))
        results += _run([_with_seed(chosen, seed) for seed in more], runs, make)
    return results


def _shape(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in SEARCHED}


def _plan(configs: Sequence[TrainConfig], runs: Path, make: EngineMaker, as_json: bool) -> None:
    """What would run, and how long it takes: as earlier members did, or all steps at the pace of a few."""
    from dataclasses import asdict

    found, most = planned(configs, runs, make)
    if as_json:
        keys = [{"key": one.key, "seed": one.seed} for one in configs]
        config = configs[0].document()
        print_json({**asdict(found), "seconds_at_most": most, "members": keys, "config": config})
        return
    print_plan(found, most)


def _run(configs: Sequence[TrainConfig], runs: Path, make: EngineMaker) -> list[Result]:
    """The results of all members in order, those that were done before included."""
    from longreach.results.files import read_result

    finished = train_pending(configs, runs, make)
    results = [finished.get(config.key) or read_result(runs, config.key) for config in configs]
    for remark in dict.fromkeys(remark for key in finished for remark in _notes(finished[key])):
        note(remark)
    return results


def _notes(result: Result) -> list[str]:
    found = result.final.details.get("notes", []) if result.final is not None else []
    return [str(remark) for remark in found] if isinstance(found, list) else []


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
    if result.error is not None:
        document["error"] = result.error.splitlines()[0]
    return document


def _shares(first: float | None, shifted: float | None) -> str:
    """From the first position on, and in brackets at random offsets."""
    text = "" if first is None else f"{100 * first:.2f} %"
    return text if shifted is None else f"{text} ({100 * shifted:.2f} %)"


def _print(results: Sequence[Result], settings: Sequence[str] = ()) -> None:
    from rich.table import Table

    names = list(dict.fromkeys(name for each in results if each.final for name in each.final.accuracy))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("key", *settings, "seed", "status", "steps", "seconds", *names):
        table.add_column(title, justify="left" if title in ("key", "status") else "right")
    for each in results:
        final = each.final
        found = {} if final is None else final.accuracy
        shifted = {} if final is None else final.accuracy_random_offset
        table.add_row(
            each.key, *(str(each.config[name]) for name in settings), str(each.seed), each.status,
            "" if final is None else str(final.steps),
            f"{each.timings.seconds:.1f}",
            *(_shares(found.get(name), shifted.get(name)) for name in names),
        )  # fmt: skip
    console().print(table)
    if any(each.final and each.final.accuracy_random_offset for each in results):
        console().print(f"accuracy from the first position on ({BRACKETS})", style="dim")
    for each in results:
        if each.error is not None:
            note(f"{each.key}: {each.error.splitlines()[0]}")
