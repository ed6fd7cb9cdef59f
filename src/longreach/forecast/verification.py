"""Claims against what they are about: this task, this alphabet, this class, this convention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.config.task_name import TaskName
from longreach.crasp.parser import read_text
from longreach.errors import InputError
from longreach.forecast.certificate_kind import TaskKind
from longreach.forecast.certificate_kinds import kind_of
from longreach.forecast.claims import Claim, Statement
from longreach.languages.program_class import EMPTY
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.language_certificates import AutomatonTable
from longreach.languages.prove.program_checker import automaton_of, shown
from longreach.languages.prove.rightness import rightness
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_documents import automaton_table, read_automaton
from longreach.tasks.catalog import load_argument, load_task, self_contained
from longreach.tasks.language_task import LanguageTask, RegularLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import PAD, Task
from longreach.tasks.task_change import base_of
from longreach.verdicts.verdict import CertificateDocument


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
