"""The verdict for one class of programs, from whatever evidence a task has."""

from __future__ import annotations

import math
from dataclasses import replace

from longreach.crasp.expressions import Program
from longreach.crasp.library import load, load_program
from longreach.crasp.lowering import raise_core
from longreach.errors import Argument, InputError
from longreach.forecast.certificates import (
    AnyCertificate,
    CommunicationCertificate,
    FitDocument,
    ReductionCertificate,
    ReductionDocument,
    SplitDocument,
    TaskProgramCertificate,
)
from longreach.forecast.checker import wrong_prediction
from longreach.forecast.reductions import check_reduction
from longreach.forecast.rows import LEAST_LENGTH, check_communication, count_rows, longest
from longreach.languages.program_class import SIDES
from longreach.languages.prove.findings import Status
from longreach.languages.prove.language_certificates import NoCertificate
from longreach.languages.prove.program_to_automaton import regular_language
from longreach.languages.regular.automaton import Automaton
from longreach.limit.measure.communication import fit_growth
from longreach.tasks.catalog import load_task
from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.task import EOS, SEP, Task
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Answer, Proof, Verdict

TASK_SIDES = ("nope", "ape")
"""Those of tasks that are no regular languages."""
NOT_ASKED = "was not asked: the program is read at the last token"


def sides(task: Task, name: str, trusted: bool) -> dict[str, Verdict]:
    """The sides "nope" and "ape" of a task, and "local" where it is a regular language.

    `name` is how the task is found. A task that is not trusted has its programs tried on examples; rows of
    communication are counted from the answers of every task, and every reduction is tried.

    >>> found = sides(load_task("copy-unique"), "copy-unique", True)
    >>> found["nope"].answer.value, found["ape"].answer.value
    ('no', 'yes')
    """
    if isinstance(task, ProgramTask):
        return _program_sides(task)
    evidence = {key: getattr(task, key, None) or _NO_EVIDENCE for key in TASK_SIDES}
    if all(each.kind == "language" for each in evidence.values()):
        return language_sides(_automaton(task), trained=isinstance(task, RegularLanguage))
    return {key: _side(task, name, key, each, trusted) for key, each in evidence.items()}


_NO_EVIDENCE = Evidence("none", None, "the task names no evidence")


