"""What belongs to a kind of certificate: its document, who finds it, who checks it, who explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from longreach.languages.prove.findings import Finding
from longreach.languages.prove.language_certificates import AutomatonTable
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Verdict

Finder: TypeAlias = Callable[[Task, str, str, Evidence, bool], Verdict]
"""A task, its name, a side, the evidence for it, and whether the task is one of ours → the verdict."""


def _no_lines(certificate: Any) -> tuple[str, ...]:
    return ()


def _no_facts(certificate: Any) -> tuple[tuple[str, str], ...]:
    return ()


def _no_program(certificate: Any) -> str:
    return f"algebraic proof that there is none in {certificate.program_class}"


@dataclass(frozen=True, kw_only=True)
class CertificateKind:
    """One kind. Checkers import nothing of what finds."""

    document: type[BaseModel]
    proves: Literal["yes", "no"] | None
    """Which answer it is a certificate of; None: of nothing."""
    explain: Callable[[Any], tuple[str, ...]] = _no_lines
    """A few sentences; a line that begins with blanks is a word, not a sentence."""
    facts: Callable[[Any], tuple[tuple[str, str], ...]] = _no_facts
    """Names and values."""
    in_short: Callable[[Any], str] = _no_program
    """One line."""

    @property
    def name(self) -> str:
        """The field `kind` of its documents."""
        return str(self.document.model_fields["kind"].default)

    def reads(self, document: Mapping[str, Any]) -> bool:
        """Whether a JSON object is to be read as this kind."""
        return document.get("kind") == self.name


@dataclass(frozen=True, kw_only=True)
class LanguageKind(CertificateKind):
    """About a regular language, whose automaton it carries; found where the language is decided."""

    check: Callable[[Any, AutomatonTable | None], Finding]
    """With the automaton that it must be about, where one is known."""


@dataclass(frozen=True, kw_only=True)
class TaskKind(CertificateKind):
    """About a task; found from evidence of the same name."""

    find: Finder
    check: Callable[[Any, Task, bool], Finding]
    """Against the task's own answers; True: the task is one of ours, not somebody's code."""

    def reads(self, document: Mapping[str, Any]) -> bool:
        return super().reads(document) and "automaton" not in document
