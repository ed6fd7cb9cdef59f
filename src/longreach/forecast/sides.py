"""The verdict for one class of programs, from whatever evidence a task has."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from longreach.crasp.library import load, load_program
from longreach.crasp.program import Program, raise_core
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
from longreach.languages.answers import ClassAnswer, LanguageAnswer
from longreach.languages.decide.automaton_to_verdict import Answer, decide
from longreach.languages.prove.findings import Status
from longreach.languages.prove.language_certificates import EMPTY, PERIODIC_LOCAL, NoCertificate
from longreach.languages.prove.program_to_automaton import regular_language
from longreach.languages.regular.automaton import Automaton
from longreach.limit.measure.communication import fit_growth
from longreach.tasks.catalog import load_task
from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.task import EOS, SEP, Task

CLASSES = {"nope": EMPTY, "ape": PERIODIC_LOCAL}
NOT_ASKED = "was not asked: the program is read at the last token"


@dataclass(frozen=True, eq=False)
class Side:
    """What theory says of a task for one class of programs.

    For a regular language `verdict` is about membership and `trained` about what is trained; measurements are
    compared with `trained`. For all other tasks the two are the same.
    """

    verdict: Answer
    program_class: str
    reason: str
    """Of the verdict, in one sentence."""
    end_of_sequence: Answer
    prediction: Answer
    """For predicting what may follow, on prefixes of words of the language."""
    make_certificate: Callable[[], AnyCertificate]
    window: int | None = None
    modulus: int | None = None
    depth: int | None = None
    program: Program | None = None
    note: str | None = None
    """Why something beside the verdict is undecided."""

    by_communication: bool = False
    language: ClassAnswer | None = None
    """What is known of a regular language."""
    predicts: bool = False
    """Whether what is trained is predicting what may follow on words of that language."""

    @property
    def trained(self) -> Answer:
        """The forecast for what is trained."""
        return self.prediction if self.predicts else self.verdict

    @property
    def differs(self) -> bool:
        """Whether what is trained has another verdict than membership."""
        return self.trained is not self.verdict

    @property
    def trained_reason(self) -> str:
        """Of the forecast for what is trained, in one sentence."""
        return self.language.verdict.prediction_reason if self.language and self.differs else self.reason

    @property
    def trained_program(self) -> Program | None:
        """A program for what is trained; one for membership knows what may follow as well."""
        return self.language.predictor if self.language and self.differs else self.program

    @property
    def trained_needs(self) -> tuple[int | None, int | None]:
        """The smallest window and modulus for what is trained; None where not known."""
        if self.language is None or not self.predicts or self.prediction is not Answer.YES:
            return self.window, self.modulus
        verdict = self.language.verdict
        return verdict.prediction_window, verdict.prediction_modulus

    @cached_property
    def trained_certificate(self) -> AnyCertificate:
        """Whatever proves the forecast for what is trained."""
        own = self.language.prediction_certificate if self.language and self.differs else None
        return own or self.certificate

    @cached_property
    def certificate(self) -> AnyCertificate:
        """Whatever proves the verdict, as a document that can be checked."""
        return self.make_certificate()

    def document(self) -> dict[str, Any]:
        """As in the documents of `longreach language`."""
        found: dict[str, Any] = {
            "verdict": self.verdict.value,
            "class": self.program_class,
            "reason": self.reason,
            "certificate": self.certificate.model_dump(mode="json", by_alias=True),
            "end_of_sequence": self.end_of_sequence.value,
            "prediction": self.prediction.value,
            "prediction_everywhere": self.prediction.value,
        }
        if self.language is not None:
            found |= self.language.prediction_document()
        if self.verdict is Answer.YES and self.window is not None:
            found |= {"window": self.window, "modulus": self.modulus, "depth": self.depth}
        if self.note is not None:
            found["note"] = self.note
        return found


def sides(task: Task, name: str, trusted: bool) -> dict[str, Side]:
    """The sides "nope" and "ape" of a task, and "local" where it is a regular language.

    `name` is how the task is found. A task that is not trusted has its programs tried on examples; rows of
    communication are counted from the answers of every task, and every reduction is tried.

    >>> found = sides(load_task("copy-unique"), "copy-unique", True)
    >>> found["nope"].verdict.value, found["ape"].verdict.value
    ('no', 'yes')
    """
    if isinstance(task, ProgramTask):
        return _program_sides(task)
    evidence = {key: getattr(task, key, None) or _NO_EVIDENCE for key in CLASSES}
    if all(each.kind == "language" for each in evidence.values()):
        return language_sides(name, _automaton(task), trained=isinstance(task, RegularLanguage))
    return {key: _side(task, name, key, each, trusted) for key, each in evidence.items()}


_NO_EVIDENCE = Evidence("none", None, "the task names no evidence")


def _automaton(task: Task) -> Automaton:
    automaton = getattr(task, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise InputError("its evidence is its language, but it has no automaton", place=Argument("task"))
    return automaton


def language_sides(name: str, automaton: Automaton, *, trained: bool = False) -> dict[str, Side]:
    """The sides of a regular language: exactly what `longreach language` says.

    With `trained`, what is trained is predicting what may follow.
    """
    answer = LanguageAnswer(name, decide(automaton))
    return {key: _class_side(found, trained) for key, found in answer.classes.items()}


def _class_side(found: ClassAnswer, trained: bool) -> Side:
    verdict = found.verdict
    return Side(
        verdict.answer, verdict.program_class, verdict.reason, verdict.end_of_sequence, verdict.prediction,
        lambda: found.certificate, verdict.window, verdict.modulus, verdict.depth, found.program,
        language=found, predicts=trained,
    )  # fmt: skip


def _side(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Side:
    match evidence.kind:
        case "program":
            return _by_program(task, name, key, evidence, trusted)
        case "communication":
            return _by_communication(task, name, key, evidence, trusted)
        case "reduction":
            return _by_reduction(task, name, key, evidence, trusted)
        case "language":
            return language_sides(name, _automaton(task), trained=isinstance(task, RegularLanguage))[key]
        case _:
            return undecided(key, evidence.reason)


def undecided(key: str, reason: str) -> Side:
    """Nothing is known; the reason says why."""
    unknown = Answer.UNDECIDED
    return Side(unknown, CLASSES[key], reason, unknown, unknown, lambda: NoCertificate(reason=reason))


def _by_program(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Side:
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


def _yes(name: str, key: str, reason: str, program: Program) -> Side:
    core = program.core

    def certificate() -> AnyCertificate:
        return TaskProgramCertificate(
            program_class=CLASSES[key],  # type: ignore[arg-type]
            task=name,
            program=program.text,
            size=core.size,
            depth=core.depth,
            window=core.locality,
            modulus=core.modulus,
        )

    # With local relations a program can look one token back from the end, so that it can be read there.
    end = Answer.YES if key == "ape" else Answer.UNDECIDED
    note = None if key == "ape" else f"reading after the last token {NOT_ASKED}"
    return Side(
        Answer.YES, CLASSES[key], reason, end, Answer.YES, certificate, core.locality, core.modulus,
        core.depth, program, note,
    )  # fmt: skip


def _by_communication(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Side:
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
        program_class=CLASSES[key],  # type: ignore[arg-type]
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
    no = Answer.NO
    return Side(no, CLASSES[key], evidence.reason, no, no, lambda: certificate, by_communication=True)


def _by_reduction(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Side:
    assert evidence.name is not None
    if evidence.reduction is None:
        return undecided(key, f"the reduction to {evidence.name} is not spelled out")
    reduction = evidence.reduction
    automaton = _automaton(load_task(evidence.name))
    language = language_sides(evidence.name, automaton)[key]
    if language.verdict is not Answer.NO:
        return undecided(key, f"it reduces to {evidence.name}, whose verdict is {language.verdict.value}")
    certificate = ReductionCertificate(
        program_class=CLASSES[key],  # type: ignore[arg-type]
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
    return Side(Answer.NO, CLASSES[key], evidence.reason, Answer.NO, Answer.NO, lambda: certificate)


_BELIEVED = (Status.VALID, Status.CHECKED)
"""What a forecast says no for; `longreach verify` tells the two apart."""


def _program_sides(task: ProgramTask) -> dict[str, Side]:
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
        decided = language_sides(task.name, automaton)
        for key, side in known.items():
            known[key] = replace(
                side,
                end_of_sequence=decided[key].end_of_sequence,
                prediction=decided[key].prediction,
                language=decided[key].language,
                note=None,
            )
        return {**decided, **known}
    if not core.is_predictor:
        left = f"which letters may follow within its words {NOT_ASKED}"
        for key, side in known.items():
            note = left if side.note is None else f"{side.note}; {left}"
            known[key] = replace(side, prediction=Answer.UNDECIDED, note=note)
    if "nope" not in known:
        why = "is a predictor" if core.is_predictor else "was not found to accept a regular language"
        known["nope"] = undecided("nope", f"{reason} and {why}, so whether one without exists is not decided")
    return {key: known[key] for key in CLASSES}
