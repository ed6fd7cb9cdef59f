"""How much Alice must tell Bob: one-way communication of tasks, counted exactly on short inputs.

The input is split in half, Alice holds the first half and Bob the second. What she must send so that Bob can
answer is log₂ of the number of distinct rows of the matrix (her inputs × his inputs → answers). A limit
transformer that is PERIODIC and LOCAL gets by with C log N bits (Huang et al., arXiv 2410.02140, Theorem 12);
a task whose rows need more, such as copying or addition (Corollary 13), is out of reach of all of them.

>>> from longreach.theory.communication.problems import problem
>>> majority = measure(problem("binary-majority"), 8)
>>> majority.rows[-1], majority.growth.name
(9, 'logarithmic')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton

Inputs: TypeAlias = NDArray[Any]
"""One input per entry of the first axis."""
Function: TypeAlias = Callable[[Inputs, Inputs], NDArray[Any]]
"""All answers of (Alice's inputs, some of Bob's inputs), an array of that shape: Booleans or integers."""

USUAL_INPUTS = 2**12
"""Inputs per side up to which lengths are measured unless a length is asked for."""
MOST_INPUTS = 2**16
_ENTRIES_AT_ONCE = 2**22
_USUAL_LENGTH = 12
_STEPS = 4096  # of an automaton's search for a repetition


def distinct_rows(alice: Inputs, bob: Inputs, function: Function) -> int:
    """The number of distinct rows of the matrix of answers.

    The rows are split into classes by one block of columns after another; two rows share a class only if
    they were compared and found equal.

    >>> numbers = np.arange(8)
    >>> distinct_rows(numbers, numbers, lambda x, y: x[:, None] == y[None, :])
    8
    """
    labels = np.zeros(len(alice), dtype=np.int64)
    classes = min(1, len(alice))
    step = max(64, _ENTRIES_AT_ONCE // max(1, len(alice)))
    for start in range(0, len(bob), step):
        if classes == len(alice):
            break
        block = bob[start : start + step]
        answers = function(alice, block)
        if answers.shape != (len(alice), len(block)):
            raise ValueError(f"answers of shape {answers.shape}, expected {(len(alice), len(block))}")
        labels, classes = _refine(labels, _packed(answers))
    return classes


def _packed(answers: NDArray[Any]) -> NDArray[np.uint64]:
    """The same rows as machine words: eight Booleans a byte, integers as they are."""
    if answers.dtype == np.bool_:
        content = np.packbits(answers, axis=1)
    else:
        content = np.ascontiguousarray(answers).view(np.uint8)
    padded = np.pad(content, ((0, 0), (0, -content.shape[1] % 8)))
    return np.ascontiguousarray(padded).view(np.uint64)


def _refine(labels: NDArray[np.int64], words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], int]:
    """Classes of rows that shared a class before and have the same words, and their number."""
    keys = np.concatenate([labels.view(np.uint64)[:, None], words], axis=1)
    _, first, inverse = np.unique(_hashes(keys), return_index=True, return_inverse=True)
    if not np.array_equal(keys, keys[first[inverse]]):  # different rows met in a hash: compare them all
        _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return inverse.reshape(-1).astype(np.int64), len(first)


def _hashes(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    odd = np.random.default_rng(0).integers(2**63, size=keys.shape[1], dtype=np.uint64) * np.uint64(2)
    mixed = (keys ^ (keys >> np.uint64(31))) * (odd + np.uint64(1))
    total: NDArray[np.uint64] = np.add.reduce(mixed ^ (mixed >> np.uint64(29)), axis=1, dtype=np.uint64)
    return total


@dataclass(frozen=True)
class Fit:
    """bits ≈ coefficient · g(N) + offset."""

    coefficient: float
    error: float
    """The root mean square, in bits, of what is left per degree of freedom."""
    offset: float = 0.0


@dataclass(frozen=True)
class Growth:
    """The best of the fits C, C log₂ N and C N."""

    name: str
    fits: dict[str, Fit]
    lengths: tuple[int, int]
    """The least and the largest N fitted."""


_SHAPES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "constant": np.ones_like,
    "logarithmic": np.log2,
    "linear": lambda n: n,
}


def fit_growth(lengths: Sequence[int], bits: Sequence[float], *, offset: bool = False) -> Growth:
    """Least squares for the three growths; ties go to the slower growth.

    Only the longer half of the lengths counts: growth is about long inputs, and languages that settle late
    show at short ones. With `offset` all lengths count and an additive constant is fitted as well,
    for messages that say much besides what grows.

    >>> fit_growth(range(1, 13), [2.0 * n for n in range(1, 13)]).name
    'linear'
    """
    if len(lengths) != len(bits) or not lengths or min(lengths) < 1:
        raise InputError("a fit needs as many bits as lengths, and lengths of at least 1")
    order = np.argsort(np.asarray(lengths))
    n = np.asarray(lengths, dtype=np.float64)[order]
    wanted = np.asarray(bits, dtype=np.float64)[order]
    late = (n >= n[-1] / 2) | offset
    n, wanted = n[late], wanted[late]
    fits: dict[str, Fit] = {}
    for name, shape in _SHAPES.items():
        columns = [shape(n)] if name == "constant" or not offset else [shape(n), np.ones_like(n)]
        base = np.stack(columns, axis=1)
        found = np.linalg.lstsq(base, wanted, rcond=None)[0]
        left = float(((wanted - base @ found) ** 2).sum()) / max(1, len(n) - len(columns))
        fits[name] = Fit(float(found[0]), left**0.5, *(float(c) for c in found[1:]))
    best = next(iter(fits))
    for name, fit in fits.items():
        if fit.error < fits[best].error - 1e-9:
            best = name
    return Growth(best, fits, (int(n[0]), int(n[-1])))


@dataclass(frozen=True)
class Problem:
    """A function of Alice's and Bob's half for every N."""

    name: str
    about: str
    inputs: Callable[[int], int]
    """How many inputs a side has at N."""
    split: Callable[[int], tuple[Inputs, Inputs, Function]]
    """Alice's inputs, Bob's inputs and the answers at N."""
    automaton: Automaton | None = None
    """Of a regular language."""

    def longest(self, inputs: int, cap: int = _USUAL_LENGTH) -> int:
        """The largest N up to `cap` with at most this many inputs per side; at least 1."""
        length = 1
        while length < cap and self.inputs(length + 1) <= inputs:
            length += 1
        return length


@dataclass(frozen=True)
class Measurement:
    """Rows and bits at N = 1, 2, …, and how the bits needed for all lengths up to N grow."""

    problem: Problem
    rows: tuple[int, ...]
    exhaustive: int
    """Up to this N every pair of inputs was looked at; beyond, the automaton gives the exact count."""
    growth: Growth
    rows_at_all_lengths: int | None = None
    """The largest number of rows at any N whatever, where an automaton proves it."""

    @property
    def lengths(self) -> tuple[int, ...]:
        return tuple(range(1, len(self.rows) + 1))

    @property
    def bits(self) -> tuple[float, ...]:
        return tuple(float(b) for b in np.log2(self.rows))


def measure(problem: Problem, length: int | None = None) -> Measurement:
    """Counts the rows at N = 1, …, `length` exhaustively; for a regular language also beyond.

    >>> from longreach.theory.communication.problems import problem
    >>> measure(problem("equality"), 5).bits
    (1.0, 2.0, 3.0, 4.0, 5.0)
    """
    if length is None:
        length = problem.longest(USUAL_INPUTS)
    if problem.inputs(length) > MOST_INPUTS:
        raise InputError(
            f"{problem.name} at length {length} has {problem.inputs(length)} inputs per side, more than the "
            f"{MOST_INPUTS} that can be compared; the longest is {problem.longest(MOST_INPUTS, length)}"
        )
    rows = [distinct_rows(*problem.split(n)) for n in range(1, length + 1)]
    largest = None
    if problem.automaton is not None:
        regular = regular_rows(problem.automaton)
        known = len(regular.counts) - 1 if regular.start is None else 4 * len(regular.counts)
        exact = [regular.at(n) for n in range(1, max(length, known) + 1)]
        if exact[:length] != rows:
            raise AssertionError(f"{problem.name}: the automaton and the matrix disagree")
        rows, largest = exact, regular.largest
    # What all lengths up to N need: a language may have hardly any words at every other length.
    needed = np.log2(np.maximum.accumulate(rows)).tolist()
    return Measurement(problem, tuple(rows), length, fit_growth(range(1, len(rows) + 1), needed), largest)


@dataclass(frozen=True)
class RegularRows:
    """The rows of a regular language at every N: `counts` from N = 0, repeating from `start` on."""

    counts: tuple[int, ...]
    start: int | None
    """None if no repetition was found; then nothing is known beyond `counts`."""
    states: int

    def at(self, length: int) -> int:
        """The number of distinct rows at N = length."""
        if length < len(self.counts):
            return self.counts[length]
        if self.start is None:
            raise InputError(f"rows are known up to length {len(self.counts) - 1}, not at {length}")
        return self.counts[self.start + (length - self.start) % (len(self.counts) - self.start)]

    @property
    def largest(self) -> int:
        """No N has more rows."""
        return max(self.counts) if self.start is not None else self.states


def regular_rows(automaton: Automaton) -> RegularRows:
    """Rows at every N from the automaton: classes of the states that words of length N reach, where a
    class is what words of length N tell apart. Both follow from N − 1, so that they repeat in the end.

    >>> rows = regular_rows(named_automaton("d-12"))
    >>> rows.at(4), rows.at(10**6), rows.largest
    (4, 8, 8)
    """
    reached = np.arange(len(automaton)) == 0
    told = automaton.accepting_mask.astype(np.int64)
    seen: dict[bytes, int] = {}
    counts: list[int] = []
    while len(counts) < _STEPS:
        place = seen.setdefault(reached.tobytes() + told.tobytes(), len(counts))
        if place < len(counts):
            return RegularRows(tuple(counts), place, len(automaton))
        counts.append(len(np.unique(told[reached])))
        following = np.zeros_like(reached)
        following[automaton.table[reached]] = True
        reached = following
        told = np.unique(told[automaton.table], axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return RegularRows(tuple(counts), None, len(automaton))
