"""Running core programs on arrays of token codes, block by block.

One kernel serves every use: it advances a batch of words by a block of positions, carrying the counters
and the last values that local relations can still see. A batch is cut into blocks that stay in cache, and
a word of any length is read in blocks, in memory that does not grow with the length (`Stream`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.lower import simplify

Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
Array: TypeAlias = NDArray[Any]
# A value is constant, the same for all words (one row), or one row per word; columns are positions.
Value: TypeAlias = bool | int | Array

BLOCK = 1 << 16  # elements of an array that is worked on at once: small enough for the cache


@dataclass
class State:
    """What a batch of words carries from one block to the next."""

    position: int = 0
    totals: dict[int, Array] = field(default_factory=dict)
    windows: dict[int, Array] = field(default_factory=dict)

    def take(self, rows: NDArray[np.intp]) -> State:
        """The state of some of the words, in the order of `rows`; a word may be taken more than once."""
        return State(
            self.position,
            {k: v if len(v) == 1 else v[rows] for k, v in self.totals.items()},
            {k: v if len(v) == 1 else v[rows] for k, v in self.windows.items()},
        )


class Kernel:
    """A core program prepared for running; `keep` are the operations whose values are asked for."""

    def __init__(self, core: Core, keep: Iterable[int]) -> None:
        self.core = core
        self.keep = frozenset(keep)
        self._codes = {symbol: code for code, symbol in enumerate(core.alphabet)}
        self._dead = _last_uses(core, self.keep)
        self._bounds = _bounds(core)

    def advance(self, state: State, codes: Codes) -> dict[int, Value]:
        """Reads a block (words × positions) and returns the kept values; `state` moves on."""
        width = codes.shape[1]
        algebra = _Arrays(self._dtype(state.position + width))
        values: dict[int, Value] = {}
        for index, op in enumerate(self.core.ops):
            values[index] = self._value(index, op, values, state, codes, algebra)
            for dead in self._dead[index]:
                del values[dead]
        state.position += width
        return values

    def _dtype(self, length: int) -> np.dtype[Any]:
        """The smallest type that holds every value up to `length`, falling back to Python integers."""
        largest = max((slope * length + constant for slope, constant in self._bounds), default=0)
        for dtype in (np.int32, np.int64):
            if largest <= np.iinfo(dtype).max:
                return np.dtype(dtype)
        return np.dtype(object)

    def _value(
        self, index: int, op: c.Op, values: dict[int, Value], state: State, codes: Codes, algebra: _Arrays
    ) -> Value:
        match op:
            case c.Token(symbol):
                found: Array = codes == self._codes[symbol]
                return found
            case c.Count(body, None):
                return _count(index, values[body], state, codes.shape[1], algebra.dtype)
            case c.Count(body, tuple(distances)):
                return _guarded(index, values[body], distances, state, codes.shape[1], algebra.dtype)
            case c.Periodic(modulus, residues):
                return _periodic(modulus, residues, state.position, codes.shape[1])
            case _:
                value: Value = algebra.value(op, values.__getitem__)
                return value


class _Arrays(c.Algebra):
    """Operations on values of a block, with counts of one type."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def negate(self, value: Value) -> Value:
        return not value if isinstance(value, bool) else ~value

    def both(self, left: Value, right: Value) -> Value:
        if isinstance(left, bool):
            return right if left else False
        if isinstance(right, bool):
            return left if right else False
        return left & right

    def choose(self, test: Value, then: Value, other: Value) -> Value:
        if isinstance(test, int):
            return then if test else other
        if isinstance(then, int) and isinstance(other, int) and then == 1 and other == 0:
            return test.astype(_counting(self.dtype)).astype(self.dtype, copy=False)
        return np.where(test, np.asarray(then, self.dtype), np.asarray(other, self.dtype))


def _count(index: int, body: Value, state: State, width: int, dtype: np.dtype[Any]) -> Value:
    if isinstance(body, bool):
        if not body:
            return 0
        return np.arange(state.position + 1, state.position + width + 1).astype(dtype)[None, :]
    counts: Array = np.cumsum(body, axis=1, dtype=_counting(dtype)).astype(dtype, copy=False)
    total = state.totals.get(index)
    if total is not None:
        counts += total[:, None].astype(dtype)
    if width:
        state.totals[index] = counts[:, -1].astype(np.int64)
    return counts


