"""`longreach inspect`: what a trained model does, as numbers, figures and a page."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.alphabet_option import alphabet_of_task
from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import argument, check_directory, console, note, print_json, write_bytes, write_text
from longreach.cli.shared_options import AlphabetOption, JsonOption
from longreach.cli.stages import stage
from longreach.errors import InputError, MissingExtra
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.inspection.head_report import HeadReport
    from longreach.inspection.model_inspection import Inspection

USAGE = "RUN|CHECKPOINT|HF_DIRECTORY"
SUFFIXES = (".png", ".svg")
SHOWN_HEADS, SHOWN_MATCHES = 8, 3


def inspect(
    model: Annotated[
        str,
        typer.Argument(
            metavar=USAGE,
            help="A run's directory, a model.safetensors of ours, or a Hugging Face directory.",
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option(metavar="TASK", help="What the model learned; default: what the run says."),
    ] = None,
    alphabet: AlphabetOption = None,
    tokens: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Token ids, a line for each input, where there is no task."),
    ] = None,
    inputs: Annotated[
        int, typer.Option(metavar="K", min=1, max=10_000, help="Inputs of each length that is tried.")
    ] = 40,
    seed: Annotated[
        int, typer.Option(metavar="S", min=0, max=2**32 - 1, help="Of the inputs that are drawn.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write inspection.html, inspection.json, figures as PNG and SVG."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Look into a trained model: its functions of positions, its attention, its limit, how it fails.

    Example: longreach inspect runs/0123456789abcdef --out inspected
    """
    letters = alphabet_of_task(alphabet, task)
    _check_out(out)
    with argument("model", USAGE):
        found = _inspected(model, task, letters, tokens, inputs, seed)
    written = [] if out is None else _write(found, out)
    if as_json:
        print_json({**found.document(), "out": [str(path) for path in written]})
        return
    _print(found)
    if out is not None:
        print(out / "inspection.html", flush=True)


def _inspected(
    model: str, task: str | None, letters: list[str] | None, tokens: Path | None, inputs: int, seed: int
) -> Inspection:
    try:
        from longreach.inspection.inspected_model import OutsideModel, open_model, read_token_file
        from longreach.inspection.model_inspection import inspect_subject
        from longreach.inspection.outside_inspection import inspect_outside
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("inspecting a model", "train") from None
    subject = open_model(model, task, alphabet=None if letters is None else tuple(letters))
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


def _check_out(out: Path | None) -> None:
    """Refuse a directory that cannot be written before any work is done for it."""
    check_directory(out, "--out")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out: {out}: {out.parent} is no directory")


def _write(found: Inspection, out: Path) -> list[Path]:
    """All files, the page last: where it is, the others are."""
    from longreach.inspection.inspection_figures import figure_files, figures_of, title_of
    from longreach.report.inspection_page import render_inspection_page

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


def _print(found: Inspection) -> None:
    """One screen."""
    out = console()

    def line(text: str, style: str | None = None) -> None:
        out.print(text, markup=False, highlight=False, style=style)

    facts = found.facts
    about = [str(facts[name]) for name in ("task", "architecture", "encoding") if facts.get(name)]
    if facts.get("layers"):
        heads = counted(facts["heads_per_layer"], "head")
        about.append(f"{counted(facts['layers'], 'layer')} of {heads}, width {facts['width']}")
    if facts.get("trained_to"):
        about.append(f"trained to {facts['trained_to']}")
    line(f"{found.name}   {', '.join(about)}", "bold")
    variances = sorted(each.offset_variance for each in found.heads)
    middle = variances[len(variances) // 2]
    line(
        f"{found.products_from}, {len(found.heads)} heads: offset variance {variances[0]:.3g} to "
        f"{variances[-1]:.3g}, in the middle {middle:.3g}"
    )
    ranked = sorted(found.heads, key=lambda each: -each.offset_variance)
    print_fitted(_COLUMNS, [_head(each) for each in ranked[:SHOWN_HEADS]])
    if len(ranked) > SHOWN_HEADS:
        line(f"… and {len(ranked) - SHOWN_HEADS} more with less", "dim")
    told = [match for match in found.construction if match.hardness.even_mass < 1]
    for match in told[:SHOWN_MATCHES]:
        line(
            f"the program's head {match.program_layer}.{match.program_head} attends {match.does}: head "
            f"{match.layer}.{match.head} has {100 * match.hardness.mass:.0f} % there "
            f"(even attention {100 * match.hardness.even_mass:.0f} %)"
        )
    if found.limit is not None:
        near = "no local part" if found.limit.local_to < 0 else f"local to {found.limit.local_to}"
        sizes = ""
        if found.limit.finite is not None and found.limit.limit is not None:
            sizes = f"; R {found.limit.finite.total:.1f}, R_∞ {found.limit.limit.total:.1f}"
        line(f"as a limit transformer: period {found.limit.period}, {near}{sizes}")
    if found.lengths:
        _print_lengths(found)
    if found.failure is not None:
        line(failure_words(found))
    for remark in found.remarks:
        note(remark)


_COLUMNS = [
    Column("head", right=False),
    Column("function of positions", right=False),
    Column("offset variance"),
    Column("fit leaves", rank=2),
    Column("windows differ", rank=3),
    Column("largest weight", rank=1),
    Column("entropy", rank=1),
]


def _head(head: HeadReport) -> list[str]:
    fit = head.fit
    numbers = (head.offset_variance, fit.residual, head.shift.distance)
    return [
        head.name,
        fit.words,
        *(f"{value:.3g}" for value in numbers),
        f"{head.softness.largest:.2f}",
        f"{head.softness.entropy:.2f}",
    ]


def _print_lengths(found: Inspection) -> None:
    columns = [
        Column("right at length", right=False),
        *(Column(str(row.length)) for row in found.lengths),
    ]
    rows = [["the model", *map(_share, (row.model for row in found.lengths))]]
    if found.limit is not None:
        rows.append(["periodic positions, local φ", *map(_share, (row.kept for row in found.lengths))])
        rows.append(["limit transformer, linear norms", *map(_share, (row.strict for row in found.lengths))])
    print_fitted(columns, rows)


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
