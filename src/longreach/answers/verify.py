"""Reads the claims of a document and checks each against what it is about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.answers.kinds import TaskKind, kind_of, read_any
from longreach.errors import InputError
from longreach.files import read_json, read_text
from longreach.tasks.catalog import load_argument, load_task, self_contained
from longreach.tasks.layouts import base_of
from longreach.tasks.outside import ProgramTask
from longreach.tasks.regular import LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import PAD, Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.files import read_automaton
from longreach.theory.certificates.check_no import Finding, Status, prediction_claim_problem
from longreach.theory.certificates.check_yes import shown
from longreach.theory.certificates.documents import AutomatonTable
from longreach.theory.certificates.tables import automaton_of, automaton_table
from longreach.theory.names import TaskName
from longreach.theory.program_class import EMPTY, SIDES
from longreach.theory.prove.induction import rightness
from longreach.theory.verdicts.verdict import CertificateDocument

# What a document claims, of one task or of many: each verdict, and the certificate that stands beside it.


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


# Claims against what they are about: this task, this alphabet, this class, this convention.


@dataclass(frozen=True)
class Subject:
    """What certificates must be about: a task, or a regular language."""

    name: str
    """As certificates about tasks have it."""
    task: Task | None = None
    automaton: Automaton | None = None
    trusted: bool = True
    """Whether the task is one of ours, not somebody's code."""

    @property
    def alphabet(self) -> tuple[str, ...]:
        """As in documents: the letters of a language, of other tasks all tokens that are read and written."""
        base = None if self.task is None else base_of(self.task)
        if isinstance(base, LanguageTask):
            return base.letters
        if self.automaton is not None:
            return self.automaton.alphabet
        assert self.task is not None
        return tuple(token for token in self.task.tokens if token != PAD)


def subject_of(name: str, alphabet: Sequence[str] | None = None) -> Subject:
    """The task that somebody names on the command line; its Python is imported.

    >>> subject_of("regex:a*", ["a", "b"]).alphabet
    ('a', 'b')
    """
    task = load_argument(name, alphabet)
    return _subject(task, self_contained(name), not TaskName(name).is_attribute)


def _subject(task: Task, name: str, trusted: bool = True) -> Subject:
    automaton = getattr(task, "automaton", None)
    return Subject(name, task, automaton if isinstance(automaton, Automaton) else None, trusted)


def own_subject(statement: Statement) -> Subject | Finding | None:
    """What a document itself says that it is about, if that is here; None: only what certificates carry.

    A document must not choose what is imported.
    """
    name = statement.task
    if name is None:
        name = _named_task(statement.claims[0].certificate)
        if name is None:
            return None
    if TaskName(name).is_attribute:
        return Finding.claimed(f"the task is Python code, which is not run unless you say so: --task {name}")
    if TaskName(name).is_program:
        name = _program_text(statement, name)
    try:
        task = load_task(name, statement.alphabet if TaskName(name).has_alphabet else None)
        return _subject(task, self_contained(name))
    except InputError as error:
        automaton = _automaton_file(name)
        if automaton is not None:
            return Subject(name, None, automaton)
        return Finding.claimed(f"the task is not found: {error.about_argument}")


def _named_task(certificate: CertificateDocument | None) -> str | None:
    """The task that a certificate about a task names."""
    task = getattr(certificate, "task", None)
    return task if isinstance(task, str) else None


def _program_text(statement: Statement, name: str) -> str:
    """The program itself, where the document has only its short name and a certificate has the text."""
    for claim in statement.claims:
        text = _named_task(claim.certificate) or ""
        if TaskName(text).is_text and TaskName(text).short == name:
            return text
    return name


def _automaton_file(name: str) -> Automaton | None:
    """The automaton of `longreach language --dfa FILE`, whose documents have the file's name."""
    try:
        return read_automaton(read_text(Path(name))) if Path(name).is_file() else None
    except (InputError, OSError, ValueError):
        return None


