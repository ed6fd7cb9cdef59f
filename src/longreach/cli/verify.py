"""`longreach verify`: checks certificates with code that did not produce them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import console, print_json
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.forecast.certificates import AnyCertificate, TaskCertificate
    from longreach.languages.certificates import AutomatonTable

PREDICTION = ".prediction"
"""What follows the name of a class at the place of its certificate for prediction."""


def verify(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="CERTIFICATE",
            help="A certificate, or a document of `longreach language` or `longreach forecast` with --json.",
        ),
    ],
    regex: Annotated[
        str | None, typer.Option(metavar="REGEX", help="The language that the certificate must be about.")
    ] = None,
    alphabet: Annotated[str | None, typer.Option(metavar="LETTERS", help="The alphabet of --regex.")] = None,
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="The task that the certificate must be about.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check a certificate. Exit code 1 if it does not prove what it claims.

    Example: longreach language "(aa)*" --json > aa.json; longreach verify aa.json
    """
    if alphabet is not None and regex is None:
        raise InputError("--alphabet: goes with --regex")
    if task is not None and regex is not None:
        raise InputError("--task: goes without --regex")
    certificates = _certificates(file)
    expected = _expected(regex, alphabet)
    results = []
    for place, certificate, verdict, claim in certificates:
        problem, how = check(certificate, expected, task)
        if problem is None and verdict not in (None, "yes" if certificate.kind == "program" else "no"):
            problem = f"the document says {verdict!r}, which is not what its certificate proves"
        problem = problem or claim
        program_class = getattr(certificate, "program_class", None)
        results.append({
            "place": place, "kind": certificate.kind, "class": program_class, "valid": problem is None,
            "how": how, "problem": problem, "prediction": getattr(certificate, "prediction", False),
        })  # fmt: skip
    valid = all(result["valid"] for result in results)
    if as_json:
        print_json({"certificate": str(file), "valid": valid, "certificates": results})
    else:
        for result in results:
            _print(result)
    if not valid:
        raise typer.Exit(1)


def check(
    certificate: AnyCertificate, expected: AutomatonTable | None, task: str | None = None
) -> tuple[str | None, str]:
    """What is wrong with a certificate (None: nothing), and how it was checked."""
    from longreach.forecast.certificates import (
        CommunicationCertificate,
        ReductionCertificate,
        TaskProgramCertificate,
    )
    from longreach.languages.certificates import ProgramCertificate
    from longreach.languages.checker import check_certificate
    from longreach.languages.program_checker import check_program

    if isinstance(certificate, TaskProgramCertificate | CommunicationCertificate | ReductionCertificate):
        if expected is not None:
            return "the certificate is about a task, not about a language", ""
        return _check_task(certificate, task)
    if task is not None:
        expected, problem = _automaton_of(task)
        if problem is not None:
            return problem, ""
    if isinstance(certificate, ProgramCertificate):
        return check_program(certificate, expected)
    return check_certificate(certificate, expected), "flows recomputed from the automaton"


def _check_task(certificate: TaskCertificate, task: str | None) -> tuple[str | None, str]:
    from longreach.forecast.checker import check_task_certificate
    from longreach.tasks.catalog import load_argument, self_contained
    from longreach.tasks.outside import is_attribute
    from longreach.tasks.program import is_text, short_name

    name = certificate.task
    if task is not None:
        if self_contained(task) != name:
            return f"the certificate is about the task {short_name(name)}", ""
    elif is_attribute(name):  # a document must not choose what is imported
        return f"the task is Python code, which is not run unless you say so: --task {name}", ""
    elif name.startswith("crasp:") and not is_text(name):
        return "the program of the task is not in the certificate", ""
    try:
        known = load_argument(task or name)
    except InputError as error:
        return error.message, ""
    return check_task_certificate(certificate, known)


def _automaton_of(task: str) -> tuple[AutomatonTable | None, str | None]:
    from longreach.languages.automaton import Automaton
    from longreach.languages.documents import automaton_table
    from longreach.tasks.catalog import load_argument

    automaton = getattr(load_argument(task), "automaton", None)
    if not isinstance(automaton, Automaton):
        return None, f"the certificate is about a regular language, not about {task}"
    return automaton_table(automaton), None


def _certificates(file: Path) -> list[tuple[str, AnyCertificate, Any, str | None]]:
    """The place, the certificate, the verdict that stands beside it, and what is said of prediction without
    proof, for each one in a document."""
    from longreach.crasp.parser import read_text
    from longreach.forecast.certificates import read_any
    from longreach.languages.prediction_checker import prediction_claim_problem

    text = read_text(file)
    try:
        document: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except ValueError:
        raise InputError(f"{file}: not a certificate: a number has too many digits") from None
    except RecursionError:
        raise InputError(f"{file}: not a certificate: nested too deeply") from None
    if not isinstance(document, dict):
        raise InputError(f"{file}: not a certificate: expected a JSON object")
    if "kind" in document:
        parts = {"": document}
    else:
        parts = {
            key: value["certificate"]
            for key, value in document.items()
            if isinstance(value, dict) and "certificate" in value
        }
        parts |= {
            f"{key}{PREDICTION}": value["prediction_certificate"]
            for key, value in document.items()
            if isinstance(value, dict) and "prediction_certificate" in value
        }
    if not parts:
        raise InputError(f"{file}: no certificate: expected an object with 'kind', or a document")
    found: list[tuple[str, AnyCertificate, Any, str | None]] = []
    for place, part in parts.items():
        try:
            side = document[place.removesuffix(PREDICTION)] if place else {}
            predicts = place.endswith(PREDICTION)
            verdict = side.get("prediction" if predicts else "verdict")
            claim = None if predicts else prediction_claim_problem(side)
            found.append((place, read_any(part if isinstance(part, dict) else {}), verdict, claim))
        except InputError as error:
            raise InputError(f"{file}: {place + ': ' if place else ''}{error.message}") from None
    # In a language document some verdicts have nothing to certify; alone, that is a failure.
    return [each for each in found if each[1].kind != "none"] or found


def _expected(regex: str | None, alphabet: str | None) -> AutomatonTable | None:
    from longreach.languages.documents import automaton_table
    from longreach.languages.expression import from_expression

    if regex is None:
        return None
    try:
        return automaton_table(from_expression(regex, None if alphabet is None else list(alphabet)))
    except InputError as error:
        raise InputError(f"--regex: {error.message}") from None


def _print(result: dict[str, Any]) -> None:
    out = console()
    place = f"{result['place']}: " if result["place"] else ""
    if result["valid"]:
        claim = "a program exists in" if result["kind"] == "program" else "no program exists in"
        of = ""
        if result["prediction"]:
            what = "for" if result["kind"] == "program" else "nor for"
            of = f", {what} prediction on prefixes"
        out.print("[green]valid[/green]", end="   ")
        out.print(f"{place}{claim} {result['class']}{of} ({result['how']})", markup=False)
    else:
        out.print("[red]invalid[/red]", end=" ")
        out.print(f"{place}{result['problem']}", markup=False)
