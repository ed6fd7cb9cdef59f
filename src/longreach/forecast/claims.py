"""What a document claims, of one task or of many: each verdict, and the certificate that stands beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from longreach.config.json_text import read_json
from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.forecast.certificate_kinds import read_any
from longreach.languages.program_class import EMPTY, SIDES
from longreach.languages.prove.prediction_checker import prediction_claim_problem
from longreach.verdicts.verdict import CertificateDocument

ANSWERS = {"certificate": "verdict", "prediction_certificate": "prediction"}
"""Beside which answer of a side each of its certificates stands; only the first must be there."""
CONVENTION = "last-letter"
"""What a verdict is about unless the document says otherwise: programs that are read at the last letter."""
CONVENTIONS = (CONVENTION, "end-of-sequence")
MANY = "forecasts"
"""The field in which `longreach forecast --all` puts its documents."""
ANSWERED = "forecast"
"""The field in which `longreach ask` puts its document."""


@dataclass(frozen=True)
class Claim:
    """A certificate, and what it is to prove."""

    place: str
    """The side, and the answer if it is not the verdict; empty for a certificate that stands alone."""
    certificate: CertificateDocument | None
    verdict: Any = None
    """What the document says; None for a certificate that stands alone."""
    program_class: str | None = None
    answer: str = "verdict"
    """The field of the side in which the answer stands."""
    problem: str | None = None
    """Why the document contradicts itself."""
    convention: str = CONVENTION
    """Where the programs are read that the claim is about."""

    @property
    def empty(self) -> bool:
        return self.certificate is None or self.certificate.kind == "none"

    @property
    def open(self) -> bool:
        """Nothing is claimed and nothing is certified."""
        return self.verdict == "undecided" and self.empty


@dataclass(frozen=True)
class Statement:
    """All claims of one document about one task; a certificate that stands alone has no task of its own."""

    task: str | None
    alphabet: tuple[str, ...] | None
    claims: tuple[Claim, ...]


def read_statements(text: str, file: str) -> list[Statement]:
    """The statements of a file: a certificate, a document, the documents of --all, or one document a line.

    >>> read_statements('{"kind": "none", "reason": "undecided"}', "mine.json")[0].claims[0].empty
    True
    """
    found = [
        statement for place, document in _documents(text, file) for statement in _statements(document, place)
    ]
    if not found:
        raise InputError(f"{file}: no certificate: expected an object with 'kind', or a document")
    return found


def lines_without_claim(text: str, file: str) -> list[str]:
    """The places at which `longreach language --file` reports a bad line in place of a document.

    >>> lines_without_claim('{"kind": "none", "reason": ""}\\n{"line": 2, "error": "x"}', "many.jsonl")
    ['many.jsonl:2']
    """
    return [place for place, document in _documents(text, file) if _is_bad_line(document)]


def _is_bad_line(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and {"error", "line"} <= document.keys()
        and document.keys().isdisjoint({"kind", *SIDES})
    )


def _documents(text: str, file: str) -> list[tuple[str, Any]]:
    """With the place of each one."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_object(lines[0][1]):
        return [(f"{file}:{number}", _parsed(line, file, number)) for number, line in lines]
    document = _parsed(text, file, 1)
    found = [] if document.keys().isdisjoint(SIDES) else [(file, document)]
    answered, many = document.get(ANSWERED), document.get(MANY)
    if isinstance(answered, dict):
        inner = str(answered.get("task"))
        if document.get("task", inner) not in (inner, TaskName(inner).short):
            raise InputError(f"{file}: {ANSWERED}: is about another task than the document")
        found.append((f"{file}: {ANSWERED}", answered))
    if isinstance(many, list):
        found += [(f"{file}: {MANY}.{number}", each) for number, each in enumerate(many)]
    return found or [(file, document)]


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _parsed(text: str, file: str, line: int) -> dict[str, Any]:
    document: Any = read_json(text, file, line)
    if not isinstance(document, dict):
        raise InputError(f"{file}: not a certificate: expected a JSON object")
    return document


