"""`longreach train`: train on a task, and measure on longer inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import DEFAULT_RUNS, UNCHANGED, Changes, JsonOption, RunsOption, flag, option
from longreach.cli.output import console, exit_code, note, print_json
from longreach.cli.progress import Bars, announce, going_on, print_plan
from longreach.cli.training_options import (
    HERE,
    ScaleName,
    ScaleOption,
    Where,
    check_alphabet,
    given_settings,
    help_of,
    with_setting_options,
)
from longreach.config.architectures import DECODER
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy, Cell, Spread, Tally, cells
from longreach.runs.index import row_of
from longreach.tasks.lengths import name_order, read_name
from longreach.tasks.names import has_numbers
from longreach.wording import Column, Table, percent

if TYPE_CHECKING:
    from longreach.answers.forecast import Forecast
    from longreach.answers.judge import Finding
    from longreach.config.run import RunConfig
    from longreach.runs.train import EngineMaker
    from longreach.theory.verdicts.verdict import Answer
    from longreach.training.result import Result

LOSS = "loss "
"""How the losses of tasks whose answers are numbers begin among the other measurements."""
PROBED = ("probing ", "worst loop ", "flow ")
"""How the accuracies on probing words begin there: documents have fields of their own for them."""
SEARCHED = ("layers", "heads", "width", "lr")
FOR_LESS = "--scale laptop, fewer --max-steps, shorter --train-lengths, fewer --seeds"
FOR_LESS_AT_LAPTOP = "fewer --max-steps, a smaller --width, shorter --train-lengths, fewer --seeds"
TELLING_IDS = (
    "this task's position ids depend on the answer and leak part of it; "
    "use --predict-ids to make the model predict them"
)
BRACKETS = "in brackets at random offsets"
OPTIONS = {
    "train for more steps, or a larger model": "--max-steps, --width, --layers",
    "train on longer inputs": "--train-lengths",
    "test on longer inputs": "--test-lengths",
    "train more seeds": "--seeds",
}
"""How to ask for what a reason ends with."""


class LoggerName(StrEnum):
    tensorboard = "tensorboard"
    wandb = "wandb"


def logger_of(name: LoggerName) -> Callable[[Path, Iterable[Result]], Path]:
    from longreach.runs.logs import logger

    return logger(name.value)


@with_setting_options
def train(
    task: Annotated[str, typer.Argument(metavar="TASK", help=help_of("task"))],
    *,
    changes: Changes = UNCHANGED,
    scale: ScaleOption = ScaleName.laptop,
    seed: Annotated[int | None, option(help_of("seed"), "S")] = None,
    seeds: Annotated[int | None, option("Train K runs, with seeds 0 … K−1.", "K")] = None,
    search: Annotated[bool, flag("--search", "Search the published grid of model shapes.")] = False,
    where: Where = HERE,
    log: Annotated[LoggerName | None, option("Also log finished runs for this viewer, offline.")] = None,
    dry_run: Annotated[
        bool, flag("--dry-run", "Show the number of jobs and an estimated time; train nothing.")
    ] = False,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
    **settings: Any,
) -> None:
    """Train on short inputs and measure on longer ones.

    Counts the runs that work and compares them with the forecast. Finished runs are not trained again, and
    an interrupted run resumes from its checkpoint. At --scale laptop a run takes a minute or two
    on one core; --dry-run estimates the time. Exit code 0 if all runs finished, whatever their accuracy, and
    1 if one failed.

    Example: longreach train binary-majority --seeds 3
    """
    task = changes.of(task, settings["alphabet"])
    if seed is not None and seeds is not None:
        raise InputError("--seeds: cannot be used with --seed")
    if seeds is not None and seeds < 1:
        raise InputError(f"--seeds: must be at least 1, not {seeds}")
    check_alphabet(settings, task)
    from longreach.runs.search import grid
    from longreach.runs.search import search as search_shape
    from longreach.runs.train import check_runs
    from longreach.runs.train import train as train_runs

    check_runs(runs)
    write_log = None if log is None else logger_of(log)
    given = given_settings(settings) | {"scale": scale.value}
    make = where.engine_maker(runs)
    numbers = range(seeds) if seeds is not None else [0 if seed is None else seed]
    judges = not has_numbers(task)  # theory forecasts no losses
    if search and not judges:
        raise InputError(f"--search: the shapes are for tasks with tokens as answers, not for {task}")
    configs = grid(task, seed=numbers[0], **given) if search else _members(task, numbers, given)
    if _reads_telling_ids(configs[0]):
        note(TELLING_IDS)
    less = FOR_LESS if judges and scale is ScaleName.paper else FOR_LESS_AT_LAPTOP
    if dry_run:
        _plan(configs, runs, make, as_json, less)
        return
    if where.is_here:
        announce_members(configs, runs, make, less)
    tried: Sequence[Result] = ()
    results: Sequence[Result]
    extra = dict[str, Any]()
    chosen = configs[0] if judges else None
    with going_on():
        if search:
            found = search_shape(task, seeds=numbers, runs=runs, engine=make, progress=Bars(), **given)
            tried, results, chosen = found.tried, found.results, found.chosen
            extra = {
                "chosen": None if chosen is None else _shape(chosen.document()),
                "search": [{**_run_document(each), **_shape(each.config)} for each in tried],
            }
        else:
            results = train_runs(configs, runs, engine=make, progress=Bars())
    _note_changed_code(results)
    if write_log is not None:
        note(f"logs in {write_log(runs, [*tried, *results])}")
    cell = cell_of(results) if judges and len(results) > 1 else None
    with exit_code(1, when=any(result.status == "failed" for result in [*tried, *results])):
        if as_json:
            if cell is not None:
                extra["summary"] = summary(cell)
            if chosen is not None:
                tally, finding = judged(chosen, results)
                extra["judgement"] = {
                    "state": finding.state, "words": finding.words, **tally.document(),
                    "reasons": list(finding.reasons),
                }  # fmt: skip
            print_json({"runs": [_run_document(result) for result in results], **extra})
            return
        if search:
            _print_runs(tried, SEARCHED)
            print()
        _print_runs(results, SEARCHED if search else ())
        if chosen is not None:
            if cell is not None:
                print_summary(cell, chosen)
            print_judgement(*judged(chosen, results), own_model=chosen.label.row.is_own)


def _note_changed_code(results: Sequence[Result]) -> None:
    """Say which finished runs were trained with other code of an own model, of the same name."""
    from longreach.config.run import RunConfig
    from longreach.training.setup import model_source

    for result in results:
        source = None if result.final is None else result.final.details.get("source")
        if source is not None and source != model_source(RunConfig.read(result.config)):
            name = result.config["architecture"]
            note(
                f"{name} has changed since the run with seed {result.seed} was trained: to train it again, "
                f"use another --runs, or longreach results remove {result.key}"
            )


def _reads_telling_ids(config: RunConfig) -> bool:
    if config.loss == "squared" or config.id_scheme != "coupled" or config.predict_ids:
        return False
    from longreach.tasks.positions import ids_tell
    from longreach.training.setup import task_of

    return ids_tell(task_of(config))


def _members(task: str, seeds: Sequence[int], given: dict[str, Any]) -> list[RunConfig]:
    from longreach.runs.resolve import resolve

    first = resolve(task, seed=seeds[0], **given)
    return [first, *(first.with_seed(seed) for seed in seeds[1:])]


def _shape(config: Mapping[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in SEARCHED}


def _plan(configs: Sequence[RunConfig], runs: Path, make: EngineMaker, as_json: bool, less: str) -> None:
    from longreach.runs.plan import plan

    planned = plan(configs, runs, engine=make)
    if as_json:
        keys = [{"key": one.key, "seed": one.seed} for one in configs]
        print_json({**asdict(planned), "members": keys, "config": configs[0].document()})
        return
    print_plan(planned, less=less, stops_early=any(config.stop_early for config in configs))


def announce_members(configs: Sequence[RunConfig], runs: Path, make: EngineMaker, less: str) -> None:
    """Say what will run and for how long."""
    from longreach.runs.plan import plan
    from longreach.runs.train import writable_runs

    planned = plan(configs, runs, engine=make)
    if planned.pending:
        writable_runs(runs)
    cores = make(max(1, planned.pending)).parallel
    announce(planned, cores, less=less, stops_early=any(config.stop_early for config in configs))


def _run_document(result: Result) -> dict[str, Any]:
    from longreach.runs.cells import range_shares

    final = result.final
    numbers = has_numbers(str(result.config["task"]))
    label = CellLabel.of(result.config)
    is_decoder = label.architecture == DECODER
    document: dict[str, Any] = {
        "key": result.key,
        **({"task": result.config["task"]} if numbers else {}),
        **({} if is_decoder else {"architecture": label.architecture, "label": label.title}),
        **{name: value for name, value in result.config.items() if name == "model_options"},
        "seed": result.seed,
        "status": result.status,
        "steps": None if final is None else final.steps,
        "seconds": result.timings.seconds,
        "reached": final is not None and bool(final.reached),
    }
    other = {} if final is None else final.other
    details = {} if final is None else final.details
    document |= {name: details[name] for name in ("parameters", "state_size") if name in details}
    if numbers:
        measured = {name: value for name, value in other.items() if not name.startswith(LOSS)}
        document |= {"loss": _losses(result), "measured": measured}
    else:
        document["accuracy"] = {} if final is None else final.accuracy
        document["accuracy_random_offset"] = {} if final is None else final.accuracy_random_offset
        row = row_of(result)
        document |= {"probing": range_shares(row, "probing"), "worst_loop": range_shares(row, "worst loop")}
        document |= {"flow": range_shares(row, "flow"), "sure": _sure(result), "chance": _chances(result)}
        document |= {"accuracy_uniform": range_shares(row, "uniform")}
        rest = {name: value for name, value in other.items() if not name.startswith(PROBED)}
        document |= {"other": rest} if rest else {}
    if result.error is not None:
        document["error"] = result.error.splitlines()[0]
    return document


def _losses(result: Result) -> dict[str, float]:
    other = {} if result.final is None else result.final.other
    return {name.removeprefix(LOSS): value for name, value in other.items() if name.startswith(LOSS)}


def _print_runs(results: Sequence[Result], settings: Sequence[str] = ()) -> None:
    if not results:
        return
    out = console()
    numbers = has_numbers(str(results[0].config["task"]))
    table, about = _loss_table(results) if numbers else _accuracy_table(results, settings, out.width)
    out.table(table)
    out.text(about, "dim")
    if not numbers and (probed := _probed(results)):
        out.text(probed, "dim")
    for each in results:
        if each.final is not None and not numbers and (alone := _written(each.final.other)):
            out.text(f"seed {each.seed} on its own: {alone} (brackets: tokens alone)", "dim")
        if each.error is not None:
            note(f"{each.key}: {each.error.splitlines()[0]}")


def _loss_table(results: Sequence[Result]) -> tuple[Table, str]:
    names = list(dict.fromkeys(name for each in results for name in _losses(each)))
    columns = [
        Column("key", rank=3, right=False),
        Column("seed"),
        Column("steps", rank=4),
        Column("stopped at", rank=2, right=False),
        Column("seconds", rank=5),
        *(Column(name, rank=1 if name != names[-1] else 0) for name in names),
    ]
    lines = []
    for each in results:
        losses, final = _losses(each), each.final
        ended = ("", "") if final is None else (final.steps, str(final.details.get("stopped", each.status)))
        shown = (f"{losses[name]:.2e}" if name in losses else "" for name in names)
        lines.append([each.key, each.seed, *ended, f"{each.timings.seconds:.1f}", *shown])
    return Table(columns, lines), "mean squared error by length; the first range is that of training"


def _accuracy_table(results: Sequence[Result], settings: Sequence[str], width: int) -> tuple[Table, str]:
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
    if offsets and not Table(ranges, lines).fits(width):  # rather all ranges than the brackets
        offsets, lines = False, [_line(each, settings, names, offsets=False) for each in results]
    about = [f"with {label}" for label in dict.fromkeys(CellLabel.of(each.config).shown for each in results)]
    about += [f"accuracy from the first position on ({BRACKETS})"] if offsets else []
    chances = {name: percent(share, 0) for name, share in _chances(results[0]).items()}
    same = len(set(chances.values())) == 1
    guessed = [next(iter(chances.values()))] if same else [f"{name} {each}" for name, each in chances.items()]
    return Table(columns, lines), ": ".join(about) + (f"; chance {', '.join(guessed)}" if guessed else "")


def _probed(results: Sequence[Result]) -> str:
    """On the longest range with probing words: the accuracy of each run, and on its worst loop or kind.

    The same of words of a certificate.
    """
    from longreach.runs.cells import range_shares, worst_words
    from longreach.training.result import range_number

    rows = [row_of(each) for each in results if each.final is not None]
    probing = [range_shares(row, "probing") for row in rows]
    if not any(probing):
        return ""
    last = max((name for shares in probing for name in shares), key=name_order)
    worst = [range_shares(row, "worst loop").get(last) for row in rows]
    pairs = zip((shares.get(last) for shares in probing), worst, strict=True)
    shown = ", ".join(_shares(*pair) for pair in pairs if pair[0] is not None)
    text = f"probing words at {last} (in brackets the {worst_words(str(results[0].config['task']))}): {shown}"
    guessed = rows[0].other.get(range_number("chance", range_number("probing", last)))
    text += "" if guessed is None else f"; chance {percent(guessed, 0)}"
    flows = [percent(shares[last], 2) for row in rows if last in (shares := range_shares(row, "flow"))]
    return text + (f"; words of the no without positions: {', '.join(flows)}" if flows else "")


def _sure(result: Result) -> dict[str, bool]:
    """By range, whether the run works on random words and on its worst loop."""
    from longreach.runs.cells import sure_at

    criterion = _criterion(result)
    return {} if criterion is None else sure_at(row_of(result), criterion.chance)


def _criterion(result: Result) -> ByAccuracy | None:
    """Which accuracies are good enough; None where the run failed or its task is not there any more."""
    from longreach.config.run import RunConfig
    from longreach.training.setup import task_of

    try:
        return None if result.final is None else ByAccuracy(task_of(RunConfig.read(result.config)).chance)
    except InputError:
        return None


def _chances(result: Result) -> dict[str, float]:
    """By range, what guessing reaches on a run's tests; empty where its task is not there any more."""
    criterion = _criterion(result)
    if criterion is None or result.final is None:
        return {}
    row = row_of(result)
    spans = {name: read_name(name) for name in result.final.accuracy}
    return {name: criterion.chance_of(row, span) for name, span in spans.items() if span is not None}


