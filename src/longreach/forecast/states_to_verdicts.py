"""State prediction on words of a language → the verdicts, with programs that say the state.

On prefixes of words of the language there is a program for the state exactly if there is one for the legal
next symbols. The state determines them; and the criterion for them is that what a program sees determines the
next state. Read after each letter, it is the same question about words with SEP behind each letter, which is
that of reading after the last letter, asked of all prefixes (docs/criteria.md).
"""

from __future__ import annotations

from dataclasses import replace

from longreach.crasp.program import Program
from longreach.forecast.program_to_verdict import task_program_certificate
from longreach.languages.budget import OverBudget
from longreach.languages.decide.automaton_to_decisions import ClassDecision, decide
from longreach.languages.program_class import SIDES
from longreach.languages.prove.language_certificates import NoCertificate
from longreach.languages.write.automaton_to_program import announcer
from longreach.tasks.state_task import StateTask
from longreach.verdicts.automaton_to_verdicts import LanguageVerdicts
from longreach.verdicts.decision_to_clause import clause_at_end
from longreach.verdicts.decision_to_reason import end_reason_of
from longreach.verdicts.program_to_basis import NOT_WRITTEN, announcer_basis
from longreach.verdicts.verdict import Answer, CertificateDocument, Proof, Verdict, same_answers


def state_sides(task: StateTask, name: str) -> dict[str, Verdict]:
    """The sides of a task that asks for states; `name` is how it is found.

    >>> from longreach.tasks.catalog import load_task
    >>> names = ("states:(a|b)*b", "states-after:(a|b)*b")
    >>> [state_sides(load_task(name), name)["nope"].answer.value for name in names]
    ['yes', 'no']
    """
    decisions = decide(task.automaton)
    judged = LanguageVerdicts(decisions).sides
    return {key: _side(task, name, key, getattr(decisions, key), judged[key]) for key in SIDES}


def _side(task: StateTask, name: str, key: str, decision: ClassDecision, language: Verdict) -> Verdict:
    """What is asked of prefixes of the language read has the answer of prediction there."""
    predicted = language.prediction_proof
    known = replace(predicted, say=lambda: _said(task, predicted.clause))
    if language.prediction is Answer.YES:
        proof = _yes(task, name, key, decision, known)
    elif language.prediction is Answer.NO and task.after and key == "nope":
        # In the words, and the states, of the language itself.
        own = decide(task.language).nope
        proof = replace(known, reason=end_reason_of(own), say=lambda: clause_at_end(own))
    else:
        proof = known
    return replace(
        same_answers(SIDES[key], language.prediction, proof),
        end_of_sequence=language.end_of_sequence,
        prediction_everywhere=language.answer,
    )


def _said(task: StateTask, clause: str | None) -> str:
    """Of what is read; SEP is no letter."""
    said = (clause or "").replace("what may follow", "the state")
    return said.replace("letters", "tokens") if task.after else said


def _yes(task: StateTask, name: str, key: str, decision: ClassDecision, known: Proof) -> Proof:
    def write() -> Program | str:
        analysis = decision.predicted.analysis
        if analysis is None:
            return known.not_written
        try:
            return announcer(analysis, task.states, decision.budget)
        except OverBudget as spent:
            return str(spent)

    def certify() -> CertificateDocument:
        program = proof.outcome
        if not isinstance(program, Program):
            return NoCertificate(reason=f"the program is not written: {program}")
        return task_program_certificate(name, key, program)

    def weigh() -> str:
        program = proof.program
        if program is None:
            return NOT_WRITTEN
        return announcer_basis(program.core, task.automaton, task.states, decision.budget)

    proof = replace(known, certify=certify, write=write, weigh=weigh)
    return proof
