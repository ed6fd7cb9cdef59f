"""Certificates about tasks that nobody can see into: each says to which length its ground was looked at.

None of them proves its verdict for inputs of all lengths, and their checkers never answer "valid".
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from longreach.forecast.task_certificates import TaskDocument
from longreach.languages.prove.language_certificates import (
    FlowCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)

Reads = Literal["language", "answer", "first token"]
"""What the learned automaton says of the task: the words of the language; or for SOS x SEP the whole answer,
or its first token alone."""


class _LearnedDocument(TaskDocument):
    reads: Reads
    learned_to: int
    """The length of the longest words on which the automaton was tried."""
    exhaustive: int
    """All words to this length were tried."""
    states: int
    """Of the learned automaton."""


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


class MeasuredRowsCertificate(TaskDocument):
    """Between two parts of an input more bits were needed at each further length that was measured."""

    kind: Literal["measured-communication"] = "measured-communication"
    alice: tuple[str, ...]
    """The letters of the part that Alice holds."""
    bob: tuple[str, ...]
    """Those of Bob's; empty: whatever stands in the inputs."""
    bob_size: int | None
    """How many letters Bob holds; null: as many as Alice."""
    lengths: tuple[int, ...]
    """N, the letters that Alice holds."""
    rows: tuple[int, ...]
    """Beginnings of N letters any two of which are told apart by an end that both may have."""
    bits: tuple[float, ...]
    exhaustive: bool
    """Whether all words over the letters were asked about; otherwise inputs that the task draws."""