def _line(each: Result, settings: Sequence[str], names: Sequence[str], *, offsets: bool) -> list[object]:
    final = each.final
    found = {} if final is None else final.accuracy
    shifted = {} if final is None or not offsets else final.accuracy_random_offset
    return [
        each.key, *(each.config[name] for name in settings), each.seed, each.status,
        "" if final is None else final.steps, f"{each.timings.seconds:.1f}",
        *(_shares(found.get(name), shifted.get(name)) for name in names),
    ]  # fmt: skip


def _written(other: Mapping[str, float]) -> str:
    """What a model writes right on its own, by range, and in brackets whatever the position ids."""
    from longreach.training.result import TOKENS_WRITTEN, WRITTEN

    spans = [name.removeprefix(WRITTEN).strip() for name in other if name.startswith(WRITTEN)]
    return ", ".join(
        f"{span} {_shares(other[f'{WRITTEN} {span}'], other.get(f'{TOKENS_WRITTEN} {span}'))}"
        for span in spans
    )


def _shares(first: float | None, shifted: float | None) -> str:
    """From the first position on, and in brackets at random offsets."""
    text = "" if first is None else f"{100 * first:.2f} %"
    return text if shifted is None else f"{text} ({100 * shifted:.2f} %)"


# What several runs of one configuration add up to, beside the forecast.


