"""The table of certificate kinds: who finds, checks and explains each.

A kind is resolved when it is used, so that a question loads only the kinds it meets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ValidationError

from longreach.errors import InputError, near_names, one_line
from longreach.tasks.task import Evidence, Task
from longreach.theory.certificates.check_no import Finding, check_flows, check_nothing
from longreach.theory.certificates.check_yes import check_program
from longreach.theory.certificates.documents import (
    AutomatonTable,
    FlowCertificate,
    NoCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.theory.verdicts.explain import explain_flow, explain_sampled_flow
from longreach.theory.verdicts.verdict import CertificateDocument, Verdict

if TYPE_CHECKING:
    from longreach.theory.architectures.documents import MachineTable

KINDS: Final[tuple[tuple[str, str], ...]] = (
    ("program", "longreach.answers.task_kinds:PROGRAM"),
    ("communication", "longreach.answers.task_kinds:COMMUNICATION"),
    ("reduction", "longreach.answers.task_kinds:REDUCTION"),
    ("learned-program", "longreach.answers.task_kinds:LEARNED_PROGRAM"),
    ("learned-flow", "longreach.answers.task_kinds:LEARNED_FLOW"),
    ("found-program", "longreach.answers.task_kinds:FOUND_PROGRAM"),
    ("measured-communication", "longreach.answers.task_kinds:MEASURED_ROWS"),
    ("flow", "longreach.answers.kinds:FLOW"),
    ("sampled-flow", "longreach.answers.kinds:SAMPLED_FLOW"),
    ("program", "longreach.answers.kinds:LANGUAGE_PROGRAM"),
    ("none", "longreach.answers.kinds:NOTHING"),
    ("periods", "longreach.answers.architecture:PERIODS"),
    ("cycle", "longreach.answers.architecture:CYCLE"),
    ("stable-group", "longreach.answers.architecture:STABLE_GROUP"),
    ("cascade", "longreach.answers.architecture:CASCADE"),
    ("solvable-groups", "longreach.answers.architecture:SOLVABLE"),
    ("unsolvable-group", "longreach.answers.architecture:UNSOLVABLE"),
    ("finite-state", "longreach.answers.architecture:FINITE_STATE"),
    ("last-token", "longreach.answers.architecture:LAST_TOKEN"),
    ("same-token", "longreach.answers.architecture:SAME_TOKEN"),
)
"""The field `kind` of a document, and where its `CertificateKind` is. A new kind is one file and one line."""

Finder: TypeAlias = Callable[[Task, str, str, Evidence, bool], Verdict]
"""(task, its name, side, evidence for that side, whether the task is built in) → verdict."""


def _no_lines(certificate: Any) -> tuple[str, ...]:
    return ()


def _no_facts(certificate: Any) -> tuple[tuple[str, str], ...]:
    return ()


def _no_program(certificate: Any) -> str:
    return f"algebraic proof that there is none in {certificate.program_class}"


@dataclass(frozen=True, kw_only=True)
class CertificateKind:
    """What belongs to one kind. Checkers import nothing of what finds."""

    document: type[BaseModel]
    proves: Literal["yes", "no"] | None
    explain: Callable[[Any], tuple[str, ...]] = _no_lines
    """A few sentences; a line that begins with blanks is a word, not a sentence."""
    facts: Callable[[Any], tuple[tuple[str, str], ...]] = _no_facts
    """Names and values."""
    in_short: Callable[[Any], str] = _no_program
    """One line."""

    def reads(self, document: Mapping[str, Any]) -> bool:
        """Whether a JSON object whose `kind` has the right name belongs to this kind."""
        return True


@dataclass(frozen=True, kw_only=True)
class LanguageKind(CertificateKind):
    """About a regular language, whose automaton it carries; found where the language is decided."""

    check: Callable[[Any, AutomatonTable | None], Finding]
    """The automaton, where given, is the one the certificate must be about."""


@dataclass(frozen=True, kw_only=True)
class TaskKind(CertificateKind):
    """About a task; found from evidence of the same name."""

    find: Finder
    check: Callable[[Any, Task, bool], Finding]
    """Against the task's own answers; the flag says whether the task is built in (not user code)."""

    def reads(self, document: Mapping[str, Any]) -> bool:
        return "automaton" not in document


@dataclass(frozen=True, kw_only=True)
class ArchitectureKind(CertificateKind):
    """About the automaton of what a task asks; what it proves depends on the architecture."""

    check: Callable[[Any, MachineTable | None], Finding]
    """The automaton, where given, is the one the certificate must be about."""


AnyKind: TypeAlias = LanguageKind | TaskKind | ArchitectureKind


FLOW = LanguageKind(document=FlowCertificate, proves="no", check=check_flows, explain=explain_flow)
SAMPLED_FLOW = LanguageKind(
    document=SampledFlowCertificate, proves="no", check=check_flows, explain=explain_sampled_flow
)
LANGUAGE_PROGRAM = LanguageKind(document=ProgramCertificate, proves="yes", check=check_program)
NOTHING = LanguageKind(document=NoCertificate, proves=None, check=check_nothing)


def _named(name: object) -> Iterator[AnyKind]:
    return (resolve_name(place) for each, place in KINDS if each == name)


def kind_of(certificate: CertificateDocument) -> AnyKind:
    """The kind of a certificate.

    >>> kind_of(NoCertificate(reason="undecided")).proves is None
    True
    """
    return next(kind for kind in _named(certificate.kind) if isinstance(certificate, kind.document))


def finder(evidence: str) -> Finder | None:
    """Who makes a verdict of evidence of this kind.

    >>> finder("reduction").__name__
    'by_reduction'
    """
    return next((kind.find for kind in _named(evidence) if isinstance(kind, TaskKind)), None)


def read_any(document: Mapping[str, Any]) -> CertificateDocument:
    """Read a certificate of any kind from its JSON object.

    >>> read_any({"kind": "none", "reason": "undecided"}).kind
    'none'
    """
    given = document.get("kind")
    kind = next((kind for kind in _named(given) if kind.reads(document)), None)
    if kind is None:
        names = dict.fromkeys(name for name, _ in KINDS)
        hint = near_names(given, names) if isinstance(given, str) else ""
        raise InputError(f"kind: unknown certificate {given!r}; they are {', '.join(names)}{hint}")
    try:
        text = json.dumps(document)
        return kind.document.model_validate_json(text, strict=True)  # type: ignore[return-value]
    except ValidationError as error:
        reason = one_line(error)
        raise InputError(f"{given}.{reason}" if isinstance(kind, LanguageKind) else reason) from None
