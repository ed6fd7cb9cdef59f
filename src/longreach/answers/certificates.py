"""The documents of certificates about tasks.

Those about regular languages are in `longreach.theory.certificates.documents`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from longreach.tasks.task import Split
from longreach.theory.certificates.documents import (
    FlowCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.theory.program_class import ProgramClass

_CLASS = AliasChoices("class", "program_class")


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskDocument(_Document):
    program_class: ProgramClass = Field(validation_alias=_CLASS, serialization_alias="class")
    task: str
    """By which the task is found; a program stands there with its text."""


class TaskProgramCertificate(TaskDocument):
    """A program that predicts every token that the task asks for."""

    kind: Literal["program"] = "program"
    program: str
    size: int
    depth: int
    window: int
    modulus: int
    convention: Literal["last-letter", "end-of-sequence"] = "last-letter"
    """After the last letter, the program reads EOS; only for answer classes of an automaton."""


class FitDocument(_Document):
    """bits ≈ coefficient · g(N)."""

    coefficient: float
    error: float


class SplitDocument(_Document):
    """Who holds what of an input (`longreach.tasks.task.Split`): Alice N symbols, Bob what follows."""

    alice: tuple[str, ...]
    between: tuple[str, ...]
    bob: tuple[str, ...]
    end: tuple[str, ...]

    @property
    def split(self) -> Split:
        return Split(self.alice, self.between, self.bob, self.end)


class CommunicationCertificate(TaskDocument):
    """Between the halves of an input more bits are needed than any limit transformer can pass."""

    kind: Literal["communication"] = "communication"
    split: SplitDocument
    lengths: tuple[int, ...]
    """N, the symbols that Alice holds."""
    rows: tuple[int, ...]
    """Distinct rows of the communication matrix at each N, counted from the task's answers."""
    bits: tuple[float, ...]
    growth: str
    fits: dict[str, FitDocument]
    proof: str
    """Why it goes on beyond these lengths."""


class ReductionDocument(_Document):
    """A program for the task, given SOS, `before`, the word and `after`, predicts `token` for the language's
    words."""

    letters: dict[str, str | tuple[str, ...]]
    """One symbol of the task for each letter of the language, or a list of symbols."""
    after: tuple[str, ...]
    token: str
    about: str
    before: tuple[str, ...] = ()


class ReductionCertificate(TaskDocument):
    """A program for the task would decide a language that has no program in the class."""

    kind: Literal["reduction"] = "reduction"
    language: str
    alphabet: tuple[str, ...]
    reduction: ReductionDocument
    certificate: FlowCertificate | SampledFlowCertificate = Field(discriminator="kind")
    """That of the language."""


# Black boxes: each certificate says up to which length its ground was checked


Reads = Literal["language", "answer", "first token", "answers to some", "classes of some"]
"""What the learned automaton says of the task: the words of the language; or for SOS x SEP the whole answer,
or its first token alone; or that first token for some inputs x only, or of some words of a language the class
after them."""


class _LearnedDocument(TaskDocument):
    reads: Reads
    learned_to: int
    """The length of the longest words on which the automaton was tried."""
    exhaustive: int
    """All words to this length were tried."""
    states: int
    """Of the learned automaton."""
    seen: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    """For each answer how many words were asked about, in equal ranges of lengths up to `learned_to`; empty
    in certificates from before these were counted."""


class LearnedProgramCertificate(_LearnedDocument):
    """A program for the automaton that was learned from the task's answers."""

    kind: Literal["learned-program"] = "learned-program"
    certificate: ProgramCertificate
    """That of the automaton's language."""


class LearnedFlowCertificate(_LearnedDocument):
    """No program exists for the automaton that was learned from the task's answers."""

    kind: Literal["learned-flow"] = "learned-flow"
    certificate: FlowCertificate | SampledFlowCertificate = Field(discriminator="kind")
    """That of the automaton's language."""


class FoundProgramCertificate(TaskDocument):
    """A program that was right on all inputs on which it was tried."""

    kind: Literal["found-program"] = "found-program"
    program: str
    size: int
    depth: int
    window: int
    modulus: int
    source: str
    """Where it was found."""
    tried: int
    """Inputs on which it was tried."""
    tried_to: int
    """The length of the longest."""


class SpreadRowsDocument(_Document):
    """Rows at a long length, where only a few letters, spread over each part, are free
    (`longreach.theory.communication.rows.SpreadRows`)."""

    length: int = Field(ge=1, le=10_000)
    free: int = Field(ge=1)
    alice: tuple[str, ...] = Field(min_length=1)
    """Repeated, the letters in Alice's other places."""
    bob: tuple[str, ...]
    mirrored: bool
    rows: int = Field(ge=1)


class DrawnPairsDocument(_Document):
    """How often two drawn inputs of a long length have the same answer."""

    length: int = Field(ge=1, le=10_000)
    inputs: int = Field(ge=2)
    same: int = Field(ge=0)


class MeasuredRowsCertificate(TaskDocument):
    """Between two parts of an input more bits were needed at each further length that was measured."""

    kind: Literal["measured-communication"] = "measured-communication"
    alice: tuple[str, ...]
    """The letters of the part that Alice holds."""
    bob: tuple[str, ...]
    """Those of Bob's; empty: whatever stands in the inputs."""
    bob_size: int | None
    """How many letters Bob holds; null: as many as Alice."""
    between: tuple[str, ...] = ()
    """What always stands between Alice's letters and Bob's."""
    end: tuple[str, ...] = ()
    """What always stands after Bob's."""
    lengths: tuple[int, ...]
    """N, the letters that Alice holds."""
    rows: tuple[int, ...]
    """Beginnings of N letters any two of which are told apart by an end that both may have."""
    bits: tuple[float, ...]
    exhaustive: bool
    """Whether all words over the letters were asked about; otherwise inputs that the task draws, and the rows
    are a lower bound."""
    spread: tuple[SpreadRowsDocument, ...] = ()
    """How the rows go on at longer lengths, where all words are inputs."""
    drawn: tuple[DrawnPairsDocument, ...] = ()
    """The same where inputs are drawn."""
    lower_bound: bool = False
