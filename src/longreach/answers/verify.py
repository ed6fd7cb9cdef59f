"""Reads documents, checks their certificates, derives every answer from those, and compares.

A certificate alone determines what it states. From the statements that hold for one class of programs follow
all answers that a document may give for it (`longreach.answers.documents` says from what each field is
derived). A field that differs from what is derived makes the document invalid; one that nothing certifies
makes it "claimed, not checked". What is printed is what was derived, never what the document says.

A document never chooses what is read or run: files and Python are opened only where the user names them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from longreach.answers.documents import ASK_FIELDS, VerdictDocument
from longreach.answers.kinds import ArchitectureKind, TaskKind, kind_of, read_any
from longreach.errors import InputError, near_names, one_line
from longreach.files import read_json
from longreach.tasks.catalog import load_argument, load_task, self_contained
from longreach.tasks.layouts import base_of
from longreach.tasks.outside import ProgramTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import PAD, Task
from longreach.theory.architectures.documents import Question
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.files import write_automaton
from longreach.theory.certificates.check_no import Finding, Status, check_flows
from longreach.theory.certificates.check_yes import shown
from longreach.theory.certificates.documents import AutomatonTable, FlowCertificate
from longreach.theory.certificates.tables import automaton_of, automaton_table
from longreach.theory.names import AUTOMATON, TaskName
from longreach.theory.program_class import CLASSES
from longreach.theory.prove.induction import rightness
from longreach.theory.verdicts.verdict import CertificateDocument

BESIDE = ("prediction", "end_of_sequence", "last_letter", "prediction_everywhere")
"""The answers that may have a certificate of their own; that of the verdict is `certificate`."""
MANY, ANSWERED = "forecasts", "forecast"
"""The fields in which `longreach forecast --all` and `longreach ask` put their documents."""
MODEL = "model"
"""The side about an architecture."""
NONE = "no certificate: expected an object with 'kind', or a document"


@dataclass(frozen=True)
class Statement:
    """What one file, line or part of a file says: a certificate alone, or a document about a task."""

    certificate: CertificateDocument | None = None
    document: VerdictDocument | None = None
    certificates: Mapping[tuple[str, str], CertificateDocument] | None = None
    """Those of a document, by side and answer."""

    @property
    def task(self) -> str | None:
        """The task by the name that stands there."""
        if self.document is not None:
            return self.document.task
        return _named_task(self.certificate)

    @property
    def all_certificates(self) -> list[CertificateDocument]:
        own = [] if self.certificate is None else [self.certificate]
        return [*own, *(self.certificates or {}).values()]


def read_statements(text: str, file: str) -> list[Statement]:
    """The statements of a file: a certificate, a document, the documents of --all, or one document a line.

    >>> read_statements('{"kind": "none", "reason": "undecided"}', "mine.json")[0].certificate.kind
    'none'
    """
    found = [
        _statement(document, place)
        for place, document in _documents(text, file)
        if not _is_bad_line(document)
    ]
    if not found:
        raise InputError(f"{file}: {NONE}")
    return found


def lines_without_claim(text: str, file: str) -> list[str]:
    """The places at which `longreach language --file` reports a bad line in place of a document.

    >>> lines_without_claim('{"kind": "none", "reason": ""}\\n{"line": 2, "error": "x"}', "many.jsonl")
    ['many.jsonl:2']
    """
    return [place for place, document in _documents(text, file) if _is_bad_line(document)]


def _is_bad_line(document: Any) -> bool:
    return isinstance(document, dict) and document.keys() == {"error", "line"}


def _documents(text: str, file: str) -> list[tuple[str, Any]]:
    """With the place of each one."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_object(lines[0][1]):
        return [(f"{file}:{number}", _parsed(line, file, number)) for number, line in lines]
    document = _parsed(text, file, 1)
    if ANSWERED in document:
        extra = next((name for name in document if name not in ASK_FIELDS), None)
        if extra is not None:
            raise InputError(f"{file}: {extra}: no such field{near_names(extra, ASK_FIELDS)}")
        inner = document[ANSWERED]
        about = inner.get("task") if isinstance(inner, dict) else None
        if isinstance(about, str) and document.get("task", about) not in (about, TaskName(about).short):
            raise InputError(f"{file}: {ANSWERED}: is about another task than the document")
        return [(f"{file}: {ANSWERED}", inner)]
    if document.keys() == {MANY} and isinstance(document[MANY], list):
        return [(f"{file}: {MANY}.{number}", each) for number, each in enumerate(document[MANY])]
    return [(file, document)]


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


