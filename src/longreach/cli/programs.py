"""`longreach crasp transform`, `synthesize` and `infer`: programs made from others or searched for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach import wording
from longreach.cli.crasp import File, Peer, measures, summary
from longreach.cli.options import JsonOption, alphabet_of, flag, option
from longreach.cli.output import (
    blamed_on,
    check_file,
    console,
    exit_code,
    note,
    print_json,
    say,
    say_data,
    write_text,
)
from longreach.cli.progress import stage
from longreach.errors import Argument, Field, InputError
from longreach.wording import Column, Table, counted

if TYPE_CHECKING:
    from longreach.theory.crasp.core import Core
    from longreach.theory.search.inference import Inference
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


def transform(
    file: File,
    all_of: Annotated[list[str] | None, option("Intersect with this program.", "FILE", "--and")] = None,
    any_of: Annotated[list[str] | None, option("Unite with this program.", "FILE", "--or")] = None,
    negated: Annotated[bool, flag("--not", "Accept the words that FILE rejects.")] = False,
    left: Annotated[
        str | None, option("Words v for which WORD v is accepted.", "WORD", "--left-quotient")
    ] = None,
    right: Annotated[
        str | None, option("Words v for which v WORD is accepted.", "WORD", "--right-quotient")
    ] = None,
    image: Annotated[
        list[str] | None,
        option(
            "Words that are accepted when each letter is replaced by its word; all of one length.",
            "LETTER=WORD",
            "--inverse-image",
        ),
    ] = None,
    neutral: Annotated[
        str | None,
        option(
            "Without positional relations, on words padded with this neutral letter.",
            "LETTER",
            "--remove-relations",
        ),
    ] = None,
    relations: Annotated[Relations, option("Which relations --remove-relations removes.")] = Relations.both,
    strict: Annotated[bool, flag("--strict", "Every count reads j < i instead of j ≤ i.")] = False,
    logic: Annotated[
        Logic | None, option("A sentence of two-variable majority logic, as text or LaTeX.", None, "--to")
    ] = None,
    words: Annotated[
        list[str] | None, option("With --to: also say whether the word satisfies it.", "WORD", "--word")
    ] = None,
    out: Annotated[Path | None, option("Write the program to a file instead of the screen.", "FILE")] = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Combine, negate or otherwise transform programs.

    One transformation at a time; --and and --or may name several programs. The class stays that of the
    programs, as the paper proves (docs/crasp.md). Only acceptors are transformed.

    Example: longreach crasp transform lib:dyck-1 --left-quotient "((" --out rest.cr
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.lower import simplify
    from longreach.theory.crasp.program import raise_core, tidy_statements

    asked = {
        "--and": all_of, "--or": any_of, "--not": negated, "--left-quotient": left, "--right-quotient": right,
        "--inverse-image": image, "--remove-relations": neutral, "--strict": strict, "--to": logic,
    }  # fmt: skip
    names = [name for name, value in asked.items() if value not in (None, False, [])]
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
    (option,) = names
    try:
        made, about, more = _transformed(core, file, option, asked[option], relations, peer)
    except InputError as error:
        raise InputError(error.message if error.place else f"{option}: {error.message}") from None
    made = simplify(made)
    text = tidy_statements(raise_core(made)).text.rstrip("\n") + "\n"
    # A name of a file may hold anything, a comment one line.
    head = " ".join(f"// {about}".split()) + "\n" + summary(made, "//") + "\n"
    kind = option.removeprefix("--")
    document = {"program": file, "transformation": kind, **more, **measures(made), "text": text}
    _deliver(head + text, document, out, as_json)


def _transformed(
    core: Core, file: str, option: str, value: Any, relations: Relations, peer: bool
) -> tuple[Core, str, dict[str, Any]]:
    """The program that comes out, what it is in words, and more fields of the document."""
    from longreach.theory.crasp import transform
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.morphisms import BOTH, Relation, inverse_image, remove_relations
    from longreach.theory.crasp.words import Encoder

    def tokens(word: str, place: str) -> list[str]:
        Encoder(core).word(word, place)
        return Encoder(core).split(word)

    match option:
        case "--and" | "--or":
            join = transform.intersection if option == "--and" else transform.union
            cores = [load_program(other, peer=peer).core for other in value]
            joined = f" {option.removeprefix('--')} ".join([file, *value])
            return join(core, *cores), f"accepted by {joined}", {"with": list(value)}
        case "--not":
            return transform.complement(core), f"not accepted by {file}", {}
        case "--strict":
            return transform.strict_masks(core), f"accepted by {file} when every count reads j < i", {}
        case "--left-quotient" | "--right-quotient":
            word, left = tokens(value, "1"), option == "--left-quotient"
            quotient = transform.left_quotient if left else transform.right_quotient
            about = f"accepted by {file} {'after' if left else 'before'} {wording.word(word)}"
            return quotient(core, word), about, {"word": word}
        case "--inverse-image":
            morphism: dict[str, list[str]] = {}
            for pair in value:
                letter, sign, image = pair.partition("=")
                if not letter.strip() or not sign:
                    raise InputError(f"{pair!r} is not LETTER=WORD, such as x=ab")
                if letter in morphism:
                    raise InputError(f"letter {letter!r} has two words")
                morphism[letter] = tokens(image, pair)
            shown = ", ".join(f"{letter} ↦ {wording.word(word)}" for letter, word in morphism.items())
            about = f"accepted by {file} after {shown}"
            return inverse_image(core, morphism), about, {"morphism": morphism}
        case _:
            kinds: tuple[Relation, ...] = tuple(k for k in BOTH if relations.value in (k, "both"))
            removal = remove_relations(core, value, kinds)
            padding = removal.padding
            about = (
                f"accepted by {file} with {padding.before} × {value} before and {padding.after} × {value} "
                f"after every letter; the same language if {value} is neutral for it"
            )
            return removal.core, about, {"padding": asdict(padding)}


def _deliver(text: str, document: dict[str, Any], out: Path | None, as_json: bool) -> None:
    if out is not None:
        write_text(out, text)
        note(f"wrote {out}")
    elif not as_json:
        say_data(text)
    if as_json:
        print_json(document if out is None else document | {"out": str(out)})


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
    document: dict[str, Any] = {"program": file, "transformation": logic.value, "logic": sentence.logic,
                "size": sentence.size, "depth": sentence.depth, "text": text}  # fmt: skip
    _deliver(text, document | ({"satisfied": satisfied} if words else {}), out, as_json)
    if not as_json:
        for word, holds in zip(words, satisfied, strict=True):
            say(f"{'satisfied' if holds else 'not satisfied'}  {word}")


# `longreach crasp synthesize`: search for a program, from a language, from examples or from a task.


class ClassName(StrEnum):
    """The positional relations that a program may use."""

    empty = "empty"
    periodic = "periodic"
    local = "local"
    both = "both"


@dataclass(frozen=True)
class Allowed:
    """What programs may use, as options."""

    program_class: Annotated[
        ClassName, option("Relations that programs may use: none, positions, near letters.", None, "--class")
    ] = ClassName.empty
    modulus: Annotated[int, option("Position tests up to this modulus.", "M", min=2, max=8)] = 2
    distance: Annotated[int, option("Local relations up to this distance.", "C", min=1, max=6)] = 1

    @property
    def family(self) -> Family:
        from longreach.theory.search.space import Family

        return Family.named(self.program_class.value, self.modulus, self.distance)


NO_POSITIONS = Allowed()
Memory = Annotated[int, option("Memory for the search.", "MB", min=16)]
Seconds = Annotated[float, option("Time limit in seconds.", "T", min=0.1)]
Letters = Annotated[str | None, option("The alphabet, as in abc or a,b,c.", "LETTERS")]


def synthesize(
    regex: Annotated[str | None, option("A regular expression.", "REGEX")] = None,
    examples: Annotated[
        Path | None, option("Lines of a word, a tab and a label, or JSON lines of input, output.", "FILE")
    ] = None,
    task: Annotated[
        str | None, option("A task that is a language, lib:NAME, or a function module:attribute.", "TASK")
    ] = None,
    alphabet: Letters = None,
    allowed: Allowed = NO_POSITIONS,
    max_size: Annotated[int, option("Maximum number of operations to search.", "S", min=1)] = 14,
    seconds: Seconds = 30.0,
    memory: Memory = 1024,
    length: Annotated[int | None, option("Query a function up to this length.", "N", min=0, max=20)] = None,
    seed: Annotated[int, option("Seed of the local search.", "S", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Search for a small program.

    Programs are tried in order of size, so a program found this way is a smallest one; then programs are
    joined from small ones, then changed at random. Theory decides what it can. Exit code 1 if none is found,
    or if none exists.

    Example: longreach crasp synthesize --regex "(a|b)*ab(a|b)*"
    """
    from longreach.theory.search import synthesize as search

    target = _target(regex, examples, task, alphabet, length)
    family = allowed.family
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
        out.text(f": {found.words(family)}")
        return
    say(found.program.text)
    out.program(f"{counted(found.size or 0, 'operation')}, {found.words(family)}")


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
TrainedTo = Annotated[ScheduleName, option("t(n): n/2, n, n/3, the root or the logarithm of n.")]
UpTo = Annotated[int, option("n goes from 1 to this.", "N", min=1, max=40)]


