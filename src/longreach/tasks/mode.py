"""Mode: the most frequent of five symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.majority import words_with_mode
from longreach.tasks.task import EOS, IntArray


@dataclass(frozen=True)
class Mode(SequenceTask):
    """SOS c b a b SEP b EOS: symbols independent and uniform, given that one is the most frequent.

    The task that Zhou et al., arXiv 2310.16028, call mode; `majority` is the same over 26 symbols.

    >>> Mode().answer(["c", "b", "a", "b"])
    ('b', 'EOS')
    """

    name = "mode"
    about = "the most frequent of five symbols"
    chance = 1 / 5  # one of the symbols
    symbols = tuple("abcde")
    nope = ape = Evidence("program", "mode", "one count for each symbol (Huang et al., E.2.2)")

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (Counter(x).most_common(1)[0][0], EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        words, modes = words_with_mode(lengths, len(self.symbols), rng)
        return words, modes[:, None], np.ones_like(lengths)
