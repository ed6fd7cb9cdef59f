"""`longreach inspect`: what a trained model does, its automaton and program, its perplexity on text."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach import wording
from longreach.cli.options import AlphabetOption, JsonOption, alphabet_of_task, check_task, flag, option
from longreach.cli.output import (
    argument,
    check_directory,
    check_file,
    console,
    note,
    print_json,
    say,
    write_bytes,
    write_text,
)
from longreach.cli.progress import counted_stages, stage
from longreach.cli.training_options import DeviceOption
from longreach.errors import InputError, MissingExtra
from longreach.figures import FORMATS
from longreach.wording import Column, Table, counted

if TYPE_CHECKING:
    from longreach.inspection.extract import ExtractedProgram, Extraction
    from longreach.inspection.perplexity import AtLength
    from longreach.inspection.report import HeadReport, Inspection

USAGE = "RUN|CHECKPOINT|HF_DIRECTORY"
SUFFIXES = (".png", ".svg")
SHOWN_HEADS, SHOWN_MATCHES = 8, 3

SecondsOption = Annotated[
    float,
    option("Seconds to learn the automaton, and again to find a program.", "S", panel="With --automaton"),
]
OwnEncodingOption = Annotated[
    str | None, option("The model's positional encoding, if it is your own code.", "MODULE:CLASS")
]


ON_TEXT = "With --text"


@dataclass(frozen=True)
class OnText:
    """How a language model is measured on text, as options."""

    lengths: Annotated[str, option("Context lengths in tokens of the model.", "N,…", panel=ON_TEXT)] = (
        "64,128,256"
    )
    windows: Annotated[int, option("Maximum number of windows per length.", "K", panel=ON_TEXT, min=1)] = 1000
    influential: Annotated[
        int,
        option(
            "Also find the K tokens outside the near context that most affect the last token.",
            "K",
            panel=ON_TEXT,
            min=0,
        ),
    ] = 0
    examples: Annotated[
        int, option("Windows to search for influential tokens.", "K", panel=ON_TEXT, min=2)
    ] = 100
    device: DeviceOption = "auto"


USUAL_LENGTHS = OnText()


def inspect(
    model: Annotated[
        str,
        typer.Argument(
            metavar=USAGE,
            help="The directory of a run, one of our model.safetensors, or a Hugging Face directory.",
        ),
    ],
    task: Annotated[
        str | None, option("The task that the model learned (default: the run's).", "TASK")
    ] = None,
    alphabet: AlphabetOption = None,
    encoding: OwnEncodingOption = None,
    tokens: Annotated[
        Path | None, option("Token ids, one input per line, if there is no task.", "FILE")
    ] = None,
    inputs: Annotated[int, option("Inputs of each tested length.", "K", min=1, max=10_000)] = 40,
    seed: Annotated[int, option("Seed of the inputs.", "S", min=0, max=2**32 - 1)] = 0,
    out: Annotated[
        Path | None,
        option("Write a page, a JSON document and figures; with --text FIGURE, one figure.", "DIR"),
    ] = None,
    as_json: JsonOption = False,
    automaton: Annotated[
        bool, flag("--automaton", "Learn the automaton and the program of the model's answers.")
    ] = False,
    text: Annotated[
        list[Path] | None, option("Measure the perplexity on a text; repeat for more.", "FILE")
    ] = None,
    seconds: SecondsOption = 20.0,
    measured: OnText = USUAL_LENGTHS,
) -> None:
    """Look inside a trained model.

    Shows how its heads depend on positions, what they attend to, the nearest limit transformer, and how it
    fails. With --automaton, the automaton and the program of its answers, and where it differs from its task.
    With --text, the perplexity of a language model by context length and by position.

    Example: longreach inspect runs/0123456789abcdef --out inspected
    """
    if automaton and text:
        raise InputError("--automaton: cannot be used with --text")
    if automaton:
        if out is not None:
            raise InputError("--out: cannot be used with --automaton")
        extract(Path(model), task, seconds, as_json, encoding)
        return
    if text:
        perplexity(Path(model), text, measured, out, as_json)
        return
    check_task(task, alphabet)
    letters = alphabet_of_task(alphabet, task)
    _check_directory(out)
    with argument("model", USAGE):
        found = _inspected(model, task, letters, encoding, tokens, inputs, seed)
    written = [] if out is None else _write(found, out)
    if as_json:
        print_json({**found.document(), "out": [str(path) for path in written]})
        return
    _print_inspection(found)
    if out is not None:
        print(out / "inspection.html", flush=True)


def _inspected(
    model: str,
    task: str | None,
    letters: list[str] | None,
    encoding: str | None,
    tokens: Path | None,
    inputs: int,
    seed: int,
) -> Inspection:
    try:
        from longreach.inspection.models import OutsideModel, open_model, read_token_file
        from longreach.inspection.report import inspect_outside, inspect_subject
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("inspecting a model", "train") from None
    alphabet = None if letters is None else tuple(letters)
    subject = open_model(model, task, alphabet=alphabet, encoding=encoding)
    with contextlib.ExitStack() as speaking:

        def stages(doing: str) -> None:
            speaking.close()
            speaking.enter_context(stage(doing))

        if isinstance(subject, OutsideModel):
            size = subject.document.get("vocab_size")
            given = (
                None if tokens is None else read_token_file(tokens, size if isinstance(size, int) else 2**31)
            )
            return inspect_outside(subject, tokens=given, seed=seed, stage=stages)
        if tokens is not None and subject.task is not None:
            raise InputError("--tokens: the task has inputs of its own")
        given = None if tokens is None else read_token_file(tokens, subject.config.vocabulary)
        return inspect_subject(subject, tokens=given, seed=seed, inputs=inputs, stage=stages)


def _check_directory(out: Path | None) -> None:
    """Refuse a directory that cannot be written before any work is done for it."""
    check_directory(out, "--out")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out: {out}: {out.parent} is not a directory")


def _write(found: Inspection, out: Path) -> list[Path]:
    """All files, the page last: where it is, the others are."""
    from longreach.inspection.figures import figure_files, figures_of, title_of
    from longreach.report.pages import render_inspection_page

    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"--out: {out}: cannot be created: {error.strerror}") from None
    written, drawn = [], {}
    with stage("drawing"):
        for name, draw in figures_of(found).items():
            files = figure_files(draw, name, SUFFIXES)
            for suffix, content in files.items():
                write_bytes(out / f"{name}{suffix}", content)
                written.append(out / f"{name}{suffix}")
            drawn[name] = files[".svg"]
    write_text(out / "inspection.json", json.dumps(found.document(), ensure_ascii=False, indent=1) + "\n")
    write_text(out / "inspection.html", render_inspection_page(found, drawn, title=title_of(found)))
    return [*written, out / "inspection.json", out / "inspection.html"]


def _print_inspection(found: Inspection) -> None:
    """One screen."""
    out = console()
    facts = found.facts
    about = [str(facts[name]) for name in ("task", "architecture", "encoding") if facts.get(name)]
    if facts.get("layers"):
        heads = counted(facts["heads_per_layer"], "head")
        about.append(f"{counted(facts['layers'], 'layer')} of {heads}, width {facts['width']}")
    if facts.get("trained_to"):
        about.append(f"trained to {facts['trained_to']}")
    out.text(f"{found.name}   {', '.join(about)}", "bold")
    variances = sorted(each.offset_variance for each in found.heads)
    middle = variances[len(variances) // 2]
    out.text(
        f"{found.products_from}, {len(found.heads)} heads: offset variance {variances[0]:.3g} to "
        f"{variances[-1]:.3g}, in the middle {middle:.3g}"
    )
    ranked = sorted(found.heads, key=lambda each: -each.offset_variance)
    out.table(Table(_COLUMNS, [_head(each) for each in ranked[:SHOWN_HEADS]]))
    if len(ranked) > SHOWN_HEADS:
        out.text(f"… and {len(ranked) - SHOWN_HEADS} more with less", "dim")
    told = [match for match in found.construction if match.hardness.even_mass < 1]
    for match in told[:SHOWN_MATCHES]:
        out.text(
            f"the program's head {match.program_layer}.{match.program_head} attends {match.does}: head "
            f"{match.layer}.{match.head} has {100 * match.hardness.mass:.0f} % there "
            f"(even attention {100 * match.hardness.even_mass:.0f} %)"
        )
    if found.limit is not None:
        near = "no local part" if found.limit.local_to < 0 else f"local to {found.limit.local_to}"
        sizes = ""
        if found.limit.finite is not None and found.limit.limit is not None:
            sizes = f"; R {found.limit.finite.total:.1f}, R_∞ {found.limit.limit.total:.1f}"
        out.text(f"as a limit transformer: period {found.limit.period}, {near}{sizes}")
    if found.lengths:
        _print_lengths(found)
    if found.failure is not None:
        out.text(failure_words(found))
    for remark in found.remarks:
        note(remark)


_COLUMNS: list[Column | str] = [
    "head",
    "function of positions",
    Column("offset variance"),
    Column("fit leaves", rank=2),
    Column("windows differ", rank=3),
    Column("largest weight", rank=1),
    Column("entropy", rank=1),
]


def _head(head: HeadReport) -> list[str]:
    numbers = (head.offset_variance, head.fit.residual, head.shift.distance)
    softness = (head.softness.largest, head.softness.entropy)
    shown = [*(f"{value:.3g}" for value in numbers), *(f"{value:.2f}" for value in softness)]
    return [head.name, head.fit.words, *shown]


def _print_lengths(found: Inspection) -> None:
    rows = [["the model", *(_share(row.model) for row in found.lengths)]]
    if found.limit is not None:
        rows.append(["periodic positions, local φ", *(_share(row.kept) for row in found.lengths)])
        rows.append(["limit transformer, linear norms", *(_share(row.strict) for row in found.lengths)])
    columns = [Column(str(row.length)) for row in found.lengths]
    console().table(Table(["right at length", *columns], rows))


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def failure_words(found: Inspection) -> str:
    """How it fails, in a sentence."""
    failure = found.failure
    assert failure is not None
    first = "it has not learned the training lengths; " if not failure.learned else ""
    if failure.fails_at is None:
        return f"{first}it works at every measured length"
    everywhere = all(row.model is None or row.model < failure.level for row in found.lengths)
    where = "at every measured length" if everywhere else f"from length {failure.fails_at} on"
    said = f"{first}it fails {where}"
    errors = failure.first_errors
    if errors is not None:
        kind = errors.kinds[0]
        said += f": first error about place {errors.places[1]}, mostly {kind.said} for {kind.target}"
    if failure.beyond:
        said += f"; {failure.beyond[0].name} acts only beyond the distances of training"
    return said


# The automaton and the program of a trained model, and where it differs from its task.


def extract(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIRECTORY", help="Of a run: runs/KEY.")],
    task: Annotated[str | None, option("The task that it learned, if that is your own code.", "TASK")] = None,
    seconds: SecondsOption = 20.0,
    as_json: JsonOption = False,
    encoding: OwnEncodingOption = None,
) -> None:
    """Learn the automaton and the program of a trained model: `longreach inspect RUN --automaton`.

    The model is asked about words up to its training length; model, automaton, program and task are then
    compared on inputs within that length and beyond.

    Example: longreach extract runs/0123456789abcdef
    """
    if not seconds >= 0:
        raise InputError(f"--seconds: must be more than 0, not {seconds:g}")
    from longreach.inspection.extract import extract as extract_automaton
    from longreach.inspection.extract import extract_programs, inputs_compared, open_run

    with argument("run", "RUN_DIRECTORY"):
        trained = open_run(run, task, encoding=encoding)
    found = extract_automaton(trained, seconds=seconds)
    programs = extract_programs(trained, inputs_compared(trained), seconds=seconds)
    none = programs if isinstance(programs, str) else None
    written = () if isinstance(programs, str) else programs
    if as_json:
        listed = {"programs": [each.document() for each in written], "no_programs": none}
        print_json({"run": str(run), **found.document(), **listed})
    else:
        _print_extraction(run, found)
        if none is not None:
            console().text(f"  no program: {none}")
        for each in written:
            _print_program(each)


def _print_extraction(run: Path, found: Extraction) -> None:
    from longreach.theory.automata.learn import NotLearned

    out = console()
    learned = found.learned
    if isinstance(learned, NotLearned):
        says = f"no automaton: {learned.reason}"
    else:
        states = counted(len(learned.machine), "state")
        says = f"an automaton with {states}, to length {learned.length}"
    out.text(f"{run}   {says}")
    if found.first_token_only:
        out.text("  of each answer only the first token is asked for, here and below", "dim")
    for each in found.agreements:
        row = f"  {each.lengths.first}–{each.lengths.last}: of {each.inputs} inputs the model is right on "
        row += str(each.counts["model_and_task"])
        if each.counts["model_and_automaton"] is not None:
            row += f", the automaton says what the model says on {each.counts['model_and_automaton']}"
            row += f" and what is right on {each.counts['automaton_and_task']}"
        out.text(row)
    for parting in found.partings:
        word = wording.word(parting.word, 40)
        more = f" … ({len(parting.word)} letters)" if len(parting.word) > 40 else ""
        out.text(f"  after {word}{more} the model says {parting.model}, right is {parting.task}")


def _print_program(found: ExtractedProgram) -> None:
    out = console()
    program = found.found.program
    if program is None:
        out.text(f"  no program for where it says {found.says}: {found.found.words(found.family)}")
        return
    size = counted(found.found.size or 0, "operation")
    size += f", none smaller in {found.family.searched}" if found.found.smallest else ""
    out.text(f"  it says {found.says} where this program accepts ({size}):")
    for line in program.text.splitlines():
        out.text(f"    {line}")
    for each in found.agreements:
        out.text(
            f"    {each.lengths.first}–{each.lengths.last}: of {each.inputs} inputs it says what the model "
            f"says on {each.counts['model_and_program']} "
            f"and what is right on {each.counts['program_and_task']}"
        )


# How a local language model does on text, by context length and by position.


def perplexity(
    directory: Annotated[Path, typer.Argument(metavar="HF_DIRECTORY", help="A local causal language model.")],
    texts: Annotated[list[Path], typer.Argument(metavar="TEXT", help="Text files, or local datasets.")],
    measured: OnText = USUAL_LENGTHS,
    out: Annotated[Path | None, option("Draw losses by position: .svg, .png or .pdf.", "FIGURE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the perplexity of a language model: `longreach inspect HF_DIRECTORY --text FILE`.

    Nothing is downloaded, no code of the directory is run, and only safetensors weights are read. With
    --influential, the first length is the near context and the last the whole one.

    Example: longreach perplexity ./gpt2 book.txt --lengths 64,256,1024 --out losses.svg
    """
    asked = read_lengths(measured.lengths)
    check_file(out, "--out", FORMATS)
    from longreach.inspection.texts import cut_windows, from_files
    from longreach.runs.train import check_torch

    check_torch()
    from longreach.inspection import perplexity
    from longreach.training.devices import find_device

    near, whole, count = asked[0], asked[-1], measured.influential
    if count:
        if near == whole:
            raise InputError("--influential: needs two --lengths, the near context and the whole one")
        perplexity.check_lengths(near, whole, count)
    perplexity.check_directory(directory)
    corpus = from_files(texts)
    with counted_stages() as stage:
        stage("reading the text", 0)
        tokens = perplexity.directory_tokens(directory, "".join(corpus.whole_texts()))
        cut = {length: cut_windows(tokens, length + 1, measured.windows) for length in asked}
        stage("loading the model", 0)
        scorer = perplexity.HuggingFaceScorer(directory, find_device(measured.device))
        found = []
        for length in asked:
            advance = stage(f"perplexity at {length}", len(cut[length]))
            found.append(perplexity.perplexity_at(scorer, cut[length], advance))
        losses = None
        if count:
            rows = cut_windows(tokens, whole, measured.examples)
            advance = stage("influential tokens", len(rows))
            chosen = perplexity.influential_tokens(scorer, rows, near, count=count, advance=advance)
            losses = perplexity.three_losses(scorer, rows, near, chosen).document()
    if out is not None:
        write_bytes(out, _drawn(found, directory.name, out.suffix.lower()))
    if as_json:
        document: dict[str, Any] = {
            "model": str(directory),
            "texts": [str(text) for text in texts],
            "tokens": len(tokens),
            "perplexity": [each.document() for each in found],
        }
        document |= {} if losses is None else {"influence": losses}
        print_json(document if out is None else document | {"out": str(out)})
        return
    _print_perplexity(found, losses)
    if out is not None:
        note(f"wrote {out}")


