"""`longreach crasp transform`: what the classes of programs are closed under, done to a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.crasp import File, Peer, app, measures, summary
from longreach.cli.output import check_file, note, print_json, say, say_data, write_text
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.crasp.core import Core


class Relations(StrEnum):
    periodic = "periodic"
    local = "local"
    both = "both"


class Logic(StrEnum):
    text = "majority-logic"
    latex = "majority-latex"


@dataclass(frozen=True)
class Made:
    """The program that came out, what it is in words, and more fields of the document."""

    core: Core
    about: str
    more: dict[str, Any] = field(default_factory=dict)


@app.command("transform")
def transform(
    file: File,
    all_of: Annotated[
        list[str] | None, typer.Option("--and", metavar="FILE", help="Words that this program accepts too.")
    ] = None,
    any_of: Annotated[
        list[str] | None, typer.Option("--or", metavar="FILE", help="And words that this program accepts.")
    ] = None,
    negated: Annotated[bool, typer.Option("--not", help="The words that are not accepted.")] = False,
    left: Annotated[
        str | None,
        typer.Option("--left-quotient", metavar="WORD", help="Words v for which WORD v is accepted."),
    ] = None,
    right: Annotated[
        str | None,
        typer.Option("--right-quotient", metavar="WORD", help="Words v for which v WORD is accepted."),
    ] = None,
    image: Annotated[
        list[str] | None,
        typer.Option(
            "--inverse-image",
            metavar="LETTER=WORD",
            help="Words that are accepted when each letter is replaced by its word; all of one length.",
        ),
    ] = None,
    neutral: Annotated[
        str | None,
        typer.Option(
            "--remove-relations",
            metavar="LETTER",
            help="Without positional relations, on words padded with this neutral letter.",
        ),
    ] = None,
    relations: Annotated[
        Relations, typer.Option(help="Which relations --remove-relations removes.")
    ] = Relations.both,
    strict: Annotated[
        bool, typer.Option("--strict", help="Every count reads j < i instead of j ≤ i.")
    ] = False,
    logic: Annotated[
        Logic | None,
        typer.Option("--to", help="A sentence of two-variable majority logic, as text or LaTeX."),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Option("--word", metavar="WORD", help="With --to: also say whether the word satisfies it."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the program there, not to the screen.")
    ] = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Transform a program into one for another language: Boolean combinations, quotients, inverse images, …

    One transformation at a time; --and and --or may name several programs. The class stays that of the
    programs, as the paper proves (docs/crasp.md). Only acceptors are transformed.

    Example: longreach crasp transform lib:dyck-1 --left-quotient "((" --out rest.cr
    """
    from longreach.crasp.library import load_program

    asked: dict[str, Callable[[Core], Made]] = {}
    if all_of:
        asked["--and"] = lambda core: _joined(core, "and", file, all_of, peer)
    if any_of:
        asked["--or"] = lambda core: _joined(core, "or", file, any_of, peer)
    if negated:
        asked["--not"] = lambda core: _complement(core, file)
    if left is not None:
        asked["--left-quotient"] = lambda core: _quotient(core, "left", file, left)
    if right is not None:
        asked["--right-quotient"] = lambda core: _quotient(core, "right", file, right)
    if image:
        asked["--inverse-image"] = lambda core: _inverse_image(core, file, image)
    if neutral is not None:
        asked["--remove-relations"] = lambda core: _without_relations(core, file, neutral, relations)
    if strict:
        asked["--strict"] = lambda core: _strict(core, file)
    names = [*asked, *(["--to"] if logic is not None else [])]
    if len(names) != 1:
        several = f"{', '.join(names)}: one transformation at a time"
        raise InputError(several if names else "--not, --and, …: give one transformation; --help lists them")
    if words and logic is None:
        raise InputError("--word: is for --to; a program is run by longreach crasp run")
    check_file(out, "--out")
    core = load_program(file, peer=peer).core
    if core.is_predictor:
        raise InputError(f"{file}: is a predictor; only a program that accepts words is transformed")
    if logic is not None:
        _to_logic(core, file, logic, words or [], out, as_json)
        return
    option = names[0]
    try:
        made = asked[option](core)
    except InputError as error:
        raise InputError(error.message if error.place else f"{option}: {error.message}") from None
    _write(made, option.removeprefix("--"), file, out, as_json)


def _joined(core: Core, how: str, file: str, others: Sequence[str], peer: bool) -> Made:
    from longreach.crasp.closure.transform import intersection, union
    from longreach.crasp.library import load_program

    cores = [load_program(other, peer=peer).core for other in others]
    join = intersection if how == "and" else union
    return Made(join(core, *cores), f"accepted by {f' {how} '.join([file, *others])}", {"with": list(others)})


