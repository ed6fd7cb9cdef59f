"""The tasks whose communication is measured: who holds what, and what Bob is asked.

Of a language, Bob is asked whether both halves together belong to it. Of a task that generates symbols, he
is asked for the next one, also after he has seen any part of the right continuation; a pair of inputs
that never occurs has the mark -1. Once Alice holds the whole input, such a mark never adds a row: two
continuations that differ have a first place where they do, and after what they share the answers differ.

>>> problem("copy-repeat").inputs(10)
1024
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError, near_names
from longreach.theory.automata.automaton import Automaton
from longreach.theory.communication.complexity import Function, Inputs, Problem
from longreach.theory.names import REGEX, TaskName
from longreach.wording import counted

Words: TypeAlias = NDArray[np.int64]
Split: TypeAlias = tuple[Inputs, Inputs, Function]

_NOT_ASKED = -1
_SYMBOLS = 3
"""The fixed alphabet of the mode, of repeated copying and of repeated sorting."""


def problem(name: str, alphabet: Sequence[str] | None = None) -> Problem:
    """A problem of `PROBLEMS`, a regular language by name, `regex:…`, or an automaton, `dfa:FILE`.

    >>> problem("regex:(aa|b)*").automaton.alphabet
    ('a', 'b')
    """
    from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
    from longreach.theory.automata.regex import expression_hint, from_expression

    if TaskName(name).is_regex:
        return regular_problem(name, from_expression(TaskName(name).expression, alphabet))
    if TaskName(name).is_states:
        raise InputError(
            f"{name}: states are no answer to divide; its language is {REGEX}{TaskName(name).source}"
        )
    if TaskName(name).is_automaton:
        return regular_problem(name, _automaton(name))
    if name in PROBLEMS:
        return PROBLEMS[name]
    try:
        return regular_problem(name, named_automaton(name))
    except InputError:
        hint = expression_hint(name) or near_names(name, [*PROBLEMS, *NAMED_LANGUAGES])
        raise InputError(f"no task or language named {name!r}{hint}") from None


def _automaton(name: str) -> Automaton:
    from longreach.files import DOCUMENT_BYTES, read_text
    from longreach.theory.automata.files import read_automaton

    read = TaskName(name)
    if read.is_text:
        return read_automaton(read.source, file=read.short)
    return read_automaton(read_text(read.source, most=DOCUMENT_BYTES), file=read.source)


def words(letters: int, length: int) -> Words:
    """All words as rows of letter numbers, in lexicographic order.

    >>> words(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    places = letters ** np.arange(length - 1, -1, -1, dtype=np.int64)
    return np.arange(letters**length, dtype=np.int64)[:, None] // places % letters


def regular_problem(name: str, automaton: Automaton) -> Problem:
    """Whether Alice's and Bob's halves together are a word of the language."""
    letters = len(automaton.alphabet)
    accepting = automaton.accepting_mask

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        states = np.repeat(alice[:, None], len(bob), axis=1)
        for letter in bob.T:
            states = automaton.table[states, letter]
        accepted: NDArray[Any] = accepting[states]
        return accepted

    def split(n: int) -> tuple[Inputs, Inputs, Function]:
        halves = words(letters, n)
        states = np.zeros(len(halves), dtype=np.int64)
        for letter in halves.T:
            states = automaton.table[states, letter]
        return states, halves, _once(answers)

    return Problem(
        name, f"regular, {counted(len(automaton), 'state')}", lambda n: int(letters**n), split, automaton
    )


def _once(function: Function) -> Function:
    """The same answers; inputs of Alice's that come as equal numbers are computed once and copied."""

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        different, place = np.unique(alice, axis=0, return_inverse=True)
        rows: NDArray[Any] = function(different, bob)[place.reshape(-1)]
        return rows

    return answers


def _numbers(n: int) -> Words:
    return np.arange(2**n, dtype=np.int64)


def _ones(n: int) -> Words:
    return np.bitwise_count(_numbers(n)).astype(np.int64)


def _binary_majority(n: int) -> Split:
    return _ones(n), _ones(n), _once(lambda x, y: np.add.outer(x, y) >= n)


def _parity(n: int) -> Split:
    return _ones(n), _ones(n), _once(lambda x, y: np.add.outer(x, y) % 2 == 1)


def _interleave(n: int) -> Split:
    """Three sequences take turns; Bob's half begins where Alice's stops."""
    halves = words(2, n)
    turns = np.arange(2 * n) % 3
    sizes = np.bincount(turns, minlength=3)
    one = np.eye(3, dtype=np.int64)[turns]

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        won = 2 * (alice[:, None, :] + bob[None, :, :]) >= sizes
        found: NDArray[Any] = np.packbits(won, axis=2)[..., 0]
        return found

    return halves @ one[:n], halves @ one[n:], _once(answers)


def _mode(n: int) -> Split:
    """The most frequent symbol, the first of them if there are several."""
    counts = (words(_SYMBOLS, n)[:, :, None] == np.arange(_SYMBOLS)).sum(axis=1)
    return counts, counts, _once(lambda x, y: (x[:, None, :] + y).argmax(axis=2).astype(np.int8))


def _copy(n: int) -> Split:
    """Alice holds the word, Bob the part of the copy that is written: k symbols, k < n."""
    sizes = np.repeat(np.arange(n), 2 ** np.arange(n))
    starts = np.concatenate([_numbers(k) for k in range(n)])

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        left = n - bob[:, 1]
        following = (alice[:, None] >> (left - 1)) & 1
        asked = alice[:, None] >> left == bob[:, 0]
        return np.where(asked, following, _NOT_ASKED).astype(np.int8)

    return _numbers(n), np.stack([starts, sizes], axis=1), answers


def _dyck_1(n: int) -> Split:
    heights = np.cumsum(1 - 2 * words(2, n), axis=1)
    ends = np.stack([heights[:, -1], heights.min(axis=1)], axis=1)

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        height, lowest = alice[:, :1], alice[:, 1:]
        balanced: NDArray[Any] = (height + bob[:, 1] >= 0) & (height + bob[:, 0] == 0)
        return balanced & (lowest >= 0)

    return ends, ends, _once(answers)


def _dyck_2(n: int) -> Split:
    """Letters 0 and 1 open, 2 and 3 close; a stack is a number with a leading 1, and 0 is a broken word."""

    def read(stacks: Words, letters: Words) -> Words:
        kind = letters % 2
        opened = np.where(stacks > 0, 2 * stacks + kind, 0)
        closed = np.where((stacks > 1) & (stacks % 2 == kind), stacks // 2, 0)
        return np.where(letters < 2, opened, closed)

    def answers(alice: Inputs, bob: Inputs) -> NDArray[Any]:
        stacks = np.repeat(alice[:, None], len(bob), axis=1)
        for letters in bob.T:
            stacks = read(stacks, letters)
        balanced: NDArray[Any] = stacks == 1
        return balanced

    halves = words(4, n)
    stacks = np.ones(len(halves), dtype=np.int64)
    for letters in halves.T:
        stacks = read(stacks, letters)
    return stacks, halves, _once(answers)


def _repeated(n: int, rearrange: bool) -> Split:
    """w SEP w SEP w …, or w SEP and then the symbols of w in order, again and again (E.2.2).

    Alice holds the first n tokens, Bob at most n tokens of the continuation. The symbols before the first
    SEP are the input, so nobody is asked for them.
    """
    separator = _SYMBOLS
    columns: dict[tuple[int, ...], int] = {}
    entries: list[tuple[int, int, int]] = []
    number: dict[tuple[int, ...], int] = {}
    for size in range(1, _SYMBOLS + 1):
        for word in permutations(range(_SYMBOLS), size):
            block = tuple(sorted(word)) if rearrange else word
            tokens = (*word, separator) + (*block, separator) * (2 * n)
            place = number.setdefault(tokens[:n], len(number))
            for k in range(n + 1):
                column = columns.setdefault(tokens[n : n + k], len(columns))
                if n + k > size:
                    entries.append((place, column, tokens[n + k]))
    matrix = np.full((len(number), len(columns)), _NOT_ASKED, dtype=np.int64)
    rows, places, answers = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    matrix[rows, places] = answers
    return np.arange(len(number)), np.arange(len(columns)), lambda x, y: matrix[np.ix_(x, y)]


def _binary(name: str, about: str, split: Callable[[int], Split]) -> Problem:
    return Problem(name, about, lambda n: 2**n, split)


def _of_numbers(name: str, about: str, function: np.ufunc) -> Problem:
    return _binary(name, about, lambda n: (_numbers(n), _numbers(n), function.outer))


def _bounded(name: str, about: str, rearrange: bool) -> Problem:
    # Fifteen words of distinct symbols; Bob holds up to n tokens of what follows.
    return Problem(name, about, lambda n: 15 * (n + 1), partial(_repeated, rearrange=rearrange))


PROBLEMS: dict[str, Problem] = {
    entry.name: entry
    for entry in (
        _binary("binary-majority", "at least half of the bits are 1", _binary_majority),
        _binary("binary-majority-interleave", "the majorities of three interleaved sequences", _interleave),
        Problem("majority", "the most frequent of 3 symbols", lambda n: _SYMBOLS**n, _mode),
        _binary("parity", "the number of 1s is odd", _parity),
        _bounded("sort", "repeated sorting of distinct symbols, 3 in all", True),
        _bounded("copy-unique", "repeated copying of distinct symbols, 3 in all", False),
        _binary("copy-repeat", "the next symbol of the copy of a binary word", _copy),
        _of_numbers("addition", "the sum of two binary numbers", np.add),
        _of_numbers("multiplication", "the product of two binary numbers", np.multiply),
        _of_numbers("equality", "both halves are the same", np.equal),
        _binary("dyck-1", "balanced brackets", _dyck_1),
        Problem("dyck-2", "balanced brackets of two kinds", lambda n: 4**n, _dyck_2),
    )
}
