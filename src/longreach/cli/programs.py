"""`longreach crasp transform`, `synthesize` and `infer`: programs made from others or searched for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach import wording
from longreach.cli.crasp import File, Peer, measures, summary
from longreach.cli.options import JsonOption, alphabet_of
from longreach.cli.output import (
    blamed_on,
    check_file,
    console,
    exit_code,
    note,
    print_json,
    print_program,
    print_table,
    say,
    say_data,
    write_text,
)
from longreach.cli.progress import stage
from longreach.errors import Argument, Field, InputError
from longreach.wording import Column, Table, counted

if TYPE_CHECKING:
    from longreach.theory.crasp.core import Core
    from longreach.theory.search.inference import Inference, InferenceRun
    from longreach.theory.search.limit_inference import LimitInference
    from longreach.theory.search.space import Family
    from longreach.theory.search.synthesize import Synthesis
    from longreach.theory.search.targets import Target

# `longreach crasp transform`: what the classes of programs are closed under, done to a program.


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
    """Combine, negate or otherwise transform programs.

    One transformation at a time; --and and --or may name several programs. The class stays that of the
    programs, as the paper proves (docs/crasp.md). Only acceptors are transformed.

    Example: longreach crasp transform lib:dyck-1 --left-quotient "((" --out rest.cr
    """
    from longreach.theory.crasp.library import load_program

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
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.transform import intersection, union

    cores = [load_program(other, peer=peer).core for other in others]
    join = intersection if how == "and" else union
    return Made(join(core, *cores), f"accepted by {f' {how} '.join([file, *others])}", {"with": list(others)})


def _complement(core: Core, file: str) -> Made:
    from longreach.theory.crasp.transform import complement

    return Made(complement(core), f"not accepted by {file}")


def _quotient(core: Core, side: str, file: str, word: str) -> Made:
    from longreach.theory.crasp.transform import left_quotient, right_quotient
    from longreach.theory.crasp.words import Encoder

    Encoder(core).word(word, "1")
    tokens = Encoder(core).split(word)
    quotient = left_quotient if side == "left" else right_quotient
    place = "after" if side == "left" else "before"
    about = f"accepted by {file} {place} {wording.word(tokens)}"
    return Made(quotient(core, tokens), about, {"word": tokens})


def _inverse_image(core: Core, file: str, pairs: Sequence[str]) -> Made:
    from longreach.theory.crasp.morphisms import inverse_image
    from longreach.theory.crasp.words import Encoder

    morphism: dict[str, list[str]] = {}
    for pair in pairs:
        letter, sign, word = pair.partition("=")
        if not letter.strip() or not sign:
            raise InputError(f"{pair!r} is not LETTER=WORD, such as x=ab")
        if letter in morphism:
            raise InputError(f"letter {letter!r} has two words")
        Encoder(core).word(word, pair)
        morphism[letter] = Encoder(core).split(word)
    shown = ", ".join(f"{letter} ↦ {wording.word(word)}" for letter, word in morphism.items())
    return Made(inverse_image(core, morphism), f"accepted by {file} after {shown}", {"morphism": morphism})


def _without_relations(core: Core, file: str, neutral: str, relations: Relations) -> Made:
    from longreach.theory.crasp.morphisms import BOTH, Relation, remove_relations

    kinds: tuple[Relation, ...] = tuple(k for k in BOTH if relations.value in (k, "both"))
    removal = remove_relations(core, neutral, kinds)
    padding = removal.padding
    about = (
        f"accepted by {file} with {padding.before} × {neutral} before and {padding.after} × {neutral} "
        f"after every letter; the same language if {neutral} is neutral for it"
    )
    return Made(removal.core, about, {"padding": asdict(padding)})


def _strict(core: Core, file: str) -> Made:
    from longreach.theory.crasp.transform import strict_masks

    return Made(strict_masks(core), f"accepted by {file} when every count reads j < i")


def _write(made: Made, kind: str, file: str, out: Path | None, as_json: bool) -> None:
    from longreach.theory.crasp.lower import simplify
    from longreach.theory.crasp.program import raise_core, tidy_statements

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
    from longreach.theory.crasp.majority import satisfies, to_majority_logic
    from longreach.theory.crasp.majority_printer import formula_latex, formula_text
    from longreach.theory.crasp.words import Encoder

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


# `longreach crasp synthesize`: search for a program, from a language, from examples or from a task.


class ClassName(StrEnum):
    """The positional relations that a program may use."""

    empty = "empty"
    periodic = "periodic"
    local = "local"
    both = "both"


Class = Annotated[
    ClassName, typer.Option("--class", help="Relations that programs may use: none, positions, near letters.")
]
Modulus = Annotated[int, typer.Option(min=2, max=8, metavar="M", help="Position tests up to this modulus.")]
Distance = Annotated[
    int, typer.Option(min=1, max=6, metavar="C", help="Local relations up to this distance.")
]
Letters = Annotated[str | None, typer.Option(metavar="LETTERS", help="The alphabet, as in abc or a,b,c.")]


def synthesize(
    regex: Annotated[str | None, typer.Option(metavar="REGEX", help="A regular expression.")] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Lines of a word, a tab and a label, or JSON lines of input, output."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="TASK", help="A task that is a language, lib:NAME, or a function module:attribute."
        ),
    ] = None,
    alphabet: Letters = None,
    program_class: Class = ClassName.empty,
    modulus: Modulus = 2,
    distance: Distance = 1,
    max_size: Annotated[
        int, typer.Option(min=1, metavar="S", help="Operations of a program that is searched for, at most.")
    ] = 14,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 30.0,
    memory: Annotated[int, typer.Option(min=16, metavar="MB", help="Memory for the search.")] = 1024,
    length: Annotated[
        int | None, typer.Option(min=0, max=20, metavar="N", help="Ask a function up to this length.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of the local search.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Search for a small program.

    Programs are tried in order of size, so a program found this way is a smallest one; then programs are
    joined from small ones, then changed at random. Theory decides what it can. Exit code 1 if none is found,
    or if none exists.

    Example: longreach crasp synthesize --regex "(a|b)*ab(a|b)*"
    """
    from longreach.theory.search import synthesize as search
    from longreach.theory.search.space import Family

    target = _target(regex, examples, task, alphabet, length)
    family = Family.named(program_class.value, modulus, distance)
    with stage("searching programs in order of size"):
        found = search.synthesize(
            target, family=family, seconds=seconds, max_size=max_size, bytes=memory * 1_000_000, seed=seed
        )
    with exit_code(1, when=found.program is None):
        if as_json:
            print_json(document(found, family, target))
        else:
            _print_synthesis(found, family)


