"""The unbounded variants of copying and sorting: the answer is written again and again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.tasks.draws import random_orders
from longreach.tasks.task import PAD, SEP, SOS, Batch, IntArray, Task

_SEP_ID = 2


@dataclass(frozen=True)
class RepeatedTask(Task):
    """SOS w SEP v SEP v SEP …, with w of distinct symbols and v made of w (Huang et al., E.2.2).

    LEN counts the tokens after SOS and has no upper limit; the size of w is uniform in
    1 … min(number of symbols, LEN − 1). Supervised from the first SEP on, without an end.
    """

    size: int = 10
    """How many symbols there are."""

    kind = "algorithmic"

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return (PAD, SOS, SEP, *map(str, range(self.size)))

    @property
    def least_length(self) -> int:
        return 2

    def input_size(self, length: int) -> int:
        return 1 + length

    @abstractmethod
    def repeat(self, word: Sequence[str]) -> list[str]:
        """What is written again and again."""

    @abstractmethod
    def _repeats(self, words: IntArray) -> IntArray:
        """The same for rows; what exceeds all symbols is padding and stays at the end."""

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        word = list(x[: x.index(SEP)])
        whole = [*word, SEP]
        while len(whole) <= len(x):
            whole += [*self.repeat(word), SEP]
        return tuple(whole[len(word) + 1 : len(x) + 1])

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        counts = rng.integers(1, np.minimum(self.size, lengths - 1) + 1)
        words = random_orders(np.full_like(lengths, self.size), self.size, rng)
        words[np.arange(self.size) >= counts[:, None]] = self.size
        last = np.full((len(words), 1), self.size)
        blocks = np.hstack([words, last, self._repeats(words), last])
        symbols = np.where(blocks < self.size, blocks + _SEP_ID + 1, _SEP_ID)
        columns = np.arange(int(lengths.max()) + 1)
        turn, place = np.divmod(columns, counts[:, None] + 1)
        whole = np.take_along_axis(symbols, place + (self.size + 1) * (turn > 0), axis=1)
        inside = columns <= lengths[:, None]
        supervised = inside & (columns > counts[:, None])
        tokens = np.zeros_like(whole)
        tokens[:, 0] = 1
        tokens[:, 1:] = np.where(inside[:, 1:], whole[:, :-1], 0)
        targets = np.where(supervised, whole, 0)
        return Batch(tokens, targets, supervised, np.tile(columns, (len(tokens), 1)), lengths + 1)