def cell_of(results: Sequence[Result]) -> Cell | None:
    """The cell of these results; None if there are none or they differ in more than their seeds."""
    found = cells(map(row_of, results))
    return found[0] if len(found) == 1 else None


def forecast_of(task: str, label: CellLabel, alphabet: Sequence[str] | None) -> Answer | None:
    """The forecast for what is trained, where theory has one for the encoding."""
    known = known_forecast(task, alphabet)
    return None if known is None else known.expected(label)


def known_forecast(task: str, alphabet: Sequence[str] | None) -> Forecast | None:
    """The forecast for a task; None if it is gone, such as one in a module that is gone."""
    from longreach.answers.forecast import forecast

    try:
        return forecast(task, alphabet)
    except InputError:
        return None


def judged(config: RunConfig, results: Sequence[Result]) -> tuple[Tally, Finding]:
    """The runs of a configuration counted, and what they say of its forecast."""
    from longreach.answers.judge import Finding, judge_runs
    from longreach.training.setup import task_of

    cell = Cell.of(config.document(), map(row_of, results))
    try:
        chance = task_of(config).chance
    except InputError as error:  # a user's own functions that fail
        # Without it no run can be said to work; those that failed are none anyway.
        tally = cell.count(ByAccuracy(1.0), config.longest_test)
        return tally, Finding("cannot be judged", f"cannot be judged: {error.about_argument}")
    tally = cell.count(ByAccuracy(chance), config.longest_test)
    known = known_forecast(config.task, config.alphabet) if _has_theory(config.label) else None
    return tally, judge_runs(None, tally) if known is None else known.judge(config.label, tally)


