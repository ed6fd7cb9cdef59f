"""`longreach crasp compile TASK --encoding reach`: a cascade as the weights of a decoder."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.cli.output import check_directory, console, exit_code, note, print_json
from longreach.cli.progress import stage
from longreach.errors import InputError
from longreach.files import read_bytes, read_json, write_atomically
from longreach.wording import counted, spelled

if TYPE_CHECKING:
    from longreach.models.from_cascade import Compiled
    from longreach.theory.architectures.documents import CascadeCertificate

MOST_WORDS = 2_000
"""All words up to a length are run as long as they are no more."""
LONG = (100, 1_000)
"""Lengths of the random words that are run besides."""
REACH = "reach"


def compile_task(
    file: str,
    encoding: str,
    dtype: str | None,
    unfit: Mapping[str, object],
    out: Path | None,
    length: int | None,
    *,
    as_json: bool,
) -> None:
    """What `crasp compile` does with --encoding."""
    from longreach.models.from_cascade import LONGEST, MARGIN, compile_cascade

    if encoding != REACH:
        raise InputError(f"--encoding: {encoding!r} cannot be compiled for; {REACH} can")
    for name, value in unfit.items():
        if value is not None:
            raise InputError(f"{name}: cannot be used with --encoding")
    if dtype not in (None, "float32"):
        raise InputError(f"--dtype: decoders are stored in float32, not in {dtype}")
    check_directory(out, "--out")
    certificate, tokens, end = _cascade(file)
    try:
        with stage(f"compiling {counted(len(certificate.levels), 'level')}"):
            made = compile_cascade(certificate, tokens, end=end)
    except InputError as error:
        raise InputError(f"{file}: {error.message}") from None
    config = made.config
    document: dict[str, Any] = {
        "program": file,
        "kind": "decoder",
        "encoding": REACH,
        "modulus": certificate.modulus,
        "levels": certificate.layers,
        "layers": config.layers,
        "heads": config.heads,
        "width": config.width,
        "units": made.units,
        "dtype": "float32",
        "provable_length": LONGEST,
        "error": made.rounded,
        "margin": MARGIN,
    }
    failed = False
    if length is not None:
        with stage("comparing with the automaton on words"):
            document["verified"] = _verified(made, certificate, length)
        failed = not document["verified"]["agrees"]
    if out is not None and not failed:
        _write(made, certificate, document, out)
        document["out"] = str(out)
    with exit_code(1, when=failed):
        if as_json:
            print_json(document)
        else:
            _print(document)


def _cascade(file: str) -> tuple[CascadeCertificate, tuple[str, ...] | None, str | None]:
    """The cascade of a task with the task's tokens, or that of a file, which is checked."""
    from longreach.theory.architectures.documents import CascadeCertificate

    if file.endswith(".json") and Path(file).is_file():
        from longreach.answers.kinds import read_any
        from longreach.theory.architectures.check import check_architecture

        document = read_json(read_bytes(Path(file)), file)
        if not isinstance(document, dict):
            raise InputError(f"{file}: a certificate is a JSON object")
        try:
            certificate = read_any(document)
        except InputError as error:
            raise InputError(f"{file}: {error.message}") from None
        if not isinstance(certificate, CascadeCertificate):
            raise InputError(f"{file}: expected a cascade, not {certificate.kind!r}")
        finding = check_architecture(certificate)
        if not finding.valid:
            raise InputError(f"{file}: {finding.problem}")
        return certificate, None, None
    from longreach.answers.architecture import question_of
    from longreach.tasks.catalog import load_argument
    from longreach.tasks.task import SEP
    from longreach.theory.architectures.classes import judge_architecture

    task = load_argument(file)
    with stage(f"looking for a cascade for {file}"):
        question = question_of(task)
        if question is None:
            raise InputError(f"{file}: the task is not given by an automaton")
        found = judge_architecture("decoder", {"encoding": REACH}, question)
    if not isinstance(found.certificate, CascadeCertificate):
        raise InputError(f"{file}: no cascade answers it: {found.reason}")
    needed = {*question.machine.alphabet, *found.certificate.answers, *([SEP] if question.at_end else [])}
    fits = needed <= set(task.tokens)
    return found.certificate, task.tokens if fits else None, SEP if fits and question.at_end else None


