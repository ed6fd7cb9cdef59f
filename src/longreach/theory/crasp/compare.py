"""Do two programs, or a program and an automaton, agree on all words up to a length?

Words are not listed one by one. After a prefix, all that matters of a program are its counters, the last
values that its local relations can see, and the position; prefixes that agree in these are merged. Counters
matter only through the comparisons that read them, so what is compared is the value of each comparison's
linear form, cut off where the remaining positions can no longer change the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify

Array: TypeAlias = NDArray[Any]
MAX_STATES = 2_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two sides agree on all words up to `length`; `witness` is the first word on which they differ.

    `proof` is "proved" when they agree on words of every length, "checked" when only up to `length`;
    `complete` is False when the state budget ended the search at `length`, before the length asked for.
    """

    equal: bool
    length: int
    witness: tuple[str, ...] | None
    complete: bool = True
    proof: Literal["checked", "proved"] = "checked"


class Side(Protocol):
    """Something that reads words letter by letter, for many words at once."""

    def at_start(self) -> tuple[bool, ...]:
        """The result on the empty word."""

    def step(self, parents: NDArray[np.intp], letters: NDArray[np.intp]) -> Array:
        """Extends prefixes (by their row) with letters; the result of each, one column per output."""

    def keys(self, remaining: int) -> list[Array]:
        """Columns, one entry per prefix; equal entries behave alike for `remaining` more letters."""

    def keep(self, rows: NDArray[np.intp]) -> None:
        """Continue with some of the prefixes."""


def compare(
    left: Side, right: Side, alphabet: Sequence[str], length: int, max_states: int = MAX_STATES
) -> Comparison:
    """Searches the words up to `length`, shortest first and in alphabetical order, for a difference."""
    if left.at_start() != right.at_start():
        return Comparison(False, length, ())
    history: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    states = 1
    for reached in range(1, length + 1):
        if states * len(alphabet) > max_states:
            return Comparison(True, reached - 1, None, complete=False)
        parents = np.repeat(np.arange(states), len(alphabet))
        letters = np.tile(np.arange(len(alphabet)), states)
        differs = (left.step(parents, letters) != right.step(parents, letters)).any(axis=1)
        first = int(np.argmax(differs)) if differs.any() else None
        if first is not None:
            history.append((parents[[first]], letters[[first]]))
            return Comparison(False, length, _word(history, alphabet))
        remaining = length - reached
        keys = _merged([*left.keys(remaining), *right.keys(remaining)], len(letters))
        # Rows stay in the order of their alphabetically first prefix: the first difference is the first word.
        kept = np.sort(np.unique(keys, return_index=True)[1])
        left.keep(kept)
        right.keep(kept)
        history.append((parents[kept], letters[kept]))
        states = len(kept)
    return Comparison(True, length, None)


def _word(
    history: list[tuple[NDArray[np.intp], NDArray[np.intp]]], alphabet: Sequence[str]
) -> tuple[str, ...]:
    row, word = 0, []
    for parents, letters in reversed(history):
        word.append(alphabet[letters[row]])
        row = int(parents[row])
    return tuple(reversed(word))


class DeterministicSide:
    """A complete deterministic automaton: a table of next states, and the accepting ones."""

    def __init__(self, table: NDArray[np.intp], start: int, accepting: NDArray[np.bool_]) -> None:
        self._table = table
        self._accepting = accepting
        self._states = np.array([start])

    def at_start(self) -> tuple[bool, ...]:
        return (bool(self._accepting[self._states[0]]),)

    def step(self, parents: NDArray[np.intp], letters: NDArray[np.intp]) -> Array:
        self._states = self._table[self._states[parents], letters]
        accepted: Array = self._accepting[self._states][:, None]
        return accepted

    def keys(self, remaining: int) -> list[Array]:
        return [self._states]

    def keep(self, rows: NDArray[np.intp]) -> None:
        self._states = self._states[rows]