def infer(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    allowed: Allowed = NO_POSITIONS,
    max_size: Annotated[int, option("Maximum number of operations.", "S", min=1)] = 9,
    seconds: Seconds = 60.0,
    memory: Memory = 1024,
    as_json: JsonOption = False,
) -> None:
    """Run the inference procedure on programs.

    T_n is a smallest program that matches the target up to length t(n). The table shows its size and how many
    words up to length n it gets wrong, and from which n on it is right.

    Example: longreach crasp infer lib:majority --to 8
    """
    from longreach.theory.search.inference import infer as run_procedure
    from longreach.theory.search.inference import schedule_named

    wanted = _inferred(target, alphabet, to)
    with stage("searching programs in order of size"):
        found = run_procedure(
            wanted,
            family=allowed.family,
            schedule=schedule_named(schedule.value),
            to=to,
            max_size=max_size,
            seconds=seconds,
            bytes=memory * 1_000_000,
        )
    program = [] if found.program is None else [found.program.text]
    _report(target, wanted, found, as_json, ("size of T_n", "smallest programs"), program)


def infer_transformers(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    most: Annotated[
        int, option("Maximum R_∞ of a transformer.", "R", "--max-complexity", min=1, max=40)
    ] = 14,
    seconds: Seconds = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Infer limit transformers from examples.

    The inference procedure of Huang et al.: T_n has the least R_∞ of those that match the target up to length
    t(n). They have one layer, one head and integer parameters, positions modulo a period and φ at small
    distances.

    Example: longreach theory limit infer lib:majority --to 8
    """
    from longreach.theory.search.inference import schedule_named
    from longreach.theory.search.limit_inference import infer_limit

    wanted = _inferred(target, alphabet, to)
    with stage("searching limit transformers in order of R_∞"):
        found = infer_limit(
            wanted, schedule=schedule_named(schedule.value), to=to, most=most, seconds=seconds
        )
    model = [] if found.model is None else found.model.lines()
    _report(target, wanted, found, as_json, ("R_∞ of T_n", "of its shape fit"), model)


def _inferred(name: str, alphabet: str | None, to: int) -> Target:
    """The target, unless it has too many words."""
    from longreach.tasks.targets import target_named
    from longreach.theory.search.space import MOST_NODES

    target = target_named(name, alphabet_of(alphabet), length=to)
    words = sum(len(target.alphabet) ** length for length in range(to + 1))
    if words > MOST_NODES:
        raise InputError(f"--to: {words:,} words up to length {to} are more than {MOST_NODES:,}")
    return target


def _report(
    name: str,
    target: Target,
    found: Inference | LimitInference,
    as_json: bool,
    titles: tuple[str, str],
    last: Sequence[str],
) -> None:
    """The steps of the procedure, what they say, and the last program or transformer."""
    if as_json:
        print_json({"target": name, "alphabet": list(target.alphabet), **found.document()})
        return
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
    complexity, choices = titles
    console().table(Table(map(Column, ("n", "t(n)", complexity, "wrong up to n", choices)), rows))
    for line in ["", *found.words(), *(["", *last] if last else [])]:
        say(line)
