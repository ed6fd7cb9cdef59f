"""`longreach simulate`: a short word on which a model does what it does on a long one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import JsonOption, option
from longreach.cli.output import check_file, console, note, print_json, write_bytes
from longreach.errors import Argument, Field, InputError

if TYPE_CHECKING:
    from longreach.theory.bounds.simulation import ModelPair, Word
    from longreach.theory.bounds.strings import FiniteString, InfiniteString

PRECISION = 8
STATISTICS = 2.0
"""How far apart two distributions are at most, summed over what they are about."""
SHOWN = 24
FINITE_BOUND = (
    "max{⌈2^(p/γ)⌉ + Δ, Δ(T + ⌈(T + k)/η⌉ + k + 4) + k} − 1, k = τ + 2, K = (|Σ| + 2)Δ, "
    "α = min{1, ε/Λ}, T = 2K + ⌈8(K + k)/α⌉, η = min{α/16, 1/(4Δ)}"
)
INFINITE_BOUND = "n + ⌈2√2 n^(2/3)⌉ + 2τ + Δ, n = ⌈(c/ε)³⌉, c the larger constant of the statistics"


def simulate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A directory with a limit transformer or with a run that learned numbers, hand:NAME "
            "(`longreach limit models` lists them), lib:NAME or a program's file.",
        ),
    ],
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD",
            help="Tokens, written together if each is one character; @FILE; or random:LENGTH[:SEED].",
        ),
    ],
    error: Annotated[
        float,
        option(
            "How much z may change: the outputs (one layer), or the statistics of the word (two layers).", "ε"
        ),
    ],
    against: Annotated[
        str | None, option("g, the second model; without it g is MODEL, too.", "MODEL")
    ] = None,
    precision: Annotated[
        int | None,
        option(f"One layer: bits of the attention weights. Default: {PRECISION}.", "P", min=0, max=1000),
    ] = None,
    length: Annotated[int | None, option("Two layers: aim at N tokens instead of an error.", "N")] = None,
    seed: Annotated[int, option("Two layers: of the draw of what is kept.", "S", min=0)] = 0,
    plot: Annotated[Path | None, option("Draw errors against |z|, as .png, .svg or .html.", "FIGURE")] = None,
    as_json: JsonOption = False,
) -> None:
    """Find a short word on which a model behaves as on a long one.

    With --against, for two models at once. Also measures the errors on the short word.

    Example: longreach theory simulate hand:simple-task random:100000 --error 0.1
    """
    from longreach.theory.bounds.simulation import ModelPair, read_word
    from longreach.theory.limit.drawing import FORMATS
    from longreach.theory.limit.named import load_model, output_range

    check_file(plot, "--plot", FORMATS)
    f = load_model(model)
    _check_scaled(model, Argument("model"))
    if len(f.layers) not in (1, 2):
        raise InputError(
            f"{len(f.layers)} layers; the theorems are about one and two", place=Argument("model")
        )
    outputs = STATISTICS if len(f.layers) == 2 else output_range(model)
    if outputs is not None and error > outputs:
        what = "the statistics of a word" if len(f.layers) == 2 else "outputs"
        raise InputError(
            f"{error:g} is above the range of {what}, which is {outputs:.4g}", place=Field("error")
        )
    pair = ModelPair(f, f if against is None else _second(against))
    x = read_word(pair, word)
    document: dict[str, Any] = {"model": model, "against": against, "error": error, "word_length": len(x)}
    if len(f.layers) == 2:
        if precision is not None:
            raise InputError("two layers are run without rounding", place=Field("precision"))
        document |= _infinite(pair, x, error, length=length, seed=seed, plot=plot)
    else:
        if length is not None:
            raise InputError("one layer: --error chooses the length", place=Field("length"))
        document |= _finite(
            pair, x, error, precision=PRECISION if precision is None else precision, plot=plot
        )
    if as_json:
        print_json(document)
    else:
        _print(document)
    if plot is not None:
        note(f"wrote {plot}")


def _second(against: str) -> Any:
    from longreach.theory.limit.named import load_model

    try:
        found = load_model(against)
    except InputError as error:
        raise InputError(error.reason, place=Field("against")) from None
    _check_scaled(against, Field("against"))
    return found


def _check_scaled(name: str, place: Argument | Field) -> None:
    """Refuse trained models whose attention is not that of a limit transformer."""
    from longreach.theory.limit.files import CONFIG, UNSCALED, is_regression, is_scaled

    directory = Path(name)
    if not (directory / CONFIG).exists() and is_regression(directory) and not is_scaled(directory):
        raise InputError(UNSCALED, place=place)


def _finite(pair: ModelPair, x: Word, error: float, *, precision: int, plot: Path | None) -> dict[str, Any]:
    from longreach.theory.bounds.strings import FiniteSimulation, finite_curve

    simulation = FiniteSimulation(pair, precision)
    found = simulation.string(x, error)
    if plot is not None:
        _draw(plot, finite_curve(simulation, x), pair)
    scales = found.scales
    return {
        **_shared(pair, found),
        "construction": "one layer, finite precision",
        "case": found.case.value,
        "precision": precision,
        "formula": FINITE_BOUND,
        "hard_from": found.hard_from,
        "terms": {"hard": found.hard_from + scales.period, "resolution": scales.longest - 1},
        "quantities": {
            "sensitivity": found.sensitivity,
            "tolerance": float(scales.tolerance),
            "classes": scales.classes,
            "kept": scales.kept,
            "first": scales.first,
            "overlap": float(scales.overlap),
            "second": scales.second,
        },
    }


def _infinite(
    pair: ModelPair, x: Word, error: float, *, length: int | None, seed: int, plot: Path | None
) -> dict[str, Any]:
    from dataclasses import asdict

    from longreach.theory.bounds.strings import InfiniteSimulation, infinite_curve

    simulation = InfiniteSimulation(pair, seed)
    found = simulation.string(x, error) if length is None else simulation.of_length(x, length)
    if plot is not None:
        _draw(plot, infinite_curve(simulation, x), pair)
    rate = found.target ** (-1 / 3)
    return {
        **_shared(pair, found),
        "construction": "two layers, infinite precision",
        "target": found.target,
        "formula": INFINITE_BOUND,
        "rate": rate,
        "constants": asdict(found.rates),
        "statistics": asdict(found.statistics),
        "promised": {"suffix": found.rates.suffix * rate, "histogram": found.rates.histogram * rate},
    }


def _shared(pair: ModelPair, found: FiniteString | InfiniteString) -> dict[str, Any]:
    return {
        "z": pair.decode(found.z),
        "length": len(found.z),
        "bound": found.bound,
        "errors": {"f": found.errors.f, "g": found.errors.g},
    }


def _draw(path: Path, rows: list[Any], pair: ModelPair) -> None:
    from longreach.theory.bounds.strings import error_figure
    from longreach.theory.limit.drawing import content_of

    if len(rows) < 2:
        raise InputError(
            "no z is shorter than this word, so that there is nothing to draw", place=Field("plot")
        )
    title = "Errors of simulation strings of one word"
    figure = error_figure(rows, title, pair=pair.g is not pair.f)
    write_bytes(path, content_of(figure, path, title))


def _print(document: dict[str, Any]) -> None:
    out = console()
    finite = "case" in document
    out.text(f"{document['model']}   {document['construction']}", "bold")
    bits = f", weights rounded to {document['precision']} bits" if finite else ""
    out.text(f"  x      {document['word_length']:,} tokens{bits}")
    bound = document["bound"]
    limit = f"{bound:,}" if bound < 1e18 else "out of reach"
    if document["length"] == document["word_length"]:
        out.hanging(f"  Nothing can be shortened: {_why_whole(document)}", 0, 2)
        out.hanging(f"bound = {document['formula']}", 2, 10, "dim")
        return
    case = document.get("case")
    how = f" ({case})" if case else ""
    out.text(f"  z      {document['length']:,} tokens{how}; bound {limit}")
    out.hanging(_runs(document["z"]), 9)
    promise = f"   promised ≤ {document['error']:g}" if finite else ""
    for name in ("f", "g") if document["against"] else ("f",):
        value = document["errors"][name]
        out.text(f"  |{name}(x) − {name}(z)|  {value:.3g}{promise}")
    for name, value in document.get("statistics", {}).items():
        most = document["promised"][name]
        promise = f"promised ≤ {most:.3g}" if most < 2 else "nothing promised at this length"  # always ≤ 2
        text = f"  {name:<10} {value:.3g}   n^(−1/3) = {document['rate']:.3g}; {promise}"
        out.text(text)
    out.hanging(f"bound = {document['formula']}", 2, 10)


def _why_whole(document: dict[str, Any]) -> str:
    """Why z is x itself."""
    size, hard = document["word_length"], document.get("hard_from")
    if hard is not None and size < hard:
        where = f"below {hard:,.0f} tokens" if hard < 1e15 else "at any length in reach"
        bits = f"with weights rounded to {document['precision']} bits"
        return f"{bits} attention is not hard {where}, and this word has {size:,}."
    bound = document["bound"]
    if bound >= 1e18:
        return "no bound is in reach for this error."
    return f"words of up to {bound:,.0f} tokens may be needed for this error, and this one has {size:,}."


def _runs(tokens: list[str]) -> str:
    """Equal tokens one after the other are counted; the first ones only.

    >>> _runs(list("aaab"))
    'a×3 b'
    """
    from itertools import groupby, islice

    runs = [(token, sum(1 for _ in group)) for token, group in islice(groupby(tokens), SHOWN)]
    text = " ".join(f"{token}×{times}" if times > 1 else token for token, times in runs)
    return (text or "ε") + (" …" if sum(times for _, times in runs) < len(tokens) else "")
