"""One verdict: what theory says of a task, or of a language, for one class of programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.program_class import EMPTY, IN_AC0, AnyClass

if TYPE_CHECKING:
    from longreach.theory.architectures.documents import CascadeCertificate
    from longreach.theory.crasp.program import Program

PROVED = "proved"
NOT_KNOWN = "not known"
NOT_WRITTEN = "decided, program not written"
NOT_CERTIFIED = "decided, proof too large to write"
CASCADE = "cascade"
NOT_FOUND = "decided, no cascade found"
"""What a verdict rests on; of programs see `longreach.theory.verdicts.basis`."""
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


@dataclass(frozen=True, eq=False)
class Ruling:
    """An answer with its proof, which is made when it is asked for."""

    answer: Answer
    prove: Callable[[], Proof]

    @cached_property
    def proof(self) -> Proof:
        return self.prove()


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Verdict:
    """What theory says for one class of programs, or for attention to the last match.

    For a regular language `answer` is about membership, read at the last letter, and `trained` about what is
    trained; measurements are compared with `trained`. For all other tasks the two are the same.
    """

    program_class: AnyClass
    membership: Ruling
    at_end: Ruling
    """Membership for programs that are read after the last letter."""
    prediction: Ruling
    """Predicting what may follow, on prefixes of words of the language."""
    prediction_everywhere: Answer
    """The same on all words, where the label of a word that begins no word of the language is empty.

    Of a regular language it is `answer`: the end label is the language itself; the other labels are unions of
    its right quotients, under which every class is closed.
    """
    is_regular: bool = False
    """Whether the three rulings are about a regular language; otherwise they have one proof."""
    beside: tuple[tuple[str, Ruling], ...] | None = None
    """The further answers, by their field in a document, that the certificate of the verdict does not settle
    and that have one of their own; None: as for a regular language."""
    predicts: bool = False
    """Whether what is trained is predicting what may follow on words of a regular language."""
    by_communication: bool = False
    """Whether a "no" says that no limit transformer computes it."""
    note: str | None = None
    """Why something beside the answer is undecided."""
    checked_to: int | None = None
    """Of a black box: the length to which its answers bear out the verdict, which is then no proof; None: it
    holds for all lengths."""

    @property
    def answer(self) -> Answer:
        return self.membership.answer

    @property
    def proof(self) -> Proof:
        return self.membership.proof

    @property
    def reason(self) -> str:
        """Why membership has its answer, in one sentence."""
        return self.proof.reason

    @property
    def program(self) -> Program | None:
        """For yes, a program of the class; None where a budget ended the work."""
        return self.proof.program

    @property
    def certificate(self) -> CertificateDocument:
        """What proves the answer."""
        return self.proof.certificate

    @property
    def prediction_certificate(self) -> CertificateDocument | None:
        """What proves `prediction`; None where `certificate` does."""
        return self.prediction.proof.certificate if self._predicts_apart else None

    @property
    def _predicts_apart(self) -> bool:
        """Whether prediction has another answer than membership."""
        return self.is_regular and self.prediction.answer is not self.answer

    def _certified_beside(self) -> tuple[tuple[str, Ruling], ...]:
        """The answers that need a certificate of their own.

        A program for membership knows the state, and with it what may follow; and a "no" of both is proved by
        one certificate. With relations a program looks one letter back from the end; without, a "no" at the
        last letter is one after it.
        """
        if self.beside is not None or not self.is_regular or self.checked_to is not None:
            return self.beside or ()
        found = []
        if self._predicts_apart or self._needs(self.prediction) != self._needs(self.membership):
            found.append(("prediction", self.prediction))
        if self.program_class == EMPTY and self.answer is Answer.YES:
            found.append(("end_of_sequence", self.at_end))
        return tuple(found)

    def read_at_end(self) -> Verdict:
        """The same verdict with `at_end` as its answer."""
        apart = self.program_class == EMPTY and self.at_end.answer is not Answer.YES
        beside = (("last_letter", self.membership),) if apart else ()
        return replace(self, membership=self.at_end, predicts=False, beside=beside)

    def with_proofs(self, change: Callable[[Proof], Proof]) -> Verdict:
        """The same answers, with a change made to each proof when it is asked for."""

        def changed(ruling: Ruling) -> Ruling:
            return replace(ruling, prove=lambda: change(ruling.proof))

        return replace(
            self,
            membership=changed(self.membership),
            at_end=changed(self.at_end),
            prediction=changed(self.prediction),
        )

    # What is trained

    @property
    def trained(self) -> Answer:
        """The forecast for what is trained."""
        return self.prediction.answer if self.predicts else self.answer

    @property
    def differs(self) -> bool:
        """Whether what is trained has another answer than membership."""
        return self.trained is not self.answer

    @property
    def trained_proof(self) -> Proof:
        """Of `trained`; a program for membership knows what may follow as well."""
        return self.prediction.proof if self.differs else self.proof

    @property
    def easiest_proof(self) -> Proof:
        """Of `trained`, with the smallest window and modulus."""
        easier = self.predicts and self.prediction.answer is Answer.YES
        return self.prediction.proof if easier else self.proof

    @property
    def trained_needs(self) -> tuple[int | None, int | None]:
        """The smallest window and modulus for what is trained; None where not known."""
        return self.easiest_proof.window, self.easiest_proof.modulus

    @cached_property
    def cascade(self) -> CascadeCertificate | None:
        """The cascade for what is trained; None where there is none."""
        if self.program_class != IN_AC0 or self.trained is not Answer.YES:
            return None
        found: Any = self.easiest_proof.certificate
        return found if found.kind == CASCADE else None

    def _needs(self, ruling: Ruling, prefix: str = "", *, certificates: bool = True) -> dict[str, int | None]:
        """What a program for a yes needs, where it is known; of a cascade, what it says itself."""
        proof, found = ruling.proof, dict[str, int | None]()
        if ruling.answer is Answer.YES and self.program_class != IN_AC0 and proof.window is not None:
            found = {name: getattr(proof, name) for name in ("window", "modulus", "depth")}
        elif ruling.answer is Answer.YES and self.program_class == IN_AC0 and certificates:
            cascade: Any = proof.certificate
            if cascade.kind == CASCADE:
                found = {"modulus": cascade.modulus, "levels": cascade.layers}
        return {f"{prefix}{name}": value for name, value in found.items()}

    @property
    def trained_certificate(self) -> CertificateDocument:
        """What proves the forecast for what is trained."""
        return (self.prediction_certificate if self.differs else None) or self.certificate

    @property
    def clause(self) -> str:
        """Why what is trained has its answer, in one clause without technical terms.

        >>> from longreach.theory.verdicts.judge import judge
        >>> judge(from_expression("(aa)*")).nope.clause
        'counts alone cannot tell whether a long word ends in "a" or "aa"'
        """
        proof = self.easiest_proof
        return proof.clause or plainly(proof.reason) or _USUAL[self.trained]

    @property
    def basis(self) -> str:
        """What the forecast for what is trained rests on, in a few words.

        >>> from longreach.theory.verdicts.judge import judge
        >>> found = judge(from_expression("(aa)*"))
        >>> found.nope.basis, found.ape.basis
        ('proved', 'program, proved for all lengths')
        """
        if self.trained is Answer.UNDECIDED:
            return NOT_KNOWN
        return self.trained_proof.basis or "claimed, not checked"

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
            "end_of_sequence": self.at_end.answer.value,
            "prediction": self.prediction.answer.value,
            "prediction_everywhere": self.prediction_everywhere.value,
        }
        if self.is_regular:
            found |= self._needs(self.prediction, "prediction_", certificates=certificates)
            if self._predicts_apart:
                found["prediction_reason"] = self.prediction.proof.reason
        for name, ruling in self._certified_beside() if certificates else ():
            found[f"{name}_certificate"] = ruling.proof.certificate.model_dump(mode="json", by_alias=True)
        found |= self._needs(self.membership, certificates=certificates)
        if self.note is not None:
            found["note"] = self.note
        if self.checked_to is not None:
            found["checked_to"] = self.checked_to
        return found


def same_answers(program_class: AnyClass, answer: Answer, proof: Proof) -> Verdict:
    """One answer to all questions."""
    ruling = Ruling(answer, lambda: proof)
    return Verdict(
        program_class=program_class,
        membership=ruling,
        at_end=ruling,
        prediction=ruling,
        prediction_everywhere=answer,
    )


def undecided(program_class: AnyClass, reason: str, *, clause: str | None = None) -> Verdict:
    """Nothing is known; the reason says why, and a clause says it in plain words.

    >>> undecided("C-RASP[∅]", "nobody has asked").document()["verdict"]
    'undecided'
    """
    say = None if clause is None else lambda: clause
    proof = Proof(reason=reason, say=say, certify=lambda: NoCertificate(reason=reason))
    return same_answers(program_class, Answer.UNDECIDED, proof)


# Reasons of the papers, in words that need none.


_CITATION = re.compile(r"\s*\([^()]*(?:et al\.|arXiv|Theorem|Corollary|Table)[^()]*\)")
_TERMS = re.compile(
    r"C-RASP|\bRASP|idempotent|component|\bstates?\b|transformer|monoid|semigroup|potential|relation|"
    r"induction head|reduction|reduces|\bflows?\b|et al|arXiv|Corollary|Theorem|automat|certificate|"
    r"communication|\bw\b|\b[ES]OS\b|\bSEP\b",
    re.IGNORECASE,
)
"""What a reader would have to look up."""

_USUAL = {
    Answer.YES: "a program with counts over the input does it",
    Answer.NO: "an argument says that attention cannot do it at every length",
    Answer.UNDECIDED: "no argument for or against it has been found",
}


def plainly(reason: str) -> str | None:
    """A reason without its citation; None if it has words of the papers.

    >>> plainly("letters are counted (Huang et al., C.1.3)"), plainly("the graph of idempotents is large")
    ('letters are counted', None)
    """
    found = _CITATION.sub("", reason).strip()
    return None if _TERMS.search(found) or len(found) > 110 else found
