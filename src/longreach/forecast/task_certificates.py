"""Certificates about tasks that are no regular languages: programs, communication, reductions.

The certificates of regular languages are those of `longreach.languages.prove.language_certificates`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from longreach.languages.program_class import ProgramClass
from longreach.languages.prove.language_certificates import FlowCertificate, SampledFlowCertificate
from longreach.tasks.evidence import Split

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


class FitDocument(_Document):
    """bits ≈ coefficient · g(N)."""

    coefficient: float
    error: float


class SplitDocument(_Document):
    """Who holds what of an input (`longreach.tasks.evidence.Split`): Alice N symbols, Bob what follows."""

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
    """A program for the task, given SOS, the word and `after`, predicts `token` for the language's words."""

    letters: dict[str, str | tuple[str, ...]]
    """One symbol of the task for each letter of the language, or a list of symbols."""
    after: tuple[str, ...]
    token: str
    about: str


class ReductionCertificate(TaskDocument):
    """A program for the task would decide a language that has no program in the class."""

    kind: Literal["reduction"] = "reduction"
    language: str
    alphabet: tuple[str, ...]
    reduction: ReductionDocument
    certificate: FlowCertificate | SampledFlowCertificate = Field(discriminator="kind")
    """That of the language."""