def _statement(document: Any, place: str) -> Statement:
    if not isinstance(document, dict):
        raise InputError(f"{place}: not a document: expected a JSON object")
    if "kind" in document:
        return Statement(_certificate(document, place))
    if document.keys().isdisjoint({*CLASSES, MODEL}):
        raise InputError(f"{place}: {NONE}")
    try:
        read = VerdictDocument.model_validate_json(json.dumps(document))
    except ValidationError as error:
        raise InputError(f"{place}: {one_line(error, VerdictDocument.model_fields)}") from None
    certificates = {}
    for key, side in read.sides.items():
        for answer in ("", *BESIDE):
            field = f"{answer}_certificate".lstrip("_")
            written = getattr(side, field)
            if written:
                certificates[key, answer] = _certificate(written, f"{place}: {key}.{field}")
    if read.model is not None and read.model.certificate:
        certificates[MODEL, ""] = _certificate(read.model.certificate, f"{place}: {MODEL}.certificate")
    return Statement(None, read, certificates)


def _certificate(document: dict[str, Any], place: str) -> CertificateDocument:
    try:
        return read_any(document)
    except InputError as error:
        raise InputError(f"{place}: {error.message}") from None


# What certificates must be about


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

    @property
    def states(self) -> int | None:
        if isinstance(self.task, LabelledLanguage):
            return len(self.task.machine)
        automaton = self.task.language if isinstance(self.task, StateTask) else self.automaton
        return None if automaton is None else len(automaton)


def subject_of(name: str, alphabet: Sequence[str] | None = None) -> Subject:
    """The task that somebody names on the command line; its file is read, its Python is imported.

    >>> subject_of("regex:a*", ["a", "b"]).alphabet
    ('a', 'b')
    """
    task = load_argument(name, alphabet)
    return _subject(task, self_contained(name), not TaskName(name).is_attribute)


def _subject(task: Task, name: str, trusted: bool = True) -> Subject:
    automaton = getattr(task, "automaton", None)
    return Subject(name, task, automaton if isinstance(automaton, Automaton) else None, trusted)


def own_subject(statement: Statement) -> Subject | Finding | None:
    """What a statement is about by its own words; None: only what its certificate carries."""
    name = statement.task
    if name is None:
        return None
    if TaskName(name).is_attribute:
        return Finding.claimed(f"the task is Python code, which is not run unless you say so: --task {name}")
    if TaskName(name).is_data:
        return Finding.claimed(f"the task is a file, which is not read unless you say so: --task {name}")
    if TaskName(name).is_file and not name.startswith("crasp:lib:"):
        return _carried_subject(statement, name)
    if TaskName(name).is_program or TaskName(name).is_automaton:
        name = _text_of(statement, name) or name
    alphabet = None if statement.document is None else statement.document.alphabet
    try:
        task = load_task(name, alphabet if TaskName(name).takes_alphabet else None)
        return _subject(task, self_contained(name))
    except InputError as error:
        if "." in name or "/" in name:  # the file of `longreach language --dfa`
            return _carried_subject(statement, name)
        return Finding.claimed(f"the task is not found: {error.about_argument}")


def _carried_subject(statement: Statement, name: str) -> Subject | Finding:
    """What the certificates of a document carry about a file that it names."""
    text = _text_of(statement, None)
    if text is not None:
        try:
            return _subject(load_task(text), text)
        except InputError as error:
            return Finding.invalid(error.message)
    tables = [getattr(each, "automaton", None) for each in statement.all_certificates]
    table = next((each for each in tables if isinstance(each, AutomatonTable)), None)
    if table is None or TaskName(name).is_program:
        return Finding.claimed(f"the task is a file, which is not read unless you say so: --task {name}")
    try:
        automaton = automaton_of(table)
        own = AUTOMATON + write_automaton(automaton)
        task = RegularLanguage(own, automaton, own) if TaskName(name).is_automaton else None
    except (ValueError, InputError) as error:
        return Finding.invalid(str(error))
    return Subject(own, task, automaton)


