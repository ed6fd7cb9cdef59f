"""Writes what a program does while a run is in one block: counters, leaving, and which state is reached."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from longreach.theory.budget import Budget
from longreach.theory.crasp.printer import expression_text
from longreach.theory.crasp.program import Builder, conjunction, disjunction
from longreach.theory.crasp.syntax import FALSE, TRUE, Expr, count, exists, integer
from longreach.theory.decide.potentials import Potential
from longreach.theory.write.blocks import Block, Edge
from longreach.theory.write.visible import View, grouped, separate

Values = tuple[int, ...]


@dataclass(frozen=True)
class Sight:
    """What a program can tell of an edge or a vertex: the counters' values and what is seen directly."""

    values: Values
    view: View


@dataclass(frozen=True)
class Entry:
    """How a run enters a block at some of its vertices."""

    first: Expr
    """Holds at that position and nowhere else."""
    ever: Expr
    """Holds there for the first time, perhaps later too; `exists ever` says that the run has entered."""


class Entries:
    """Where and when runs enter a block: from which earlier blocks, at which vertices."""

    def __init__(self, block: Block, writers: Sequence[BlockWriter]) -> None:
        self._block = block
        self._known: dict[frozenset[int], Entry] = {}
        self._enter: Expr | None = None
        self._doors: list[tuple[BlockWriter, set[int]]] = []
        for writer in writers:
            reached = {writer.block.target(edge) for edge in writer.block.edges}
            vertices = {vertex for vertex, state in enumerate(block.states) if state in reached}
            if vertices:
                self._doors.append((writer, vertices))
        self.vertices = sorted(set().union(*(vertices for _, vertices in self._doors)))

    def at(self, vertices: Collection[int]) -> Entry:
        """How a run enters at any of these vertices."""
        key = frozenset(vertices)
        if key not in self._known:
            found: Entry | None = None
            for writer, reached in self._doors:
                if key & reached:
                    entry = writer.entry_to({self._block.states[vertex] for vertex in key & reached})
                    first = entry.first if found is None else found.first | entry.first
                    found = entry if found is None else Entry(first, first)
            assert found is not None
            self._known[key] = self._shorter(key, found)
        return self._known[key]

    def named(self, enter: Expr) -> None:
        """Give the short expression that holds exactly where a run enters."""
        self._enter = enter

    def _shorter(self, key: frozenset[int], entry: Entry) -> Entry:
        """Among the positions where a run enters, only the vertices have to be told apart."""
        if self._enter is None or len(self._doors) > 1:
            return entry
        ((writer, vertices),) = self._doors
        here = {self._block.states[vertex] for vertex in key}
        others = {self._block.states[vertex] for vertex in vertices - key}
        leading = {edge: writer.block.target(edge) for edge in writer.out()}
        test = writer.at(
            {edge for edge, state in leading.items() if state in here},
            {edge for edge, state in leading.items() if state in others},
        )
        assert test is not None, "classes determine the successors"
        first = conjunction(self._enter, test)
        shorter = min(entry.first, first, key=lambda expr: len(expression_text(expr)))
        return entry if shorter is entry.first else Entry(shorter, shorter)

    def views(self, vertex: int) -> set[View]:
        """What may be seen where a run enters at the vertex."""
        state = self._block.states[vertex]
        return {view for writer, _ in self._doors for view in writer.views_to(state)}


