r"""Core programs: straight-line lists of C-RASP operations (Definition 8 of Huang et al., arXiv 2410.02140).

An operation names its operands by their index in the list, so that a program is flat data: it can be
compared, measured, transformed and evaluated without recursion, however deep its text was nested.

>>> core = parse('C = # "a"\nP = C >= 2').core
>>> core.ops
(Token(symbol='a'), Count(body=0, distances=None), One(), Add(left=2, right=2), Leq(left=3, right=1))
>>> core.size, core.depth, core.class_name
(5, 1, 'C-RASP[∅]')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from longreach.errors import InputError
from longreach.theory.program_class import class_name

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Token:
    """Q_σ(i): the letter at position i is `symbol`."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Top:
    """⊤."""


@dataclass(frozen=True, slots=True)
class Not:
    """¬P(i)."""

    body: int


@dataclass(frozen=True, slots=True)
class And:
    """P1(i) ∧ P2(i)."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Periodic:
    """φ(i): i mod `modulus` is one of `residues` (sorted)."""

    modulus: int
    residues: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leq:
    """C1(i) ≤ C2(i)."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Count:
    """#[j ≤ i, i − j ∈ distances] P(j); `distances` (sorted) is None when there is no relation."""

    body: int
    distances: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Conditional:
    """P(i) ? C1(i) : C2(i)."""

    test: int
    then: int
    other: int


@dataclass(frozen=True, slots=True)
class Add:
    """C1(i) + C2(i)."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Subtract:
    """C1(i) − C2(i)."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class One:
    """The constant 1."""


BooleanOp = Token | Top | Not | And | Periodic | Leq
CountOp = Count | Conditional | Add | Subtract | One
Op = BooleanOp | CountOp

_BOOLEAN = (Token, Top, Not, And, Periodic, Leq)


def is_boolean(op: Op) -> bool:
    return isinstance(op, _BOOLEAN)


def operands(op: Op) -> tuple[int, ...]:
    """The indices of the operations that `op` reads, in order."""
    match op:
        case Not(body) | Count(body):
            return (body,)
        case And(left, right) | Leq(left, right) | Add(left, right) | Subtract(left, right):
            return (left, right)
        case Conditional(test, then, other):
            return (test, then, other)
        case _:
            return ()


def with_operands(op: Op, indices: Sequence[int]) -> Op:
    match op:
        case Count(_, distances):
            return Count(indices[0], distances)
        case Not() | And() | Leq() | Add() | Subtract() | Conditional():
            return type(op)(*indices)
        case _:
            return op


class Algebra:
    """Truth values and numbers as Python has them; subclasses work on arrays or on z3 terms."""

    top: Any = True
    one: Any = 1

    def negate(self, value: Any) -> Any:
        return not value

    def both(self, left: Any, right: Any) -> Any:
        return left and right

    def choose(self, test: Any, then: Any, other: Any) -> Any:
        return then if test else other

    def value(self, op: Op, read: Callable[[int], Any]) -> Any:
        """An operation at a position, from its operands there.

        Token and position tests and counts look at the word itself: they are the caller's.
        """
        match op:
            case And(left, right):
                return self.both(read(left), read(right))
            case Not(body):
                return self.negate(read(body))
            case Leq(left, right):
                return read(left) <= read(right)
            case Add(left, right):
                return read(left) + read(right)
            case Subtract(left, right):
                return read(left) - read(right)
            case Conditional(test, then, other):
                return self.choose(read(test), read(then), read(other))
            case One():
                return self.one
            case Top():
                return self.top
            case _:
                raise TypeError(f"{op} depends on the word")


PLAIN = Algebra()


def at_zero(op: Op, values: Sequence[bool | int]) -> bool | int:
    """The value at position 0, where the empty word is read: no token, every count 0.

    `values` are those of the operations before it.
    """
    match op:
        case Token():
            return False
        case Periodic(_, residues):
            return 0 in residues
        case Count():
            return 0
        case _:
            value: bool | int = PLAIN.value(op, values.__getitem__)
            return value


def rewrite(ops: Iterable[Op], rule: Callable[[Op], int]) -> list[int]:
    """Copy operations one by one and return where each is now; `rule` adds one, given its moved operands."""
    moved: list[int] = []
    for op in ops:
        moved.append(rule(with_operands(op, [moved[k] for k in operands(op)])))
    return moved


def live(ops: Sequence[Op], roots: Iterable[int]) -> list[bool]:
    """Which operations the roots read, themselves included."""
    read = [False] * len(ops)
    for root in roots:
        read[root] = True
    for index in reversed(range(len(ops))):
        if read[index]:
            for operand in operands(ops[index]):
                read[operand] = True
    return read


