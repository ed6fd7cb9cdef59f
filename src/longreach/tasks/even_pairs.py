"""Even pairs: whether the number of neighbours that differ is even."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.tasks.evidence import Evidence, Reduction
from longreach.tasks.regular_answer import UNDEFINED, RegularAnswer
from longreach.tasks.task import EOS, SEP, IntArray


@dataclass(frozen=True)
class EvenPairs(RegularAnswer):
    """SOS a a b b a SEP even EOS: one ab and one ba. Letters are independent and uniform.

    The number is even exactly where the first letter and the last are the same (Delétang et al., arXiv
    2207.02098). Without positions a program that has read SEP cannot say which letter came last.

    >>> EvenPairs().answer(list("aabba"))
    ('even', 'EOS')
    """

    name = "even-pairs"
    about = "whether the number of ab and ba is even"
    chance = 1 / 2  # even or odd
    symbols = ("a", "b", "even", "odd")
    nope = Evidence(
        "reduction",
        "regex:a|b|a(a|b)*a|b(a|b)*b",
        "after SEP nothing tells which letter came last",
        Reduction(
            {"a": "a", "b": "b"}, (SEP,), "even", "'even' follows SEP for words that end as they begin"
        ),
    )
    ape = Evidence("program", "even-pairs", "the first letter stands after SOS and the last before SEP")

    @property
    def machine(self) -> LabelledAutomaton:
        """The first letter, and whether the last is the same: 1, 2 after a first a, and 3, 4 after a b."""
        rows = [[1, 3], [1, 2], [1, 2], [4, 3], [4, 3]]
        return labelled(("a", "b"), rows, 0, [UNDEFINED, "even", "odd", "even", "odd"])

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        pairs = sum(first != second for first, second in pairwise(x))
        return ("odd" if pairs % 2 else "even", EOS)

    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        return rng.integers(0, 2, (len(lengths), int(lengths.max())))
