"""Answers for one language as documents: verdicts with certificates, and programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from longreach.crasp.expressions import Program
from longreach.languages.certificates import END, Certificate, NoCertificate, ProgramCertificate
from longreach.languages.documents import automaton_table
from longreach.languages.extended import Analysis, Convention
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
    """One verdict with the programs of a yes: for membership, and for prediction on prefixes."""

    verdict: ClassVerdict
    written: dict[tuple[int, bool], Program] = field(default_factory=dict)
    """Programs by the identity of their analysis, and whether they predict: classes that share one share the
    program."""

    @cached_property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where its automaton is beyond the budget."""
        if self.verdict.answer is not Answer.YES:
            return None
        return self._written(self.verdict.analysis, predicts=False)

    @cached_property
    def predictor(self) -> Program | None:
        """Where prediction on prefixes is a yes, a program for it; None beyond the budget, or where the token
        for the end is a letter."""
        if self.verdict.prediction is not Answer.YES or END in self.verdict.plain.extended.automaton.alphabet:
            return None
        return self._written(self.verdict.predicted.analysis, predicts=True)

    def _written(self, analysis: Analysis | None, *, predicts: bool) -> Program | None:
        if analysis is None:
            return None
        key = (id(analysis), predicts)
        if key not in self.written:
            self.written[key] = predictor(analysis) if predicts else acceptor(analysis)
        return self.written[key]

    @cached_property
    def certificate(self) -> Certificate:
        """What proves the answer for membership."""
        if self.verdict.answer is not Answer.YES:
            return self.verdict.certificate()
        return self._of_program(self.program, self.verdict.analysis, False)

    @cached_property
    def prediction_certificate(self) -> Certificate | None:
        """What proves the answer for prediction on prefixes; None where that is the certificate already.

        A program for membership knows the state, and with it what may follow. A "no" of both is proved by one
        certificate.
        """
        if self.verdict.prediction is self.verdict.answer:
            return None
        return self._of_program(self.predictor, self.verdict.predicted.analysis, True)

    def _of_program(
        self, program: Program | None, analysis: Analysis | None, prediction: bool
    ) -> Certificate:
        if analysis is None:
            return NoCertificate(reason="the program's window is beyond the budget")
        if program is None:
            return NoCertificate(reason=f"the program would predict {END}, which is a letter here")
        return ProgramCertificate(
            program_class=self.verdict.program_class,  # type: ignore[arg-type]
            convention=Convention.LAST_LETTER.value,
            automaton=automaton_table(analysis.extended.automaton),
            program=program.text,
            window=analysis.extended.window,
            modulus=analysis.extended.modulus,
            prediction=prediction,
        )

    def document(self) -> dict[str, Any]:
        verdict = self.verdict
        found: dict[str, Any] = {
            "verdict": verdict.answer.value,
            "class": verdict.program_class,
            "reason": verdict.reason,
            "certificate": self.certificate.model_dump(mode="json", by_alias=True),
            "end_of_sequence": verdict.end_of_sequence.value,
        } | self.prediction_document()
        if verdict.answer is Answer.YES and verdict.analysis is not None:
            found |= {"window": verdict.window, "modulus": verdict.modulus, "depth": verdict.depth}
        return found

    def prediction_document(self) -> dict[str, Any]:
        """What is said of prediction, in the documents of `language` and `forecast`."""
        verdict = self.verdict
        found: dict[str, Any] = {
            "prediction": verdict.prediction.value,
            "prediction_everywhere": verdict.prediction_everywhere.value,
        }
        if verdict.prediction is Answer.YES and verdict.predicted.analysis is not None:
            found |= {
                "prediction_window": verdict.prediction_window,
                "prediction_modulus": verdict.prediction_modulus,
                "prediction_depth": verdict.prediction_depth,
            }
        certificate = self.prediction_certificate
        if certificate is not None:
            found["prediction_reason"] = verdict.prediction_reason
            found["prediction_certificate"] = certificate.model_dump(mode="json", by_alias=True)
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
        written: dict[tuple[int, bool], Program] = {}
        return {name: ClassAnswer(verdict, written) for name, verdict in found.items()}

    def predictors(self) -> dict[str, Program]:
        """For each yes of prediction, a program that is right on prefixes of words of the language."""
        found = {name: answer.predictor for name, answer in self.classes.items()}
        return {name: program for name, program in found.items() if program is not None}

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
