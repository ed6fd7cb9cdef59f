"""`longreach limit`, `crasp compile` and `crasp attend`: programs as transformers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach import wording
from longreach.cli.crasp import File, Peer
from longreach.cli.options import JsonOption, option
from longreach.cli.output import (
    blamed_on,
    check_directory,
    check_file,
    console,
    exit_code,
    note,
    print_json,
    write_bytes,
)
from longreach.cli.progress import stage
from longreach.errors import InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.theory.crasp.core import Core
    from longreach.theory.limit.model import Transformer


class Dtype(StrEnum):
    float64 = "float64"
    float32 = "float32"
    bfloat16 = "bfloat16"


def compile_program(
    file: File,
    context: Annotated[
        int | None, option("A transformer T_n for inputs of up to n positions, $ included.", "N", min=2)
    ] = None,
    out: Annotated[Path | None, option("Write model.safetensors and config.json.", "DIR")] = None,
    length: Annotated[
        int | None, option("Compare with the program, words up to this length.", "N", "--verify", min=0)
    ] = None,
    dtype: Annotated[
        Dtype | None, option("The type of the stored numbers (default: float64; float32 with --encoding).")
    ] = None,
    encoding: Annotated[
        str | None,
        option(
            "reach: FILE is a TASK or a cascade (a certificate), and becomes a decoder with this encoding.",
            "NAME",
        ),
    ] = None,
    word: Annotated[
        str | None, option("Draw the attention on this word to --figure.", "WORD", "--attend")
    ] = None,
    figure: Annotated[Path | None, option("A .png, .svg or .html file.", "FIGURE")] = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Compile a program to a transformer.

    A limit transformer, or with --context an ordinary transformer T_n; with --encoding reach, a decoder for a
    task. Exit code 1 if --verify finds that it differs from the program.

    Example: longreach crasp compile lib:dyck-1 --context 64 --out dyck --verify 8
    """
    if encoding is not None:
        from longreach.cli.cascade import compile_task

        unfit = {"--context": context, "--attend": word, "--figure": figure, "--peer": peer or None}
        compile_task(file, encoding, dtype, unfit, out, length, as_json=as_json)
        return
    dtype = dtype or Dtype.float64
    from longreach.theory.limit.files import save
    from longreach.theory.limit.finite import to_finite
    from longreach.theory.limit.margins import provable_length
    from longreach.theory.limit.rounding import FORMATS

    check_directory(out, "--out")
    if (word is None) != (figure is None):
        raise InputError("--attend and --figure: give both, --attend WORD --figure FIGURE")
    _check_figure(figure, "--figure")
    core, limit = _compiled(file, peer)
    with blamed_on("--context"), stage(f"building T_n for a context of {context}"):
        model = limit if context is None else to_finite(limit, context)
    document: dict[str, Any] = {"program": file, **describe(model), "dtype": dtype.value}
    if context is None:
        with stage(f"computing to which length {dtype.value} is right, width {limit.width}"):
            document["provable_length"] = provable_length(limit, core, FORMATS[dtype.value])
    if word is not None and figure is not None:
        tokens = _draw_attention(file, core, limit, word, figure)
        document |= {"word": tokens, "figure": str(figure)}
    failed = False
    if length is not None:
        document["verified"] = _verified(model, core, length)
        failed = not document["verified"]["agrees"]
    if out is not None and not failed:
        with stage(f"writing {out}"):
            save(model, out, dtype=dtype.value)
        document["out"] = str(out)
    with exit_code(1, when=failed):
        if as_json:
            print_json(document)
        else:
            _print_compiled(document)


def _compiled(file: str, peer: bool) -> tuple[Core, Transformer]:
    from longreach.theory.crasp.library import load_program
    from longreach.theory.limit import compiler

    with stage(f"reading {file}"):
        core = load_program(file, peer=peer).core
    with blamed_on(file), stage(f"compiling {counted(core.size, 'operation')} of {file}"):
        return core, compiler.compile_program(core)


