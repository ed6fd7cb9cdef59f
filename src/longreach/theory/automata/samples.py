"""Words on which automata and programs are tried: all short ones, what states call for, and long ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word

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


def class_shares(machine: LabelledAutomaton, label: str, longest: int) -> list[NDArray[np.float64]]:
    """For each length the share of words that lead from each state into a class.

    >>> from longreach.theory.automata.automaton import labelled
    >>> ends_in_b = labelled("ab", [[0, 1], [0, 1]], 0, ["no", "yes"])
    >>> [float(share[0]) for share in class_shares(ends_in_b, "yes", 2)]
    [0.0, 0.5, 0.5]
    """
    table = np.array(machine.transitions)
    shares = [np.array([output == label for output in machine.outputs], dtype=np.float64)]
    for _ in range(longest):
        shares.append(shares[-1][table].mean(axis=1))
    return shares


def class_words(
    machine: LabelledAutomaton, label: str, lengths: Sequence[int], rng: np.random.Generator
) -> Iterator[Word]:
    """A random word of a class for each of the lengths that has one.

    >>> from longreach.theory.automata.automaton import labelled
    >>> even = labelled("a", [[1], [0]], 0, ["even", "odd"])
    >>> ["".join(word) for word in class_words(even, "odd", range(4), np.random.default_rng(0))]
    ['a', 'aaa']
    """
    table = np.array(machine.transitions)
    shares = class_shares(machine, label, max(lengths, default=0))
    for length in lengths:
        if not shares[length][0]:
            continue
        state, word = 0, []
        for left in range(length - 1, -1, -1):
            weights = shares[left][table[state]].cumsum()
            place = int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))
            word.append(machine.alphabet[place])
            state = table[state, place]
        yield tuple(word)


def suffixes_to(machine: LabelledAutomaton, label: str) -> dict[int, list[Word]]:
    """For each state that leads into a class the shortest words to it, one for each first letter that does.

    >>> from longreach.theory.automata.automaton import labelled
    >>> suffixes_to(labelled("ab", [[0, 1], [2, 2], [2, 2]], 0, ["no", "yes", "no"]), "yes")
    {1: [()], 0: [('b',), ('a', 'b')]}
    """
    shortest: dict[int, Word] = {s: () for s, output in enumerate(machine.outputs) if output == label}
    found = [*shortest]
    for state in found:  # grows on the way
        for before, row in enumerate(machine.transitions):
            if before not in shortest and state in row:
                shortest[before] = (machine.alphabet[row.index(state)], *shortest[state])
                found.append(before)
    return {
        state: list(
            dict.fromkeys(
                [
                    shortest[state],
                    *(
                        (letter, *shortest[target])
                        for letter, target in zip(machine.alphabet, machine.transitions[state], strict=True)
                        if target in shortest
                    ),
                ]
            )
        )
        for state in found
    }


def near_words(
    words: Sequence[Word], alphabet: Sequence[str], longest: int, count: int, rng: np.random.Generator
) -> Iterator[Word]:
    """Words made from others: a letter changed, a part repeated, every run made longer, two words joined.

    Where a class is rare, its next word is rarely drawn but often near a known one.

    >>> words = list(near_words([tuple("aabbcc")], "abc", 30, 200, np.random.default_rng(0)))
    >>> tuple("aaaabbbbcccc") in words, tuple("aabbccaabbcc") in words, max(map(len, words)) <= 30
    (True, True, True)
    """
    if not words:
        return
    for number in range(count):
        word = words[number % len(words)]
        for _ in range(1 + int(rng.integers(0, 4) == 0)):
            word = _changed(word, words, alphabet, longest, rng)
        if len(word) <= longest:
            yield word


def stretched_words(
    words: Sequence[Word], lengths: Sequence[int], rng: np.random.Generator
) -> Iterator[Word]:
    """For each length a word of about that length: one of these with a part of it repeated.

    Where an answer is rare on long words, most of what keeps it is a part that may be repeated.

    >>> found = list(stretched_words([tuple("ab")], [20, 30], np.random.default_rng(0)))
    >>> [len(word) for word in found], all({*word} <= {"a", "b"} for word in found)
    ([20, 30], True)
    """
    for length in lengths if words else ():
        word = words[int(rng.integers(len(words)))]
        if not word:
            continue
        first = int(rng.integers(len(word)))
        last = first + 1 + int(rng.integers(min(LONGEST_BLOCK, len(word) - first)))
        times = (length - len(word)) // (last - first)
        if times > 0:
            yield word[:first] + word[first:last] * (1 + times) + word[last:]


def _changed(
    word: Word, words: Sequence[Word], alphabet: Sequence[str], longest: int, rng: np.random.Generator
) -> Word:
    first, last = sorted(rng.integers(0, len(word) + 1, 2).tolist())
    part, letter = word[first:last], alphabet[int(rng.integers(0, len(alphabet)))]
    times = int(rng.integers(2, max(3, min(9, longest // max(1, len(word))) + 1)))
    match int(rng.integers(0, 8)):
        case 0:
            return (*word[:first], letter, *word[first:])
        case 1:
            return word[:first] + word[last:]
        case 2:
            return (*word[:first], letter, *word[first + 1 :])
        case 3:
            return word[:first] + part * times + word[last:]
        case 4:
            return word + words[int(rng.integers(0, len(words)))]
        case 5:
            return tuple(each for each in word for _ in range(times))
        case 6:
            return (*word[:first], *([letter] * int(rng.integers(2, 12))), *word[first:])
        case _:
            return word * times


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
