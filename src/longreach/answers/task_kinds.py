"""The kinds of certificates about tasks: what each is called, who finds and checks it, and how it reads."""

from __future__ import annotations

from longreach.answers.black_box_checkers import check_found_program, check_learned, check_measured_rows
from longreach.answers.certificates import (
    CommunicationCertificate,
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
    ReductionCertificate,
    TaskProgramCertificate,
)
from longreach.answers.checkers import check_communication, check_reduction, check_task_program
from longreach.answers.finders import by_communication, by_program, by_reduction
from longreach.answers.kinds import TaskKind, kind_of
from longreach.tasks.task import Evidence, Task
from longreach.theory.names import TaskName
from longreach.theory.verdicts.verdict import Verdict
from longreach.wording import counted

PROGRAM = TaskKind(document=TaskProgramCertificate, proves="yes", find=by_program, check=check_task_program)


def _bits(certificate: CommunicationCertificate | MeasuredRowsCertificate) -> tuple[str, str]:
    pairs = zip(certificate.lengths, certificate.bits, strict=True)
    return "bits needed", ", ".join(f"{bit:.4g} at N = {length}" for length, bit in pairs)


def _communication_in_short(certificate: CommunicationCertificate) -> str:
    n = certificate.lengths[-1]
    return (
        f"communication: {certificate.bits[-1]:.0f} bits between halves of {n} symbols, "
        f"{certificate.growth}; limit transformers pass C log N"
    )


COMMUNICATION = TaskKind(
    document=CommunicationCertificate,
    proves="no",
    find=by_communication,
    check=check_communication,
    explain=lambda certificate: (_sentence(certificate.proof),) if certificate.proof else (),
    facts=lambda certificate: (_bits(certificate), ("growth", certificate.growth)),
    in_short=_communication_in_short,
)


def _explain_reduction(certificate: ReductionCertificate) -> tuple[str, ...]:
    inner, about = certificate.certificate, certificate.reduction.about
    language = language_name(certificate)
    return (
        *((_sentence(about),) if about else ()),
        f"It would decide the language {language}, which has no program{_read(certificate)}:",
        *kind_of(inner).explain(inner),
    )


def _reduction_in_short(certificate: ReductionCertificate) -> str:
    language, where = language_name(certificate), certificate.program_class
    return f"reduction to {language}, which has no program in {where}{_read(certificate)} (flow)"


def _read(certificate: ReductionCertificate) -> str:
    """Where a program would be read, if not at the last letter."""
    usual = getattr(certificate.certificate, "convention", "last-letter") == "last-letter"
    return "" if usual else " that is read after the last letter"


def language_name(certificate: ReductionCertificate) -> str:
    """The language the task is reduced to."""
    name = TaskName(certificate.language)
    return name.expression if name.is_regex else name.short


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


REDUCTION = TaskKind(
    document=ReductionCertificate,
    proves="no",
    find=by_reduction,
    check=check_reduction,
    explain=_explain_reduction,
    in_short=_reduction_in_short,
)

# Black boxes: certificates established only up to some length.


def by_answers(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """What the answers of the task show."""
    from longreach.answers.black_box import black_box_sides  # slow to load

    del evidence, trusted
    return black_box_sides(task, name, (key,))[key]


def _learned(certificate: LearnedProgramCertificate | LearnedFlowCertificate) -> str:
    states = counted(certificate.states, "state")
    return f"automaton with {states}, learned from answers to length {certificate.learned_to}"


def _explain_learned(certificate: LearnedProgramCertificate | LearnedFlowCertificate) -> tuple[str, ...]:
    which = {
        "language": "the task",
        "answer": "SOS x SEP y",
        "first token": "SOS x SEP and the first token",
        "answers to some": "SOS x SEP and the first token, for some inputs x,",
        "classes of some": "some words and their class",
    }
    first = (
        f"An automaton for {which[certificate.reads]} was learned from answers; it is right on all words to "
        f"length {certificate.exhaustive} and on all longer ones tried, to length {certificate.learned_to}."
    )
    why = kind_of(certificate.certificate).explain(certificate.certificate)
    return (first, "For this automaton:", *why) if why else (first,)


def _explain_found(certificate: FoundProgramCertificate) -> tuple[str, ...]:
    tried = f"all {certificate.tried} inputs tried, to length {certificate.tried_to}"
    return (f"The {certificate.source} is right on {tried}.",)


def _explain_rows(certificate: MeasuredRowsCertificate) -> tuple[str, ...]:
    asked = "all words over these letters" if certificate.exhaustive else "inputs that the task draws"
    least = "at least " if certificate.lower_bound else ""
    length, rows = certificate.lengths[-1], certificate.rows[-1]
    told = "any two are told apart by the answer with some end that both have"
    lines = [f"From {asked}: of {least}{rows} beginnings of {length} symbols {told}."]
    for spread in certificate.spread:
        free = f"{spread.free} free letters, spread over {spread.length} that are otherwise fixed"
        lines.append(f"With {free}: {spread.rows} beginnings are told apart.")
    for drawn in certificate.drawn:
        same = counted(drawn.same, "pair")
        lines.append(f"Of {drawn.inputs} drawn inputs of length {drawn.length} {same} have the same answer.")
    return tuple(lines)


LEARNED_PROGRAM = TaskKind(
    document=LearnedProgramCertificate,
    proves="yes",
    find=by_answers,
    check=check_learned,
    explain=_explain_learned,
    in_short=lambda certificate: f"program for an {_learned(certificate)}",
)
LEARNED_FLOW = TaskKind(
    document=LearnedFlowCertificate,
    proves="no",
    find=by_answers,
    check=check_learned,
    explain=_explain_learned,
    in_short=lambda certificate: f"no program for an {_learned(certificate)}",
)
FOUND_PROGRAM = TaskKind(
    document=FoundProgramCertificate,
    proves="yes",
    find=by_answers,
    check=check_found_program,
    explain=_explain_found,
    in_short=lambda certificate: f"{certificate.source}, tried to length {certificate.tried_to}",
)
MEASURED_ROWS = TaskKind(
    document=MeasuredRowsCertificate,
    proves="no",
    find=by_answers,
    check=check_measured_rows,
    explain=_explain_rows,
    facts=lambda certificate: (_bits(certificate),),
    in_short=lambda certificate: (
        f"communication: {certificate.bits[-1]:.0f} bits for {certificate.lengths[-1]} symbols, measured"
    ),
)
