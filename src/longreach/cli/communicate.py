"""`longreach communicate`: what one half of an input must tell the other, counted exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import AlphabetOption, JsonOption, alphabet_of_task, check_task, option
from longreach.cli.output import blamed_on, check_file, console, note, print_json, write_bytes
from longreach.errors import Argument, InputError
from longreach.figures import BLUE, GREEN, RED, figure_bytes
from longreach.wording import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from longreach.theory.communication.complexity import Measurement

STYLES = {"constant": "green", "logarithmic": "green", "linear": "red"}
# Okabe and Ito's colours, which stay apart for colour-blind readers.
COLOURS = {"constant": BLUE, "logarithmic": GREEN, "linear": RED}
FORMATS = (".png", ".svg")
FEW_BITS = "few bits rule nothing out and are not a yes: longreach forecast gives the verdict"
MEANING = {
    "constant": FEW_BITS,
    "logarithmic": FEW_BITS,
    "linear": "more bits than limit transformers pass, C log N: a no, if it keeps growing like this",
}
"""What the growth says of a task."""


def communicate(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            help="A task, a regular language by name, or regex:…; without it, all that have a name.",
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        option(
            "Maximum number of symbols per half (default: the most that gives at most 4096 halves).",
            "N",
            min=2,
        ),
    ] = None,
    alphabet: AlphabetOption = None,
    out: Annotated[Path | None, option("Draw bits against N, as .png or .svg.", "FIGURE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Count the bits that one half of an input must tell the other.

    Alice has the first half, Bob the second. The bits are log₂ of the number of distinct rows of the
    communication matrix. Limit transformers need only C log N bits (Huang et al., arXiv 2410.02140,
    Theorem 12), so they cannot do a task that needs linearly many; few bits alone prove nothing.

    Example: longreach theory communicate copy-repeat --max-length 10
    """
    check_task(task, alphabet)
    letters = alphabet_of_task(alphabet, task)
    check_file(out, "--out", FORMATS)
    found = [_measured(task, letters, max_length)] if task is not None else _all(max_length)
    if out is not None:
        _draw(found, out)
    if as_json:
        documents = [_document(measurement) for measurement in found]
        print_json(documents[0] if task is not None else {"tasks": documents})
    elif task is not None:
        _print_one(found[0])
    else:
        _print_all(found)
    if out is not None:
        note(f"wrote {out}")


def _measured(task: str, letters: list[str] | None, max_length: int | None) -> Measurement:
    from longreach.theory.communication.complexity import measure
    from longreach.theory.communication.problems import problem

    try:
        split = problem(task, letters)
    except InputError as error:
        raise error.at(Argument("task")) from None
    with blamed_on("--max-length"):
        return measure(split, max_length)


def _all(max_length: int | None) -> list[Measurement]:
    from longreach.theory.automata.named import NAMED_LANGUAGES
    from longreach.theory.communication.complexity import USUAL_INPUTS, measure
    from longreach.theory.communication.problems import PROBLEMS, problem

    found = []
    for name in [*PROBLEMS, *NAMED_LANGUAGES]:
        split = problem(name)
        longest = split.longest(USUAL_INPUTS)
        found.append(measure(split, longest if max_length is None else min(longest, max_length)))
    return found


def _document(found: Measurement) -> dict[str, Any]:
    automaton = found.problem.automaton
    return {
        "task": found.problem.name,
        "about": found.problem.about,
        "alphabet": None if automaton is None else list(automaton.alphabet),
        "lengths": list(found.lengths),
        "rows": list(found.rows),
        "bits": list(found.bits),
        "exhaustive_length": found.exhaustive,
        "rows_at_all_lengths": found.rows_at_all_lengths,
        "growth": found.growth.name,
        "fitted_lengths": list(found.growth.lengths),
        "fits": {
            name: {"coefficient": fit.coefficient, "error": fit.error}
            for name, fit in found.growth.fits.items()
        },
    }


