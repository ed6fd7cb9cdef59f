"""`longreach verify`: checks certificates with code that did not produce them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import JsonOption, alphabet_of, flag, option
from longreach.cli.output import blamed_on, console, exit_code, note, print_json
from longreach.errors import Field, InputError
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from longreach.answers.derive import Checked
    from longreach.answers.verify import Statement, Subject

STYLES = {"valid": "green", "invalid": "red"}
VERIFIED = "verified by Coq"
EXISTS = "existence verified by Coq"
"""Of a program: that one exists, not that this one is right."""
UNCHECKED = "not checked by Coq"
STANDARD_INPUT = Path("-")


def verify(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="A certificate, or what `longreach language`, `forecast` or `ask` prints with --json; "
            "- is standard input.",
        ),
    ],
    regex: Annotated[str | None, option("Language that the certificate must be about.", "REGEX")] = None,
    alphabet: Annotated[
        str | None, option("The alphabet of --regex, or of --task regex:…, states:….", "LETTERS")
    ] = None,
    task: Annotated[str | None, option("Task that the certificate must be about.", "TASK")] = None,
    formal: Annotated[bool, flag("--formal", "Check with Coq where possible; needs coqc.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate with code that did not produce it.

    "valid": this statement about this task, alphabet, class and convention holds for all lengths. Anything
    less is called not proved; checked to a length; claimed, not checked; or invalid. Exit code 1 unless every
    claim is valid.

    With --formal, Coq checks certificates of a "no", cascades, and that programs without positions exist; at
    least one certificate must be one that Coq can check.

    Example: longreach language "(aa)*" --json > aa.json; longreach verify aa.json
    """
    if alphabet is not None and regex is None and not TaskName(task or "").takes_alphabet:
        raise InputError("--alphabet: only for --regex, or --task regex:…, states:… or a plain function")
    if task is not None and regex is not None:
        raise InputError("--task: cannot be used with --regex")
    from longreach.answers.derive import check_statement, not_checked
    from longreach.answers.verify import lines_without_claim, own_subject, read_statements
    from longreach.files import DOCUMENT_BYTES, read_text

    piped = file == STANDARD_INPUT
    source = "standard input" if piped else str(file)
    if piped:
        content = sys.stdin.buffer.read(DOCUMENT_BYTES + 1)
        if len(content) > DOCUMENT_BYTES:
            raise InputError(f"{source}: larger than {DOCUMENT_BYTES >> 20} MiB")
        text = content.decode("utf-8", "replace")
    else:
        text = read_text(file, most=DOCUMENT_BYTES)
    statements = read_statements(text, source)
    for place in lines_without_claim(text, source):
        note(f"{place}: no document but an error; nothing to check there")
    asked = _asked(regex, task, alphabet_of(alphabet))
    if formal:
        _require_coq()
    found = [
        (statement, checked)
        for statement in statements
        for checked in check_statement(statement, own_subject(statement) if asked is None else asked)
    ]
    results = [_result(statement, checked) for statement, checked in found]
    if formal:
        _check_formally([checked for _, checked in found], results)
    valid = all(result["valid"] for result in results) and (
        not formal or any(result["formal"] in (VERIFIED, EXISTS) for result in results)
    )
    unchecked = list(dict.fromkeys(name for statement in statements for name in not_checked(statement)))
    with exit_code(1, when=not valid):
        if as_json:
            print_json(
                {"certificate": str(file), "valid": valid, "certificates": results, "unchecked": unchecked}
            )
        else:
            for result in results:
                _print(result)
            if valid and unchecked and sys.stderr.isatty():
                note(f"not part of any statement, and not checked: {', '.join(unchecked)}")


def _require_coq() -> None:
    from longreach.theory.certificates.coq import MISSING, coqc

    if coqc() is None:
        raise InputError(f"--formal: {MISSING}")


def _check_formally(found: list[Checked], results: list[dict[str, Any]]) -> None:
    """Adds what Coq says of each result; what Coq rejects is invalid.

    Beside the certificate of a result, further ones from which it was derived are checked if Coq can.
    """
    from longreach.theory.certificates.coq import can_check, check_formally

    asked = [
        (certificate, result)
        for checked, result in zip(found, results, strict=True)
        if result["valid"] and can_check(checked.certificate)
        for certificate in (checked.certificate, *checked.beside)
        if can_check(certificate)
    ]
    for result in results:
        result["formal"] = UNCHECKED
    problems = check_formally([certificate for certificate, _ in asked])
    for (_, result), problem in zip(asked, problems, strict=True):
        if problem is not None:
            result |= {"status": "invalid", "valid": False, "problem": problem, "formal": "rejected by Coq"}
        elif result["valid"]:
            result["formal"] = EXISTS if result["kind"] == "program" else VERIFIED


def _asked(regex: str | None, task: str | None, alphabet: list[str] | None) -> Subject | None:
    """What the certificates must be about, where the command says so."""
    from longreach.answers.verify import Subject, subject_of
    from longreach.theory.automata.regex import from_expression

    if task is not None:
        try:
            return subject_of(task, alphabet)
        except InputError as error:
            raise InputError(error.about_argument, place=Field("task")) from None
    if regex is None:
        return None
    with blamed_on("--regex"):
        return Subject(f"regex:{regex}", None, from_expression(regex, alphabet))


def _result(statement: Statement, checked: Checked) -> dict[str, Any]:
    certificate, finding, subject = checked.certificate, checked.finding, checked.subject
    return {
        "task": statement.task if subject is None else TaskName(subject.name).short,
        "place": checked.place,
        "kind": "none" if certificate is None else certificate.kind,
        "class": getattr(certificate, "program_class", checked.program_class),
        "convention": checked.convention,
        "prediction": checked.prediction,
        "statement": _statement(checked) if finding.valid else None,
        "status": finding.status.value,
        "valid": finding.valid,
        "how": finding.how,
        "problem": finding.problem,
    }


def _statement(checked: Checked) -> str:
    """What a valid certificate proves, from the certificate alone."""
    from longreach.answers.kinds import ArchitectureKind, kind_of
    from longreach.answers.verify import MODEL

    certificate: Any = checked.certificate
    if checked.place == MODEL or isinstance(kind_of(certificate), ArchitectureKind):
        return "; ".join(checked.also) or kind_of(certificate).in_short(certificate)
    yes = kind_of(certificate).proves == "yes"
    said = f"{'a' if yes else 'no'} program exists in {certificate.program_class}"
    if yes and (certificate.window, certificate.modulus) != (0, 1):
        said += f", window {certificate.window}, modulus {certificate.modulus}"
    if checked.convention != "last-letter":
        said += f", {checked.convention}"
    if checked.prediction:
        said += f", {'for' if yes else 'nor for'} prediction on prefixes"
    return "; ".join([said, *checked.also])


def _print(result: dict[str, Any]) -> None:
    from rich.text import Text

    out = console()
    place = ": ".join(TaskName(part).expression for part in (result["task"], result["place"]) if part)
    if result["valid"]:
        how = "; ".join(part for part in (result["how"], result.get("formal")) if part)
        text = f"{result['statement']} ({how})"
    else:
        text = "; ".join(part for part in (result["problem"], result["how"]) if part)
    status = result["status"]
    style = STYLES.get(status, "yellow")
    said = f"{place}: {text}" if place else text
    out.hanging(Text.assemble((f"{status:<7}", style), f" {said}"), 0, 8)
