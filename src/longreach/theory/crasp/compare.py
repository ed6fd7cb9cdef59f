"""Do two programs, or a program and an automaton, agree on all words up to a length?

Words are not listed one by one. After a prefix, all that matters of a program are its counters, the last
values that its local relations can see, and the position; prefixes that agree in these are merged. Counters
matter only through the comparisons that read them, so what is compared is the value of each comparison's
linear form, cut off where the remaining positions can no longer change the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder, merged_alphabet
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.ranges import Form, comparison_forms

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
    """A core program over letters that may exceed its own alphabet; `length` bounds the words."""

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
        self._forms = comparison_forms(self._core)
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
        columns = [_value(form, self._state, remaining) for form in self._forms]
        for window in self._state.windows.values():
            columns += list(np.packbits(window, axis=1).T.astype(np.int64))
        return [np.broadcast_to(column, self._rows) for column in columns]

    def keep(self, rows: NDArray[np.intp]) -> None:
        self._state = self._state.take(rows)
        self._rows = len(rows)


def within_length(core: Core, length: int) -> Core:
    """An equivalent program on words up to `length`, without distances that reach beyond such words."""
    if core.locality < length:
        return core
    builder = CoreBuilder()

    def near(op: c.Op) -> int:
        if not isinstance(op, c.Count) or op.distances is None:
            return builder.add_op(op)
        kept = tuple(distance for distance in op.distances if distance < length)
        return builder.add_op(c.Count(op.body, kept)) if kept else builder.integer(0)

    moved = c.rewrite(core.ops, near)
    return replace(core, names=()).moved_to(builder.ops, moved)


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


def _value(form: Form, state: State, remaining: int) -> Array:
    """A form after each prefix, cut off where `remaining` more positions cannot change any outcome."""
    size = sum(abs(factor) for _, factor in form.factors)
    huge = size * (state.position + remaining + 1) + max(map(abs, form.bounds or (0,))) >= 2**62
    value: Array = np.zeros(1, dtype=object if huge else np.int64)
    for counter, factor in form.factors:
        # A counter of every position has no total of its own.
        total = state.totals.get(counter, np.array([state.position]))
        value = value + factor * total.astype(value.dtype)
    if form.bounds is None:
        return value
    rise = sum(factor for _, factor in form.factors if factor > 0)
    low, high = form.bounds[0] - remaining * rise, form.bounds[1] + remaining * (size - rise)
    return np.clip(value, low, high)


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
    # A program that names no token treats all alike, so any one stands for them.
    return merged_alphabet([left, right])[0] or ("a",)
