"""What a program sees of a word beside its counters: the last letters, the residue of the position, a state.

Where no counter reads another one, every counter adds up, over the positions of a word, what holds at one
position: a fact about the last letters there and its residue. So a word is a path in a finite graph, and a
counter is a number of steps along some of its edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.languages.budget import OverBudget
from longreach.languages.prove.machine import Algebra
from longreach.languages.regular.automaton import Automaton

MAX_EDGES = 4_000


@dataclass(frozen=True, slots=True)
class Edge:
    """One letter, read in a vertex of the graph."""

    source: int
    target: int
    letter: int
    """Its place in the alphabet."""
    seen: tuple[int, ...]
    """The last letters, this one at the end; fewer than the program looks back only near the start."""
    residue: int
    """Of the position."""
    state: int
    """That of the automaton after the letter."""
    adds: tuple[bool, ...]
    """Which counters grow."""


def not_one_level(core: Core) -> str | None:
    """Why a program is not of the kind that this module handles: a counter reads another one; None if it is.

    Counts over finitely many distances do not matter: they are read off the last letters.

    >>> from longreach.crasp import parse
    >>> not_one_level(parse('P = # ("a" && #[i-1] "b" >= 1) >= 2').core) is None
    True
    >>> not_one_level(parse('P = # (# "a" >= 2) >= 2').core)
    'a count reads another count'
    """
    reads: list[bool] = []
    for op in core.ops:
        below = any(reads[k] for k in c.operands(op))
        if isinstance(op, c.Count) and op.distances is None:
            if below:
                return "a count reads another count"
            below = True
        reads.append(below)
    return None


class WindowGraph:
    """The graph of a program whose counters read no other counter, together with an automaton.

    Letters that neither tells apart are one letter, the first of them. Vertex 0 is the start.
    """

    def __init__(self, core: Core, automaton: Automaton) -> None:
        self.core = core
        self.automaton = automaton
        self.counters = [
            k for k, op in enumerate(core.ops) if isinstance(op, c.Count) and op.distances is None
        ]
        self._back = _looks_back(core)
        self.letters = _unlike(core, automaton)
        self.edges: list[Edge] = []
        self.step: dict[tuple[int, int], int] = {}
        """The edge from a vertex with a letter."""
        self.size = self._build()

    def _build(self) -> int:
        window, modulus = max(self._back, default=0), self.core.modulus
        known: dict[tuple[tuple[int, ...], int, int], int] = {((), 0, 0): 0}
        waiting = list(known)
        for letters, residue, state in waiting:
            source = known[letters, residue, state]
            for letter in self.letters:
                seen = (*letters, letter)
                following = (seen[-window:] if window else (), (residue + 1) % modulus,
                             self.automaton.transitions[state][letter])  # fmt: skip
                if following not in known:
                    known[following] = len(known)
                    waiting.append(following)
                self.step[source, letter] = len(self.edges)
                adds = self._adds(seen, following[1])
                self.edges.append(
                    Edge(source, known[following], letter, seen, following[1], following[2], adds)
                )
                if len(self.edges) > MAX_EDGES:
                    raise OverBudget(f"more than {MAX_EDGES} cases of last letters and residues")
        return len(known)

    def _adds(self, seen: tuple[int, ...], residue: int) -> tuple[bool, ...]:
        if not self.counters:
            return ()
        values = self._values(seen, residue, None, Algebra())
        bodies = [self.core.ops[k] for k in self.counters]
        return tuple(bool(values[body.body][0]) for body in bodies if isinstance(body, c.Count))

    def answer(self, edge: Edge, totals: Sequence[Any], algebra: Algebra) -> Any:
        """Whether the program accepts after the edge, from the counters there: numbers, or terms."""
        assert self.core.accept is not None
        return self._values(edge.seen, edge.residue, totals, algebra)[self.core.accept][0]

    def _values(
        self, seen: tuple[int, ...], residue: int, totals: Sequence[Any] | None, algebra: Algebra
    ) -> list[list[Any]]:
        """Each operation here, one position back, and so on as far as it is read and the word reaches.

        Without totals only what needs none is found.
        """
        values: list[list[Any]] = []
        for index, op in enumerate(self.core.ops):
            reach = min(self._back[index] + 1, len(seen))
            below = c.operands(op)
            if totals is None and (index in self.counters or any(not values[k] for k in below)):
                values.append([])
                continue
            values.append([self._value(index, back, values, seen, residue, totals, algebra)
                           for back in range(reach)])  # fmt: skip
        return values

    def _value(
        self,
        index: int,
        back: int,
        values: list[list[Any]],
        seen: tuple[int, ...],
        residue: int,
        totals: Sequence[Any] | None,
        algebra: Algebra,
    ) -> Any:
        def read(operand: int) -> Any:
            return values[operand][back]

        match self.core.ops[index]:
            case c.Token(symbol):
                return self.automaton.alphabet[seen[-1 - back]] == symbol
            case c.Top():
                return True
            case c.Periodic(modulus, residues):
                return (residue - back) % modulus in residues
            case c.Not(body):
                return algebra.negate(read(body))
            case c.And(left, right):
                return algebra.both(read(left), read(right))
            case c.Leq(left, right):
                return read(left) <= read(right)
            case c.One():
                return 1
            case c.Add(left, right):
                return read(left) + read(right)
            case c.Subtract(left, right):
                return read(left) - read(right)
            case c.Conditional(test, then, other):
                return algebra.choose(read(test), read(then), read(other))
            case c.Count(body, None):
                assert totals is not None
                later = sum(algebra.choose(values[body][k], 1, 0) for k in range(back))
                return totals[self.counters.index(index)] - later
            case c.Count(body, tuple(distances)):
                places = [back + distance for distance in distances if back + distance < len(seen)]
                return sum(algebra.choose(values[body][place], 1, 0) for place in places)


def _looks_back(core: Core) -> list[int]:
    """For each operation, how many positions back nested local relations read it."""
    back = [0] * core.size
    for index in reversed(range(core.size)):
        op = core.ops[index]
        reach = op.distances[-1] if isinstance(op, c.Count) and op.distances else 0
        for operand in c.operands(op):
            back[operand] = max(back[operand], back[index] + reach)
    return back


def _unlike(core: Core, automaton: Automaton) -> list[int]:
    """The first of every group of letters that neither the program nor the automaton tells apart."""
    named = {op.symbol for op in core.ops if isinstance(op, c.Token)}
    found: dict[tuple[object, ...], int] = {}
    for letter, token in enumerate(automaton.alphabet):
        column = tuple(row[letter] for row in automaton.transitions)
        found.setdefault((column, token if token in named else None), letter)
    return list(found.values())
