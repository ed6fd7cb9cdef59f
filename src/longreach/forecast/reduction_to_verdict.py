"""A language without a program that a program for the task would decide → the verdict "no"."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from longreach.config.task_name import TaskName
from longreach.crasp.words import spelled
from longreach.forecast.asking import automaton_of_task
from longreach.forecast.reduction_checker import LONG, check_reduction
from longreach.forecast.task_certificates import ReductionCertificate, ReductionDocument
from longreach.languages.budget import DEFAULT_BUDGET
from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.decide.without_positions import plain_analysis, refutation
from longreach.languages.program_class import EMPTY, SIDES
from longreach.languages.prove.findings import BELIEVED
from longreach.languages.prove.language_certificates import FlowCertificate, SampledFlowCertificate
from longreach.languages.prove.proof_to_certificate import flow_certificate
from longreach.languages.regular.automaton import Automaton
from longreach.tasks.catalog import load_task
from longreach.tasks.evidence import Evidence, Reduction, image
from longreach.tasks.task import Task
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.decision_to_clause import clause_of
from longreach.verdicts.program_to_basis import PROVED
from longreach.verdicts.verdict import (
    Answer,
    CertificateDocument,
    Proof,
    Verdict,
    same_answers,
    undecided,
)


def by_reduction(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """The verdict on the language, and the reduction tried."""
    assert evidence.name is not None
    if evidence.reduction is None:
        return undecided(SIDES[key], f"the reduction to {evidence.name} is not spelled out")
    automaton = automaton_of_task(load_task(evidence.name))
    judged = judge(automaton)
    language = judged.sides[key]
    say: Callable[[], str] | None = None
    certificate: CertificateDocument | None = None
    if language.answer is Answer.NO:
        certificate = language.certificate
        letters = {each: spelled(image(evidence.reduction.letters, [each])) for each in automaton.alphabet}
        decision = getattr(judged.decisions, key)
        say = partial(clause_of, decision, letters=letters)
    elif evidence.reduction.after and SIDES[key] == EMPTY and language.end_of_sequence is Answer.NO:
        # What is read after the word is the end of the sequence.
        certificate = _after_the_last_letter(automaton)
    if certificate is None:
        return undecided(
            SIDES[key], f"it reduces to {evidence.name}, whose verdict is {language.answer.value}"
        )
    return no_by_reduction(
        task,
        name,
        key,
        language=evidence.name,
        automaton=automaton,
        reduction=evidence.reduction,
        certificate=certificate,
        reason=evidence.reason,
        trusted=trusted,
        say=say,
    )


def no_by_reduction(
    task: Task,
    name: str,
    key: str,
    *,
    language: str,
    automaton: Automaton,
    reduction: Reduction,
    certificate: CertificateDocument,
    reason: str,
    trusted: bool,
    say: Callable[[], str] | None = None,
) -> Verdict:
    """A no, if the reduction holds; `certificate` is that of the language."""
    if not isinstance(certificate, FlowCertificate | SampledFlowCertificate):
        # Beyond the budget of certificates the language is decided, but nothing can be shown.
        return same_answers(SIDES[key], Answer.NO, Proof(reason=reason, certify=lambda: certificate))
    whole = ReductionCertificate(
        program_class=SIDES[key],
        task=name,
        language=language,
        alphabet=automaton.alphabet,
        reduction=ReductionDocument(
            letters=dict(reduction.letters),
            after=reduction.after,
            token=reduction.token,
            about=reduction.about,
        ),
        certificate=certificate,
    )
    found = check_reduction(whole, task, trusted)
    if found.status not in BELIEVED:
        return undecided(SIDES[key], f"the reduction to {language} fails: {found.problem}")
    tried = f"proved for {TaskName(language).short}, tried to length {LONG}"
    proof = Proof(
        reason=reason,
        certify=lambda: whole,
        say=say,
        weigh=lambda: PROVED if found.valid else tried,
    )
    return same_answers(SIDES[key], Answer.NO, proof)


def _after_the_last_letter(automaton: Automaton) -> CertificateDocument | None:
    """The certificate for programs that are read there; None if it is beyond the budget."""
    proof = refutation(plain_analysis(automaton), Convention.END_OF_SEQUENCE, DEFAULT_BUDGET.certificate)
    return None if proof is None else flow_certificate(proof)
