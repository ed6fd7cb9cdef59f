"""Copy unique: distinct symbols, written again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from longreach.languages.regular.automaton import Automaton, minimal
from longreach.tasks.coupling import numbered
from longreach.tasks.distinct import DistinctSymbols, distinct_symbols
from longreach.tasks.evidence import Evidence, Images, Reduction
from longreach.tasks.local_steps import END, LocalSteps
from longreach.tasks.task import EOS, SEP, SEP_ID, Batch, IntArray


@dataclass(frozen=True)
class CopyUnique(DistinctSymbols):
    """SOS 5 2 9 SEP 5 2 9 EOS: x is a uniformly random choice of distinct symbols in random order.

    >>> CopyUnique().answer(["5", "2", "9"])
    ('5', '2', '9', 'EOS')
    """

    name = "copy-unique"
    about = "distinct symbols, written again"
    nope = Evidence(
        "reduction",
        "regex:(a|b|c)*ab(a|b|c)*",
        "a program would tell whether a given pair of symbols occurred (Huang et al., C.2.2)",
        # With finitely many distinct symbols there are finitely many inputs. What is asked for is the
        # predicate that works for inputs of any length: what followed the symbol before SEP.
        Reduction(
            {"a": "0", "b": "1", "c": "2"},
            (SEP, "0"),
            "1",
            "with a, b, c as the symbols 0, 1, 2, which may repeat, 1 may follow 0 after SEP for its words",
        ),
    )
    local_steps = LocalSteps(1, 1, "the symbol that it copies", but=END)
    ape = Evidence("program", "copy-unique", "an induction head: each symbol has one predecessor")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*x, EOS)

    def may_follow(self, x: Sequence[str], symbol: str) -> set[str]:
        """What followed the symbol anywhere in x, which may repeat symbols here.

        For distinct symbols that is the right answer; for inputs of any length it is what a program for
        finitely many symbols predicts (Huang et al., C.2.2).

        >>> sorted(CopyUnique().may_follow(["0", "1", "0", "2"], "0"))
        ['1', '2']
        """
        return {here for before, here in pairwise(x) if before == symbol}

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """Three states: the last symbol is not that of `after`, it is, and the token has followed it."""
        if len(after) != 2 or after[0] != SEP or not {after[1], token, *letters.values()} <= {*self.symbols}:
            return None
        found = [int(symbol == after[1]) for symbol in letters.values()]
        followed = [2 if symbol == token else int(symbol == after[1]) for symbol in letters.values()]
        return minimal(tuple(letters), [found, followed, [2] * len(letters)], 0, [2])

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L: each symbol and its copy share an id."""
        x, y = numbered(batch, SEP_ID)
        return x + y

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = distinct_symbols(lengths, self.size, rng)
        return x, x, lengths
