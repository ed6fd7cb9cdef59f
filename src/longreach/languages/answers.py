"""Answers for one language as documents: verdicts, certificates, and programs with how they were checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from longreach.crasp.equal import Comparison, ProgramSide, compare
from longreach.crasp.expressions import Program
from longreach.errors import MissingExtra
from longreach.languages.automaton import Automaton
from longreach.languages.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.languages.certificates import Certificate, NoCertificate, ProgramCertificate
from longreach.languages.documents import automaton_table
from longreach.languages.extended import Convention
from longreach.languages.induction import prove
from longreach.languages.measures import Measures
from longreach.languages.programs import acceptor, predictor
from longreach.languages.sides import automaton_side
from longreach.languages.verdict import Answer, ClassVerdict, Verdicts

CHECKED_LENGTH = 12
# What a "no" says, wherever one is shown.
MEANING_OF_NO = (
    "no C-RASP program exists: this predicts that length generalization fails; "
    "it does not prove that no limit transformer exists, nor that a training run cannot succeed"
)


@dataclass(frozen=True)
class Rightness:
    """How a program is known to be right: for all lengths, or on all words up to one."""

    proved: bool
    length: int
    witness: tuple[str, ...] | None = None
    reason: str = ""
    """Why it is not proved."""

    def __str__(self) -> str:
        if self.witness is not None:
            return "wrong"
        if self.proved:
            return "proved for all lengths"
        return f"checked to length {self.length}" + (f" (not proved: {self.reason})" if self.reason else "")


def rightness(
    program: Program, automaton: Automaton, length: int = CHECKED_LENGTH, budget: Budget = DEFAULT_BUDGET
) -> Rightness:
    """Compares a program with an automaton: by proof where that succeeds, and on all words up to a length.

    >>> from longreach.crasp.library import load
    >>> from longreach.languages.names import named_automaton
    >>> str(rightness(load("tomita-4"), named_automaton("tomita-4")))
    'proved for all lengths'
    """
    sides = ProgramSide(program.core, automaton.alphabet, length=length), automaton_side(automaton)
    found: Comparison = compare(*sides, automaton.alphabet, length)
    if not found.equal:
        return Rightness(False, found.length, found.witness)
    try:
        attempt = prove(program.core, automaton, budget=budget)
    except MissingExtra as missing:
        return Rightness(False, found.length, reason=missing.message)
    return Rightness(attempt.proved, found.length, reason="" if attempt.proved else attempt.reason)


@dataclass(frozen=True, eq=False)
class ClassAnswer:
    """One verdict with the program of a yes."""

    verdict: ClassVerdict
    written: dict[int, Program | str] = field(default_factory=dict)
    """Programs, or why there is none, by the identity of their analysis: classes share what they can."""

    @property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where a budget ended the work."""
        return None if isinstance(self._outcome, str) else self._outcome

    @property
    def not_written(self) -> str:
        """For a yes without a program: which budget ended the work."""
        return self._outcome if isinstance(self._outcome, str) else ""

    @cached_property
    def _outcome(self) -> Program | str | None:
        analysis = self.verdict.analysis
        if self.verdict.answer is not Answer.YES:
            return None
        if analysis is None:
            return f"the window is beyond the budget of {self.verdict.budget.window_states} states"
        if id(analysis) not in self.written:
            try:
                self.written[id(analysis)] = acceptor(analysis, self.verdict.budget)
            except OverBudget as spent:
                self.written[id(analysis)] = str(spent)
        return self.written[id(analysis)]

    @cached_property
    def certificate(self) -> Certificate:
        program = self.program
        if self.verdict.answer is not Answer.YES:
            return self.verdict.certificate()
        if program is None:
            return NoCertificate(reason=f"the program is not written: {self.not_written}")
        analysis = self.verdict.analysis
        assert analysis is not None
        return ProgramCertificate(
            program_class=self.verdict.program_class,  # type: ignore[arg-type]
            convention=Convention.LAST_LETTER.value,
            automaton=automaton_table(analysis.extended.automaton),
            program=program.text,
            window=max(analysis.extended.window, program.core.locality),
            modulus=analysis.extended.modulus,
        )

    def document(self) -> dict[str, Any]:
        verdict = self.verdict
        found: dict[str, Any] = {
            "verdict": verdict.answer.value,
            "class": verdict.program_class,
            "reason": verdict.reason,
            "certificate": self.certificate.model_dump(mode="json", by_alias=True),
            "end_of_sequence": verdict.end_of_sequence.value,
            "prediction": verdict.prediction.value,
        }
        if verdict.answer is Answer.YES and verdict.analysis is not None:
            found |= {"window": verdict.window, "modulus": verdict.modulus, "depth": verdict.depth}
        return found


@dataclass(frozen=True, eq=False)
class LanguageAnswer:
    """Everything that is said of one language."""

    task: str
    verdicts: Verdicts

    @cached_property
    def classes(self) -> dict[str, ClassAnswer]:
        """By the name of the document's field."""
        found = {"nope": self.verdicts.nope, "ape": self.verdicts.ape, "local": self.verdicts.local}
        written: dict[int, Program | str] = {}
        return {name: ClassAnswer(verdict, written) for name, verdict in found.items()}

    def predictors(self) -> dict[str, str]:
        """For each yes, the text of a program that predicts the legal next symbols."""
        found = {}
        for name, answer in self.classes.items():
            analysis = answer.verdict.analysis
            if answer.verdict.answer is Answer.YES and analysis is not None:
                try:
                    found[name] = predictor(analysis, budget=answer.verdict.budget).text
                except OverBudget as spent:
                    found[name] = f"// not written: {spent}"
        return found

    def document(self, measures: Measures | None = None) -> dict[str, Any]:
        automaton = self.verdicts.automaton
        document: dict[str, Any] = {
            "task": self.task,
            "alphabet": list(automaton.alphabet),
            "convention": Convention.LAST_LETTER.value,
            "states": len(automaton),
        }
        document |= {name: answer.document() for name, answer in self.classes.items()}
        document["meaning_of_no"] = MEANING_OF_NO
        if measures is not None:
            document["measures"] = asdict(measures)
        return document