def _has_theory(label: CellLabel) -> bool:
    """Whether theory may have a forecast; others are not looked for, which can take seconds."""
    from longreach.answers.encodings import OTHER_ATTENTION

    return label.architecture != DECODER or label.side is not None or label.encoding in OTHER_ATTENTION


def print_judgement(tally: Tally, finding: Finding, *, own_model: bool = False) -> None:
    """What the runs say of the forecast, and what to try next; with probing words also which test counts."""
    from longreach.answers.judge import WHICH_WORDS

    out = console()
    out.print()
    out.text(finding.words)
    for reason in finding.reasons:
        options = next((names for what, names in OPTIONS.items() if reason.endswith(what)), "")
        options = options.replace("--width, --layers", "--model-option") if own_model else options
        out.text(f"  {reason}{options and f' ({options})'}")
    if tally.probed:
        out.text(f"{tally.sure_words}. {WHICH_WORDS}", "dim")


def summary(cell: Cell) -> dict[str, Any]:
    """As a document: how many succeeded of all, mean and spread of those, and the forecast."""
    found = forecast_of(cell.task, CellLabel.of(cell.config), cell.config.get("alphabet"))
    return {
        "runs": len(cell.rows),
        "finished": len(cell.finished),
        "reached": len(cell.successful),
        "success": cell.success,
        "counted": "successful" if cell.learned else "finished",
        "accuracy": {name: asdict(spread) for name, spread in cell.accuracy.items()},
        "accuracy_random_offset": {
            name: asdict(spread) for name, spread in cell.accuracy_random_offset.items()
        },
        "forecast": None if found is None else found.value,
    }


def print_summary(cell: Cell, config: RunConfig) -> None:
    """How many learned, and the means; of ranges where runs do opposite things, how many work instead."""
    from longreach.training.setup import task_of

    try:
        out, chance = console(), task_of(config).chance
    except InputError:  # as in `judged`, which says so
        return
    tallies = {span.name: cell.count(ByAccuracy(chance), span) for span in config.ranges}
    shifted = cell.accuracy_random_offset
    means = [
        f"{name} {_mean(spread, shifted.get(name))}"
        for name, spread in cell.accuracy.items()
        if name in tallies and not tallies[name].is_mixed
    ]
    lines = [tallies[config.longest_test.name].learned_words]
    if means:
        of = "those" if cell.learned and len(cell.successful) < len(cell.finished) else "all"
        lines.append(f"mean of {of}: {'  '.join(means)}")
    lines += [f"no mean at {name}: {tally.words}" for name, tally in tallies.items() if tally.is_mixed]
    out.print()
    for line in lines:
        out.text(line)


def _mean(spread: Spread, shifted: Spread | None) -> str:
    text = f"{100 * spread.mean:.2f} ± {100 * spread.deviation:.2f} %"
    return text if shifted is None else f"{text} ({100 * shifted.mean:.2f} %)"
