"""`longreach limit`: what a compiled transformer is made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.compile import describe
from longreach.cli.output import (
    check_directory,
    check_file,
    console,
    note,
    print_json,
    write_bytes,
)
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.limit.model import Transformer

app = typer.Typer(
    help="Limit transformers and the transformers made from them.\n\n"
    "Example: longreach limit info hand:simple-task"
)


@app.callback(invoke_without_command=True)
def _group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")


@app.command()
def info(
    directory: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A directory that `crasp compile --out` or `limit build` wrote; hand:NAME; lib:NAME.",
        ),
    ],
    growth: Annotated[
        Path | None, typer.Option(metavar="FIGURE", help="Draw R(T_n) against n (limit transformers only).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the sizes, the regularizer R or R_∞ with its parts, period, locality and membership in Θ_n.

    Example: longreach crasp compile lib:dyck-1 --out dyck; longreach limit info dyck
    """
    import numpy as np

    from longreach.limit.compile.named_models import load_model
    from longreach.limit.run.attention_drawing import check_format

    if growth is not None:
        check_format(growth, "growth")
        check_file(growth, "--growth")
    model = load_model(directory)
    document: dict[str, Any] = {"directory": directory, **describe(model)}
    with np.errstate(over="ignore", invalid="ignore"):  # where parameters are near 10^308, R is infinite
        document |= _measures(model)
    if growth is not None:
        if model.kind != "limit":
            raise InputError("--growth: a finite transformer has one n; draw it from the limit transformer")
        _draw_growth(model, growth, f"R(T_n) of {Path(directory).name}")
    if as_json:
        print_json(document)
    else:
        _print(document)
    if growth is not None:
        note(f"wrote {growth}")


@app.command()
def models(as_json: JsonOption = False) -> None:
    """List the models that are built by hand, with their parameters and defaults.

    Example: longreach limit models
    """
    from longreach.limit.compile.named_models import HAND, HAND_BUILT

    if as_json:
        kinds = HAND_BUILT.items()
        print_json(
            [
                {"name": HAND + name, "about": kind.about, "parameters": dict(kind.defaults)}
                for name, kind in kinds
            ]
        )
        return
    out = console()
    for name, kind in HAND_BUILT.items():
        parameters = ",".join(f"{key}={value}" for key, value in kind.defaults.items())
        out.print(f"{HAND}{name}:{parameters}", style="bold", markup=False)
        out.print(f"  {kind.about}", markup=False)


@app.command()
def build(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="hand:NAME or hand:NAME:parameter=value,…; also lib:NAME.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to write it; the directory is created.")],
) -> None:
    """Write a model that is built by hand as files, in the format of `crasp compile --out`.

    Example: longreach limit build hand:modp-task:period=3 --out modp
    """
    from longreach.limit.compile.named_models import load_model
    from longreach.limit.run.model_files import save

    check_directory(out, "--out")
    save(load_model(model), out)
    note(f"wrote {out}")


def _measures(model: Transformer) -> dict[str, Any]:
    from dataclasses import asdict

    from longreach.limit.measure.logit_margins import logit_margins
    from longreach.limit.measure.norms import limit_regularizer, membership, regularizer

    document: dict[str, Any] = {}
    if model.kind == "limit":
        parts = limit_regularizer(model)
        document["margins"] = [asdict(margin) for margin in logit_margins(model)]
        document["R_infinity"] = {**vars(parts), "total": parts.total}
    else:
        found = regularizer(model)
        document["R"] = {**found.groups, "total": found.total}
        member = membership(model)
        document["member"] = {
            "in_class": member.member,
            "bits": member.bits,
            "worst_violation": member.invariance.worst,
        }
    return document


def _draw_growth(model: Transformer, path: Path, title: str) -> None:
    from longreach.limit.measure.norms import growth
    from longreach.limit.run.attention_drawing import figure_bytes, growth_figure

    contexts = [n for n in (8, 16, 32, 64, 128) if n > model.locality + model.period]
    rows = [(n, {**found.groups, "total": found.total}) for n, found in growth(model, contexts)]
    write_bytes(path, figure_bytes(growth_figure(rows, title), path, title))


def _print(document: dict[str, Any]) -> None:
    out = console()
    for key in ("kind", "layers", "heads", "width", "units", "period", "locality", "context"):
        if document[key] is not None:
            out.print(f"  {key:<10} {document[key]}", markup=False)
    for key in ("R_infinity", "R"):
        if key in document:
            out.print(
                f"  {'R_∞' if key == 'R_infinity' else 'R':<10} {document[key]['total']:.4g}", markup=False
            )
            for part, value in document[key].items():
                if part != "total":
                    out.print(f"    {part:<12} {value:.4g}", markup=False)
    known = [margin["margin"] for margin in document.get("margins", []) if margin["margin"] is not None]
    if known:
        out.print(
            f"  {'margin':<10} {min(known):.4g} (least difference of two logits of a query)", markup=False
        )
    if "member" in document:
        found = document["member"]
        place = "in Θ_n" if found["in_class"] else "not in Θ_n"
        out.print(f"  {place}, worst violation of invariance {found['worst_violation']:.3g}", markup=False)
