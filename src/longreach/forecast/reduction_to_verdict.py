"""A language without a program that a program for the task would decide → the verdict "no"."""

from __future__ import annotations

from longreach.forecast.asking import automaton_of_task
from longreach.forecast.reduction_checker import LONG, check_reduction
from longreach.forecast.task_certificates import ReductionCertificate, ReductionDocument
from longreach.languages.program_class import SIDES
from longreach.languages.prove.findings import BELIEVED
from longreach.tasks.catalog import load_task
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import Task
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.decision_to_clause import clause_of
from longreach.verdicts.program_to_basis import PROVED
from longreach.verdicts.verdict import Answer, Proof, Verdict, same_answers, undecided


def by_reduction(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """The verdict on the language, and the reduction tried."""
    assert evidence.name is not None
    here = SIDES[key]
    if evidence.reduction is None:
        return undecided(here, f"the reduction to {evidence.name} is not spelled out")
    reduction = evidence.reduction
    automaton = automaton_of_task(load_task(evidence.name))
    judged = judge(automaton)
    language = judged.sides[key]
    if language.answer is not Answer.NO:
        return undecided(
            SIDES[key], f"it reduces to {evidence.name}, whose verdict is {language.answer.value}"
        )
    certificate = ReductionCertificate(
        program_class=here,
        task=name,
        language=evidence.name,
        alphabet=automaton.alphabet,
        reduction=ReductionDocument(
            letters=dict(reduction.letters),
            after=reduction.after,
            token=reduction.token,
            about=reduction.about,
        ),
        certificate=language.certificate,  # type: ignore[arg-type]
    )
    found = check_reduction(certificate, task, trusted)
    if found.status not in BELIEVED:
        return undecided(here, f"the reduction to {evidence.name} fails: {found.problem}")
    decision = getattr(judged.decisions, key)
    proof = Proof(
        reason=evidence.reason,
        certify=lambda: certificate,
        say=lambda: clause_of(decision, letters=reduction.letters),
        weigh=lambda: PROVED if found.valid else f"proved for {evidence.name}, tried to length {LONG}",
    )
    return same_answers(here, Answer.NO, proof)
