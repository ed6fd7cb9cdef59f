"""The kinds of certificates about tasks that nobody can see into: who finds, checks and explains them."""

from __future__ import annotations

from longreach.forecast.black_box_certificates import (
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
)
from longreach.forecast.certificate_kind import TaskKind
from longreach.forecast.learned_checker import check_learned
from longreach.forecast.measured_checker import check_found_program, check_measured_rows
from longreach.languages.prove.flow_explainer import explain_flow, explain_sampled_flow
from longreach.languages.prove.language_certificates import FlowCertificate
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Verdict
from longreach.wording import counted


def by_answers(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """Whatever the answers of the task say."""
    from longreach.forecast.black_box_to_verdicts import black_box_sides  # slow to load

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
