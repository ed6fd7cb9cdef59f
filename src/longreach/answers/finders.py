"""Evidence of a task → a verdict with its certificate: programs, communication, reductions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from longreach.answers.certificates import (
    CommunicationCertificate,
    FitDocument,
    ReductionCertificate,
    ReductionDocument,
    SplitDocument,
    TaskProgramCertificate,
)
from longreach.answers.checkers import (
    LEAST_LENGTH,
    REDUCTION_LONG,
    TRIED,
    check_communication,
    check_reduction,
    count_rows,
    longest,
    try_program,
    wrong_prediction,
)
from longreach.answers.oracle import automaton_of_task
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.task import EOS, SEP, Evidence, Reduction, Task, image
from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import DEFAULT_BUDGET
from longreach.theory.certificates.check_no import BELIEVED
from longreach.theory.certificates.documents import FlowCertificate, SampledFlowCertificate
from longreach.theory.certificates.from_proofs import flow_certificate
from longreach.theory.communication.complexity import fit_growth
from longreach.theory.crasp.library import load, load_program
from longreach.theory.crasp.program import Program
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import plain_analysis, refutation
from longreach.theory.names import TaskName
from longreach.theory.program_class import EMPTY, SIDES
from longreach.theory.verdicts.explain import explain, explain_at_end
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import (
    PROVED,
    Answer,
    CertificateDocument,
    Proof,
    Verdict,
    plainly,
    same_answers,
    undecided,
)
from longreach.wording import listed, spelled

# Yes: a program solves the task


NOT_ASKED = "was not asked: the program is read at the last token"
MOST_OPERATIONS = 5_000
"""Larger programs take longer to try than a forecast may."""


def by_program(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """The program that the evidence names, tried on examples unless the task is trusted."""
    assert evidence.name is not None
    outside = evidence.name.startswith("lib:") or evidence.name.endswith(".cr")
    program = _for_layout((load_program if outside else load)(evidence.name), task)
    if key == "nope" and program.core.relations:
        return undecided(SIDES[key], f"the program named as evidence is in {program.core.class_name}")
    wrong = None if trusted else wrong_prediction(task, program)
    if wrong is not None:
        return undecided(SIDES[key], f"the program named as evidence does not solve the task: {wrong}")
    return program_verdict(name, key, evidence.reason, program, weigh=lambda: _tried(task, program))


def _tried(task: Task, program: Program) -> str:
    """On examples of the task: a program for it is proved by nobody's code."""
    if program.core.size > MOST_OPERATIONS:
        return "program, argument of the literature"
    wrong, _, longest = try_program(task, program, TRIED)
    return "program, found wrong" if wrong is not None else f"program, tried to length {longest}"


def _for_layout(program: Program, task: Task) -> Program:
    """Where the answer is written again and again, SEP stands for the end."""
    if task.kind == "language" or EOS in task.tokens or SEP not in task.tokens:
        return program
    ended = (
        replace(each, name=SEP) if each.is_output and each.name == EOS else each
        for each in program.statements
    )
    return replace(program, statements=tuple(ended))


def program_fields(name: str, key: str, program: Program) -> dict[str, Any]:
    """What certificates say of a program of the side's class that solves the task."""
    core = program.core
    sizes = {"size": core.size, "depth": core.depth, "window": core.locality, "modulus": core.modulus}
    return {"program_class": SIDES[key], "task": name, "program": program.text, **sizes}


def task_program_certificate(
    name: str,
    key: str,
    program: Program,
    convention: Literal["last-letter", "end-of-sequence"] = "last-letter",
) -> TaskProgramCertificate:
    """What says that a program of the side's class solves the task."""
    return TaskProgramCertificate(**program_fields(name, key, program), convention=convention)


