"""The table of certificate kinds: who finds, checks and explains each.

It stands in `forecast`, not in `verdicts`, because the checkers of some kinds ask tasks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from longreach.answers.certificates import (
    CommunicationCertificate,
    Finder,
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
    ReductionCertificate,
    TaskProgramCertificate,
)
from longreach.answers.checkers import (
    check_communication,
    check_found_program,
    check_learned,
    check_measured_rows,
    check_reduction,
    check_task_program,
)
from longreach.answers.finders import by_communication, by_program, by_reduction
from longreach.errors import InputError, near_names
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
from longreach.theory.names import TaskName
from longreach.theory.verdicts.explain import explain_flow, explain_sampled_flow
from longreach.theory.verdicts.verdict import CertificateDocument, Verdict
from longreach.wording import counted


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


def explain_communication(certificate: CommunicationCertificate) -> tuple[str, ...]:
    """Why the bits go on growing."""
    return (_sentence(certificate.proof),) if certificate.proof else ()


def communication_facts(certificate: CommunicationCertificate) -> tuple[tuple[str, str], ...]:
    """The bits at each length, and how they grow."""
    pairs = zip(certificate.lengths, certificate.bits, strict=True)
    bits = ", ".join(f"{bit:.4g} at N = {length}" for length, bit in pairs)
    return ("bits needed", bits), ("growth", certificate.growth)


def communication_in_short(certificate: CommunicationCertificate) -> str:
    """One line."""
    n = certificate.lengths[-1]
    return (
        f"communication: {certificate.bits[-1]:.0f} bits between halves of {n} symbols, "
        f"{certificate.growth}; limit transformers pass C log N"
    )


def explain_reduction(certificate: ReductionCertificate) -> tuple[str, ...]:
    """How a program would decide the language, and why that has none."""
    inner, about = certificate.certificate, certificate.reduction.about
    language = language_name(certificate)
    lines = (f"It would decide the language {language}, which has no program{_read(certificate)}:",)
    why = explain_flow(inner) if isinstance(inner, FlowCertificate) else explain_sampled_flow(inner)
    return (*((_sentence(about),) if about else ()), *lines, *why)


def reduction_in_short(certificate: ReductionCertificate) -> str:
    """One line."""
    language, where = language_name(certificate), certificate.program_class
    return f"reduction to {language}, which has no program in {where}{_read(certificate)} (flow)"


def _read(certificate: ReductionCertificate) -> str:
    """Where a program would be read, if it is not at the last letter."""
    usual = getattr(certificate.certificate, "convention", "last-letter") == "last-letter"
    return "" if usual else " that is read after the last letter"


def language_name(certificate: ReductionCertificate) -> str:
    """The language that a task is reduced to."""
    name = TaskName(certificate.language)
    return name.expression if name.is_regex else name.short


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


# The kinds of certificates about tasks that nobody can see into: who finds, checks and explains them.


def by_answers(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """Whatever the answers of the task say."""
    from longreach.answers.black_box import black_box_sides  # slow to load

    del evidence, trusted
    return black_box_sides(task, name, (key,))[key]


def _learned(certificate: LearnedProgramCertificate | LearnedFlowCertificate) -> str:
    states = counted(certificate.states, "state")
    return f"automaton with {states}, learned from answers to length {certificate.learned_to}"


def _explain_learned(certificate: LearnedProgramCertificate | LearnedFlowCertificate) -> tuple[str, ...]:
    which = {"language": "the task", "answer": "SOS x SEP y", "first token": "SOS x SEP and the first token"}
    first = (
        f"An automaton for {which[certificate.reads]} was learned from answers; it is right on all words to "
        f"length {certificate.exhaustive} and on all longer ones tried, to length {certificate.learned_to}."
    )
    inner = certificate.certificate
    if isinstance(certificate, LearnedProgramCertificate) or inner.kind == "program":
        return (first,)
    why = explain_flow(inner) if isinstance(inner, FlowCertificate) else explain_sampled_flow(inner)
    return (first, "For this automaton:", *why)


def _explain_found(certificate: FoundProgramCertificate) -> tuple[str, ...]:
    tried = f"all {certificate.tried} inputs tried, to length {certificate.tried_to}"
    return (f"The {certificate.source} is right on {tried}.",)


def _explain_rows(certificate: MeasuredRowsCertificate) -> tuple[str, ...]:
    asked = "all words over these letters" if certificate.exhaustive else "inputs that the task draws"
    length, rows = certificate.lengths[-1], certificate.rows[-1]
    told = "any two are told apart by the answer with some end that both have"
    return (f"From {asked}: of {rows} beginnings of {length} symbols {told}.",)


def _row_facts(certificate: MeasuredRowsCertificate) -> tuple[tuple[str, str], ...]:
    pairs = zip(certificate.lengths, certificate.bits, strict=True)
    return (("bits needed", ", ".join(f"{bit:.4g} at N = {length}" for length, bit in pairs)),)


BLACK_BOX_KINDS = (
    TaskKind(
        document=LearnedProgramCertificate,
        proves="yes",
        find=by_answers,
        check=check_learned,
        explain=_explain_learned,
        in_short=lambda certificate: f"program for an {_learned(certificate)}",
    ),
    TaskKind(
        document=LearnedFlowCertificate,
        proves="no",
        find=by_answers,
        check=check_learned,
        explain=_explain_learned,
        in_short=lambda certificate: f"no program for an {_learned(certificate)}",
    ),
    TaskKind(
        document=FoundProgramCertificate,
        proves="yes",
        find=by_answers,
        check=check_found_program,
        explain=_explain_found,
        in_short=lambda certificate: f"{certificate.source}, tried to length {certificate.tried_to}",
    ),
    TaskKind(
        document=MeasuredRowsCertificate,
        proves="no",
        find=by_answers,
        check=check_measured_rows,
        explain=_explain_rows,
        facts=_row_facts,
        in_short=lambda certificate: (
            f"communication: {certificate.bits[-1]:.0f} bits for {certificate.lengths[-1]} symbols, measured"
        ),
    ),
)


# The table of certificate kinds. A new kind is one file and one entry here.


KINDS: tuple[LanguageKind | TaskKind, ...] = (
    TaskKind(document=TaskProgramCertificate, proves="yes", find=by_program, check=check_task_program),
    TaskKind(
        document=CommunicationCertificate,
        proves="no",
        find=by_communication,
        check=check_communication,
        explain=explain_communication,
        facts=communication_facts,
        in_short=communication_in_short,
    ),
    TaskKind(
        document=ReductionCertificate,
        proves="no",
        find=by_reduction,
        check=check_reduction,
        explain=explain_reduction,
        in_short=reduction_in_short,
    ),
    *BLACK_BOX_KINDS,
    LanguageKind(document=FlowCertificate, proves="no", check=check_flows, explain=explain_flow),
    LanguageKind(
        document=SampledFlowCertificate, proves="no", check=check_flows, explain=explain_sampled_flow
    ),
    LanguageKind(document=ProgramCertificate, proves="yes", check=check_program),
    LanguageKind(document=NoCertificate, proves=None, check=check_nothing),
)
FINDERS: Mapping[str, Finder] = {kind.name: kind.find for kind in KINDS if isinstance(kind, TaskKind)}
"""By the kind of evidence."""


def kind_of(certificate: CertificateDocument) -> LanguageKind | TaskKind:
    """The entry of a certificate's kind.

    >>> kind_of(NoCertificate(reason="undecided")).name
    'none'
    """
    return next(kind for kind in KINDS if isinstance(certificate, kind.document))


def read_any(document: Mapping[str, Any]) -> CertificateDocument:
    """A certificate of any kind from its JSON object.

    >>> read_any({"kind": "none", "reason": "undecided"}).kind
    'none'
    """
    text = json.dumps(document)
    kind = next((each for each in KINDS if each.reads(document)), None)
    if kind is None:
        names = dict.fromkeys(each.name for each in KINDS)
        given = document.get("kind")
        hint = near_names(given, names) if isinstance(given, str) else ""
        raise InputError(f"kind: there is no certificate {given!r}; they are {', '.join(names)}{hint}")
    try:
        return kind.document.model_validate_json(text, strict=True)  # type: ignore[return-value]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ([kind.name] if isinstance(kind, LanguageKind) else []) + list(map(str, first["loc"]))
        raise InputError(f"{'.'.join(place) or 'certificate'}: {first['msg']}") from None
