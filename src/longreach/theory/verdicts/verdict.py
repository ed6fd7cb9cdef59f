"""One verdict: what theory says of a task, or of a language, for one class of programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from html import escape
from typing import Any, Protocol

from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.crasp.program import Program
from longreach.theory.program_class import ProgramClass

# What a "no" says, wherever one is shown.
MEANING_OF_NO = (
    "no C-RASP program exists: this predicts that length generalization fails; "
    "it does not prove that no limit transformer exists, nor that a training run cannot succeed"
)


class Answer(StrEnum):
    """The answer to "is there a program?"."""

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"

    @property
    def expectation(self) -> str:
        """Of what is trained, in plain words.

        >>> Answer.NO.expectation
        'expected to fail'
        """
        return {"yes": "expected to work", "no": "expected to fail"}.get(self.value, "not known")

    @staticmethod
    def of(value: bool | None) -> Answer:
        """From a truth value, None being undecided."""
        return Answer.UNDECIDED if value is None else Answer.YES if value else Answer.NO


class CertificateDocument(Protocol):
    """A certificate of any kind."""

    @property
    def kind(self) -> str:
        """By which its document type, checker and explainer are found."""

    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, Any]:
        """As JSON values."""


def _nothing() -> None:
    return None


@dataclass(frozen=True, eq=False, kw_only=True)
class Proof:
    """What an answer rests on; the program and the certificate are made when they are asked for."""

    reason: str
    """One sentence."""
    certify: Callable[[], CertificateDocument]
    write: Callable[[], Program | str | None] = _nothing
    """Makes the program of a yes, or says why it is not written."""
    window: int | None = None
    """How many letters before the present one a program needs to see; None unless known."""
    modulus: int | None = None
    """The modulus of the positions that a program needs; None unless known."""
    depth: int | None = None
    """How deeply the counts are nested; None unless known."""
    say: Callable[[], str] | None = None
    """Makes `clause`."""
    weigh: Callable[[], str] | None = None
    """Makes `basis`."""

    @cached_property
    def clause(self) -> str | None:
        """The reason in words that need no paper; None where only the reason is known."""
        return None if self.say is None else self.say()

    @cached_property
    def basis(self) -> str | None:
        """What has been established, in a few words; None where nobody looked."""
        return None if self.weigh is None else self.weigh()

    @cached_property
    def certificate(self) -> CertificateDocument:
        """What proves the answer, as a document that can be checked."""
        return self.certify()

    @cached_property
    def outcome(self) -> Program | str | None:
        """The program of a yes, or why it is not written; None for other answers."""
        return self.write()

    @property
    def program(self) -> Program | None:
        """Of a yes; None where a budget ended the work."""
        return None if isinstance(self.outcome, str) else self.outcome

    @property
    def not_written(self) -> str:
        """Of a yes without a program: why there is none."""
        return self.outcome if isinstance(self.outcome, str) else ""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Verdict:
    """What theory says for one class of programs.

    For a regular language `answer` is about membership, read at the last letter, and `trained` about what is
    trained; measurements are compared with `trained`. For all other tasks the two are the same.
    """

    program_class: ProgramClass
    answer: Answer
    proof: Proof
    """Of `answer`."""
    end_of_sequence: Answer
    """For programs that are read after the last letter."""
    prediction: Answer
    """For predicting what may follow, on prefixes of words of the language."""
    prediction_everywhere: Answer
    """The same on all words, where the label of a word that begins no word of the language is empty.

    Of a regular language it is `answer`: the end label is the language itself; the other labels are unions of
    its right quotients, under which every class is closed.
    """
    prove_prediction: Callable[[], Proof] | None = None
    """For a regular language: makes the proof of `prediction`."""
    prove_at_end: Callable[[], Proof] | None = None
    """For a regular language: makes the proof of `end_of_sequence`."""
    certified_apart: bool = False
    """Whether `prediction` has a certificate of its own.

    A program for membership knows the state, and with it what may follow; and a "no" of both is proved by one
    certificate.
    """
    predicts: bool = False
    """Whether what is trained is predicting what may follow on words of a regular language."""
    by_communication: bool = False
    """Whether a "no" says that no limit transformer computes it."""
    note: str | None = None
    """Why something beside the answer is undecided."""
    checked_to: int | None = None
    """Of a task that nobody can see into: the length to which its answers bear out the verdict, which is then
    no proof; None: it holds for all lengths."""

    @property
    def reason(self) -> str:
        """Of the answer, in one sentence."""
        return self.proof.reason

    @property
    def window(self) -> int | None:
        return self.proof.window

    @property
    def modulus(self) -> int | None:
        return self.proof.modulus

    @property
    def depth(self) -> int | None:
        return self.proof.depth

    @property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where a budget ended the work."""
        return self.proof.program

    @property
    def not_written(self) -> str:
        """For a yes without a program: which budget ended the work."""
        return self.proof.not_written

    @property
    def certificate(self) -> CertificateDocument:
        """Whatever proves the answer."""
        return self.proof.certificate

    # Prediction on prefixes

    @cached_property
    def prediction_proof(self) -> Proof:
        """Of `prediction`; of tasks that are no regular languages that of the answer."""
        return self.proof if self.prove_prediction is None else self.prove_prediction()

    @property
    def prediction_reason(self) -> str:
        return self.prediction_proof.reason

    @property
    def prediction_window(self) -> int | None:
        return self.prediction_proof.window

    @property
    def prediction_modulus(self) -> int | None:
        return self.prediction_proof.modulus

    @property
    def prediction_depth(self) -> int | None:
        return self.prediction_proof.depth

    @property
    def predictor(self) -> Program | None:
        """Where prediction on prefixes is a yes, a program for it; None where a budget ended the work, or the
        token for the end is a letter."""
        return self.prediction_proof.program

    @property
    def prediction_certificate(self) -> CertificateDocument | None:
        """What proves `prediction`; None where that is the certificate already."""
        return self.prediction_proof.certificate if self.certified_apart else None

    # Reading after the last letter

    @cached_property
    def at_end(self) -> Verdict:
        """The same verdict with `end_of_sequence` as its answer."""
        proof = self.proof if self.prove_at_end is None else self.prove_at_end()
        return replace(self, answer=self.end_of_sequence, proof=proof, predicts=False)

    # What is trained

    @property
    def trained(self) -> Answer:
        """The forecast for what is trained."""
        return self.prediction if self.predicts else self.answer

    @property
    def differs(self) -> bool:
        """Whether what is trained has another answer than membership."""
        return self.trained is not self.answer

    @property
    def trained_proof(self) -> Proof:
        """Of `trained`; a program for membership knows what may follow as well."""
        return self.prediction_proof if self.differs else self.proof

    @property
    def trained_needs(self) -> tuple[int | None, int | None]:
        """The smallest window and modulus for what is trained; None where not known."""
        return self.easiest_proof.window, self.easiest_proof.modulus

    @property
    def easiest_proof(self) -> Proof:
        """Of `trained`, with the smallest window and modulus."""
        easier = self.predicts and self.prediction is Answer.YES
        return self.prediction_proof if easier else self.proof

    @property
    def trained_certificate(self) -> CertificateDocument:
        """Whatever proves the forecast for what is trained."""
        return (self.prediction_certificate if self.differs else None) or self.certificate

    def __repr__(self) -> str:
        proof = self.easiest_proof
        return f"{self.trained.expectation}: {proof.clause or proof.reason} ({self.program_class})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"

    def document(self, *, certificates: bool = True) -> dict[str, Any]:
        """As it stands in the documents of `longreach language` and `longreach forecast`.

        Certificates take most of the time, and can be left out.
        """
        found: dict[str, Any] = {
            "verdict": self.answer.value,
            "class": self.program_class,
            "reason": self.reason,
        }
        if certificates:
            found["certificate"] = self.certificate.model_dump(mode="json", by_alias=True)
        found |= {
            "end_of_sequence": self.end_of_sequence.value,
            "prediction": self.prediction.value,
            "prediction_everywhere": self.prediction_everywhere.value,
        }
        found |= self._prediction_document(certificates)
        if self.answer is Answer.YES and self.window is not None:
            found |= {"window": self.window, "modulus": self.modulus, "depth": self.depth}
        if self.note is not None:
            found["note"] = self.note
        if self.checked_to is not None:
            found["checked_to"] = self.checked_to
        return found

    def _prediction_document(self, certificates: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.prove_prediction is None:
            return found
        if self.prediction is Answer.YES and self.prediction_window is not None:
            found |= {
                "prediction_window": self.prediction_window,
                "prediction_modulus": self.prediction_modulus,
                "prediction_depth": self.prediction_depth,
            }
        if self.certified_apart:
            found["prediction_reason"] = self.prediction_reason
        certificate = self.prediction_certificate if certificates else None
        if certificate is not None:
            found["prediction_certificate"] = certificate.model_dump(mode="json", by_alias=True)
        return found


def same_answers(program_class: ProgramClass, answer: Answer, proof: Proof) -> Verdict:
    """One answer to all questions."""
    return Verdict(
        program_class=program_class,
        answer=answer,
        proof=proof,
        end_of_sequence=answer,
        prediction=answer,
        prediction_everywhere=answer,
    )


def undecided(program_class: ProgramClass, reason: str, *, clause: str | None = None) -> Verdict:
    """Nothing is known; the reason says why, and a clause says it in plain words.

    >>> undecided("C-RASP[∅]", "nobody has asked").document()["verdict"]
    'undecided'
    """
    say = None if clause is None else lambda: clause
    proof = Proof(reason=reason, say=say, certify=lambda: NoCertificate(reason=reason))
    return same_answers(program_class, Answer.UNDECIDED, proof)