def check_claims(statement: Statement, subject: Subject | Finding | None) -> list[tuple[Claim, Finding]]:
    """The finding for each claim; sides of which nothing is claimed are left out, unless all are."""
    alphabet = statement.alphabet
    if isinstance(subject, Subject) and alphabet is not None and sorted(alphabet) != sorted(subject.alphabet):
        subject = Finding.invalid("the document's alphabet is not that of the task")
    claims = [claim for claim in statement.claims if not claim.open]
    return [(claim, _check(claim, subject)) for claim in claims or statement.claims]


def _check(claim: Claim, subject: Subject | Finding | None) -> Finding:
    certificate = claim.certificate
    if claim.open:
        return Finding.claimed("nothing is certified: every side is undecided")
    if claim.problem is not None:
        return Finding.invalid(claim.problem)
    if certificate is None:
        return Finding.claimed("there is no certificate")
    kind = kind_of(certificate)
    if kind.proves is None:
        return _check_certificate(certificate, None)
    if claim.place:
        if claim.verdict != kind.proves:
            return Finding.invalid(
                f"the document says {str(claim.verdict)[:40]!r}, which is not what its certificate proves"
            )
        about = getattr(certificate, "program_class", None)
        if about != claim.program_class:
            return Finding.invalid(f"the certificate is about {about}, not about {claim.program_class}")
        predicts = getattr(certificate, "prediction", claim.answer == "prediction")
        if kind.proves == "yes" and predicts != (claim.answer == "prediction"):
            return Finding.invalid(f"the program of the certificate is not about the {claim.answer}")
        # With relations the two conventions agree: a program looks one letter back from the end.
        apart = claim.program_class == EMPTY
        if apart and getattr(certificate, "convention", claim.convention) != claim.convention:
            return Finding.invalid(f"the certificate is not about the convention {claim.convention}")
    if isinstance(subject, Finding):
        return subject
    return _check_certificate(certificate, subject)


def _check_certificate(certificate: CertificateDocument, subject: Subject | None) -> Finding:
    kind = kind_of(certificate)
    if isinstance(kind, TaskKind):
        if subject is None or subject.task is None:
            return Finding.invalid("the certificate is about a task, not about a language")
        name = _named_task(certificate) or ""
        if name != subject.name:
            return Finding.invalid(f"the certificate is about the task {TaskName(name).short}")
        return kind.check(certificate, subject.task, subject.trusted)
    expected: AutomatonTable | None = None
    carried: Any = certificate
    if subject is not None:
        if subject.automaton is not None:
            expected = automaton_table(subject.automaton)
        elif isinstance(subject.task, ProgramTask):
            bad = _not_the_language(carried.automaton, subject.task)
            if bad is not None:
                return bad
        else:
            return Finding.invalid(f"the certificate is about a regular language, not about {subject.name}")
        if isinstance(subject.task, StateTask) and getattr(carried, "prediction", True) is False:
            return Finding.invalid(
                "it is about membership only, and states are asked on words of the language"
            )
    found = kind.check(certificate, expected)
    if (
        found.valid
        and subject is not None
        and not subject.trusted
        and type(subject.task) is not RegularLanguage
    ):
        return Finding(Status.CHECKED, found.how, "that the automaton is the task's is its own word")
    return found


def _not_the_language(table: AutomatonTable, task: ProgramTask) -> Finding | None:
    """Why an automaton is not known to be that of a program's language; None if it is proved to be."""
    try:
        automaton = automaton_of(table)
    except ValueError as error:
        return Finding.invalid(str(error))
    if task.core.is_predictor or set(automaton.alphabet) != set(task.letters):
        return Finding.invalid("the automaton is not over the letters of the task")
    known = rightness(task.core, automaton)
    if known.witness is not None:
        return Finding.invalid(
            f"the automaton is not that of the task: they differ on {shown(known.witness)}"
        )
    if known.proved:
        return None
    return Finding(Status.NOT_PROVED, str(known), f"the automaton is not proved the task's: {known.reason}")
