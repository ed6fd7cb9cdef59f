"""Certificates as documents: anyone who receives one can check it without the code that made it.

Each carries the automaton it is about. Weights are fractions in text, such as "-1/2"; letters are tokens.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from longreach.theory.program_class import EMPTY, ProgramClass, WithoutPositions, WithPositions

# In JSON the field is named "class", which is not a name in Python.
_CLASS = AliasChoices("class", "program_class")


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class AutomatonTable(_Document):
    """A complete deterministic automaton with states 0, 1, …; state 0 is the initial one."""

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    """By state, then by place of the letter in the alphabet."""
    accepting: tuple[int, ...]


class EdgeWeight(_Document):
    """The weight of the edge that leaves a state by a letter."""

    state: int
    letter: str
    weight: str


class StateFlow(_Document):
    """A flow with net outflow +1 at `first` and -1 at `second`."""

    first: int
    second: int
    weights: tuple[EdgeWeight, ...]


class FoolingWords(_Document):
    """Words for people: with any loops in the middle the two words differ in the language."""

    before: tuple[str, ...]
    loops: tuple[tuple[str, ...], ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    after: tuple[str, ...]


class FlowCertificate(_Document):
    """No program without positional relations exists: it would have to tell two states of one class apart."""

    kind: Literal["flow"] = "flow"
    program_class: WithoutPositions = Field(
        default=EMPTY, validation_alias=_CLASS, serialization_alias="class"
    )
    convention: Literal["last-letter", "end-of-sequence"]
    automaton: AutomatonTable
    states: tuple[int, ...]
    """A strongly connected set of states."""
    classes: tuple[tuple[int, ...], ...]
    """A partition of these states."""
    flows: tuple[StateFlow, ...]
    """Enough to connect all states of each class; balanced on every (class, letter) group."""
    pair: tuple[int, int]
    letter: str | None
    """The letter by which the pair leads to different states; null at the end of the sequence."""
    words: FoolingWords
    prediction: bool = False
    """Whether it proves besides that no program predicts, on prefixes of words of the language, what may
    follow: the letter may follow both states of the pair."""


class ArrowDocument(_Document):
    """A word read between two object words."""

    source: int
    target: int
    word: tuple[str, ...]


class Vertex(_Document):
    """A state that an object word fixes."""

    state: int
    object: int


class ArrowWeight(_Document):
    """The weight of the edge that leaves a vertex by an arrow."""

    vertex: int
    arrow: int
    weight: str


class VertexFlow(_Document):
    """A flow with net outflow +1 at the vertex `first` and -1 at the vertex `second`."""

    first: int
    second: int
    weights: tuple[ArrowWeight, ...]


class SampledFlowCertificate(_Document):
    """No program with local (and periodic) relations exists: long object words hide the state.

    Nor does one that predicts, on prefixes of words of the language, what may follow.
    """

    kind: Literal["sampled-flow"] = "sampled-flow"
    program_class: WithPositions = Field(validation_alias=_CLASS, serialization_alias="class")
    automaton: AutomatonTable
    block: int | None
    """The length of all object words, a divisor of that of arrow words; null for local relations only."""
    objects: tuple[tuple[str, ...], ...]
    arrows: tuple[ArrowDocument, ...]
    vertices: tuple[Vertex, ...]
    classes: tuple[tuple[int, ...], ...]
    """A partition of the vertices, by their places in the list."""
    flows: tuple[VertexFlow, ...]
    pair: tuple[int, int]
    """Two vertices of one class with the same object and different states."""


class ProgramCertificate(_Document):
    """A program that accepts the language, or one that predicts what may follow."""

    kind: Literal["program"] = "program"
    program_class: ProgramClass = Field(validation_alias=_CLASS, serialization_alias="class")
    convention: Literal["last-letter", "end-of-sequence"] = "last-letter"
    automaton: AutomatonTable
    program: str
    window: int = 0
    modulus: int = 1
    prediction: bool = False
    """Whether the program predicts, after every prefix of a word of the language, the letters that may follow
    and, as EOS, the end; it does not decide membership."""


class NoCertificate(_Document):
    """Nothing to check, and why."""

    kind: Literal["none"] = "none"
    reason: str


Certificate: TypeAlias = FlowCertificate | SampledFlowCertificate | ProgramCertificate | NoCertificate