def _verified(model: Transformer, core: Core, length: int) -> dict[str, Any]:
    """Every operation and answer of the model; of a limit transformer also how far data types carry."""
    from dataclasses import asdict

    from longreach.theory.limit.certificate import certify, verify, verify_finite

    if model.context is not None and length > model.context - 1:
        raise InputError(f"--verify: {length} tokens and $ exceed the context of {model.context}")
    with stage(f"comparing with the program on all words up to length {length} and on random ones"):
        report = (verify if model.context is None else verify_finite)(model, core, length)
    if report.agrees and report.exhaustive < length:
        note(f"--verify: too many words up to length {length}; all up to {report.exhaustive} were run")
    found: dict[str, Any] = {
        "of": model.kind,
        "length": report.exhaustive,
        "words": report.words,
        "longest": report.longest,
        "agrees": report.agrees,
        "disagreement": None if report.disagreement is None else asdict(report.disagreement),
    }
    if model.context is None:
        with stage("looking for the first length at which each data type fails"):
            precisions = certify(model, core, samples=4)
        return found | {"precisions": [asdict(precision) for precision in precisions]}
    return found | {"offsets": ["first", "last"]}


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


def _print_compiled(document: dict[str, Any]) -> None:
    out = console()
    kind = (
        "limit transformer" if document["kind"] == "limit" else f"transformer T_n, n = {document['context']}"
    )
    out.text(
        f"{document['program']}: {kind}, layers {document['layers']}, heads {document['heads']}, "
        f"width {document['width']}, MLP units {document['units']}"
    )
    if document["kind"] == "limit":
        out.text(f"period {document['period']}, locality {document['locality']}")
    if "provable_length" in document:
        shown = f"{document['provable_length']:,}" if document["provable_length"] >= 0 else "no length"
        out.text(f"provably right in {document['dtype']} up to length {shown}")
    if "verified" in document:
        _print_verified(document["verified"])
    if "out" in document:
        out.text(f"wrote {document['out']}/model.safetensors and config.json")
    if "figure" in document:
        out.text(f"wrote {document['figure']}")


def _print_verified(checked: dict[str, Any]) -> None:
    out = console()
    subject = "limit transformer" if checked["of"] == "limit" else "transformer T_n"
    if checked["agrees"]:
        where = ", each at the first and the last offset that fits" if "offsets" in checked else ""
        out.print(
            f"the {subject} [green]agrees[/green] with the program at every operation, on all words up to "
            f"length {checked['length']} and on random ones up to {checked['longest']:,} "
            f"({checked['words']:,} word{'' if checked['words'] == 1 else 's'}{where})"
        )
    else:
        out.print(f"the {subject} [red]differs[/red] from the program: ", end="")
        out.text(str(checked["disagreement"]))
    for precision in checked.get("precisions", ()):
        proved = (
            "nothing proved"
            if precision["proved"] < 0
            else f"proved right up to length {precision['proved']:,}"
        )
        if precision["searched"] is None:
            searched = ""
        elif precision["failure"] is None:
            searched = f", no failure found up to {precision['searched']:,}"
        else:
            searched = f", first failure found at length {len(precision['failure']):,}"
        out.text(f"  {precision['dtype']:<9} {proved}{searched}")