def _statements(document: Any, place: str) -> list[Statement]:
    if not isinstance(document, dict):
        raise InputError(f"{place}: not a document: expected a JSON object")
    if "kind" in document:
        return [Statement(None, None, (Claim("", _certificate(document, place)),))]
    if _is_bad_line(document):
        return []
    sides = {
        key: value
        for key, value in document.items()
        if key in SIDES or (isinstance(value, dict) and "certificate" in value)
    }
    if not sides:
        raise InputError(f"{place}: no certificate: expected an object with 'kind', or a document")
    task, alphabet = document.get("task"), document.get("alphabet")
    if not isinstance(task, str):
        raise InputError(f"{place}: task: expected the name of the task that the verdicts are about")
    if alphabet is not None and not (
        isinstance(alphabet, list) and all(isinstance(token, str) for token in alphabet)
    ):
        raise InputError(f"{place}: alphabet: expected a list of tokens")
    convention = document.get("convention", CONVENTION)
    known = convention in CONVENTIONS
    problem = None if known else f"the verdicts are about none of the conventions {', '.join(CONVENTIONS)}"
    claims = tuple(
        claim
        for key, value in sides.items()
        for claim in _claims(
            key,
            value,
            f"{place}: {key}",
            problem or _trained_problem(document, key),
            convention if known else CONVENTION,
        )
    )
    return [Statement(task, None if alphabet is None else tuple(alphabet), claims)]


def _claims(key: str, side: Any, place: str, problem: str | None, convention: str) -> Iterator[Claim]:
    if not isinstance(side, dict):
        raise InputError(f"{place}: expected a JSON object with a verdict and its certificate")
    program_class = SIDES.get(key)
    if program_class is None:
        problem = f"a document has the sides {', '.join(SIDES)}, and no side {key}"
    elif side.get("class", program_class) != program_class:
        problem = f"the side {key} is about {program_class}"
    for field, answer in ANSWERS.items():
        if field not in side and answer != "verdict":
            continue
        written = side.get(field)
        if written is not None and not isinstance(written, dict):
            raise InputError(f"{place}: {field}: expected a JSON object")
        certificate = _certificate(written, place) if written else None
        found, about = problem, "" if answer == "verdict" else f"{answer}_"
        if answer == "verdict":
            found = found or _at_end_problem(side, program_class, convention)
        if answer == "verdict" and convention == CONVENTION:
            found = found or prediction_claim_problem(side)
        elif "prediction" in side and convention != CONVENTION:
            found = found or f"what may follow is certified beside the convention {CONVENTION} only"
        for measure in ("window", "modulus"):
            said, proved = side.get(f"{about}{measure}"), getattr(certificate, measure, None)
            # A shorter program may look one letter further back than it must.
            wider = measure == "window" and isinstance(said, int) and proved == said + 1
            if None not in (said, proved) and said != proved and not wider:
                found = f"the {measure} of the side is not that of the certificate"
        name = key if answer == "verdict" else f"{key}.{answer}"
        yield Claim(name, certificate, side.get(answer, ""), program_class, answer, found, convention)


def _at_end_problem(side: dict[str, Any], program_class: str | None, convention: str) -> str | None:
    """Why what a side says of reading after the last letter cannot be, beside its verdict."""
    verdict, at_end = side.get("verdict"), side.get("end_of_sequence")
    harder = (verdict, at_end) == ("yes", "no") and program_class == EMPTY and convention == CONVENTION
    if harder or at_end in (None, "undecided", verdict) or verdict == "undecided":
        return None  # only without relations reading after the last letter can be harder
    return f"the verdict {str(verdict)[:40]!r} excludes {str(at_end)[:40]!r} for end_of_sequence"


def _trained_problem(document: dict[str, Any], key: str) -> str | None:
    """Why what is said of training is none of the answers of the side."""
    side, trained = document[key], document.get("trained")
    if not (isinstance(trained, dict) and isinstance(side, dict) and key in trained):
        return None
    said = trained[key]
    known = said in (side.get("verdict"), side.get("prediction"))
    return None if known else f"{str(said)[:40]!r} for what is trained is none of the answers of the side"


def _certificate(document: dict[str, Any], place: str) -> CertificateDocument:
    try:
        return read_any(document)
    except InputError as error:
        raise InputError(f"{place}: {error.message}") from None
