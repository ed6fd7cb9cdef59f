"""Answers for one language as documents: verdicts with certificates, and programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from longreach.crasp.program import Program
from longreach.languages.budget import OverBudget
from longreach.languages.decide.automaton_to_verdict import Answer, ClassVerdict, Verdicts
from longreach.languages.decide.extended_automaton import Analysis, Convention
from longreach.languages.prove.language_certificates import (
    END,
    Certificate,
    NoCertificate,
    ProgramCertificate,
)
from longreach.languages.regular.automaton_documents import automaton_table
from longreach.languages.regular.measures import Measures
from longreach.languages.write.automaton_to_program import acceptor, predictor

# What a "no" says, wherever one is shown.
MEANING_OF_NO = (
    "no C-RASP program exists: this predicts that length generalization fails; "
    "it does not prove that no limit transformer exists, nor that a training run cannot succeed"
)


@dataclass(frozen=True, eq=False)
class ClassAnswer:
    """One verdict with the programs of a yes: for membership, and for prediction on prefixes."""

    verdict: ClassVerdict
    written: dict[tuple[int, bool], Program | str] = field(default_factory=dict)
    """Programs, or why there is none, by the identity of their analysis and whether they predict: classes
    share what they can."""

    @property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where a budget ended the work."""
        return None if isinstance(self._outcome, str) else self._outcome

    @property
    def not_written(self) -> str:
        """For a yes without a program: which budget ended the work."""
        return self._outcome if isinstance(self._outcome, str) else ""

    @property
    def predictor(self) -> Program | None:
        """Where prediction on prefixes is a yes, a program for it; None where a budget ended the work, or the
        token for the end is a letter."""
        return None if isinstance(self.predicting, str) else self.predicting

    @cached_property
    def _outcome(self) -> Program | str | None:
        if self.verdict.answer is not Answer.YES:
            return None
        return self._written(self.verdict.analysis, predicts=False)

    @cached_property
    def predicting(self) -> Program | str | None:
        """The predictor, or why there is none; None where prediction is not a yes."""
        if self.verdict.prediction is not Answer.YES:
            return None
        analysis = self.verdict.predicted.analysis
        if analysis is not None and END in analysis.extended.automaton.alphabet:
            return f"it would predict {END}, which is a letter here"
        return self._written(analysis, predicts=True)

    def _written(self, analysis: Analysis | None, *, predicts: bool) -> Program | str:
        budget = self.verdict.budget
        if analysis is None:
            return f"the window is beyond the budget of {budget.window_states} states"
        key = (id(analysis), predicts)
        if key not in self.written:
            try:
                write = predictor if predicts else acceptor
                self.written[key] = write(analysis, budget=budget)
            except OverBudget as spent:
                self.written[key] = str(spent)
        return self.written[key]

    @cached_property
    def certificate(self) -> Certificate:
        """What proves the answer for membership."""
        if self.verdict.answer is not Answer.YES:
            return self.verdict.certificate()
        return self._of_program(self._outcome, self.verdict.analysis, False)

    @cached_property
    def prediction_certificate(self) -> Certificate | None:
        """What proves the answer for prediction on prefixes; None where that is the certificate already.

        A program for membership knows the state, and with it what may follow. A "no" of both is proved by one
        certificate.
        """
        if self.verdict.prediction is self.verdict.answer:
            return None
        return self._of_program(self.predicting, self.verdict.predicted.analysis, True)

    def _of_program(
        self, program: Program | str | None, analysis: Analysis | None, prediction: bool
    ) -> Certificate:
        if analysis is None or not isinstance(program, Program):
            return NoCertificate(reason=f"the program is not written: {program}")
        return ProgramCertificate(
            program_class=self.verdict.program_class,  # type: ignore[arg-type]
            convention=Convention.LAST_LETTER.value,
            automaton=automaton_table(analysis.extended.automaton),
            program=program.text,
            window=max(analysis.extended.window, program.core.locality),
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
        written: dict[tuple[int, bool], Program | str] = {}
        return {name: ClassAnswer(verdict, written) for name, verdict in found.items()}

    def predictors(self) -> dict[str, Program | str]:
        """For each yes of prediction, a program that is right on prefixes of words of the language, or why
        it is not written."""
        found = {name: answer.predicting for name, answer in self.classes.items()}
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
