"""Certificates about architectures: what decides, with the automaton of what is asked.

Each is checked by `longreach.theory.architectures.check`, which imports nothing of what finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from longreach.theory.automata.automaton import LabelledAutomaton

NOTHING = ""
"""The output of a state at which nothing is asked."""


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class MachineTable(_Document):
    """A complete deterministic automaton that says what is right after each word; state 0 is the first."""

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    """By state, then by place of the letter in the alphabet."""
    outputs: tuple[str, ...]
    """By state; empty where nothing is asked."""
    at_end: bool = False
    """Whether the output is asked at one more token, always the same, and not at the last letter."""


@dataclass(frozen=True)
class Question:
    """What a task asks of a model after each word, and where.

    >>> from longreach.theory.automata.automaton import labelled
    >>> parity = Question(labelled("ab", [[1, 0], [0, 1]], 0, ["even", "odd"]))
    >>> parity.table.outputs
    ('even', 'odd')
    """

    machine: LabelledAutomaton
    at_end: bool = False

    @property
    def table(self) -> MachineTable:
        """As certificates carry it."""
        machine = self.machine
        return MachineTable(
            alphabet=machine.alphabet,
            transitions=machine.transitions,
            outputs=machine.outputs,
            at_end=self.at_end,
        )


class PeriodsCertificate(_Document):
    """The powers of words: x^(index + period) = x^index for the map x of every word, and for no less.

    Period 1: no word cycles through states. A power of two: all groups are 2-groups.
    """

    kind: Literal["periods"] = "periods"
    machine: MachineTable
    elements: int = Field(ge=1)
    """Maps that words induce, the empty word's included."""
    index: int = Field(ge=0)
    period: int = Field(ge=1)


class CycleCertificate(_Document):
    """Repeating a word cycles through states, and what is asked tells two of them apart."""

    kind: Literal["cycle"] = "cycle"
    machine: MachineTable
    before: tuple[str, ...]
    """Leads to the first of the states."""
    word: tuple[str, ...]
    states: tuple[int, ...]
    """The word leads from each to the next, and from the last to the first."""
    pair: tuple[int, int]
    """Places of two of these states."""
    after: tuple[str, ...]
    """Leads from the two to different outputs."""


class StableGroupCertificate(_Document):
    """Two words of one length: one cycles through states, the other stays at each of them.

    Words made of the two lead to a state that tells how often the first occurs, modulo the number of states.
    """

    kind: Literal["stable-group"] = "stable-group"
    machine: MachineTable
    before: tuple[str, ...]
    """Leads to the first of the states."""
    word: tuple[str, ...]
    states: tuple[int, ...]
    """The word leads from each to the next, and from the last to the first."""
    steady: tuple[str, ...]
    """As long as the word; leads from each of the states to itself."""
    pair: tuple[int, int]
    """Places of two of these states."""
    after: tuple[str, ...]
    """Leads from the two to different outputs."""


class CascadeLevel(_Document):
    """Memories of what occurred last, side by side."""

    events: tuple[tuple[int, ...], ...]
    """Each is the clock and all memories of the levels below, as they are before a letter is read, and the
    place of that letter in the alphabet."""
    memories: tuple[tuple[int, ...], ...]
    """By memory, then by event: the value it is set to. 0 leaves it alone, as an event does that is not
    listed."""


class CascadeCertificate(_Document):
    """A clock and levels of memories, whose state says what is right.

    The clock is the number of letters read so far, modulo the modulus. Every memory is 0 at first.
    """

    kind: Literal["cascade"] = "cascade"
    machine: MachineTable
    modulus: int = Field(ge=1)
    levels: tuple[CascadeLevel, ...]
    states: tuple[tuple[int, ...], ...]
    """The clock and all memories, level by level: every state at which something is asked."""
    answers: tuple[str, ...]
    """What is right at each of these states."""
    layers: int = Field(ge=0)
    """Of attention, in which a decoder computes the cascade: one for each level.

    A last level that every letter sets takes none, as the current token tells it where the answer is asked.
    One more is taken where the clock says which letters set a memory of the first level: it is found by
    attention too.
    """


class SolvableCertificate(_Document):
    """All groups of maps are solvable; `orders` is a longest derived series."""

    kind: Literal["solvable-groups"] = "solvable-groups"
    machine: MachineTable
    elements: int = Field(ge=1)
    states: tuple[int, ...]
    """Words that permute these states make the group."""
    orders: tuple[int, ...]
    """Of the group, of its derived group, and so on down to 1."""


class UnsolvableCertificate(_Document):
    """Words permute states, told apart by what is asked, as a group that is its own derived group."""

    kind: Literal["unsolvable-group"] = "unsolvable-group"
    machine: MachineTable
    states: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]
    order: int = Field(ge=2)


class FiniteStateCertificate(_Document):
    """An automaton answers the task."""

    kind: Literal["finite-state"] = "finite-state"
    machine: MachineTable
    reflections: int | None = Field(default=None, ge=1)
    """So many reflections in a row make every step of it in one layer, where that matters
    (`longreach.theory.architectures.groups`)."""
    blocks: tuple[tuple[int, ...], ...] = ()
    """Sets of states that every letter permutes, words that differ differently; empty where a letter does not
    permute the states."""


class LastTokenCertificate(_Document):
    """The last token alone says what is right."""

    kind: Literal["last-token"] = "last-token"
    machine: MachineTable
    answers: dict[str, str]
    """By letter; by the empty text where the token is always the same."""


class SameTokenCertificate(_Document):
    """Two words that end in the same token, and different outputs are right after them."""

    kind: Literal["same-token"] = "same-token"
    machine: MachineTable
    first: tuple[str, ...]
    second: tuple[str, ...]


ArchitectureCertificate: TypeAlias = (
    PeriodsCertificate
    | CycleCertificate
    | StableGroupCertificate
    | CascadeCertificate
    | SolvableCertificate
    | UnsolvableCertificate
    | FiniteStateCertificate
    | LastTokenCertificate
    | SameTokenCertificate
)
