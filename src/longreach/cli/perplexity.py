"""`longreach perplexity`: how a local language model does on text, by context length and by position."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.counted_progress import counted_stages
from longreach.cli.engine_options import DeviceOption
from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note, print_json, say, write_bytes
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.language_models.influence import ThreeLosses
    from longreach.language_models.text_perplexity import AtLength

FORMATS = (".svg", ".png", ".pdf")


def perplexity(
    directory: Annotated[
        Path, typer.Argument(metavar="HF_DIRECTORY", help="A local Hugging Face causal language model.")
    ],
    texts: Annotated[list[Path], typer.Argument(metavar="TEXT", help="Text files, or local datasets.")],
    lengths: Annotated[
        str, typer.Option(metavar="N,…", help="Context lengths, in tokens of the model.")
    ] = "64,128,256",
    windows: Annotated[
        int, typer.Option(metavar="K", min=1, help="At most so many windows a length.")
    ] = 1000,
    influential: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=0,
            help="Also find the K tokens before the last --lengths first that the last token rests on.",
        ),
    ] = 0,
    examples: Annotated[
        int, typer.Option(metavar="K", min=2, help="Windows in which influential tokens are looked for.")
    ] = 100,
    device: DeviceOption = "auto",
    out: Annotated[
        Path | None, typer.Option(metavar="FIGURE", help="Draw losses by position: .svg, .png or .pdf.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the perplexity of a language model on text, by context length and by position.

    Nothing is downloaded, no code of the directory runs, and weights are read from safetensors alone.
    With --influential, the first length is the near context and the last the whole one.

    Example: longreach perplexity ./gpt2 book.txt --lengths 64,256,1024 --out losses.svg
    """
    asked = read_lengths(lengths)
    _check_out(out)
    from longreach.experiments.running import check_torch
    from longreach.language_models.corpus import from_files

    check_torch()
    from longreach.language_models.huggingface_scorer import (
        HuggingFaceScorer,
        check_directory,
        directory_tokens,
    )
    from longreach.language_models.influence import check_lengths, influential_tokens, three_losses
    from longreach.language_models.text_perplexity import cut_windows, perplexity_at
    from longreach.training.devices import find_device

    if influential:
        if len(asked) < 2:
            raise InputError("--influential: needs two --lengths, the near context and the whole one")
        check_lengths(asked[0], asked[-1], influential)
    check_directory(directory)
    corpus = from_files(texts)
    with counted_stages() as stage:
        stage("reading the text", 0)
        tokens = directory_tokens(directory, "".join(corpus.whole_texts()))
        cut = {length: cut_windows(tokens, length + 1, windows) for length in asked}
        stage("loading the model", 0)
        scorer = HuggingFaceScorer(directory, find_device(device))
        found = []
        for length in asked:
            advance = stage(f"perplexity at {length}", len(cut[length]))
            found.append(perplexity_at(scorer, cut[length], advance))
        losses = None
        if influential:
            rows = cut_windows(tokens, asked[-1], examples)
            advance = stage("influential tokens", len(rows))
            chosen = influential_tokens(scorer, rows, asked[0], count=influential, advance=advance)
            losses = three_losses(scorer, rows, asked[0], chosen)
    if out is not None:
        write_bytes(out, _drawn(found, directory.name, out.suffix.lower()))
    if as_json:
        print_json(_document(directory, texts, len(tokens), found, losses, out))
    else:
        _print(found, losses)
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


def _check_out(out: Path | None) -> None:
    if out is not None and out.suffix.lower() not in FORMATS:
        raise InputError(f"--out: {out}: must end in {', '.join(FORMATS)}")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")


def _document(
    directory: Path,
    texts: list[Path],
    tokens: int,
    found: list[AtLength],
    losses: ThreeLosses | None,
    out: Path | None,
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "model": str(directory),
        "texts": [str(text) for text in texts],
        "tokens": tokens,
        "perplexity": [each.document() for each in found],
    }
    document |= {} if losses is None else {"influence": losses.document()}
    return document if out is None else document | {"out": str(out)}


def _print(found: list[AtLength], losses: ThreeLosses | None) -> None:
    columns = [Column(title, rank=rank, right=True) for title, rank in
               (("length", 0), ("perplexity", 0), ("after the whole input", 1), ("windows", 2))]  # fmt: skip
    print_fitted(
        columns, [[str(f.length), f"{f.perplexity:.2f}", f"{f.last:.2f}", str(f.windows)] for f in found]
    )
    if losses is None:
        return
    said = losses.document()
    say("")
    say(f"loss of the last token, {said['examples']} windows: near tokens alone {said['loss_short']:.3f}, "
        f"all {said['loss_long']:.3f}, near and influential {said['loss_short_sparse']:.3f}")  # fmt: skip
    correlation = said["correlation"]
    say("correlation of the gains: " + ("not defined" if correlation is None else f"{correlation:.2f}"))


def _drawn(found: list[AtLength], name: str, suffix: str) -> bytes:
    from longreach.results.figure_files import figure_bytes
    from longreach.studies.natural_language.perplexity_figure import perplexity_figure

    return figure_bytes(lambda: perplexity_figure(found, name), suffix, salt=name)