def program_verdict(
    name: str, key: str, reason: str, program: Program, weigh: Callable[[], str] | None = None
) -> Verdict:
    """A yes, certified by the program."""
    core = program.core
    proof = Proof(
        reason=reason,
        certify=lambda: task_program_certificate(name, key, program),
        write=lambda: program,
        window=core.locality,
        modulus=core.modulus,
        depth=core.depth,
        say=lambda: plainly(reason) or _program_clause(program),
        weigh=weigh,
    )
    verdict = same_answers(SIDES[key], Answer.YES, proof)
    if key == "ape":
        return verdict
    # With local relations a program can look one token back from the end; without, nothing is said of that.
    note = f"reading after the last token {NOT_ASKED}"
    return replace(verdict, at_end=replace(verdict.at_end, answer=Answer.UNDECIDED), note=note)


def _program_clause(program: Program) -> str:
    """What the program looks at."""
    core = program.core
    looks = [f"the last {core.locality + 1} symbols"] if core.locality else []
    looks += [f"the position modulo {core.modulus}"] if core.modulus > 1 else []
    looks += ["counts"] if core.depth else []
    return f"a program does it by {listed(looks or ['the last symbol alone'])}"


# No: the bits between the halves of an input grow linearly


def by_communication(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """Rows counted from the task's own answers, divided as the evidence says."""
    here, split = SIDES[key], evidence.split
    if split is None:
        return undecided(here, "its communication is no evidence: how an input is divided is not spelled out")
    try:
        rows = tuple(count_rows(task, split, n) for n in range(1, longest(split) + 1))
    except InputError as error:
        return undecided(here, f"its communication cannot be counted: {error.message}")
    if len(rows) < LEAST_LENGTH:
        return undecided(here, "its communication cannot be counted: there are too many inputs")
    lengths, bits = tuple(range(1, len(rows) + 1)), tuple(math.log2(count) for count in rows)
    growth = fit_growth(lengths, bits)
    certificate = CommunicationCertificate(
        program_class=here,
        task=name,
        split=SplitDocument(alice=split.alice, between=split.between, bob=split.bob, end=split.end),
        lengths=lengths,
        rows=rows,
        bits=bits,
        growth=growth.name,
        fits={
            shape: FitDocument(coefficient=fit.coefficient, error=fit.error)
            for shape, fit in growth.fits.items()
        },
        proof=evidence.reason,
    )
    found = check_communication(certificate, task, trusted)
    if found.status not in BELIEVED:
        return undecided(here, f"its communication is {growth.name}: {found.problem}")
    # A program that is read one token later needs the bits as well.
    each = growth.fits["linear"].coefficient
    argued = "argument, " if found.valid else ""
    proof = Proof(
        reason=evidence.reason,
        certify=lambda: certificate,
        say=lambda: bits_clause("half the input", each),
        weigh=lambda: f"{argued}counted to length {lengths[-1]}",
    )
    return replace(same_answers(here, Answer.NO, proof), by_communication=True)


def bits_clause(part: str, bits: float) -> str:
    """What a part of the input must tell the rest.

    >>> bits_clause("half the input", 1.0)
    'half the input must pass on 1 bit per token; attention carries O(log n)'
    """
    shown = f"{bits:.2g} bit{'' if f'{bits:.2g}' == '1' else 's'}"
    return f"{part} must pass on {shown} per token; attention carries O(log n)"


# No: a program for the task would decide a language that has none


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
        say = partial(explain(decision).short, letters)
    elif evidence.reduction.after and SIDES[key] == EMPTY and language.at_end.answer is Answer.NO:
        # What is read after the word is the end of the sequence.
        certificate = _after_the_last_letter(automaton)
        letters = {each: spelled(image(evidence.reduction.letters, [each])) for each in automaton.alphabet}
        say = partial(explain_at_end(judged.decisions.nope).short, letters)
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
            before=reduction.before,
        ),
        certificate=certificate,
    )
    found = check_reduction(whole, task, trusted)
    if found.status not in BELIEVED:
        return undecided(SIDES[key], f"the reduction to {language} fails: {found.problem}")
    tried = f"proved for {TaskName(language).short}, tried to length {REDUCTION_LONG}"
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