class ProgramSide:
    """A core program, over letters that may be more than its own alphabet; `length` bounds the words."""

    def __init__(
        self, core: Core, letters: Sequence[str], outputs: Sequence[str] = (), length: int | None = None
    ) -> None:
        self._core = simplify(core if length is None else within_length(core, length))
        roots = dict(self._core.outputs)
        # A token without an output is never predicted.
        self._roots = [roots.get(symbol) for symbol in outputs] if core.is_predictor else [self._core.accept]
        self._codes = np.array(
            [core.alphabet.index(s) if s in core.alphabet else len(core.alphabet) for s in letters], np.uint32
        )
        self._kernel = Kernel(self._core, self._core.roots)
        self._state = State()
        self._forms = _forms(self._core)
        self._rows = 1

    def at_start(self) -> tuple[bool, ...]:
        values = at_empty_word(self._core)
        return tuple(root is not None and bool(values[root]) for root in self._roots)

    def step(self, parents: NDArray[np.intp], letters: NDArray[np.intp]) -> Array:
        self._state = self._state.take(parents)
        self._rows = len(parents)
        values = self._kernel.advance(self._state, self._codes[letters][:, None])
        columns = [
            np.broadcast_to(False if root is None else values[root], (self._rows, 1)) for root in self._roots
        ]
        return np.concatenate(columns, axis=1)

    def keys(self, remaining: int) -> list[Array]:
        columns = [form.value(self._state, remaining) for form in self._forms]
        for window in self._state.windows.values():
            columns += list(np.packbits(window, axis=1).T.astype(np.int64))
        return [np.broadcast_to(column, self._rows) for column in columns]

    def keep(self, rows: NDArray[np.intp]) -> None:
        self._state = self._state.take(rows)
        self._rows = len(rows)


