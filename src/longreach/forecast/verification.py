"""Claims against what they are about: this task, this alphabet, this class, this convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.crasp.parser import read_text
from longreach.errors import InputError
from longreach.forecast.certificates import (
    AnyCertificate,
    CommunicationCertificate,
    ReductionCertificate,
    TaskProgramCertificate,
)
from longreach.forecast.checker import check_task_certificate
from longreach.forecast.claims import CONVENTION, Claim, Statement
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.flow_checker import check_certificate
from longreach.languages.prove.language_certificates import AutomatonTable, NoCertificate, ProgramCertificate
from longreach.languages.prove.program_checker import automaton_of, check_program, shown
from longreach.languages.prove.rightness import rightness
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_documents import automaton_table, read_automaton
from longreach.tasks.catalog import REGEX, load_argument, load_task, self_contained
from longreach.tasks.language_task import LanguageTask, RegularLanguage
from longreach.tasks.outside_task import is_attribute
from longreach.tasks.program_task import PREFIX, ProgramTask, is_text, short_name
from longreach.tasks.task import PAD, Task

_TASK_KINDS = (TaskProgramCertificate, CommunicationCertificate, ReductionCertificate)


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
        if self.automaton is not None:
            return self.automaton.alphabet
        assert self.task is not None
        if isinstance(self.task, LanguageTask):
            return self.task.letters
        return tuple(token for token in self.task.tokens if token != PAD)


def subject_of(name: str, alphabet: Sequence[str] | None = None) -> Subject:
    """The task that somebody names on the command line; its Python is imported.

    >>> subject_of("regex:a*", ["a", "b"]).alphabet
    ('a', 'b')
    """
    task = load_argument(name, alphabet)
    return _subject(task, self_contained(name), not is_attribute(name))


def _subject(task: Task, name: str, trusted: bool = True) -> Subject:
    automaton = getattr(task, "automaton", None)
    return Subject(name, task, automaton if isinstance(automaton, Automaton) else None, trusted)


def own_subject(statement: Statement) -> Subject | Finding | None:
    """What a document itself says that it is about, if that is here; None: only what certificates carry.

    A document must not choose what is imported.
    """
    name = statement.task
    if name is None:
        certificate = statement.claims[0].certificate
        if not isinstance(certificate, _TASK_KINDS):
            return None
        name = certificate.task
    if is_attribute(name):
        return Finding.claimed(f"the task is Python code, which is not run unless you say so: --task {name}")
    if name.startswith(PREFIX):
        name = _program_text(statement, name)
    try:
        task = load_task(name, statement.alphabet if name.startswith(REGEX) else None)
        return _subject(task, self_contained(name))
    except InputError as error:
        automaton = _automaton_file(name)
        if automaton is not None:
            return Subject(name, None, automaton)
        return Finding.claimed(f"the task is not found: {error.about_argument}")


def _program_text(statement: Statement, name: str) -> str:
    """The program itself, where the document has only its short name and a certificate has the text."""
    for claim in statement.claims:
        certificate = claim.certificate
        text = certificate.task if isinstance(certificate, _TASK_KINDS) else ""
        if is_text(text) and short_name(text) == name:
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
    if isinstance(certificate, NoCertificate):
        return Finding.claimed(f"this certificate proves nothing: {certificate.reason}")
    if certificate is None:
        return Finding.claimed("there is no certificate")
    if claim.place:
        proves = "yes" if certificate.kind == "program" else "no"
        if claim.verdict != proves:
            return Finding.invalid(
                f"the document says {str(claim.verdict)[:40]!r}, which is not what its certificate proves"
            )
        if certificate.program_class != claim.program_class:
            return Finding.invalid(
                f"the certificate is about {certificate.program_class}, not about {claim.program_class}"
            )
        predicts = getattr(certificate, "prediction", claim.answer == "prediction")
        if certificate.kind == "program" and predicts != (claim.answer == "prediction"):
            return Finding.invalid(f"the program of the certificate is not about the {claim.answer}")
        if getattr(certificate, "convention", CONVENTION) != CONVENTION:
            return Finding.invalid(f"the certificate is not about the convention {CONVENTION}")
    if isinstance(subject, Finding):
        return subject
    return _check_certificate(certificate, subject)


def _check_certificate(certificate: AnyCertificate, subject: Subject | None) -> Finding:
    if isinstance(certificate, _TASK_KINDS):
        if subject is None or subject.task is None:
            return Finding.invalid("the certificate is about a task, not about a language")
        if certificate.task != subject.name:
            return Finding.invalid(f"the certificate is about the task {short_name(certificate.task)}")
        return check_task_certificate(certificate, subject.task, subject.trusted)
    if isinstance(certificate, NoCertificate):
        return Finding.claimed(f"this certificate proves nothing: {certificate.reason}")
    expected: AutomatonTable | None = None
    if subject is not None:
        if subject.automaton is not None:
            expected = automaton_table(subject.automaton)
        elif isinstance(subject.task, ProgramTask):
            bad = _not_the_language(certificate.automaton, subject.task)
            if bad is not None:
                return bad
        else:
            return Finding.invalid(f"the certificate is about a regular language, not about {subject.name}")
    if isinstance(certificate, ProgramCertificate):
        found = check_program(certificate, expected)
    else:
        problem = check_certificate(certificate, expected)
        how = "flows recomputed from the automaton"
        found = Finding(Status.VALID, how) if problem is None else Finding.invalid(problem)
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
