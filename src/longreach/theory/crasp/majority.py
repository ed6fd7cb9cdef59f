r"""Two-variable majority logic: formulas, satisfaction, and the translation of programs into it.

Formulas are built of the majority quantifier, the letters of a word, order, successor, residues, Boolean
connectives and first-order quantifiers, with the variables x and y alone (Huang et al., arXiv 2410.02140,
Definition 30). Like a core program, a formula is a flat list of nodes that name their parts by index: parts
are shared, and nothing here recurses.

>>> b = FormulaBuilder()
>>> more_a = b.majority("x", [(1, b.letter("a", "x"))])  # more positions hold an a than do not
>>> sentence = b.sentence(more_a)
>>> satisfies("aab", sentence), satisfies("ab", sentence), satisfies("", sentence)
(True, False, False)

>>> dyck = to_majority_logic(parse('o = # "("\nc = # ")"\nD = # (o < c) == 0 && o == c').core)
>>> dyck.logic, [satisfies(word, dyck) for word in ("(())", "())(", "")]
('MAJ₂[<]', [True, False, True])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, Interned, Not, Top
from longreach.theory.crasp.evaluate import at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.transform import acceptance

Variable: TypeAlias = Literal["x", "y"]
OTHER: dict[Variable, Variable] = {"x": "y", "y": "x"}


@dataclass(frozen=True, slots=True)
class Letter:
    """Q_σ(variable)."""

    symbol: str
    variable: Variable


@dataclass(frozen=True, slots=True)
class Mod:
    """Mod_{m,r}(variable): the position, counted from 1, is r modulo m."""

    modulus: int
    residue: int
    variable: Variable


@dataclass(frozen=True, slots=True)
class Succ:
    """Succ(left, right): left + 1 = right."""

    left: Variable
    right: Variable


@dataclass(frozen=True, slots=True)
class Less:
    """left < right."""

    left: Variable
    right: Variable


@dataclass(frozen=True, slots=True)
class And:
    """The conjunction of the parts."""

    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """The disjunction of the parts."""

    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """∃ variable φ."""

    variable: Variable
    body: int


@dataclass(frozen=True, slots=True)
class Majority:
    """M̂aj variable ⟨φ_1, …, φ_c⟩: over all positions and all parts, more are true than false.

    `parts` are pairs of a number of copies and a formula, so that large coefficients stay short.
    """

    variable: Variable
    parts: tuple[tuple[int, int], ...]


Node = Top | Letter | Mod | Succ | Less | Not | And | Or | Exists | Majority


def parts_of(node: Node) -> tuple[int, ...]:
    """The indices of the formulas that a node is made of, in order."""
    match node:
        case Not(body) | Exists(_, body):
            return (body,)
        case And(parts) | Or(parts):
            return parts
        case Majority(_, weighted):
            return tuple(part for _, part in weighted)
        case _:
            return ()


def with_parts(node: Node, indices: Sequence[int]) -> Node:
    match node:
        case Not():
            return Not(indices[0])
        case And():
            return And(tuple(indices))
        case Or():
            return Or(tuple(indices))
        case Exists(variable):
            return Exists(variable, indices[0])
        case Majority(variable, weighted):
            copies = [times for times, _ in weighted]
            return Majority(variable, tuple(zip(copies, indices, strict=True)))
        case _:
            return node


@dataclass(frozen=True)
class Formula:
    """A formula: a list of nodes that read earlier nodes, and the root among them."""

    nodes: tuple[Node, ...]
    root: int

    def __post_init__(self) -> None:
        if not 0 <= self.root < len(self.nodes):
            raise InputError(f"the formula has no node {self.root}")
        for index, node in enumerate(self.nodes):
            _check(index, node)

    @cached_property
    def free_variables(self) -> tuple[frozenset[Variable], ...]:
        found: list[frozenset[Variable]] = []
        for node in self.nodes:
            below = frozenset[Variable]().union(*(found[k] for k in parts_of(node)))
            match node:
                case Letter(_, variable) | Mod(_, _, variable):
                    below = frozenset([variable])
                case Succ(left, right) | Less(left, right):
                    below = frozenset([left, right])
                case Exists(variable) | Majority(variable):
                    below -= {variable}
                case _:
                    pass
            found.append(below)
        return tuple(found)

    @property
    def is_sentence(self) -> bool:
        return not self.free_variables[self.root]

    @property
    def size(self) -> int:
        """The number of nodes; equal ones are shared."""
        return len(self.nodes)

    @cached_property
    def depth(self) -> int:
        """How deeply quantifiers are nested."""
        depths: list[int] = []
        for node in self.nodes:
            below = max((depths[k] for k in parts_of(node)), default=0)
            depths.append(below + isinstance(node, Exists | Majority))
        return depths[self.root]

    @property
    def logic(self) -> str:
        """The smallest of the logics with order that the formula belongs to."""
        successor = any(isinstance(node, Succ) for node in self.nodes)
        residues = any(isinstance(node, Mod) for node in self.nodes)
        return f"MAJ₂[<{', +1' * successor}{', Mod' * residues}]"


def _check(index: int, node: Node) -> None:
    if any(not 0 <= part < index for part in parts_of(node)):
        raise InputError(f"node {index} ({node}) reads a node that does not come before it")
    match node:
        case Mod(modulus, residue, _) if not 0 <= residue < modulus:
            raise InputError(f"{residue} is not a residue modulo {modulus}")
        case Majority(_, parts) if any(copies < 1 for copies, _ in parts):
            raise InputError("a majority counts each of its formulas at least once")
        case _:
            pass


class FormulaBuilder(Interned[Node]):
    """Collects nodes, sharing equal ones; ⊤ and ⊥ are folded in connectives."""

    def top(self) -> int:
        return self.add(Top())

    def bottom(self) -> int:
        return self.add(Not(self.top()))

    def letter(self, symbol: str, variable: Variable) -> int:
        return self.add(Letter(symbol, variable))

    def not_(self, body: int) -> int:
        node = self.items[body]
        return node.body if isinstance(node, Not) else self.add(Not(body))

    def and_(self, *parts: int) -> int:
        return self._joined(And, parts, self.top(), self.bottom())

    def or_(self, *parts: int) -> int:
        return self._joined(Or, parts, self.bottom(), self.top())

    def _joined(self, kind: type[And | Or], parts: Sequence[int], neutral: int, decides: int) -> int:
        kept = tuple(dict.fromkeys(part for part in parts if part != neutral))
        if decides in kept:
            return decides
        if len(kept) < 2:
            return kept[0] if kept else neutral
        return self.add(kind(kept))

    def exists(self, variable: Variable, body: int) -> int:
        return self.add(Exists(variable, body))

    def majority(self, variable: Variable, parts: Iterable[tuple[int, int]]) -> int:
        """M̂aj over pairs of a number of copies and a formula."""
        return self.add(Majority(variable, tuple(parts)))

    def at_most(self, left: Variable, right: Variable) -> int:
        """left ≤ right, which is ¬(right < left)."""
        return self.not_(self.add(Less(right, left)))

    def equal(self, left: Variable, right: Variable) -> int:
        """left = right: neither comes before the other."""
        return self.and_(self.at_most(left, right), self.at_most(right, left))

    def formula(self, root: int) -> Formula:
        """The formula at a node, without nodes that it does not read."""
        live = {root}
        for index in range(root, -1, -1):
            if index in live:
                live.update(parts_of(self.items[index]))
        moved: dict[int, int] = {}
        nodes: list[Node] = []
        for index in sorted(live):
            node = self.items[index]
            moved[index] = len(nodes)
            nodes.append(with_parts(node, [moved[k] for k in parts_of(node)]))
        return Formula(tuple(nodes), moved[root])

    def sentence(self, root: int) -> Formula:
        """The formula at a node, which must have no free variable."""
        formula = self.formula(root)
        if not formula.is_sentence:
            free = ", ".join(sorted(formula.free_variables[formula.root]))
            raise InputError(f"a sentence has no free variable, and here {free} is free")
        return formula


# Evaluation

_AXIS: dict[Variable, int] = {"x": 0, "y": 1}
Array: TypeAlias = NDArray[Any]


def satisfies(word: str | Sequence[str], sentence: Formula) -> bool:
    """Whether a word, a sequence of tokens, satisfies a sentence: w ⊨ φ.

    Each node is a table over x and y, flat along a variable that is not free in it: O(nodes · n²) steps.

    >>> b = FormulaBuilder()
    >>> first = b.not_(b.exists("y", b.add(Less("y", "x"))))
    >>> starts_with_a = b.sentence(b.exists("x", b.and_(first, b.letter("a", "x"))))
    >>> satisfies("ab", starts_with_a), satisfies("ba", starts_with_a)
    (True, False)
    """
    if not sentence.is_sentence:
        raise InputError("only a sentence is true or false of a word; this formula has a free variable")
    tables: list[Array] = []
    for node in sentence.nodes:
        tables.append(_table(node, tables, word))
    return bool(tables[sentence.root][0, 0])


def _table(node: Node, tables: list[Array], word: Sequence[str]) -> Array:
    positions = np.arange(1, len(word) + 1)
    match node:
        case Top():
            return np.ones((1, 1), dtype=bool)
        case Letter(symbol, variable):
            return _along(variable, np.array([token == symbol for token in word], dtype=bool))
        case Mod(modulus, residue, variable):
            return _along(variable, positions % modulus == residue)
        case Succ(left, right):
            return np.asarray(_along(left, positions) + 1 == _along(right, positions))
        case Less(left, right):
            return np.asarray(_along(left, positions) < _along(right, positions))
        case Not(body):
            return ~tables[body]
        case And(parts):
            return _joined(np.logical_and, [tables[part] for part in parts], True)
        case Or(parts):
            return _joined(np.logical_or, [tables[part] for part in parts], False)
        case Exists(variable, body):
            return np.asarray(_holds(tables[body], variable, len(word)) > 0)
        case Majority(variable, weighted):
            return _majority(weighted, tables, variable, len(word))


def _along(variable: Variable, values: Array) -> Array:
    return values[:, None] if variable == "x" else values[None, :]


def _joined(join: np.ufunc, tables: Sequence[Array], neutral: bool) -> Array:
    result: Array = np.full((1, 1), neutral)
    for table in tables:
        result = join(result, table)
    return result


def _holds(table: Array, variable: Variable, length: int) -> Array:
    """At how many positions of a variable a formula holds; a flat table stands for all positions."""
    axis = _AXIS[variable]
    times = length if table.shape[axis] == 1 and length != 1 else 1
    return np.asarray(np.sum(table, axis=axis, keepdims=True, dtype=np.int64) * times)


def _majority(
    weighted: Sequence[tuple[int, int]], tables: Sequence[Array], variable: Variable, length: int
) -> Array:
    """0 < Σ over positions and parts of 1 where the part holds and −1 where it does not."""
    largest = sum(copies for copies, _ in weighted) * (length + 1)
    dtype = np.dtype(np.int64 if largest < 2**62 else object)  # numbers of copies may be huge
    total: Array = np.zeros((1, 1), dtype=dtype)
    for copies, part in weighted:
        total = total + copies * (2 * _holds(tables[part], variable, length).astype(dtype) - length)
    return np.asarray(total > 0, dtype=bool)


# From C-RASP programs to the two-variable majority logic.


MAX_GUARDS = 16  # conditions under which one count is read; beyond it they are added up in binary


def to_majority_logic(core: Core) -> Formula:
    """A MAJ₂[<, +1, Mod] sentence satisfied by exactly the words the program accepts.

    Without periodic relations it does not use Mod, without local ones not Succ. See Huang et al., arXiv
    2410.02140, Proposition 31. Unlike there, a comparison is one majority, without a case for each outcome
    of local counts and conditionals: these are formulas of the position x itself, and the parts of a majority
    over y may speak of x. A constant counts y = x instead of the first position. What the last position
    decides is said with ∃, and the empty word, which has none, at the very end.

    The number of nodes is polynomial: of the order of the program's size, plus for each comparison the counts
    that it adds up, plus for each local count its largest distance; k conditionals below one comparison,
    which may stand for 2^k cases, make of the order of k² nodes: their conditions are added in binary.

    >>> to_majority_logic(parse('P = "a" && i % 2 == 0').core).logic
    'MAJ₂[<, Mod]'
    """
    accept = acceptance(core)
    translation = _Translation(simplify(core))  # which may change position 0 alone, not asked for here
    b = translation.builder
    last = b.not_(b.exists("y", b.add(Less("x", "y"))))
    accepted = b.exists("x", b.and_(last, translation.formula))
    if at_empty_word(core)[accept]:
        accepted = b.or_(b.not_(b.exists("x", b.top())), accepted)
    return b.sentence(accepted)


class _Translation:
    """The formulas of a program's Boolean operations, each with x and with y as its free variable."""

    def __init__(self, core: Core) -> None:
        self.builder = FormulaBuilder()
        self._core = core
        self._formulas: dict[tuple[int, Variable], int] = {}
        for index, op in enumerate(core.ops):
            if c.is_boolean(op):
                for variable in OTHER:
                    self._formulas[index, variable] = self._boolean(op, variable)

    @property
    def formula(self) -> int:
        return self._formulas[acceptance(self._core), "x"]

    def _boolean(self, op: c.Op, x: Variable) -> int:
        b = self.builder
        match op:
            case c.Token(symbol):
                return b.letter(symbol, x)
            case c.Not(body):
                return b.not_(self._formulas[body, x])
            case c.And(left, right):
                return b.and_(self._formulas[left, x], self._formulas[right, x])
            case c.Periodic(modulus, residues):
                return b.or_(*(b.add(Mod(modulus, residue, x)) for residue in residues))
            case c.Leq(left, right):
                return b.not_(self._exceeds(left, right, x))
            case _:
                return b.top()

    def _exceeds(self, left: int, right: int, x: Variable) -> int:
        """C1 > C2 at x: the sum over y of what C1 − C2 counts at y is positive."""
        weights: Counter[int] = Counter()
        for guard, factor, counted in self._terms(left, right, x):
            weights[self.builder.and_(guard, counted)] += factor
        return self._positive({part: factor for part, factor in weights.items() if factor}, OTHER[x])

    def _positive(self, weights: dict[int, int], y: Variable) -> int:
        """0 < Σ factor · #y φ. A part counts 1 or −1, not 1 or 0: copies of ⊤ or ⊥ make up for that."""
        b = self.builder
        if not weights:
            return b.bottom()
        parts = [(abs(factor), part if factor > 0 else b.not_(part)) for part, factor in weights.items()]
        surplus = sum(weights.values())
        if surplus:
            parts.append((abs(surplus), b.top() if surplus > 0 else b.bottom()))
        return b.majority(y, parts)

    def _terms(self, left: int, right: int, x: Variable) -> Iterator[tuple[int, int, int]]:
        """C1 − C2 as a sum of (condition on x, factor, formula that is counted over y).

        Counts are taken apart from the last to the first, with all conditions under which each is read, so
        that one that is read along many paths is taken apart once.
        """
        b, y = self.builder, OTHER[x]
        pending: defaultdict[int, Counter[int]] = defaultdict(Counter)
        pending[left][b.top()] += 1
        pending[right][b.top()] -= 1
        while pending:
            index = max(pending)
            guards = self._few(pending.pop(index))
            match self._core.ops[index]:
                case c.One():
                    counted = [b.equal(x, y)]
                case c.Count(body, None):
                    counted = [b.and_(b.at_most(y, x), self._formulas[body, y])]
                case c.Count(body, tuple(distances)):
                    here = b.equal(x, y)
                    counted = [b.and_(here, self._back(body, distance, x)) for distance in distances]
                case c.Add(first, second):
                    pending[first].update(guards)
                    pending[second].update(guards)
                    continue
                case c.Subtract(first, second):
                    pending[first].update(guards)
                    pending[second].subtract(guards)
                    continue
                case c.Conditional(test, then, other):
                    holds = self._formulas[test, x]
                    self._branch(pending[then], guards, holds)
                    self._branch(pending[other], guards, b.not_(holds))
                    continue
                case op:
                    raise AssertionError(f"{op} is no count")
            for part in counted:
                yield from ((guard, factor, part) for guard, factor in guards.items())

    def _branch(self, into: Counter[int], guards: Counter[int], test: int) -> None:
        for guard, factor in guards.items():
            into[self.builder.and_(guard, test)] += factor

    def _back(self, body: int, distance: int, x: Variable) -> int:
        """P(x − d), a chain of steps back; false where there is no such position."""
        b = self.builder
        at: Variable = x if distance % 2 == 0 else OTHER[x]
        formula = self._formulas[body, at]
        for _ in range(distance):
            formula = b.exists(at, b.and_(b.add(Succ(at, OTHER[at])), formula))
            at = OTHER[at]
        return formula

    def _few(self, guards: Counter[int]) -> Counter[int]:
        """The same sum of factors under conditions, with few conditions: at most two per binary digit."""
        kept = Counter({guard: factor for guard, factor in guards.items() if factor})
        if len(kept) <= MAX_GUARDS:
            return kept
        result: Counter[int] = Counter()
        for sign in (1, -1):
            own = [(guard, sign * factor) for guard, factor in kept.items() if sign * factor > 0]
            for digit, guard in enumerate(self._digits(own)):
                result[guard] += sign << digit
        return result

    def _digits(self, guards: Iterable[tuple[int, int]]) -> Iterator[int]:
        """The binary digits of a sum, lowest first, as formulas: adders on the columns of its summands."""
        columns: defaultdict[int, list[int]] = defaultdict(list)
        for guard, factor in guards:
            for digit in range(factor.bit_length()):
                if factor >> digit & 1:
                    columns[digit].append(guard)
        digit = 0
        while digit <= max(columns, default=-1):  # carries may add columns
            column = columns[digit]
            while len(column) > 1:
                p, q = column.pop(), column.pop()
                r = column.pop() if column else self.builder.bottom()
                column.append(self._odd(self._odd(p, q), r))
                columns[digit + 1].append(self._two_of(p, q, r))
            yield column[0] if column else self.builder.bottom()
            digit += 1

    def _odd(self, p: int, q: int) -> int:
        b = self.builder
        return b.or_(b.and_(p, b.not_(q)), b.and_(b.not_(p), q))

    def _two_of(self, p: int, q: int, r: int) -> int:
        b = self.builder
        return b.or_(b.and_(p, q), b.and_(p, r), b.and_(q, r))