def _text_of(statement: Statement, short: str | None) -> str | None:
    """The program or the automaton that a certificate carries as a text, under a short name or any."""
    for certificate in statement.all_certificates:
        text = _named_task(certificate) or ""
        if TaskName(text).is_text and short in (None, TaskName(text).short):
            return text
    return None


def _named_task(certificate: CertificateDocument | None) -> str | None:
    """The task that a certificate about a task names."""
    task = getattr(certificate, "task", None)
    return task if isinstance(task, str) else None


# Certificates against their subject


def check_certificate(certificate: CertificateDocument, subject: Subject | Finding | None) -> Finding:
    """Whether a certificate proves what it states, about this subject."""
    if isinstance(subject, Finding) and certificate.kind != "none":
        return subject
    kind = kind_of(certificate)
    if isinstance(kind, ArchitectureKind) and not isinstance(subject, Finding):
        return _check_architecture(certificate, kind, subject)
    if isinstance(kind, ArchitectureKind) or kind.proves is None or isinstance(subject, Finding):
        return Finding.claimed(f"this certificate proves nothing: {getattr(certificate, 'reason', '')}")
    if isinstance(kind, TaskKind):
        if subject is None or subject.task is None:
            return Finding.invalid("the certificate is about a task, not about a language")
        name = _named_task(certificate) or ""
        if name != subject.name:
            return Finding.invalid(f"the certificate is about the task {TaskName(name).short}")
        return kind.check(certificate, subject.task, subject.trusted)
    if subject is None:
        return kind.check(certificate, None)
    carried: AutomatonTable = certificate.automaton  # type: ignore[attr-defined]
    task = subject.task
    if isinstance(task, ProgramTask):
        bad = _not_the_language(carried, task)
        return kind.check(certificate, None) if bad is None else bad
    if isinstance(task, LabelledLanguage):
        return _check_class_of(certificate, task)
    if subject.automaton is None:
        return Finding.invalid(f"the certificate is about a regular language, not about {subject.name}")
    found = kind.check(certificate, automaton_table(subject.automaton))
    if found.valid and not subject.trusted and type(task) is not RegularLanguage:
        return Finding(Status.CHECKED, found.how, "that the automaton is the task's is its own word")
    return found


def is_about_membership(certificate: CertificateDocument, subject: Subject | None) -> bool:
    """Whether a certificate about an automaton says which words are in a language, not what may follow."""
    from longreach.answers.architecture import MEMBERSHIP

    machine = getattr(certificate, "machine", None)
    is_language = subject is None or isinstance(subject.task, RegularLanguage | None)
    return is_language and machine is not None and {*machine.outputs} <= MEMBERSHIP


def _check_architecture(
    certificate: CertificateDocument, kind: ArchitectureKind, subject: Subject | None
) -> Finding:
    """Against the automaton of what the task asks, or of membership in its language."""
    from longreach.answers.architecture import accepting_question, question_of, question_of_language

    if subject is None:
        return kind.check(certificate, None)
    if subject.automaton is not None and is_about_membership(certificate, subject):
        question: Question | None = accepting_question(subject.automaton)
    elif subject.task is None:
        question = None if subject.automaton is None else question_of_language(subject.automaton)
    else:
        question = question_of(subject.task)
    if question is None and isinstance(subject.task, FunctionTask | PredicateLanguage):
        from longreach.answers.black_box_checkers import check_learned_machine

        return check_learned_machine(certificate, kind.check(certificate, None), subject.task)
    if question is None:
        return Finding.invalid(f"the certificate is about an automaton, not about {subject.name}")
    found = kind.check(certificate, question.table)
    if found.valid and not subject.trusted and type(subject.task) is not RegularLanguage:
        return Finding(Status.CHECKED, found.how, "that the automaton is the task's is its own word")
    return found


def _check_class_of(certificate: CertificateDocument, task: LabelledLanguage) -> Finding:
    """A flow about the language of one answer class, without which there is no program for all."""
    if not isinstance(certificate, FlowCertificate):
        return Finding.invalid("the certificate is about a regular language, not about answer classes")
    languages = [automaton_table(task.machine.language(label)) for label in task.machine.classes]
    found = [check_flows(certificate, language) for language in languages]
    return next((each for each in found if each.valid), found[0])


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