def attend(
    file: File,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word; ε is the empty word.")],
    out: Annotated[Path, option("A .png, .svg or .html file.", "FIGURE")],
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Draw where the compiled transformer attends: `crasp compile FILE --attend WORD --figure FIGURE`.

    Example: longreach crasp attend lib:induction-all abcab --out attention.svg
    """
    _check_figure(out, "--out")
    core, model = _compiled(file, peer)
    tokens = _draw_attention(file, core, model, word, out)
    if as_json:
        print_json({"program": file, "word": tokens, "out": str(out), **describe(model)})
    else:
        note(f"wrote {out}")


def _check_figure(path: Path | None, option: str) -> None:
    from longreach.theory.limit.drawing import FORMATS

    check_file(path, option, FORMATS)


def _draw_attention(file: str, core: Core, model: Transformer, word: str, path: Path) -> list[str]:
    """The tokens of the word; the figure is written."""
    from longreach.theory.crasp.words import Encoder
    from longreach.theory.limit.drawing import attention_figure, content_of

    tokens = Encoder(core).split(word)
    Encoder(core).word(word, "WORD:1")
    title = f"{file} on {wording.word(tokens)}"
    if not any(layer.heads for layer in model.layers):
        raise InputError(f"{file}: the program counts nothing, so its transformer has no attention to draw")
    write_bytes(path, content_of(attention_figure(model, tokens, title), path, title))
    return tokens


# What a compiled transformer is made of.


def info(
    directory: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A directory written by `crasp compile --out` or `theory limit build`; hand:NAME; lib:NAME.",
        ),
    ],
    growth: Annotated[
        Path | None, option("Draw R(T_n) against n (limit transformers only).", "FIGURE")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the size, regularizer, period and locality of a model.

    The regularizer is R, or R_∞ of a limit transformer, with its parts; of a T_n also whether it is in Θ_n.

    Example: longreach crasp compile lib:dyck-1 --out dyck; longreach theory limit info dyck
    """
    import numpy as np

    from longreach.theory.limit.named import load_model

    _check_figure(growth, "--growth")
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
        _print_model(document)
    if growth is not None:
        note(f"wrote {growth}")


def models(as_json: JsonOption = False) -> None:
    """List the models built by hand.

    Each with its parameters and their defaults.

    Example: longreach theory limit models
    """
    from longreach.theory.limit.named import HAND, HAND_BUILT

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
        out.text(f"{HAND}{name}:{parameters}", "bold")
        out.text(f"  {kind.about}")


def build(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="hand:NAME or hand:NAME:parameter=value,…; also lib:NAME.")
    ],
    out: Annotated[Path, option("Where to write it; the directory is created.", "DIR")],
) -> None:
    """Write a model built by hand as files.

    In the format of `crasp compile --out`.

    Example: longreach theory limit build hand:modp-task:period=3 --out modp
    """
    from longreach.theory.limit.files import save
    from longreach.theory.limit.named import load_model

    check_directory(out, "--out")
    save(load_model(model), out)
    note(f"wrote {out}")


def _measures(model: Transformer) -> dict[str, Any]:
    from dataclasses import asdict

    from longreach.theory.limit.margins import logit_margins
    from longreach.theory.limit.norms import limit_regularizer, membership, regularizer

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
    from longreach.theory.limit.drawing import content_of, growth_figure
    from longreach.theory.limit.norms import growth

    contexts = [n for n in (8, 16, 32, 64, 128) if n > model.locality + model.period]
    rows = [(n, {**found.groups, "total": found.total}) for n, found in growth(model, contexts)]
    write_bytes(path, content_of(growth_figure(rows, title), path, title))


def _print_model(document: dict[str, Any]) -> None:
    out = console()
    for key in ("kind", "layers", "heads", "width", "units", "period", "locality", "context"):
        if document[key] is not None:
            out.text(f"  {key:<10} {document[key]}")
    for key, sign in (("R_infinity", "R_∞"), ("R", "R")):
        if key in document:
            out.text(f"  {sign:<10} {document[key]['total']:.4g}")
            for part, value in document[key].items():
                if part != "total":
                    out.text(f"    {part:<12} {value:.4g}")
    known = [margin["margin"] for margin in document.get("margins", []) if margin["margin"] is not None]
    if known:
        out.text(f"  {'margin':<10} {min(known):.4g} (least difference of two logits of a query)")
    if "member" in document:
        found = document["member"]
        place = "in Θ_n" if found["in_class"] else "not in Θ_n"
        out.text(f"  {place}, worst violation of invariance {found['worst_violation']:.3g}")