def read_lengths(text: str) -> list[int]:
    """Lengths in increasing order.

    >>> read_lengths("128,64")
    [64, 128]
    """
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise InputError(f"--lengths: {text!r} is not a list of numbers, as in 64,128") from None
    if found[0] < 1:
        raise InputError(f"--lengths: {found[0]} is not a length")
    return found


def _print_perplexity(found: list[AtLength], said: dict[str, Any] | None) -> None:
    ranks = {"length": 0, "perplexity": 0, "after the whole input": 1, "windows": 2}
    columns = [Column(title, rank) for title, rank in ranks.items()]
    rows = [[each.length, f"{each.perplexity:.2f}", f"{each.last:.2f}", each.windows] for each in found]
    console().table(Table(columns, rows))
    if said is None:
        return
    say("")
    say(f"loss of the last token, {said['examples']} windows: near tokens alone {said['loss_short']:.3f}, "
        f"all {said['loss_long']:.3f}, near and influential {said['loss_short_sparse']:.3f}")  # fmt: skip
    correlation = said["correlation"]
    say("correlation of the gains: " + ("not defined" if correlation is None else f"{correlation:.2f}"))


def _drawn(found: list[AtLength], name: str, suffix: str) -> bytes:
    from longreach.figures import figure_bytes
    from longreach.studies.natural_language import perplexity_figure

    return figure_bytes(lambda: perplexity_figure(found, name), suffix, salt=name)
