"""Parity: whether the number of ones is even or odd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.languages.regular.automaton import Automaton, minimal
from longreach.tasks.coupling import numbered
from longreach.tasks.draws import shuffled_bits
from longreach.tasks.evidence import Evidence, Images, Reduction
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, SEP, SEP_ID, Batch, IntArray


@dataclass(frozen=True)
class Parity(SequenceTask):
    """SOS 1 0 1 SEP even EOS. The number of ones is uniform in 0 … LEN.

    >>> Parity().answer(["1", "0", "0"])
    ('odd', 'EOS')
    """

    name = "parity"
    about = "whether the number of ones is even or odd"
    chance = 1 / 2  # even or odd
    symbols = ("0", "1", "even", "odd")
    nope = ape = Evidence(
        "reduction",
        "parity-language",
        "the answer decides the language (Huang et al., E.2.2)",
        Reduction(
            {"a": "1", "b": "0"}, (SEP,), "even", "with a as 1 and b as 0, 'even' follows SEP for its words"
        ),
    )

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return ("odd" if x.count("1") % 2 else "even", EOS)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """Two states: the number of ones modulo 2, as in `answer`."""
        parities = ("even", "odd")
        if tuple(after) != (SEP,) or token not in parities or not {*letters.values()} <= {"0", "1"}:
            return None
        rows = [[state ^ (symbol == "1") for symbol in letters.values()] for state in range(2)]
        return minimal(tuple(letters), rows, 0, [parities.index(token)])

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … 1, 0, 1: the answer is about all bits, so they share its id.

        It is the scheme of a scratchpad whose one jump is as long as the input.
        """
        x, y = numbered(batch, SEP_ID)
        made: IntArray = np.minimum(x + y, 1)
        return made

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        ones = rng.integers(0, lengths + 1)
        return shuffled_bits(lengths, ones, rng), 2 + ones[:, None] % 2, np.ones_like(lengths)
