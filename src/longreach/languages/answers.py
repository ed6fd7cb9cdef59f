"""Answers for one language as documents: verdicts with certificates, and programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from longreach.crasp.expressions import Program
from longreach.languages.certificates import Certificate, NoCertificate, ProgramCertificate
from longreach.languages.documents import automaton_table
from longreach.languages.extended import Convention
from longreach.languages.measures import Measures
from longreach.languages.programs import acceptor, predictor
from longreach.languages.verdict import Answer, ClassVerdict, Verdicts

# What a "no" says, wherever one is shown.
MEANING_OF_NO = (
    "no C-RASP program exists: this predicts that length generalization fails; "
    "it does not prove that no limit transformer exists, nor that a training run cannot succeed"
)


@dataclass(frozen=True, eq=False)
class ClassAnswer:
    """One verdict with the program of a yes."""

    verdict: ClassVerdict
    written: dict[int, Program] = field(default_factory=dict)
    """Programs by the identity of their analysis: classes that share one share the program."""

    @cached_property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where its automaton is beyond the budget."""
        analysis = self.verdict.analysis
        if self.verdict.answer is not Answer.YES or analysis is None:
            return None
        if id(analysis) not in self.written:
            self.written[id(analysis)] = acceptor(analysis)
        return self.written[id(analysis)]

    @cached_property
    def certificate(self) -> Certificate:
        program = self.program
        if self.verdict.answer is not Answer.YES:
            return self.verdict.certificate()
        if program is None:
            return NoCertificate(reason="the program's window is beyond the budget")
        analysis = self.verdict.analysis
        assert analysis is not None
        return ProgramCertificate(
            program_class=self.verdict.program_class,  # type: ignore[arg-type]
            convention=Convention.LAST_LETTER.value,
            automaton=automaton_table(analysis.extended.automaton),
            program=program.text,
            window=analysis.extended.window,
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
        written: dict[int, Program] = {}
        return {name: ClassAnswer(verdict, written) for name, verdict in found.items()}

    def predictors(self) -> dict[str, str]:
        """For each yes, the text of a program that predicts the legal next symbols."""
        found = {}
        for name, answer in self.classes.items():
            analysis = answer.verdict.analysis
            if answer.verdict.answer is Answer.YES and analysis is not None:
                found[name] = predictor(analysis).text
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
