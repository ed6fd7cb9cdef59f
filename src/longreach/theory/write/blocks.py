"""Blocks of an extended automaton: parts of a run in which a program counts with one set of potentials."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from longreach.theory.automata.automaton import strong_components
from longreach.theory.budget import Budget
from longreach.theory.decide.potentials import Potential, Refinement
from longreach.theory.decide.views import Analysis, ExtendedAutomaton, component_of
from longreach.theory.write.visible import View

Edge = tuple[int, int]
"""A vertex of a block and a letter."""


@dataclass(frozen=True)
class Style:
    """Equivalent ways to write a program; which is shorter depends on the language."""

    joined: bool = False
    """Whether components that follow each other share counters where they can."""
    parts: bool = False
    """Whether to remember where a block was entered rather than to count, where that is enough."""


@dataclass(frozen=True, eq=False)
class Block:
    """Extended states that a run enters once and leaves once; vertex k is `states[k]`."""

    extended: ExtendedAutomaton
    states: tuple[int, ...]
    refinement: Refinement
    rounds: int
    """How many rounds of the refinement the program needs."""
    style: Style

    @property
    def vertices(self) -> range:
        return range(len(self.states))

    @property
    def letters(self) -> Sequence[int]:
        """One of every group of letters that are alike."""
        return list(self.extended.automaton.alike)

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
        return _settled(self.extended, self.states)

    @property
    def by_letter(self) -> bool:
        """Whether the current letter alone determines where an edge leads."""
        seen = self.settled or (self.extended.window == 0 and self.extended.modulus == 1)
        return seen and self.rounds == 0

    def target(self, edge: Edge) -> int:
        return self.extended.transitions[self.states[edge[0]]][edge[1]]

    def state(self, vertex: int) -> int:
        return self.extended.states[self.states[vertex]].state

    def potentials(self, rounds: int) -> list[tuple[int, Potential]]:
        """The potentials of the first rounds, each with its round."""
        steps = self.refinement.rounds[:rounds]
        return [
            (number, f)
            for number, step in enumerate(steps, 1)
            for f in (step.of_parts if self.style.parts else step.potentials)
        ]

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


def blocks_of(analysis: Analysis, alive: Set[int], style: Style, budget: Budget) -> list[Block]:
    """Blocks with a state that is alive, in an order in which letters only lead forward.

    Where it works, a block holds all extended states over one component of the automaton itself, the first
    positions with short windows included, so that programs need not track how a word began.
    """
    extended = analysis.extended
    over: dict[int, list[int]] = {}
    for number, state in enumerate(extended.states):
        over.setdefault(state.state, []).append(number)
    components = [part for part in strong_components(extended.automaton.transitions) if alive & set(part)]
    parts = [
        tuple(sorted(number for state in component for number in over.get(state, ())))
        for component in components
    ]
    blocks = (
        _joined(extended, parts, style, budget) if style.joined else _single(extended, parts, style, budget)
    )
    return _split(analysis, alive, style) if blocks is None else blocks


def _single(
    extended: ExtendedAutomaton, parts: Sequence[tuple[int, ...]], style: Style, budget: Budget
) -> list[Block] | None:
    blocks = []
    for states in parts:
        block = _block(extended, states, style, budget)
        if block is None:
            return None
        blocks.append(block)
    return blocks


def _joined(
    extended: ExtendedAutomaton, parts: Sequence[tuple[int, ...]], style: Style, budget: Budget
) -> list[Block] | None:
    """Join consecutive parts, from the front, while one set of counters serves them."""
    blocks: list[Block] = []
    first = 0
    while first < len(parts):
        block = _block(extended, parts[first], style, budget)
        if block is None:
            return None
        # States in which letters alone are enough see neither window nor position.
        alike = first + 1
        while alike < len(parts) and _settled(extended, parts[alike]) == block.settled:
            alike += 1
        # Counters that serve parts serve the first of them, so that the last one is found by halving.
        last, beyond, step = first + 1, alike + 1, 1
        while last + 1 < beyond:
            middle = min(last + step, alike) if beyond > alike else (last + beyond) // 2
            states = tuple(sorted(state for part in parts[first:middle] for state in part))
            longer = _block(extended, states, style, budget)
            if longer is None:
                beyond = middle
            else:
                block, last, step = longer, middle, 2 * step
        blocks.append(block)
        first = last
    return blocks


def _settled(extended: ExtendedAutomaton, states: Sequence[int]) -> bool:
    return any(extended.states[state].window is None for state in states)


def _split(analysis: Analysis, alive: Set[int], style: Style) -> list[Block]:
    extended = analysis.extended
    found = []
    for component in analysis.components:
        if component.rounds is None:
            raise ValueError("no program: the classes do not determine the successors")
        if any(extended.states[state].state in alive for state in component.states):
            found.append(Block(extended, component.states, component.refinement, component.rounds, style))
    return found


def _block(
    extended: ExtendedAutomaton, states: tuple[int, ...], style: Style, budget: Budget
) -> Block | None:
    # The states need not be strongly connected: potentials are defined all the same.
    component = component_of(extended, states, complete=False, budget=budget)
    if component.rounds is None:
        return None
    return Block(extended, states, component.refinement, component.rounds, style)