def _automaton(task: Task) -> Automaton:
    automaton = getattr(task, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise InputError("its evidence is its language, but it has no automaton", place=Argument("task"))
    return automaton


def language_sides(automaton: Automaton, *, trained: bool = False) -> dict[str, Verdict]:
    """The sides of a regular language: exactly what `longreach language` says.

    With `trained`, what is trained is predicting what may follow.
    """
    return {key: replace(verdict, predicts=trained) for key, verdict in judge(automaton).sides.items()}


def _side(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    match evidence.kind:
        case "program":
            return _by_program(task, name, key, evidence, trusted)
        case "communication":
            return _by_communication(task, name, key, evidence, trusted)
        case "reduction":
            return _by_reduction(task, name, key, evidence, trusted)
        case "language":
            return language_sides(_automaton(task), trained=isinstance(task, RegularLanguage))[key]
        case _:
            return undecided(key, evidence.reason)


def undecided(key: str, reason: str) -> Verdict:
    """Nothing is known; the reason says why."""
    proof = Proof(reason=reason, certify=lambda: NoCertificate(reason=reason))
    return _same(key, Answer.UNDECIDED, proof)


def _same(key: str, answer: Answer, proof: Proof) -> Verdict:
    """One answer to all questions."""
    return Verdict(
        program_class=SIDES[key],
        answer=answer,
        proof=proof,
        end_of_sequence=answer,
        prediction=answer,
        prediction_everywhere=answer,
    )


def _by_program(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    assert evidence.name is not None
    outside = evidence.name.startswith("lib:") or evidence.name.endswith(".cr")
    program = _for_layout((load_program if outside else load)(evidence.name), task)
    if key == "nope" and program.core.relations:
        return undecided(key, f"the program named as evidence is in {program.core.class_name}")
    wrong = None if trusted else wrong_prediction(task, program)
    if wrong is not None:
        return undecided(key, f"the program named as evidence does not solve the task: {wrong}")
    return _yes(name, key, evidence.reason, program)


def _for_layout(program: Program, task: Task) -> Program:
    """Where the answer is written again and again, SEP stands for the end."""
    if task.kind == "language" or EOS in task.tokens or SEP not in task.tokens:
        return program
    ended = (
        replace(each, name=SEP) if each.is_output and each.name == EOS else each
        for each in program.statements
    )
    return replace(program, statements=tuple(ended))


def _yes(name: str, key: str, reason: str, program: Program) -> Verdict:
    core = program.core

    def certificate() -> AnyCertificate:
        return TaskProgramCertificate(
            program_class=SIDES[key],
            task=name,
            program=program.text,
            size=core.size,
            depth=core.depth,
            window=core.locality,
            modulus=core.modulus,
        )

    proof = Proof(
        reason=reason,
        certify=certificate,
        write=lambda: program,
        window=core.locality,
        modulus=core.modulus,
        depth=core.depth,
    )
    verdict = _same(key, Answer.YES, proof)
    if key == "ape":
        return verdict
    # With local relations a program can look one token back from the end; without, nothing is said of that.
    note = f"reading after the last token {NOT_ASKED}"
    return replace(verdict, end_of_sequence=Answer.UNDECIDED, note=note)


def _by_communication(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    split = evidence.split
    if split is None:
        return undecided(key, "its communication is no evidence: how an input is divided is not spelled out")
    try:
        rows = tuple(count_rows(task, split, n) for n in range(1, longest(split) + 1))
    except InputError as error:
        return undecided(key, f"its communication cannot be counted: {error.message}")
    if len(rows) < LEAST_LENGTH:
        return undecided(key, "its communication cannot be counted: there are too many inputs")
    lengths, bits = tuple(range(1, len(rows) + 1)), tuple(math.log2(count) for count in rows)
    growth = fit_growth(lengths, bits)
    certificate = CommunicationCertificate(
        program_class=SIDES[key],
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
    if found.status not in _BELIEVED:
        return undecided(key, f"its communication is {growth.name}: {found.problem}")
    # Whoever reads one token later needs the bits as well.
    verdict = _same(key, Answer.NO, Proof(reason=evidence.reason, certify=lambda: certificate))
    return replace(verdict, by_communication=True)


def _by_reduction(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    assert evidence.name is not None
    if evidence.reduction is None:
        return undecided(key, f"the reduction to {evidence.name} is not spelled out")
    reduction = evidence.reduction
    automaton = _automaton(load_task(evidence.name))
    language = language_sides(automaton)[key]
    if language.answer is not Answer.NO:
        return undecided(key, f"it reduces to {evidence.name}, whose verdict is {language.answer.value}")
    certificate = ReductionCertificate(
        program_class=SIDES[key],
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
    if found.status not in _BELIEVED:
        return undecided(key, f"the reduction to {evidence.name} fails: {found.problem}")
    return _same(key, Answer.NO, Proof(reason=evidence.reason, certify=lambda: certificate))


_BELIEVED = (Status.VALID, Status.CHECKED)
"""What a forecast says no for; `longreach verify` tells the two apart."""


def _program_sides(task: ProgramTask) -> dict[str, Verdict]:
    """A program is a yes for its own class; the other class is decided where the language is regular."""
    core = task.core
    uses = " and ".join(core.relations)
    reason = f"the program uses {uses} relations" if uses else "the program uses no positional relations"
    # Relations that change nothing are left out, in the certificate as well.
    program = task.program if task.program.core.relations == core.relations else raise_core(core)
    known = {"ape": _yes(task.self_contained, "ape", reason, program)}
    if not core.relations:
        known["nope"] = _yes(task.self_contained, "nope", reason, program)
    automaton = regular_language(core)
    if automaton is not None:
        # Its language settles the conventions, and whatever the program itself leaves open.
        decided = language_sides(automaton)
        for key, side in known.items():
            known[key] = replace(decided[key], answer=side.answer, proof=side.proof)
        return {**decided, **known}
    if not core.is_predictor:
        left = f"which letters may follow within its words {NOT_ASKED}"
        for key, side in known.items():
            note = left if side.note is None else f"{side.note}; {left}"
            known[key] = replace(
                side, prediction=Answer.UNDECIDED, prediction_everywhere=Answer.UNDECIDED, note=note
            )
    if "nope" not in known:
        why = "is a predictor" if core.is_predictor else "was not found to accept a regular language"
        known["nope"] = undecided("nope", f"{reason} and {why}, so whether one without exists is not decided")
    return {key: known[key] for key in TASK_SIDES}