def _target(
    regex: str | None, examples: Path | None, task: str | None, alphabet: str | None, length: int | None
) -> Target:
    from longreach.tasks.targets import examples_target, regex_target, target_named

    given = {"--regex": regex, "--examples": examples, "--task": task}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise InputError(
            f"{' and '.join(chosen) or '--regex, --examples or --task'}: give exactly one of the three"
        )
    letters = alphabet_of(alphabet)
    if regex is not None:
        with blamed_on("--regex"):
            return regex_target(regex, letters)
    if examples is not None:
        return examples_target(examples, letters)
    assert task is not None
    try:
        return target_named(task, letters, length=length)
    except InputError as error:
        if not isinstance(error.place, Argument):
            raise
        raise InputError(error.reason, place=Field("task")) from None


def document(found: Synthesis, family: Family, target: Target) -> dict[str, Any]:
    """As JSON has it."""
    core = None if found.program is None else found.program.core
    return {
        "class": family.class_name,
        "alphabet": list(target.alphabet),
        "program": None if found.program is None else found.program.text,
        "size": found.size,
        "depth": None if core is None else core.depth,
        "modulus": None if core is None else core.modulus,
        "locality": None if core is None else core.locality,
        "status": found.status.value,
        "checked_to": found.checked_to,
        "examples": found.examples,
        "method": found.method,
        "smallest": found.smallest,
        "none_up_to": found.none_up_to,
        "reason": found.reason or None,
        "tried": found.tried,
        "seconds": round(found.seconds, 3),
    }


def _print_synthesis(found: Synthesis, family: Family) -> None:
    from longreach.theory.search.synthesize import Status

    out = console()
    if found.program is None:
        out.print("impossible" if found.status is Status.IMPOSSIBLE else "none found", style="red", end="")
        out.print(f": {found.words(family)}", markup=False)
        return
    say(found.program.text)
    print_program(out, f"{counted(found.size or 0, 'operation')}, {found.words(family)}")