def _verified(made: Compiled, certificate: CascadeCertificate, length: int) -> dict[str, Any]:
    """All words up to a length, as far as they are few, and random ones; answers are asked along each."""
    from longreach.theory.architectures.documents import NOTHING

    machine = certificate.machine
    rng = random.Random(0)
    hopeful = {state for state, output in enumerate(machine.outputs) if output != NOTHING}
    while more := {q for q, row in enumerate(machine.transitions) if q not in hopeful and hopeful & {*row}}:
        hopeful |= more
    words: list[tuple[int, ...]] = [()]
    ends: dict[tuple[int, ...], int] = {(): 0}
    exhaustive = first = 0
    while exhaustive < length:
        longer = {
            (*word, letter): target
            for word in words[first:]
            for letter, target in enumerate(machine.transitions[ends[word]])
            if target in hopeful
        }
        if len(words) + len(longer) > MOST_WORDS:
            note(f"--verify: too many words up to length {length}; all up to {exhaustive} were run")
            break
        first, exhaustive = len(words), exhaustive + 1
        words += longer
        ends |= longer
    longest = exhaustive
    for size in LONG:
        word: list[int] = []
        state = 0
        while len(word) < size:
            choices = [letter for letter, to in enumerate(machine.transitions[state]) if to in hopeful]
            if not choices:
                break
            word.append(rng.choice(choices))
            state = machine.transitions[state][word[-1]]
        words.append(tuple(word))
        longest = max(longest, len(word))
    # A word says as much as all its beginnings, where the answer is asked at every letter.
    begun = set() if machine.at_end else {word[:-1] for word in words}
    disagreement = None
    for each in words:
        if each in begun:
            continue
        letters = [machine.alphabet[letter] for letter in each]
        states = [0]
        for letter in each:
            states.append(machine.transitions[states[-1]][letter])
        wanted = [machine.outputs[state] for state in states]
        pairs = zip(wanted[-1:] if machine.at_end else wanted, made.answers(letters), strict=True)
        if any(right not in (NOTHING, said) for right, said in pairs):
            disagreement = spelled(tuple(letters))
            break
    return {
        "of": "decoder",
        "length": exhaustive,
        "words": len(words),
        "longest": longest,
        "agrees": disagreement is None,
        "disagreement": disagreement,
    }


def _write(made: Compiled, certificate: CascadeCertificate, document: Mapping[str, Any], out: Path) -> None:
    from longreach.training.checkpoint import save_model

    said = {"tokens": list(made.tokens), "end": made.end}
    content = {**document, **said, "certificate": certificate.model_dump(mode="json")}
    with stage(f"writing {out}"):
        save_model(out, made.parameters, made.config)
        write_atomically(out / "config.json", (json.dumps(content, indent=2) + "\n").encode())


def _print(document: Mapping[str, Any]) -> None:
    out = console()
    out.text(
        f"{document['program']}: decoder with {REACH}, modulus {document['modulus']}, layers "
        f"{document['layers']}, heads {document['heads']}, width {document['width']}, "
        f"MLP units {document['units']}"
    )
    out.text(
        f"provably right up to length {document['provable_length']:,}: units are wrong by "
        f"{document['error']:.1g} at most, and may be by {document['margin']}"
    )
    if "verified" in document:
        checked = document["verified"]
        if checked["agrees"]:
            out.print(
                f"the decoder [green]agrees[/green] with the automaton on all words up to length "
                f"{checked['length']} and on random ones up to {checked['longest']:,} "
                f"({counted(checked['words'], 'word')})"
            )
        else:
            out.print("the decoder [red]differs[/red] from the automaton on ", end="")
            out.text(checked["disagreement"])
    if "out" in document:
        out.text(f"wrote {document['out']}/model.safetensors and config.json")
