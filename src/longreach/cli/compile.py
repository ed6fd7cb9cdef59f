"""`longreach crasp compile` and `longreach crasp attend`: programs as transformers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import console, note, print_json, write_bytes

if TYPE_CHECKING:
    from longreach.limit.model import Transformer

File = Annotated[str, typer.Argument(metavar="FILE", help="A program: a .cr file or lib:NAME.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class Dtype(StrEnum):
    float64 = "float64"
    float32 = "float32"
    bfloat16 = "bfloat16"


def compile_command(
    file: File,
    context: Annotated[
        int | None,
        typer.Option(
            min=2, metavar="N", help="A transformer T_n for inputs of up to n positions, $ included."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write model.safetensors and config.json.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(
            "--verify", min=0, metavar="N", help="Compare with the program, words up to this length."
        ),
    ] = None,
    dtype: Annotated[Dtype, typer.Option(help="The type of the stored numbers.")] = Dtype.float64,
    as_json: Json = False,
) -> None:
    """Compile a program to a limit transformer, or with --context to an ordinary transformer T_n.

    Example: [bold]longreach crasp compile lib:dyck-1 --context 64 --out dyck --verify 8[/bold]
    """
    from longreach.crasp.library import load_program
    from longreach.limit.certificate import provable_length, verify
    from longreach.limit.compiler import compile_program
    from longreach.limit.export import save
    from longreach.limit.finite import to_finite

    core = load_program(file).core
    limit = compile_program(core)
    model = limit if context is None else to_finite(limit, context)
    document: dict[str, Any] = {"program": file, **describe(model), "dtype": dtype.value}
    document["provable_length"] = provable_length(limit, dtype.value) if context is None else None
    failed = False
    if length is not None:
        report = verify(model, core, length)
        failed = not report.agrees
        document["verified"] = {"length": length, "agrees": report.agrees, "problem": report.problem}
    if out is not None and not failed:
        save(model, out, dtype=dtype.value)
        document["out"] = str(out)
    if as_json:
        print_json(document)
    else:
        _print(document)
    if failed:
        raise typer.Exit(1)


def describe(model: Transformer) -> dict[str, Any]:
    """The sizes of a transformer."""
    return {
        "kind": model.kind,
        "layers": len(model.layers),
        "heads": max((len(layer.heads) for layer in model.layers), default=0),
        "width": model.width,
        "units": max((len(layer.b) for layer in model.layers), default=0),
        "period": model.period if model.kind == "limit" else None,
        "locality": model.locality if model.kind == "limit" else None,
        "context": model.context,
    }


def _print(document: dict[str, Any]) -> None:
    out = console()
    kind = (
        "limit transformer" if document["kind"] == "limit" else f"transformer T_n, n = {document['context']}"
    )
    out.print(
        f"{document['program']}: {kind}, {document['layers']} layers, at most {document['heads']} heads, "
        f"width {document['width']}, at most {document['units']} MLP units",
        markup=False,
    )
    if document["kind"] == "limit":
        out.print(f"period {document['period']}, locality {document['locality']}", markup=False)
    if document["provable_length"] is not None:
        out.print(
            f"provably right in {document['dtype']} up to length {document['provable_length']:,}",
            markup=False,
        )
    if "verified" in document:
        checked = document["verified"]
        if checked["agrees"]:
            out.print(f"[green]agrees[/green] with the program on all words up to length {checked['length']}")
        else:
            out.print("[red]differs[/red] from the program: ", end="")
            out.print(checked["problem"], markup=False)
    if "out" in document:
        out.print(f"wrote {document['out']}/model.safetensors and config.json", markup=False)


def attend(
    file: File,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word; ε is the empty word.")],
    out: Annotated[Path, typer.Option(metavar="FIGURE", help="A .png, .svg or .html file.")],
    as_json: Json = False,
) -> None:
    """Draw where the compiled transformer attends on a word.

    Example: [bold]longreach crasp attend lib:induction-all abcab --out attention.svg[/bold]
    """
    from longreach.crasp.library import load_program
    from longreach.crasp.words import Encoder
    from longreach.limit.compiler import compile_program
    from longreach.limit.draw import attention_figure, figure_bytes

    core = load_program(file).core
    tokens = Encoder(core).split(word)
    Encoder(core).word(word, "WORD:1")
    model = compile_program(core)
    title = f"{file} on {' '.join(tokens) or 'ε'}"
    write_bytes(out, figure_bytes(attention_figure(model, tokens, title), out, title))
    if as_json:
        print_json({"program": file, "word": tokens, "out": str(out), **describe(model)})
    else:
        note(f"wrote {out}")