# `longreach crasp infer` and `limit infer`: the inference procedure on programs and on transformers.


class ScheduleName(StrEnum):
    """Up to which length T_n matches the target."""

    half = "half"
    full = "full"
    third = "third"
    root = "root"
    log = "log"


TargetName = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A task that is a language, regex:…, lib:NAME, or a function module:attribute.",
    ),
]
TrainedTo = Annotated[ScheduleName, typer.Option(help="t(n): n/2, n, n/3, the root or the logarithm of n.")]
UpTo = Annotated[int, typer.Option(min=1, max=40, metavar="N", help="n goes from 1 to this.")]


def infer(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    program_class: Class = ClassName.empty,
    modulus: Modulus = 2,
    distance: Distance = 1,
    max_size: Annotated[int, typer.Option(min=1, metavar="S", help="Operations of a program, at most.")] = 9,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 60.0,
    memory: Annotated[int, typer.Option(min=16, metavar="MB", help="Memory for the search.")] = 1024,
    as_json: JsonOption = False,
) -> None:
    """Run the inference procedure on programs.

    T_n is a smallest program that matches the target up to length t(n). The table shows its size and how many
    words up to length n it gets wrong, and from which n on it is right.

    Example: longreach crasp infer lib:majority --to 8
    """
    from longreach.tasks.targets import target_named
    from longreach.theory.search.inference import infer as run_procedure
    from longreach.theory.search.inference import schedule_named
    from longreach.theory.search.space import Family

    wanted = target_named(target, alphabet_of(alphabet), length=to)
    _within_reach(len(wanted.alphabet), to)
    with stage("searching programs in order of size"):
        found = run_procedure(
            wanted,
            family=Family.named(program_class.value, modulus, distance),
            schedule=schedule_named(schedule.value),
            to=to,
            max_size=max_size,
            seconds=seconds,
            bytes=memory * 1_000_000,
        )
    if as_json:
        print_json({"target": target, "alphabet": list(wanted.alphabet), **found.document()})
    else:
        _print_inference(found)


def infer_transformers(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    most: Annotated[
        int,
        typer.Option("--max-complexity", min=1, max=40, metavar="R", help="R_∞ of a transformer, at most."),
    ] = 14,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Infer limit transformers from examples.

    The inference procedure of Huang et al.: T_n has the least R_∞ of those that match the target up to length
    t(n). They have one layer, one head and integer parameters, positions modulo a period and φ at small
    distances.

    Example: longreach theory limit infer lib:majority --to 8
    """
    from longreach.tasks.targets import target_named
    from longreach.theory.search.inference import schedule_named
    from longreach.theory.search.limit_inference import infer_limit

    wanted = target_named(target, alphabet_of(alphabet), length=to)
    _within_reach(len(wanted.alphabet), to)
    with stage("searching limit transformers in order of R_∞"):
        found = infer_limit(
            wanted, schedule=schedule_named(schedule.value), to=to, most=most, seconds=seconds
        )
    if as_json:
        print_json({"target": target, "alphabet": list(wanted.alphabet), **found.document()})
    else:
        _print_transformers(found)


def _within_reach(letters: int, to: int) -> None:
    from longreach.theory.search.space import MOST_NODES

    words = sum(letters**length for length in range(to + 1))
    if words > MOST_NODES:
        raise InputError(f"--to: {words:,} words up to length {to} are more than {MOST_NODES:,}")


def _print_inference(found: Inference) -> None:
    _print_steps(found, "size of T_n", "smallest programs")
    for line in found.words():
        say(line)
    if found.program is not None:
        say("")
        say(found.program.text)


def _print_transformers(found: LimitInference) -> None:
    _print_steps(found, "R_∞ of T_n", "of its shape fit")
    for line in found.words():
        say(line)
    if found.model is not None:
        say("")
        for line in found.model.lines():
            say(line)


def _print_steps(found: InferenceRun[Any], complexity: str, choices: str) -> None:
    rows = [
        [
            step.n,
            step.trained_to,
            step.complexity if step.complexity is not None else f"≥ {step.at_least}",
            "not known" if step.errors is None else step.errors,
            step.choices or "·",
        ]
        for step in found.steps
    ]
    print_table(Table(map(Column, ("n", "t(n)", complexity, "wrong up to n", choices)), rows))
    say("")