class BlockWriter:
    """Statements of one block. Without entries, runs start in it."""

    def __init__(self, block: Block, builder: Builder, suffix: str, entries: Entries, budget: Budget) -> None:
        self.block = block
        self.entries = entries
        self._builder = builder
        self._budget = budget
        self._suffix = suffix
        self._modulus = block.extended.modulus
        automaton = block.extended.automaton
        self._alike = {
            automaton.alphabet[letter]: tuple(automaton.alphabet[other] for other in alike)
            for letter, alike in automaton.alike.items()
            if len(alike) > 1
        }
        self._entered, self._inside = TRUE, TRUE
        if entries.vertices:
            entry = entries.at(entries.vertices)
            if entry.ever is entry.first:
                enter = self._let("enter", entry.first)
                entries.named(enter)
                self._entered = self._let("entered", exists(enter))
                self._inside = self._let("inside", self._entered & ~enter)
            else:
                self._entered = self._let("entered", exists(entry.ever))
                self._inside = self._let("inside", count(entry.ever, before=True) >= 1)
        self._bases: dict[int, int] = {}
        self._signs: dict[int, int] = {}
        self._counters: list[Expr] = []
        for number, potential in block.potentials(block.rounds):
            self._counters.append(self._counter(number, potential))
        self._leave: Expr | None = None

    def _let(self, name: str, expr: Expr) -> Expr:
        return self._builder.let(name + self._suffix, expr)

    # Counters

    def _base(self, potential: Potential) -> int:
        """The value that counts as 0: the one at entry, or of several the one with the longest expression."""
        if id(potential) not in self._bases:
            values = self._entry_values(potential)
            self._bases[id(potential)] = (
                max(values, key=lambda value: len(expression_text(self.entries.at(values[value]).first)))
                if len(values) > 1
                else potential.values[next(iter(self.entries.vertices), 0)]
            )
        return self._bases[id(potential)]

    def _entry_values(self, potential: Potential) -> dict[int, list[int]]:
        """The vertices of entry by their value."""
        found: dict[int, list[int]] = {}
        for vertex in self.entries.vertices:
            found.setdefault(potential.values[vertex], []).append(vertex)
        return found

    def _sign(self, potential: Potential) -> int:
        """Counters count upwards from the first entry, as people do."""
        if id(potential) not in self._signs:
            relative = sum(potential.values) - len(potential.values) * self._base(potential)
            self._signs[id(potential)] = -1 if relative < 0 else 1
        return self._signs[id(potential)]

    def _value(self, potential: Potential, vertex: int) -> int:
        return self._sign(potential) * (potential.values[vertex] - self._base(potential))

    def _shift(self, number: int, potential: Potential, edge: Edge) -> int:
        return self._sign(potential) * self.block.shift(number, potential, edge)

    def _counter(self, number: int, potential: Potential) -> Expr:
        """The potential of the state reached, less that of the first entry."""
        by_shift: dict[int, set[Edge]] = {}
        for edge in self.block.edges:
            by_shift.setdefault(self._shift(number, potential, edge), set()).add(edge)
        total: Expr | None = None
        for shift in sorted(by_shift, key=lambda s: (-s, abs(s))):
            if shift == 0:
                continue
            others = {edge for other, edges in by_shift.items() if other != shift for edge in edges}
            term = count(self._masked(by_shift[shift], others, number - 1))
            total = _plus(total, shift, term)
        for vertices in self._entry_values(potential).values():
            value = self._value(potential, vertices[0])
            if value:
                # A run enters once, so this counts 0 or 1.
                once = count(self.entries.at(vertices).first)
                total = _plus(total, value, once)
        total = integer(0) if total is None else total
        place = len(self._counters)
        return self._let("level" if place == 0 else f"level{place + 1}", total)

    # Telling edges and vertices apart

    def _masked(
        self, positive: Collection[Edge], negative: Collection[Edge], rounds: int | None = None
    ) -> Expr:
        """Holds where the run was in the block before and reads a positive edge.

        Often the letter that enters the block can be told from the positive ones; then it is enough that the
        run has entered, this position included.
        """
        test = self.at(positive, negative, rounds, entering=True)
        if test is not None:
            return conjunction(self._entered, test)
        test = self.at(positive, negative, rounds)
        assert test is not None, "edges of one class and letter belong together"
        return conjunction(self._inside, test)

    def at(
        self,
        positive: Collection[Edge],
        negative: Collection[Edge],
        rounds: int | None = None,
        entering: bool = False,
    ) -> Expr | None:
        """Holds where the letter just read is that of a positive edge; None if rounds do not suffice to tell.

        With `entering` it does not hold at the position where the run enters either.
        """
        self._budget.check()
        rounds = self.block.rounds if rounds is None else rounds
        potentials = self.block.potentials(rounds)
        outside: set[Sight] = set()
        if entering:
            for vertex in self.entries.vertices:
                values = tuple(self._value(f, vertex) for _, f in potentials)
                views = self.entries.views(vertex)
                views = {view.letter_alone() for view in views} if self.block.settled else views
                outside |= {Sight(values, view) for view in views}

        def sight(edge: Edge) -> Sight:
            values = [self._value(f, edge[0]) + self._shift(number, f, edge) for number, f in potentials]
            return Sight(tuple(values), self.block.view_at(edge))

        outside |= {sight(edge) for edge in negative}
        return self._tell({sight(edge) for edge in positive}, outside, rounds, exact=False)

    def after(self, positive: Collection[int], negative: Collection[int]) -> Expr | None:
        """Holds where the state reached is a positive vertex; None if only its successors are known."""
        potentials = self.block.potentials(self.block.rounds)

        def sight(vertex: int) -> Sight:
            return Sight(tuple(self._value(f, vertex) for _, f in potentials), self.block.view_after(vertex))

        return self._tell(
            {sight(v) for v in positive}, {sight(v) for v in negative}, self.block.rounds, exact=True
        )

    def _tell(self, positive: set[Sight], negative: set[Sight], rounds: int, exact: bool) -> Expr | None:
        """Uses as few rounds of counters as suffice."""
        for used in range(rounds + 1):
            width = len(self.block.potentials(used))
            inside, outside = _by_values(positive, width), _by_values(negative, width)
            tests: list[tuple[Values, Expr]] = []
            for values in inside:
                test = separate(inside[values], outside.get(values, set()), self._modulus, self._alike)
                if test is None:
                    break
                tests.append((values, test))
            else:
                return self._combine(tests, set(inside) | set(outside), exact)
        return None

    def _combine(self, tests: list[tuple[Values, Expr]], possible: set[Values], exact: bool) -> Expr:
        result = FALSE
        for chosen, test in grouped(tests):
            result = disjunction(
                result, conjunction(self._has_values(chosen, possible - set(chosen), exact), test)
            )
        return result

    def _has_values(self, chosen: list[Values], rest: set[Values], exact: bool) -> Expr:
        if not rest:
            return TRUE
        if len(chosen[0]) == 1:
            return _in_runs(self._counters[0], [v for (v,) in chosen], [v for (v,) in rest], exact)
        result = FALSE
        for values in sorted(chosen):
            equal = TRUE
            for counter, value in zip(self._counters, values, strict=False):
                equal = conjunction(equal, counter == value)
            result = disjunction(result, equal)
        return result

    # Leaving the block

    def leave(self, name: str) -> Expr | None:
        """Holds where a run leaves the block first, and perhaps later too; None if it never does."""
        out = self.out()
        if not out:
            return None
        self._leave = self._let(name, self._masked(out, set(self.block.edges) - out))
        return self._leave

    def out(self) -> set[Edge]:
        """The edges that leave the block."""
        inside = set(self.block.states)
        return {edge for edge in self.block.edges if self.block.target(edge) not in inside}

    def views_to(self, target: int) -> set[View]:
        """What may be seen where the run leaves the block for this extended state."""
        return {self.block.view_at(edge) for edge in self.out() if self.block.target(edge) == target}

    def entry_to(self, targets: set[int]) -> Entry:
        """How the run leaves the block for one of these extended states."""
        assert self._leave is not None
        out = self.out()
        chosen = {edge for edge in out if self.block.target(edge) in targets}
        # Where the run leaves, the count is at least 1.
        once = count(self._leave) <= 1
        if chosen == out:
            return Entry(self._leave & once, self._leave)
        # Where the run leaves, only the edges that leave have to be told apart.
        rest = self.at(chosen, out - chosen)
        assert rest is not None, "classes determine the successors"
        first = conjunction(self._leave, rest)
        if self.block.by_letter:
            # The letter alone tells both whether and where the run leaves, so it need not be said twice.
            shorter = self._masked(chosen, set(self.block.edges) - chosen)
            first = min(first, shorter, key=lambda test: len(expression_text(test)))
        first = first & once
        return Entry(first, first)

    def reached(self, accepted: Collection[int]) -> Expr:
        """Holds where the state reached is in the block and one of these states of the automaton."""
        good = [v for v in self.block.vertices if self.block.state(v) in accepted]
        bad = [v for v in self.block.vertices if self.block.state(v) not in accepted]
        if not good:
            return FALSE
        if len(self.out()) == len(self.block.edges):
            # A run is here for one position only.
            at_once = [vertex for vertex in self.entries.vertices if vertex in good]
            return self.entries.at(at_once).first if at_once else FALSE
        still = self._entered if self._leave is None else conjunction(self._entered, count(self._leave) == 0)
        test = self.after(good, bad)
        if test is not None:
            return conjunction(still, test)
        # The letter just read tells: either it entered the block, or it is an edge inside.
        place = {state: vertex for vertex, state in enumerate(self.block.states)}
        led: dict[bool, set[Edge]] = {True: set(), False: set()}
        for edge in self.block.edges:
            if self.block.target(edge) in place:
                led[self.block.state(place[self.block.target(edge)]) in accepted].add(edge)
        result = conjunction(self._masked(led[True], led[False]), still)
        entered = [vertex for vertex in self.entries.vertices if vertex in good]
        return disjunction(result, self.entries.at(entered).first) if entered else result


def _plus(total: Expr | None, factor: int, term: Expr) -> Expr:
    term = term if abs(factor) == 1 else abs(factor) * term
    if total is None:
        return term if factor > 0 else 0 - term
    return total + term if factor > 0 else total - term


def _by_values(sights: set[Sight], width: int) -> dict[Values, set[View]]:
    found: dict[Values, set[View]] = {}
    for sight in sorted(sights, key=lambda s: s.values):
        found.setdefault(sight.values[:width], set()).add(sight.view)
    return found


def _in_runs(counter: Expr, chosen: Collection[int], rest: Collection[int], exact: bool) -> Expr:
    """The counter has one of the chosen values and none of the rest; other values do not occur."""
    result = FALSE
    for inside, values in groupby(sorted({*chosen, *rest}), lambda value: value in chosen):
        if not inside:
            continue
        run = list(values)
        below = max((v for v in rest if v < run[0]), default=None)
        above = min((v for v in rest if v > run[-1]), default=None)
        if len(run) == 1 and (exact or (below is not None and above is not None)):
            test = counter == run[0]
        elif below is None:
            assert above is not None
            test = counter < above
        elif above is None:
            test = counter > below
        else:
            test = (counter > below) & (counter < above)
        result = disjunction(result, test)
    return result