@dataclass(frozen=True)
class Core:
    """A core program.

    `accept` is the Boolean operation read at the last position; a predictor has `outputs` instead, one
    Boolean operation per output token. `closed` says that the alphabet was declared: then a word may hold
    no other token. `names` are the names that the source gave to operations, for people.
    """

    ops: tuple[Op, ...]
    alphabet: tuple[str, ...]
    closed: bool = False
    accept: int | None = None
    outputs: tuple[tuple[str, int], ...] = ()
    names: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if len(set(self.alphabet)) != len(self.alphabet) or "" in self.alphabet:
            raise InputError("an alphabet has distinct, non-empty tokens")
        if (self.accept is None) == (not self.outputs):
            raise InputError("a program has either an acceptance or outputs")
        sorts: list[bool] = []
        known = set(self.alphabet)
        for index, op in enumerate(self.ops):
            _check(index, op, sorts, known)
            sorts.append(is_boolean(op))
        for root in self.roots:
            if not 0 <= root < len(self.ops) or not sorts[root]:
                raise InputError(f"operation {root} is read as a result and is not Boolean")

    @property
    def roots(self) -> tuple[int, ...]:
        """The operations that the program's result is read from."""
        if self.accept is not None:
            return (self.accept,)
        return tuple(index for _, index in self.outputs)

    @property
    def is_predictor(self) -> bool:
        return self.accept is None

    @property
    def size(self) -> int:
        """The number of operations; equal ones are shared."""
        return len(self.ops)

    @cached_property
    def depth(self) -> int:
        """How deeply counting operations are nested."""
        depths: list[int] = []
        for op in self.ops:
            below = max((depths[k] for k in operands(op)), default=0)
            depths.append(below + isinstance(op, Count))
        return max(depths, default=0)

    @cached_property
    def modulus(self) -> int:
        """Δ: the least common multiple of all moduli; 1 when there are none."""
        return math.lcm(*(op.modulus for op in self.ops if isinstance(op, Periodic)))

    @cached_property
    def locality(self) -> int:
        """τ: the largest distance of a local relation; 0 when there are none."""
        return max((op.distances[-1] for op in self.ops if isinstance(op, Count) and op.distances), default=0)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Which kinds of positional relations the program uses."""
        periodic = any(isinstance(op, Periodic) for op in self.ops)
        local = any(isinstance(op, Count) and op.distances is not None for op in self.ops)
        return ("periodic",) * periodic + ("local",) * local

    @property
    def class_name(self) -> str:
        return class_name(self.relations)

    @cached_property
    def looks_back(self) -> tuple[int, ...]:
        """For each operation, how many positions back nested local relations read it."""
        back = [0] * self.size
        for index in reversed(range(self.size)):
            op = self.ops[index]
            reach = op.distances[-1] if isinstance(op, Count) and op.distances else 0
            for operand in operands(op):
                back[operand] = max(back[operand], back[index] + reach)
        return tuple(back)

    def moved_to(self, ops: Sequence[Op], moved: Sequence[int]) -> Core:
        """The same program made of other operations: `moved` says where each of its own is among them."""
        return Core(
            tuple(ops),
            self.alphabet,
            self.closed,
            None if self.accept is None else moved[self.accept],
            tuple((symbol, moved[index]) for symbol, index in self.outputs),
            tuple((name, moved[index]) for name, index in self.names),
        )


def _check(index: int, op: Op, sorts: list[bool], known: set[str]) -> None:
    """Reject an operation that reads a later one, a wrong sort, or an ill-formed relation."""
    wanted: tuple[bool, ...]
    match op:
        case Not() | Count():
            wanted = (True,)
        case And():
            wanted = (True, True)
        case Conditional():
            wanted = (True, False, False)
        case _:
            wanted = (False, False)
    for operand, boolean in zip(operands(op), wanted, strict=False):
        if not 0 <= operand < index or sorts[operand] != boolean:
            raise InputError(f"operation {index} ({op}) cannot read operation {operand}")
    match op:
        case Token(symbol) if symbol not in known:
            raise InputError(f"token {symbol!r} is not in the alphabet")
        case Periodic(modulus, residues) if modulus < 1 or not _increasing(residues, modulus):
            raise InputError(f"residues {residues} do not fit the modulus {modulus}")
        case Count(_, distances) if distances is not None and not (distances and _increasing(distances)):
            raise InputError(f"distances {distances} are not a non-empty increasing list of naturals")
        case _:
            pass


def _increasing(numbers: Iterable[int], limit: int | None = None) -> bool:
    previous = -1
    for number in numbers:
        if number <= previous or (limit is not None and number >= limit):
            return False
        previous = number
    return True


def merged_alphabet(cores: Sequence[Core]) -> tuple[tuple[str, ...], bool]:
    """The alphabet of a combination, and whether it is declared.

    A declared alphabet must hold every token of the other programs; undeclared ones are merged.

    >>> merged_alphabet([parse('P = # "b" >= 1').core, parse('#alphabet a b\\nP = # "a" >= 1').core])
    (('b', 'a'), True)
    """
    merged = tuple(dict.fromkeys(symbol for core in cores for symbol in core.alphabet))
    for core in cores:
        missing = [symbol for symbol in merged if core.closed and symbol not in core.alphabet]
        if missing:
            raise InputError(f"the alphabets differ: token {missing[0]!r} is in one of them alone")
    return merged, any(core.closed for core in cores)


class Interned(Generic[T]):
    """A list in which equal items are one."""

    def __init__(self) -> None:
        self.items: list[T] = []
        self._index: dict[T, int] = {}

    def add(self, item: T) -> int:
        """The index of an item, appended unless an equal one is there."""
        index = self._index.setdefault(item, len(self.items))
        if index == len(self.items):
            self.items.append(item)
        return index


class CoreBuilder:
    """Collects operations, sharing equal ones. Also offers the derived operations of the text format."""

    def __init__(self) -> None:
        self._interned = Interned[Op]()
        self.ops = self._interned.items
        self._at_zero: list[bool | int] = []
        self._integers: dict[int, int] = {}

    def add_op(self, op: Op) -> int:
        """The index of `op`, appended unless an equal one is there."""
        index = self._interned.add(op)
        if index == len(self._at_zero):
            self._at_zero.append(at_zero(op, self._at_zero))
        return index

    def false(self) -> int:
        return self.not_(self.add_op(Top()))

    def not_(self, p: int) -> int:
        op = self.ops[p]
        return op.body if isinstance(op, Not) else self.add_op(Not(p))

    def and_(self, p: int, q: int) -> int:
        return self.add_op(And(p, q))

    def or_(self, p: int, q: int) -> int:
        return self.not_(self.and_(self.not_(p), self.not_(q)))

    def implies(self, p: int, q: int) -> int:
        return self.not_(self.and_(p, self.not_(q)))

    def iff(self, p: int, q: int) -> int:
        return self.and_(self.implies(p, q), self.implies(q, p))

    def leq(self, a: int, b: int) -> int:
        return self.add_op(Leq(a, b))

    def equal(self, a: int, b: int) -> int:
        return self.and_(self.leq(a, b), self.leq(b, a))

    def integer(self, value: int) -> int:
        """A constant; 0 is 1 − 1, larger ones are made by doubling, negative ones as 0 − k."""
        one = self.add_op(One())
        if value < 0:
            return self.add_op(Subtract(self.integer(0), self.integer(-value)))
        if value == 0:
            return self.add_op(Subtract(one, one))
        # As `scale`, but halves that have been made before are not made again bit by bit.
        self._integers[1] = one
        halves = [value]
        while halves[-1] not in self._integers:
            halves.append(halves[-1] >> 1)
        result = self._integers[halves[-1]]
        for number in reversed(halves[:-1]):
            result = self.add_op(Add(result, result))
            if number & 1:
                result = self.add_op(Add(result, one))
            self._integers[number] = result
        return result

    def scale(self, factor: int, a: int) -> int:
        """factor · a by doubling, for a factor ≥ 0."""
        if factor == 0:
            return self.add_op(Subtract(a, a))
        result = a
        for bit in bin(factor)[3:]:
            result = self.add_op(Add(result, result))
            if bit == "1":
                result = self.add_op(Add(result, a))
        return result

    def count(self, p: int, distances: tuple[int, ...] | None = None) -> int:
        if distances == (0,):  # a conditional says the same and needs no relation
            return self.count_here(p)
        return self.add_op(Count(p, distances))

    def count_before(self, p: int) -> int:
        """#[j < i] P(j), which needs no relation: all of them less the current one (Proposition 39)."""
        return self.add_op(Subtract(self.count(p), self.count_here(p)))

    def count_here(self, p: int) -> int:
        """#[j = i] P(j), which is P ? 1 : 0."""
        if self._at_zero[p]:  # counts are 0 at the empty word, whatever holds there
            p = self.and_(p, self.exists(self.add_op(Top())))
        return self.as_count(p)

    def as_count(self, p: int) -> int:
        """P ? 1 : 0."""
        return self.conditional(p, self.add_op(One()), self.integer(0))

    def conditional(self, p: int, a: int, b: int) -> int:
        return self.add_op(Conditional(p, a, b))

    def exists(self, p: int) -> int:
        return self.leq(self.add_op(One()), self.count(p))

    def periodic(self, modulus: int, residues: Iterable[int]) -> int:
        kept = tuple(sorted(set(residues)))
        if len(kept) == modulus:
            return self.add_op(Top())
        return self.add_op(Periodic(modulus, kept)) if kept else self.false()