def within_length(core: Core, length: int) -> Core:
    """The same on words up to `length`: distances that lead out of such words need not be remembered."""
    if core.locality < length:
        return core
    builder = CoreBuilder()
    moved: list[int] = []
    for op in core.ops:
        if isinstance(op, c.Count) and op.distances is not None:
            near = tuple(distance for distance in op.distances if distance < length)
            moved.append(builder.add_op(c.Count(moved[op.body], near)) if near else builder.integer(0))
        else:
            moved.append(builder.add_op(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    return Core(
        tuple(builder.ops),
        core.alphabet,
        core.closed,
        None if core.accept is None else moved[core.accept],
        tuple((symbol, moved[index]) for symbol, index in core.outputs),
    )


def _merged(columns: list[Array], rows: int) -> Array:
    """One number per row, equal exactly where all columns are."""
    merged, span = np.zeros(rows, np.int64), 1
    for column in columns:
        if column.dtype == object:
            column = np.unique(column, return_inverse=True)[1]
        low = int(column.min())
        width = int(column.max()) - low + 1
        if span * width >= 2**62:
            merged = np.unique(merged, return_inverse=True)[1].astype(np.int64)
            span = int(merged.max()) + 1
        if span * width >= 2**62:
            column = np.unique(column, return_inverse=True)[1]
            low, width = 0, int(column.max()) + 1
        merged = merged * width + (column - low)
        span *= width
    return merged


# Linear forms of counters


@dataclass(frozen=True, slots=True)
class _Linear:
    """Σ factor · counter + something between `low` and `high` (constants, counts over local windows)."""

    factors: tuple[tuple[int, int], ...]
    low: int
    high: int

    def minus(self, other: _Linear) -> _Linear:
        return self.plus(other, -1)

    def plus(self, other: _Linear, sign: int = 1) -> _Linear:
        factors = dict(self.factors)
        for counter, factor in other.factors:
            factors[counter] = factors.get(counter, 0) + sign * factor
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        kept = tuple(sorted((k, f) for k, f in factors.items() if f))
        return _Linear(kept, self.low + low, self.high + high)


@dataclass(frozen=True, slots=True)
class _Form:
    """A combination of counters, and the bounds between which its value matters.

    Below `low` − remaining · (sum of positive factors) and above `high` + remaining · (sum of negative ones)
    no comparison that reads it can change any more. None: the value always matters.
    """

    factors: tuple[tuple[int, int], ...]
    bounds: tuple[int, int] | None

    def value(self, state: State, remaining: int) -> Array:
        size = sum(abs(factor) for _, factor in self.factors)
        huge = size * (state.position + remaining + 1) + max(map(abs, self.bounds or (0,))) >= 2**62
        value: Array = np.zeros(1, dtype=object if huge else np.int64)
        for counter, factor in self.factors:
            # A counter of every position has no total of its own.
            total = state.totals.get(counter, np.array([state.position]))
            value = value + factor * total.astype(value.dtype)
        if self.bounds is None:
            return value
        rise = sum(factor for _, factor in self.factors if factor > 0)
        low, high = self.bounds[0] - remaining * rise, self.bounds[1] + remaining * (size - rise)
        return np.clip(value, low, high)


def comparison_forms(core: Core) -> list[tuple[tuple[tuple[int, int], ...], tuple[int, int] | None]]:
    """The combinations of counters, as (counter, factor) pairs, that the comparisons of a program read.

    With each, the bounds outside of which no comparison changes; None if the value always matters.
    """
    return [(form.factors, form.bounds) for form in _forms(core)]


_MAX_CASES = 16  # of one comparison with conditionals; beyond it its counters are compared one by one


def _forms(core: Core) -> list[_Form]:
    """The combinations of counters that the program's comparisons read."""
    cases = _cases(core)
    bounds: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}
    whole: set[int] = set()
    for op in core.ops:
        if not isinstance(op, c.Leq):
            continue
        lefts, rights = cases[op.left], cases[op.right]
        if lefts is None or rights is None or len(lefts) * len(rights) > _MAX_CASES:
            whole |= _counters_below(core, op)
            continue
        for left in lefts:
            for right in rights:
                _widen(bounds, right.minus(left))
    forms = [_Form(factors, bound) for factors, bound in bounds.items()]
    return forms + [_Form(((counter, 1),), None) for counter in sorted(whole)]


def _widen(bounds: dict[tuple[tuple[int, int], ...], tuple[int, int]], form: _Linear) -> None:
    """Notes that the outcome of form ≥ 0 matters; a form and its negative share one entry."""
    if not form.factors:
        return
    low, high = -form.high - 1, -form.low
    factors = form.factors
    if factors[0][1] < 0:
        factors = tuple((counter, -factor) for counter, factor in factors)
        low, high = -high, -low
    known = bounds.get(factors, (low, high))
    bounds[factors] = (min(low, known[0]), max(high, known[1]))


def _cases(core: Core) -> list[list[_Linear] | None]:
    """Per count its linear form, one for each way that its conditionals can go; None when too many."""
    cases: list[list[_Linear] | None] = []
    for index, op in enumerate(core.ops):
        found: list[_Linear] | None = None
        match op:
            case c.One():
                found = [_Linear((), 1, 1)]
            case c.Count(_, None):
                found = [_Linear(((index, 1),), 0, 0)]
            case c.Count(_, tuple(distances)):
                found = [_Linear((), 0, len(distances))]
            case c.Conditional(_, then, other):
                first, second = cases[then], cases[other]
                found = None if first is None or second is None else list(dict.fromkeys(first + second))
            case c.Add(left, right) | c.Subtract(left, right):
                first, second = cases[left], cases[right]
                sign = 1 if isinstance(op, c.Add) else -1
                if first is not None and second is not None and len(first) * len(second) <= _MAX_CASES:
                    found = list(dict.fromkeys(a.plus(b, sign) for a in first for b in second))
            case _:
                pass
        cases.append(found if found is not None and len(found) <= _MAX_CASES else None)
    return cases


def _counters_below(core: Core, op: c.Leq) -> set[int]:
    """The counters that a comparison's sums and conditionals read."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [op.left, op.right]
    while stack:
        index = stack.pop()
        below = core.ops[index]
        if index in seen or c.is_boolean(below):
            continue
        seen.add(index)
        if isinstance(below, c.Count):
            if below.distances is None:
                found.add(index)
        else:
            stack.extend(c.operands(below))
    return found


# What the commands ask


def equal(
    left: Core, right: Core, length: int, alphabet: Sequence[str] | None = None, max_states: int = MAX_STATES
) -> Comparison:
    """Whether two programs agree on all words up to `length`.

    >>> equal(parse('P = # "a" >= 2').core, parse('P = # "a" >= 3').core, 5).witness
    ('a', 'a')
    """
    if left.is_predictor != right.is_predictor:
        raise InputError("one program is a predictor and the other is not")
    letters = tuple(alphabet) if alphabet is not None else common_alphabet(left, right)
    first, second = simplify(left), simplify(right)
    if (first.ops, first.accept, first.outputs) == (second.ops, second.accept, second.outputs):
        return Comparison(True, length, None, proof="proved")
    outputs = list(dict.fromkeys(symbol for core in (left, right) for symbol, _ in core.outputs))
    sides = ProgramSide(left, letters, outputs, length), ProgramSide(right, letters, outputs, length)
    return compare(*sides, letters, length, max_states)


def common_alphabet(left: Core, right: Core) -> tuple[str, ...]:
    """The letters of the words that two programs are compared on."""
    for one, other in ((left, right), (right, left)):
        missing = [symbol for symbol in other.alphabet if one.closed and symbol not in one.alphabet]
        if missing:
            raise InputError(f"the alphabets differ: token {missing[0]!r} is in one of them alone")
    # A program that names no token treats all alike, so any one stands for them.
    return tuple(dict.fromkeys(left.alphabet + right.alphabet)) or ("a",)
