"""Dyck-1: balanced brackets of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.draws import shuffled_bits
from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, IntArray

_CLOSED, _OPEN = 0, 1


@dataclass(frozen=True)
class Dyck1(LanguageTask):
    """SOS ( ( ) ): a bracket may always open, close where one is open, and end where none is.

    >>> Dyck1().answer("()")
    ('{(,EOS}', '{(,)}', '{(,EOS}')
    """

    name = "dyck-1"
    about = "balanced brackets"
    letters = ("(", ")")
    labels = (("(", EOS), ("(", ")"))
    least_length = 2
    nope = ape = Evidence("program", "dyck-1-next", "brackets are counted (Huang et al., C.1.2)")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % 2 == 0)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        open_now = [x[:end].count("(") - x[:end].count(")") for end in range(len(x) + 1)]
        return tuple(label_name(self.labels[_OPEN if depth else _CLOSED]) for depth in open_now)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        opening = balanced_words(lengths, rng)
        labels = np.zeros((len(lengths), opening.shape[1] + 1), dtype=np.int64)
        labels[:, 1:] = np.cumsum(2 * opening - 1, axis=1) > 0
        return 1 - opening, labels


def balanced_words(lengths: IntArray, rng: np.random.Generator) -> IntArray:
    """Balanced words of these even lengths, uniform among those of their length; 1 is an opening bracket.

    Rotates words of n opening and n + 1 closing brackets: exactly one of the 2n + 1 rotations of such a word
    is a balanced word and a closing bracket (the cycle lemma): it starts after the first place where the
    depth is least. Each balanced word comes from 2n + 1 of them, so uniform words give uniform ones.

    >>> balanced_words(np.array([2]), np.random.default_rng(0)).tolist()
    [[1, 0]]
    """
    opening = shuffled_bits(lengths + 1, lengths // 2, rng)
    columns = np.arange(opening.shape[1])
    inside = columns <= lengths[:, None]
    depths = np.cumsum(2 * opening - 1, axis=1)
    start = np.where(inside, depths, len(columns)).argmin(axis=1) + 1
    places = (start[:, None] + columns) % (lengths[:, None] + 1)
    found: IntArray = np.take_along_axis(opening, places, axis=1)[:, :-1]
    return found
