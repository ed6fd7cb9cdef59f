"""The first word on which a program and an automaton differ, or a proof that there is none.

Exact for programs whose counters read no other counter. Such a counter adds up, over the positions of a word,
a fact about the last letters there and the residue of the position. So a word is a path in a finite graph
(`WindowGraph`), and its counters are numbers of steps along some of the edges: they are those of a connected
flow from the start to the last letter. Whether such a flow gives a wrong answer is a question of integer
linear arithmetic, which z3 (extra `smt`) decides; flows that are not connected are excluded when met. An
"unknown" of z3, or a spent budget, is no answer.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton, Word
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import PLAIN, Algebra, Core
from longreach.theory.crasp.evaluate import accepts, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.words import encode
from longreach.theory.prove.step import Symbolic, counting, limit, satisfiable, unlike

if TYPE_CHECKING:
    import z3


MAX_EDGES = 4_000


@dataclass(frozen=True, slots=True)
class Edge:
    """One letter, read in a vertex of the graph."""

    source: int
    target: int
    letter: int
    seen: tuple[int, ...]
    """The last letters, this one at the end; fewer than the program looks back only near the start."""
    residue: int
    state: int
    adds: tuple[bool, ...]


def not_one_level(core: Core) -> str | None:
    """Why a program is not of the kind that this module handles: a counter reads another one; None if it is.

    Counts over finitely many distances do not matter: they are read off the last letters.

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
        self.counters = counting(core, local=False)
        self._back = core.looks_back
        named = {op.symbol for op in core.ops if isinstance(op, c.Token)}
        self.letters = unlike(automaton, [[token in named and token for token in automaton.alphabet]])
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
        values = self._values(seen, residue, None, PLAIN)
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

        def at(index: int, back: int) -> Any:
            match self.core.ops[index]:
                case c.Token(symbol):
                    return self.automaton.alphabet[seen[-1 - back]] == symbol
                case c.Periodic(modulus, residues):
                    return (residue - back) % modulus in residues
                case c.Count(body, None):
                    assert totals is not None
                    later = sum(algebra.choose(values[body][k], 1, 0) for k in range(back))
                    return totals[self.counters.index(index)] - later
                case c.Count(body, tuple(distances)):
                    places = [back + distance for distance in distances if back + distance < len(seen)]
                    return sum(algebra.choose(values[body][place], 1, 0) for place in places)
                case op:
                    return algebra.value(op, lambda operand: values[operand][back])

        for index, op in enumerate(self.core.ops):
            unknown = index in self.counters or any(not values[k] for k in c.operands(op))
            reach = 0 if totals is None and unknown else min(self._back[index] + 1, len(seen))
            values.append([at(index, back) for back in range(reach)])
        return values


LONGEST_WORD = 1_000_000
"""A longer first difference is not written out."""


@dataclass(frozen=True)
class Decision:
    """Whether program and automaton agree on all words; None when it was not decided, with the reason."""

    equal: bool | None
    reason: str = ""
    length: int | None = None
    """That of the shortest words on which they differ."""
    witness: Word | None = None
    """The first of these words in the order of the alphabet; None if it was too long to be found."""


