"""Words on which a learned automaton is tried: all short ones, what its states call for, and long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from longreach.languages.regular.automaton import Word

LONGEST_BLOCK, MOST_BLOCKS = 3, 4


def short_words(alphabet: Sequence[str], most: int, *, longest: int) -> tuple[int, Iterator[Word]]:
    """The largest length to which there are at most so many words in all, and these words.

    >>> length, words = short_words("ab", 7, longest=60)
    >>> length, ["".join(word) for word in words]
    (2, ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb'])
    """
    length, count = 0, 1
    while length < longest and count + len(alphabet) ** (length + 1) <= most:
        length += 1
        count += len(alphabet) ** length
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

    Few letters drawn one by one are ever the same many times in a row; blocks are.

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
