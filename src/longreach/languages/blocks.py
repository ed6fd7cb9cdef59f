"""Blocks of an extended automaton: parts of a run in which a program counts with one set of potentials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from longreach.languages.automaton import strong_components
from longreach.languages.extended import Analysis, ExtendedAutomaton, component_of
from longreach.languages.potentials import Potential, Refinement
from longreach.languages.visible import View

Edge = tuple[int, int]
"""A vertex of a block and a letter."""


@dataclass(frozen=True, eq=False)
class Block:
    """Extended states that a run enters once and leaves once; vertex k is `states[k]`."""

    extended: ExtendedAutomaton
    states: tuple[int, ...]
    refinement: Refinement
    rounds: int
    """How many rounds of the refinement the program needs."""

    @property
    def vertices(self) -> range:
        return range(len(self.states))

    @property
    def letters(self) -> range:
        return range(len(self.extended.automaton.alphabet))

    @cached_property
    def edges(self) -> list[Edge]:
        """Those on which a program is judged."""
        return [
            (vertex, letter)
            for vertex in self.vertices
            for letter in self.letters
            if self.extended.judged(self.states[vertex], letter)
        ]

    @property
    def settled(self) -> bool:
        """Whether letters alone are enough here, so that neither window nor position is looked at."""
        return any(self.extended.states[state].window is None for state in self.states)

    @property
    def by_letter(self) -> bool:
        """Whether the current letter alone determines where an edge leads."""
        seen = self.settled or (self.extended.window == 0 and self.extended.modulus == 1)
        return seen and self.rounds == 0

    def target(self, edge: Edge) -> int:
        """The extended state that an edge leads to."""
        return self.extended.transitions[self.states[edge[0]]][edge[1]]

    def state(self, vertex: int) -> int:
        """The state of the automaton at a vertex."""
        return self.extended.states[self.states[vertex]].state

    def potentials(self, rounds: int) -> list[tuple[int, Potential]]:
        """The potentials of the first rounds, each with its round."""
        steps = self.refinement.rounds[:rounds]
        return [(number, f) for number, step in enumerate(steps, 1) for f in step.potentials]

    def shift(self, number: int, potential: Potential, edge: Edge) -> int:
        """The change along an edge; an edge that leaves the block and has no fellow inside counts nothing."""
        return potential.shifts.get((self.refinement.after(number - 1)[edge[0]], edge[1]), 0)

    def view_after(self, vertex: int) -> View:
        """What is seen at the position whose letter led to the vertex."""
        state = self.extended.states[self.states[vertex]]
        return self._view(None if state.window is None else state.window[::-1], state.residue, 0)

    def view_at(self, edge: Edge) -> View:
        """What is seen at the position whose letter the edge reads."""
        state = self.extended.states[self.states[edge[0]]]
        seen = (edge[1], *(state.window or ())[::-1])
        if state.window is None:
            return View((self.extended.automaton.alphabet[edge[1]],), 0)
        return self._view(seen, None if state.residue is None else state.residue + 1, 1)

    def _view(self, seen: Sequence[int] | None, residue: int | None, more: int) -> View:
        if seen is None or residue is None:  # a state in which letters alone are enough
            return View((), 0)
        alphabet = self.extended.automaton.alphabet
        width = self.extended.window + more
        letters = tuple(alphabet[seen[d]] if d < len(seen) else None for d in range(width))
        return View(letters, residue % self.extended.modulus)


def blocks_of(analysis: Analysis) -> list[Block]:
    """Blocks in an order in which letters only lead forward.

    Where it works, a block holds all extended states over one component of the automaton itself, the first
    positions with short windows included, so that programs need not track how a word began.
    """
    extended = analysis.extended
    over: dict[int, list[int]] = {}
    for number, state in enumerate(extended.states):
        over.setdefault(state.state, []).append(number)
    blocks = []
    for component in strong_components(extended.automaton.transitions):
        states = tuple(sorted(number for state in component for number in over.get(state, ())))
        block = _block(extended, states)
        if block is None:
            return _split(analysis)
        blocks.append(block)
    return blocks


def _split(analysis: Analysis) -> list[Block]:
    found = []
    for component in analysis.components:
        if component.rounds is None:
            raise ValueError("no program: the classes do not determine the successors")
        found.append(Block(analysis.extended, component.states, component.refinement, component.rounds))
    return found


def _block(extended: ExtendedAutomaton, states: tuple[int, ...]) -> Block | None:
    # The states need not be strongly connected: potentials are defined all the same.
    component = component_of(extended, states, complete=False)
    if component.rounds is None:
        return None
    return Block(extended, states, component.refinement, component.rounds)