def _complement(core: Core, file: str) -> Made:
    from longreach.crasp.closure.transform import complement

    return Made(complement(core), f"not accepted by {file}")


def _quotient(core: Core, side: str, file: str, word: str) -> Made:
    from longreach.crasp.closure.quotient import left_quotient, right_quotient
    from longreach.crasp.words import Encoder

    Encoder(core).word(word, "1")
    tokens = Encoder(core).split(word)
    quotient = left_quotient if side == "left" else right_quotient
    place = "after" if side == "left" else "before"
    about = f"accepted by {file} {place} {' '.join(tokens) or 'ε'}"
    return Made(quotient(core, tokens), about, {"word": tokens})


def _inverse_image(core: Core, file: str, pairs: Sequence[str]) -> Made:
    from longreach.crasp.closure.blocks import inverse_image
    from longreach.crasp.words import Encoder

    morphism: dict[str, list[str]] = {}
    for pair in pairs:
        letter, sign, word = pair.partition("=")
        if not letter.strip() or not sign:
            raise InputError(f"{pair!r} is not LETTER=WORD, such as x=ab")
        if letter in morphism:
            raise InputError(f"letter {letter!r} has two words")
        Encoder(core).word(word, pair)
        morphism[letter] = Encoder(core).split(word)
    shown = ", ".join(f"{letter} ↦ {' '.join(word) or 'ε'}" for letter, word in morphism.items())
    return Made(inverse_image(core, morphism), f"accepted by {file} after {shown}", {"morphism": morphism})


def _without_relations(core: Core, file: str, neutral: str, relations: Relations) -> Made:
    from longreach.crasp.closure.blocks import BOTH, Relation, remove_relations

    kinds: tuple[Relation, ...] = tuple(k for k in BOTH if relations.value in (k, "both"))
    removal = remove_relations(core, neutral, kinds)
    padding = removal.padding
    about = (
        f"accepted by {file} with {padding.before} × {neutral} before and {padding.after} × {neutral} "
        f"after every letter; the same language if {neutral} is neutral for it"
    )
    return Made(removal.core, about, {"padding": asdict(padding)})


def _strict(core: Core, file: str) -> Made:
    from longreach.crasp.closure.transform import strict_masks

    return Made(strict_masks(core), f"accepted by {file} when every count reads j < i")


def _write(made: Made, kind: str, file: str, out: Path | None, as_json: bool) -> None:
    from longreach.crasp.program import raise_core
    from longreach.crasp.readable import tidy_statements
    from longreach.crasp.simplify import simplify

    core = simplify(made.core)
    text = tidy_statements(raise_core(core)).text.rstrip("\n") + "\n"
    # A name of a file may hold anything, a comment one line.
    head = " ".join(f"// {made.about}".split()) + "\n" + summary(core, "//") + "\n"
    _deliver(head + text, out, as_json)
    if as_json:
        document = {"program": file, "transformation": kind, **made.more, **measures(core), "text": text}
        print_json(document if out is None else document | {"out": str(out)})


def _deliver(text: str, out: Path | None, as_json: bool) -> None:
    if out is not None:
        write_text(out, text)
        note(f"wrote {out}")
    elif not as_json:
        say_data(text)


def _to_logic(
    core: Core, file: str, logic: Logic, words: Sequence[str], out: Path | None, as_json: bool
) -> None:
    from longreach.crasp.closure.majority_logic import satisfies
    from longreach.crasp.closure.majority_printer import formula_latex, formula_text
    from longreach.crasp.closure.majority_translation import to_majority_logic
    from longreach.crasp.words import Encoder

    encoder = Encoder(core)
    sentence = to_majority_logic(core)
    text = (formula_text if logic is Logic.text else formula_latex)(sentence) + "\n"
    for word in words:
        encoder.word(word, "--word:1")
    satisfied = [satisfies(encoder.split(word), sentence) for word in words]
    _deliver(text, out, as_json)
    if as_json:
        document: dict[str, Any] = {"program": file, "transformation": logic.value, "logic": sentence.logic,
                    "size": sentence.size, "depth": sentence.depth, "text": text}  # fmt: skip
        document |= {"satisfied": satisfied} if words else {}
        print_json(document if out is None else document | {"out": str(out)})
        return
    for word, holds in zip(words, satisfied, strict=True):
        say(f"{'satisfied' if holds else 'not satisfied'}  {word}")