def _print_one(found: Measurement) -> None:

    out = console()
    out.text(found.problem.name, "bold", end="")
    out.text(f"   {found.problem.about}", "dim")
    for n in range(1, found.exhaustive + 1):
        out.print(f"  N = {n:<3} rows {found.rows[n - 1]:<6} bits {found.bits[n - 1]:.2f}")
    if found.rows_at_all_lengths is not None:
        out.print(f"  any N   rows {found.rows_at_all_lengths} at most, from the automaton")
    first, last = found.growth.lengths
    out.print(f"{found.growth.name}", style=f"bold {STYLES[found.growth.name]}", end="")
    out.print(f", the best of three fits over N = {first}–{last}:")
    for name, fit in found.growth.fits.items():
        shape = {"constant": "", "logarithmic": " log₂ N", "linear": " N"}[name]
        out.print(f"  {fit.coefficient:7.3f}{shape:<8} error {fit.error:.3f} bits")
    out.hanging(MEANING[found.growth.name], 0, style="dim")


def _print_all(found: list[Measurement]) -> None:
    from rich.text import Text

    ranks = {"N": 3, "rows": 4, "bits": 2, "any N": 5}
    columns = [Column("task", right=False), *(Column(title, rank) for title, rank in ranks.items())]
    columns.append(Column("growth", 1, right=False))
    columns += [Column(title, 6 + place) for place, title in enumerate(("error C", "C log N", "C N"))]
    rows = [
        [
            each.problem.name,
            each.exhaustive,
            each.rows[each.exhaustive - 1],
            f"{each.bits[each.exhaustive - 1]:.2f}",
            _at_most(each.rows_at_all_lengths),
            Text(each.growth.name, STYLES[each.growth.name]),
            *(f"{fit.error:.3f}" for fit in each.growth.fits.values()),
        ]
        for each in found
    ]
    console().table(Table(columns, rows))
    console().hanging(f"constant, logarithmic: {FEW_BITS}", 0, style="dim")


def _at_most(rows: int | None) -> str:
    return "" if rows is None else f"≤ {rows}"


def _draw(found: Sequence[Measurement], path: Path) -> None:
    """Bits against N: one task with its fits, or all tasks, with the regular languages as thin lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    if len(found) == 1:
        _draw_fits(axes, found[0])
    else:
        _draw_all(axes, found)
    axes.set_xlabel("N, symbols per half")
    axes.set_ylabel("bits from Alice to Bob")
    axes.set_ylim(bottom=0)
    write_bytes(path, figure_bytes(lambda: figure, path.suffix.lower(), salt="communicate"))


def _draw_all(axes: Axes, found: Sequence[Measurement]) -> None:
    from itertools import accumulate

    last = max(each.exhaustive for each in found)
    ends: dict[tuple[int, float], list[str]] = {}
    for each in found:
        lengths = each.lengths[: each.exhaustive]
        if each.problem.automaton is None:
            bits = each.bits[: each.exhaustive]
            axes.plot(lengths, bits, color=COLOURS[each.growth.name], marker="o", markersize=3)
            ends.setdefault((lengths[-1], bits[-1]), []).append(each.problem.name)
        else:
            most = list(accumulate(each.bits[: each.exhaustive], max))
            axes.plot(lengths, most, color="0.75", linewidth=0.8, zorder=0)
    for name, colour in [*COLOURS.items(), ("regular languages", "0.75")]:
        axes.plot([], [], color=colour, label=name)
    axes.legend(frameon=False, loc="upper left")
    height = float("-inf")
    for (length, value), names in sorted(ends.items()):
        if length < last:
            steep = value >= length  # steep lines get their label on the left, where no other line runs
            axes.annotate(
                ", ".join(names), (length, value), (-4, 4) if steep else (4, -12),
                textcoords="offset points", ha="right" if steep else "left",
            )  # fmt: skip
        else:  # labels beside the axes, pushed apart where lines end close together
            height = value if value > height + 0.45 else height + 0.45
            label = ",\n".join(names)
            axes.annotate(label, (length, value), (last * 1.08, height), va="center", annotation_clip=False)
    axes.set_xlim(0.5, last * 1.06)


def _draw_fits(axes: Axes, found: Measurement) -> None:
    import numpy as np

    axes.plot(found.lengths, found.bits, "o", color="black", markersize=4, label=found.problem.name)
    n = np.linspace(1, found.lengths[-1], 200)
    shapes = {"constant": np.ones_like(n), "logarithmic": np.log2(n), "linear": n}
    for name, fit in found.growth.fits.items():
        style = "-" if name == found.growth.name else ":"
        label = f"{name}, error {fit.error:.2f} bits"
        axes.plot(n, fit.coefficient * shapes[name], style, color=COLOURS[name], label=label)
    axes.legend(frameon=False)
