"""aⁿbⁿcⁿ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, IntArray

_START, _A, _B, _C, _END = range(5)


@dataclass(frozen=True)
class AnBnCn(LanguageTask):
    """SOS a a b b c c: one word for each length that is a multiple of 3.

    >>> AnBnCn().answer("abc")
    ('{a,EOS}', '{a,b}', '{c}', '{EOS}')
    """

    name = "anbncn"
    about = "aⁿbⁿcⁿ"
    letters = ("a", "b", "c")
    labels = (("a", EOS), ("a", "b"), ("b",), ("c",), (EOS,))
    least_length = 3
    nope = ape = Evidence("program", "anbncn-next", "letters are counted (Huang et al., C.1.3)")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % 3 == 0)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            a, b, c = (x[:end].count(letter) for letter in self.letters)
            if b == 0:
                label = _A if a else _START
            elif b < a:
                label = _B
            else:
                label = _C if c < a else _END
            found.append(label_name(self.labels[label]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        third = lengths[:, None] // 3
        read = np.arange(int(lengths.max()) + 1)
        words = (read[:-1] >= third).astype(np.int64) + (read[:-1] >= 2 * third)
        labels = _A + (read > third).astype(np.int64) + (read >= 2 * third) + (read >= 3 * third)
        labels[:, 0] = _START
        return words, labels
