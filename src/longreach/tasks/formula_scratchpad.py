"""A scratchpad for formulas in prefix notation: the value of each part, from the last one to the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.boolean_expressions import BooleanExpressions, part_values
from longreach.tasks.coupling import backwards, numbered
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import EOS, SEP_ID, Batch, BoolArray, IntArray
from longreach.tasks.task_change import ChangedTask, places_of

VALUES = ("=0", "=1")


@dataclass(frozen=True)
class FormulaScratchpad(ChangedTask):
    """SOS and not 0 1 SEP =1 =0 =1 =1 EOS: of each token, from the last to the first, the value of the part
    that begins there; the last one is the answer. A value shares its id with its token.

    A value depends on three tokens at most: its own, the value before it, and for `and`, `or` that of the
    second part, which is as far away as the first one is long; ids under which it is near are not known.

    >>> FormulaScratchpad(BooleanExpressions()).answer("and not 0 1".split())
    ('=1', '=0', '=1', '=1', 'EOS')
    """

    change = "scratchpad"
    base: BooleanExpressions

    symbols = (*BooleanExpressions.symbols, *VALUES)
    far_steps = (
        "a value depends on 3 tokens, its operator and two values, of which the second may be as far away as "
        "the first part is long, at any depth of nesting"
    )
    nope = ape = Evidence("none", None, "nobody has written a program that finds the second of two values")

    @property
    def about(self) -> str:  # type: ignore[override]
        return "the value of a formula in prefix notation, after those of all its parts"

    def has(self, lengths: IntArray) -> BoolArray:
        return self.base.has(lengths)

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        self.base.answer(x)  # refuses what is no formula
        row = np.array([places_of(self.base.symbols, tuple(x))])
        values = part_values(row, np.array([len(x)]))[0]
        return (*(VALUES[value] for value in reversed(values.tolist())), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, _, _ = self.base.draw(lengths, rng)
        values = part_values(x, lengths)
        places = np.maximum(lengths[:, None] - 1 - np.arange(x.shape[1]), 0)
        return x, len(self.base.symbols) + np.take_along_axis(values, places, axis=1), lengths

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, L … 1, 0, 1 … L: counted from the end of x, where evaluation begins."""
        x, y = numbered(batch, SEP_ID)
        return backwards(x) + y