def _guarded(
    index: int, body: Value, distances: Sequence[int], state: State, width: int, dtype: np.dtype[Any]
) -> Value:
    """Sums the body shifted by each distance; runs of distances are differences of running sums."""
    if isinstance(body, int):
        body = np.full((1, width), bool(body))
    reach, working = distances[-1], _counting(dtype)
    seen = np.broadcast_to(state.windows.get(index, np.False_), (len(body), reach))
    extended = np.concatenate([seen, body], axis=1)
    state.windows[index] = extended[:, width:].copy()
    sums: Array | None = None
    result: Array | None = None
    for near, far in _runs(distances):
        if far - near < 3:
            part: Array = extended[:, reach - near : reach - near + width].astype(working)
            for distance in range(near + 1, far + 1):
                part += extended[:, reach - distance : reach - distance + width]
        else:
            if sums is None:
                sums = np.zeros((len(extended), reach + width + 1), dtype=working)
                np.cumsum(extended, axis=1, dtype=working, out=sums[:, 1:])
            upper, lower = reach - near + 1, reach - far
            part = sums[:, upper : upper + width] - sums[:, lower : lower + width]
        result = part if result is None else result + part
    assert result is not None
    return result.astype(dtype, copy=False)


def _counting(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type to count truth values in: as Python objects they would stay True and False, not 1 and 0."""
    return np.dtype(np.int64) if dtype.hasobject else dtype


def _periodic(modulus: int, residues: tuple[int, ...], position: int, width: int) -> Array:
    if modulus > width + position:  # no residue repeats: mark the few positions instead of tabulating
        marked = np.zeros((1, width), dtype=bool)
        marked[0, [r - position - 1 for r in residues if position < r <= position + width]] = True
        return marked
    table = np.zeros(modulus, dtype=bool)
    table[list(residues)] = True
    return table[np.arange(position + 1, position + width + 1) % modulus][None, :]


def _runs(distances: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The maximal intervals of consecutive distances."""
    start = previous = distances[0]
    for distance in distances[1:]:
        if distance != previous + 1:
            yield start, previous
            start = distance
        previous = distance
    yield start, previous


def _last_uses(core: Core, keep: frozenset[int]) -> list[list[int]]:
    """For each operation the values that no later operation reads."""
    last = list(range(len(core.ops)))
    for index, op in enumerate(core.ops):
        for operand in c.operands(op):
            last[operand] = index
    dead: list[list[int]] = [[] for _ in core.ops]
    for index, use in enumerate(last):
        if index not in keep:
            dead[use].append(index)
    return dead


def _bounds(core: Core) -> list[tuple[int, int]]:
    """For each operation (slope, constant) with |value at position i| ≤ slope · i + constant."""
    bounds: list[tuple[int, int]] = []
    for op in core.ops:
        match op:
            case c.Count():
                bounds.append((1, 0))
            case c.One():
                bounds.append((0, 1))
            case c.Add(left, right) | c.Subtract(left, right):
                (a, b), (x, y) = bounds[left], bounds[right]
                bounds.append((a + x, b + y))
            case c.Conditional(_, then, other):
                (a, b), (x, y) = bounds[then], bounds[other]
                bounds.append((max(a, x), max(b, y)))
            case _:
                bounds.append((0, 0))
    return bounds


def at_empty_word(core: Core) -> list[bool | int]:
    """Every operation at position 0: no token, every count 0."""
    values: list[bool | int] = []
    for op in core.ops:
        values.append(c.at_zero(op, values))
    return values


def accepts(core: Core, words: Sequence[Codes]) -> NDArray[np.bool_]:
    """Whether an acceptor accepts each word (arrays of token codes, see `words.encode`).

    >>> core = parse('P = # "a" >= # "b"').core
    >>> accepts(core, [np.array([0, 1, 1], np.uint8), np.array([], np.uint8)]).tolist()
    [False, True]
    """
    core = simplify(core)
    if core.accept is None:
        raise ValueError("a predictor accepts nothing; use `predictions`")
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    result = np.full(len(words), bool(at_empty_word(core)[core.accept]))
    for rows, batch in _batches(words, lengths):
        ends = lengths[rows] - 1
        for start, values in _blocks(core, batch):
            value = values[core.accept]
            width = min(BLOCK, batch.shape[1] - start)
            here = np.flatnonzero((ends >= start) & (ends < start + width))
            result[rows[here]] = np.broadcast_to(value, (len(rows), width))[here, ends[here] - start]
    return result


def predictions(core: Core, words: Sequence[Codes]) -> list[list[list[str]]]:
    """For a predictor: per word, per position, the tokens whose operation holds."""
    core = simplify(core)
    if core.accept is not None:
        raise ValueError("an acceptor predicts nothing; use `accepts`")
    result: list[list[list[str]]] = [[] for _ in words]
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    for rows, batch in _batches(words, lengths):
        for start, values in _blocks(core, batch):
            width = min(BLOCK, batch.shape[1] - start)
            outputs = np.stack([np.broadcast_to(values[k], (len(rows), width)) for k in core.roots], axis=2)
            for place, row in enumerate(rows):
                shown = outputs[place, : max(0, int(lengths[row]) - start)]
                result[row] += [[core.outputs[k][0] for k in np.flatnonzero(at)] for at in shown]
    return result


def _blocks(core: Core, batch: Codes) -> Iterator[tuple[int, dict[int, Value]]]:
    """The values of the roots on each block of columns, with the block's first column."""
    kernel, state = Kernel(core, core.roots), State()
    for start in range(0, batch.shape[1], BLOCK):
        yield start, kernel.advance(state, batch[:, start : start + BLOCK])


def _batches(words: Sequence[Codes], lengths: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.intp], Codes]]:
    """The non-empty words in order of length, as rectangles of about a block; padding is never read."""
    order = np.argsort(lengths, kind="stable")
    order = order[np.searchsorted(lengths[order], 1) :]
    while len(order):
        shortest = int(lengths[order[0]])
        # At most about a block of elements, and no word more than twice as long as another.
        similar = int(np.searchsorted(lengths[order], 2 * shortest, "right"))
        rows = order[: max(1, min(similar, BLOCK // shortest))]
        order = order[len(rows) :]
        if len(rows) == 1:
            yield rows, words[rows[0]][None, :]
            continue
        batch = np.zeros((len(rows), int(lengths[rows[-1]])), np.result_type(*(words[row] for row in rows)))
        for place, row in enumerate(rows):
            batch[place, : lengths[row]] = words[row]
        yield rows, batch


class Stream:
    """Reads one word in pieces of any size, in constant memory.

    >>> stream = Stream(parse('P = # "a" >= # "b"').core)
    >>> for piece in ([0, 1], [], [1]):
    ...     stream.feed(np.array(piece, np.uint8))
    >>> stream.accepted
    False
    """

    def __init__(self, core: Core) -> None:
        self.core = simplify(core)
        self._kernel = Kernel(self.core, self.core.roots)
        self._state = State()
        empty = at_empty_word(self.core)
        self._last = {root: bool(empty[root]) for root in self.core.roots}

    @property
    def position(self) -> int:
        """How many tokens have been read."""
        return self._state.position

    def feed(self, codes: Codes) -> None:
        for start in range(0, len(codes), BLOCK):
            block = codes[None, start : start + BLOCK]
            for root, value in self._kernel.advance(self._state, block).items():
                self._last[root] = bool(np.broadcast_to(value, block.shape)[0, -1])

    @property
    def accepted(self) -> bool:
        """Whether what has been read so far is accepted."""
        assert self.core.accept is not None
        return self._last[self.core.accept]

    @property
    def predicted(self) -> list[str]:
        """For a predictor: the tokens that may come next."""
        return [symbol for symbol, root in self.core.outputs if self._last[root]]
