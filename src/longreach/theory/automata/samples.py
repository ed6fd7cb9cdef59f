"""Words on which automata and programs are tried: all short ones, what states call for, and long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.automata.automaton import Automaton, Word

LONGEST_BLOCK, MOST_BLOCKS = 3, 4
ROWS = 24
"""Random words of each kind."""
Letters: TypeAlias = NDArray[np.int64]


def longest_within(letters: int, words: int, most: int) -> int:
    """The length, at most `most`, up to which there are at most so many words in all.

    >>> longest_within(2, 511, 12), longest_within(3, 130, 12)
    (8, 4)
    """
    length, total = 0, 1
    while length < most and total + letters ** (length + 1) <= words:
        length += 1
        total += letters**length
    return length


def short_words(alphabet: Sequence[str], most: int, *, longest: int) -> tuple[int, Iterator[Word]]:
    """The largest length up to which there are at most so many words, and these words.

    >>> length, words = short_words("ab", 7, longest=60)
    >>> length, ["".join(word) for word in words]
    (2, ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb'])
    """
    length = longest_within(len(alphabet), most, longest)
    return length, (word for size in range(length + 1) for word in product(alphabet, repeat=size))


def state_words(
    access: Sequence[Word], alphabet: Sequence[str], suffixes: Sequence[Word], extra: int
) -> Iterator[Word]:
    """Each state's word, then up to `extra` + 1 letters, then each suffix that tells states apart.

    An automaton that passes all of them is right unless the smallest one has more than `extra` states more
    (Chow's W-method).

    >>> ["".join(word) for word in state_words([()], "ab", [("a",)], 0)]
    ['a', 'aa', 'ba']
    """
    for size in range(extra + 2):
        for middle in product(alphabet, repeat=size):
            for start in access:
                for suffix in suffixes:
                    yield (*start, *middle, *suffix)


def long_words(alphabet: Sequence[str], longest: int, count: int, rng: np.random.Generator) -> Iterator[Word]:
    """Random words up to a length: letter by letter, and of a few blocks that repeat.

    Letters drawn one by one rarely repeat many times in a row; blocks do.

    >>> words = list(long_words("ab", 9, 50, np.random.default_rng(0)))
    >>> len(words), max(map(len, words)) <= 9
    (50, True)
    """
    for number in range(count):
        size = int(rng.integers(1, longest + 1))
        if number % 2:
            yield tuple(alphabet[k] for k in rng.integers(0, len(alphabet), size))
            continue
        word: list[str] = []
        blocks = int(rng.integers(1, MOST_BLOCKS + 1))
        for left in range(blocks, 0, -1):
            block = [alphabet[k] for k in rng.integers(0, len(alphabet), rng.integers(1, LONGEST_BLOCK + 1))]
            room = max(1, (size - len(word)) // (left * len(block)))
            word += block * int(rng.integers(1, 2 * room + 1))
        yield tuple(word[:size])


def random_words(automaton: Automaton, rng: np.random.Generator, length: int) -> Letters:
    """Words of one length, as rows of places in the alphabet, of four kinds: uniform, with few frequent
    letters, repetitions of short words, and words that avoid the states that are never left."""
    letters, size = len(automaton.alphabet), (ROWS, length)
    uniform = rng.integers(0, letters, size)
    shares = rng.dirichlet(np.full(letters, 0.3), ROWS).cumsum(axis=1)
    uneven = (rng.random(size)[:, :, None] > shares[:, None, :-1]).sum(axis=2)
    repeated = np.stack([_repetitions(letters, length, rng) for _ in range(ROWS)])
    return np.concatenate([uniform, uneven, repeated, _staying(automaton, length, rng)])


def _repetitions(letters: int, length: int, rng: np.random.Generator) -> Letters:
    """Three short words, each many times, one after another."""
    cuts = np.sort(rng.integers(0, length + 1, 2))
    parts = []
    for part in np.diff([0, *cuts, length]):
        word = rng.integers(0, letters, rng.integers(1, 9))
        parts.append(np.resize(word, part) if part else np.zeros(0, np.int64))
    return np.concatenate(parts)


def _staying(automaton: Automaton, length: int, rng: np.random.Generator) -> Letters:
    left = (automaton.table != np.arange(len(automaton))[:, None]).any(axis=1)
    good = left[automaton.table]
    states = np.zeros(ROWS, dtype=np.int64)
    words = np.empty((ROWS, length), dtype=np.int64)
    for column in range(length):
        words[:, column] = (rng.random((ROWS, len(automaton.alphabet))) + good[states]).argmax(axis=1)
        states = automaton.table[states, words[:, column]]
    return words