def first_difference(core: Core, automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Decision:
    """Decides whether a program accepts exactly the language of an automaton, for words of every length.

    >>> core = parse('#alphabet a b\\nP = "b" && # "a" <= 30').core
    >>> found = first_difference(core, from_expression("(a|b)*b"))
    >>> found.equal, found.length, found.witness == ("a",) * 31 + ("b",)
    (False, 32, True)
    """
    if core.is_predictor:
        raise InputError("a predictor accepts no language")
    core = simplify(core)
    assert core.accept is not None
    if bool(at_empty_word(core)[core.accept]) != (0 in automaton.accepting):
        return Decision(False, length=0, witness=())
    reason = not_one_level(core)
    if reason is not None:
        return Decision(None, reason)
    if importlib.util.find_spec("z3") is None:
        raise MissingExtra("an answer for all lengths", "smt")
    budget = budget.running()
    length: int | None = None
    try:
        search = _Search(WindowGraph(core, automaton), budget)
        length = search.shortest()
        if length is None:
            return Decision(True)
        witness = search.first(length) if length <= LONGEST_WORD else None
    except OverBudget as spent:
        if length is None:
            return Decision(None, str(spent))
        witness = None  # that they differ, and where first, is known
    if witness is not None and _agree(core, automaton, witness):
        raise AssertionError("the word that was found is no difference")
    return Decision(False, length=length, witness=witness)


def _agree(core: Core, automaton: Automaton, word: Word) -> bool:
    said = accepts(core, [encode(core, list(word))])[0]
    return bool(said) == automaton.accepts(word)


class _Search:
    """z3 and the flows of a graph: what stands before the last letter, and which letter is the last."""

    def __init__(self, graph: WindowGraph, budget: Budget) -> None:
        import z3

        self._z3 = z3
        self._graph = graph
        self._budget = budget
        self._flow = [z3.Int(f"x{k}") for k in range(len(graph.edges))]
        self._start = [z3.Int(f"s{k}") for k in range(graph.size)]
        self._before = [z3.Int(f"b{k}") for k in range(len(graph.counters))]
        self._length = z3.Int("n")
        self._last = z3.Int("last")
        self._solver = z3.Solver()
        self._constrain()

    def _constrain(self) -> None:
        """A flow from the start to where the last letter is read, and a wrong answer after that letter."""
        z3, graph, solver = self._z3, self._graph, self._solver
        ends = [z3.Int(f"e{k}") for k in range(graph.size)]
        out: list[list[Any]] = [[] for _ in range(graph.size)]
        into: list[list[Any]] = [[] for _ in range(graph.size)]
        for edge, flow in zip(graph.edges, self._flow, strict=True):
            out[edge.source].append(flow)
            into[edge.target].append(flow)
        for number in [*self._flow, *self._start, *ends, *self._before]:
            solver.add(number >= 0)
        solver.add(z3.Sum(self._start) == 1, z3.Sum(ends) == 1, self._length == z3.Sum(self._flow) + 1)
        for vertex in range(graph.size):
            solver.add(z3.Sum(out[vertex]) - z3.Sum(into[vertex]) == self._start[vertex] - ends[vertex])
        totals = []
        for place, before in enumerate(self._before):
            grown = [x for edge, x in zip(graph.edges, self._flow, strict=True) if edge.adds[place]]
            total = z3.Int(f"c{place}")
            solver.add(total == before + z3.Sum(grown))
            totals.append(total)
        wrong = []
        for edge in graph.edges:
            here = [total + int(adds) for total, adds in zip(totals, edge.adds, strict=True)]
            said = graph.answer(edge, here, Symbolic())
            right = edge.state in graph.automaton.accepting
            taken = [ends[edge.source] == 1, self._last == edge.letter]
            if not isinstance(said, bool):
                wrong.append(z3.And(*taken, z3.Not(said) if right else said))
            elif said != right:
                wrong.append(z3.And(taken))
            self._budget.check()
        solver.add(z3.Or(wrong))

    def _model(self, *conditions: Any) -> z3.ModelRef | None:
        """A connected flow satisfying the conditions, or None."""
        solver = self._solver
        while True:
            limit(solver, self._budget).push()
            try:
                solver.add(*conditions)
                model = solver.model() if satisfiable(solver, self._budget) else None
            finally:
                solver.pop()
            if model is None or not self._cut(model):
                return model

    def _cut(self, model: z3.ModelRef) -> bool:
        """Excludes a flow that is not connected: its islands must be entered from outside."""
        z3, edges = self._z3, self._graph.edges
        used = [e for e, x in zip(edges, self._flow, strict=True) if _number(model, x) > 0]
        reached = {k for k, start in enumerate(self._start) if _number(model, start) > 0}
        apart = {edge.source for edge in used}
        _spread(reached, [(edge.source, edge.target) for edge in used])
        apart -= reached
        if not apart:
            return False
        while apart:
            island = {min(apart)}
            both = [(e.source, e.target) for e in used] + [(e.target, e.source) for e in used]
            _spread(island, [(a, b) for a, b in both if a in apart and b in apart])
            apart -= island
            inside = [x for e, x in zip(edges, self._flow, strict=True) if e.source in island]
            entering = [
                x
                for e, x in zip(edges, self._flow, strict=True)
                if e.target in island and e.source not in island
            ]
            entering += [self._start[vertex] for vertex in island]
            self._solver.add(z3.Or(z3.Sum(inside) == 0, z3.Sum(entering) >= 1))
        return True

    def _from(self, vertex: int, counters: Sequence[int]) -> list[Any]:
        return [self._start[vertex] == 1, *(b == n for b, n in zip(self._before, counters, strict=True))]

    def shortest(self) -> int | None:
        """The length of the shortest words with a wrong answer; None: there is no such word."""
        begin = self._from(0, [0] * len(self._before))
        model = self._model(*begin)
        if model is None:
            return None
        low, high = 1, _number(model, self._length)
        while low < high:
            middle = (low + high) // 2
            model = self._model(*begin, self._length <= middle)
            if model is None:
                low = middle + 1
            else:
                high = _number(model, self._length)
        return low

    def first(self, length: int) -> Word:
        """The first word of the length with a wrong answer."""
        word: list[int] = []
        place = _Place(0, (0,) * len(self._before))
        usable = list(self._graph.letters)
        while len(word) < length - 1:
            remaining = length - len(word)
            run, moved = self._longest_run(place, usable[0], remaining)
            letter = usable[0]
            if not run and not self._used_later(place, letter, remaining):
                del usable[0]  # so that runs of the next letter can be taken at once
                continue
            if not run:
                letter, moved = self._next(place, usable[1:], remaining)
                run = 1
            word += [letter] * run
            place = moved
        word.append(next(k for k in usable if self._wrong(place, k)))
        return tuple(self._graph.automaton.alphabet[letter] for letter in word)

    def _used_later(self, place: _Place, letter: int, remaining: int) -> bool:
        """Whether the letter stands anywhere in a word with a wrong answer that begins so."""
        z3 = self._z3
        with_it = [x for e, x in zip(self._graph.edges, self._flow, strict=True) if e.letter == letter]
        anywhere = z3.Or(z3.Sum(with_it) >= 1, self._last == letter)
        conditions = self._from(place.vertex, place.counters)
        return self._model(*conditions, self._length == remaining, anywhere) is not None

    def _next(self, place: _Place, letters: Sequence[int], remaining: int) -> tuple[int, _Place]:
        """The first of the letters that can come next."""
        for letter in letters:
            moved = self._moved(place, letter, 1)
            conditions = self._from(moved.vertex, moved.counters)
            if self._model(*conditions, self._length == remaining - 1) is not None:
                return letter, moved
        raise AssertionError("no letter can come next")

    def _longest_run(self, place: _Place, letter: int, remaining: int) -> tuple[int, _Place]:
        """How often the letter can come next so that a wrong answer still follows, with a letter to spare."""
        good, best, step = 0, place, 1
        bad = remaining  # the last letter is chosen apart
        while good + 1 < bad:
            tried = min(good + step, bad - 1)
            end = self._moved(best, letter, tried - good)
            conditions = self._from(end.vertex, end.counters)
            if self._model(*conditions, self._length == remaining - tried) is not None:
                good, best, step = tried, end, 2 * step
            else:
                bad, step = tried, max(1, (tried - good) // 2)
        return good, best

    def _moved(self, place: _Place, letter: int, times: int) -> _Place:
        vertex, counters = place.vertex, list(place.counters)
        for _ in range(times):
            edge = self._graph.edges[self._graph.step[vertex, letter]]
            vertex = edge.target
            counters = [count + adds for count, adds in zip(counters, edge.adds, strict=True)]
        return _Place(vertex, tuple(counters))

    def _wrong(self, place: _Place, letter: int) -> bool:
        edge = self._graph.edges[self._graph.step[place.vertex, letter]]
        counters = self._moved(place, letter, 1).counters
        said = bool(self._graph.answer(edge, counters, PLAIN))
        return said != (edge.state in self._graph.automaton.accepting)


@dataclass(frozen=True, slots=True)
class _Place:
    """A vertex and the counters there."""

    vertex: int
    counters: tuple[int, ...]


def _number(model: z3.ModelRef, variable: Any) -> int:
    return int(model.eval(variable, model_completion=True).as_long())


def _spread(reached: set[int], edges: Sequence[tuple[int, int]]) -> None:
    """Adds all that can be reached along the edges."""
    following: dict[int, list[int]] = {}
    for source, target in edges:
        following.setdefault(source, []).append(target)
    waiting = list(reached)
    while waiting:
        for target in following.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
