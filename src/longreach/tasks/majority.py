"""Majority: the most frequent of 26 symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray

_MOST_COPIES = 64


@dataclass(frozen=True)
class Majority(SequenceTask):
    """SOS c b a b SEP b EOS: symbols independent and uniform, given that one is the most frequent.

    >>> Majority().answer(["c", "b", "a", "b"])
    ('b', 'EOS')
    """

    name = "majority"
    about = "the most frequent of 26 symbols"
    chance = 1 / 26  # one of 26 symbols
    symbols = tuple(ascii_lowercase)
    nope = ape = Evidence("program", "majority-26", "one count for each symbol (Huang et al., E.2.2)")

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (Counter(x).most_common(1)[0][0], EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        words, modes = words_with_mode(lengths, len(self.symbols), rng)
        return words, modes[:, None], np.ones_like(lengths)


def words_with_mode(lengths: IntArray, symbols: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Uniform words among those with a single most frequent symbol, and that symbol.

    Each row takes the first good one of independent tries. Tries come in growing numbers, because of short
    lengths: only one word of length 2 in 26 is good.

    >>> words, modes = words_with_mode(np.array([2]), 3, np.random.default_rng(0))
    >>> words[0].tolist() == [modes[0], modes[0]]
    True
    """
    words = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
    modes = np.zeros_like(lengths)
    todo = np.arange(len(lengths))
    copies = 1
    while len(todo):
        sizes = np.repeat(lengths[todo], copies)
        tries = rng.integers(0, symbols, (len(sizes), int(sizes.max())))
        numbered = tries + symbols * np.arange(len(sizes))[:, None]
        seen = numbered[np.arange(tries.shape[1]) < sizes[:, None]]
        counts = np.bincount(seen, minlength=symbols * len(sizes)).reshape(-1, symbols)
        single = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        good = single.reshape(-1, copies)
        found = good.any(axis=1)
        chosen = (np.arange(len(todo)) * copies + good.argmax(axis=1))[found]
        words[todo[found], : tries.shape[1]] = tries[chosen]
        modes[todo[found]] = counts[chosen].argmax(axis=1)
        todo = todo[~found]
        copies = min(2 * copies, _MOST_COPIES)
    return words, modes
