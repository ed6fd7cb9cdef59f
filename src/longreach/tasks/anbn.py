"""aⁿbⁿ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, IntArray

_START, _A, _B, _END = range(4)


@dataclass(frozen=True)
class AnBn(LanguageTask):
    """SOS a a b b: one word for each even length (Bhattamishra et al., arXiv 2009.11264).

    >>> AnBn().answer("ab")
    ('{a,EOS}', '{a,b}', '{EOS}')
    """

    name = "anbn"
    about = "aⁿbⁿ"
    letters = ("a", "b")
    labels = (("a", EOS), ("a", "b"), ("b",), (EOS,))
    least_length = 2
    nope = ape = Evidence("program", "anbn-next", "letters are counted (as in Huang et al., C.1.3)")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % 2 == 0)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            a, b = (x[:end].count(letter) for letter in self.letters)
            label = (_A if a else _START) if b == 0 else (_B if b < a else _END)
            found.append(label_name(self.labels[label]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        half = lengths[:, None] // 2
        read = np.arange(int(lengths.max()) + 1)
        words = (read[:-1] >= half).astype(np.int64)
        labels = _A + (read > half).astype(np.int64) + (read >= 2 * half)
        labels[:, 0] = _START
        return words, labels
