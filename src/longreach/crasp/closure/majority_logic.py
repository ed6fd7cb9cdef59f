"""The two-variable majority logic MAJ₂[<, +1, Mod], with a literal evaluator.

Formulas are built of the majority quantifier, the letters of a word, order, successor, residues, Boolean
connectives and first-order quantifiers, with the variables x and y alone (Huang et al., arXiv 2410.02140,
Definition 30). Like a core program, a formula is a flat list of nodes that name their parts by index: parts
are shared, and nothing here recurses.

>>> b = FormulaBuilder()
>>> more_a = b.majority("x", [(1, b.letter("a", "x"))])  # more positions hold an a than do not
>>> sentence = b.sentence(more_a)
>>> satisfies("aab", sentence), satisfies("ab", sentence), satisfies("", sentence)
(True, False, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError

Variable: TypeAlias = Literal["x", "y"]
OTHER: dict[Variable, Variable] = {"x": "y", "y": "x"}


@dataclass(frozen=True, slots=True)
class Top:
    """⊤."""


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
class Not:
    """¬φ."""

    body: int


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
class ForAll:
    """∀ variable φ."""

    variable: Variable
    body: int


@dataclass(frozen=True, slots=True)
class Majority:
    """M̂aj variable ⟨φ_1, …, φ_c⟩: over all positions and all parts, more are true than false.

    `parts` are pairs of a number of copies and a formula, so that large coefficients stay short.
    """

    variable: Variable
    parts: tuple[tuple[int, int], ...]


Node = Top | Letter | Mod | Succ | Less | Not | And | Or | Exists | ForAll | Majority


def parts_of(node: Node) -> tuple[int, ...]:
    """The indices of the formulas that a node is made of, in order."""
    match node:
        case Not(body) | Exists(_, body) | ForAll(_, body):
            return (body,)
        case And(parts) | Or(parts):
            return parts
        case Majority(_, weighted):
            return tuple(part for _, part in weighted)
        case _:
            return ()


def with_parts(node: Node, indices: Sequence[int]) -> Node:
    """The same node made of other formulas."""
    match node:
        case Not():
            return Not(indices[0])
        case And():
            return And(tuple(indices))
        case Or():
            return Or(tuple(indices))
        case Exists(variable):
            return Exists(variable, indices[0])
        case ForAll(variable):
            return ForAll(variable, indices[0])
        case Majority(variable, weighted):
            copies = [times for times, _ in weighted]
            return Majority(variable, tuple(zip(copies, indices, strict=True)))
        case _:
            return node


@dataclass(frozen=True)
class Formula:
    """A formula: nodes that read earlier nodes, and the one that is meant."""

    nodes: tuple[Node, ...]
    root: int

    def __post_init__(self) -> None:
        if not 0 <= self.root < len(self.nodes):
            raise InputError(f"the formula has no node {self.root}")
        for index, node in enumerate(self.nodes):
            _check(index, node)

    @cached_property
    def free_variables(self) -> tuple[frozenset[Variable], ...]:
        """The free variables of every node."""
        found: list[frozenset[Variable]] = []
        for node in self.nodes:
            below = frozenset[Variable]().union(*(found[k] for k in parts_of(node)))
            match node:
                case Letter(_, variable) | Mod(_, _, variable):
                    below = frozenset([variable])
                case Succ(left, right) | Less(left, right):
                    below = frozenset([left, right])
                case Exists(variable) | ForAll(variable) | Majority(variable):
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
            depths.append(below + isinstance(node, Exists | ForAll | Majority))
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


class FormulaBuilder:
    """Collects nodes, sharing equal ones; ⊤ and ⊥ are folded in connectives."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}

    def add(self, node: Node) -> int:
        """The index of `node`, appended unless an equal one is there."""
        index = self._index.get(node)
        if index is None:
            index = self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return index

    def top(self) -> int:
        return self.add(Top())

    def bottom(self) -> int:
        return self.add(Not(self.top()))

    def letter(self, symbol: str, variable: Variable) -> int:
        return self.add(Letter(symbol, variable))

    def not_(self, body: int) -> int:
        node = self.nodes[body]
        return node.body if isinstance(node, Not) else self.add(Not(body))

    def and_(self, *parts: int) -> int:
        kept = tuple(dict.fromkeys(part for part in parts if part != self.top()))
        if self.bottom() in kept:
            return self.bottom()
        if len(kept) < 2:
            return kept[0] if kept else self.top()
        return self.add(And(kept))

    def or_(self, *parts: int) -> int:
        kept = tuple(dict.fromkeys(part for part in parts if part != self.bottom()))
        if self.top() in kept:
            return self.top()
        if len(kept) < 2:
            return kept[0] if kept else self.bottom()
        return self.add(Or(kept))

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
                live.update(parts_of(self.nodes[index]))
        moved: dict[int, int] = {}
        nodes: list[Node] = []
        for index in sorted(live):
            node = self.nodes[index]
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
        case ForAll(variable, body):
            return np.asarray(_holds(tables[body], variable, len(word)) == len(word))
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
