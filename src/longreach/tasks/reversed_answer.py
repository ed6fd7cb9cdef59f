"""The answer written from its end: for sums and products from the least significant digit on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from longreach.tasks.addition import Addition
from longreach.tasks.coupling import significance
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.local_steps import END, LocalSteps, far_steps
from longreach.tasks.multiplication import Multiplication
from longreach.tasks.reverse import Reverse
from longreach.tasks.task import EOS, Batch, IntArray
from longreach.tasks.task_change import ChangedTask


@dataclass(frozen=True)
class ReversedAnswer(ChangedTask):
    """SOS x SEP y EOS with y from its last token to its first.

    A sum has always one bit more than its longer operand, a product as many as both: with zeros at its end,
    where it ends needs no look at what is to come.

    >>> ReversedAnswer(Addition()).answer("11+1="), ReversedAnswer(Addition()).answer("10+001=")
    (('0', '0', '1', 'EOS'), ('1', '1', '0', '0', 'EOS'))
    """

    change = "reversed"
    base: SequenceTask

    @property
    def about(self) -> str:  # type: ignore[override]
        order = "the least significant bit first" if self.is_number else "from the last token to the first"
        return f"{self.base.about}, {order}"

    @property
    def separated(self) -> bool:  # type: ignore[override]
        return self.base.separated

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.base.symbols

    @property
    def is_number(self) -> bool:
        """Whether the answer is a number, to be written in all its bits."""
        return isinstance(self.base, Addition | Multiplication)

    def answer_size(self, length: int) -> int:
        return self.base.answer_size(length)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        y = self.base.answer(x)[-2::-1]
        if isinstance(self.base, Addition | Multiplication):
            first, second = self.base.operands(x)
            y += ("0",) * (self.base.most_bits(len(first), len(second)) - len(y))
        return (*y, EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, y, sizes = self.base.draw(lengths, rng)
        columns = np.arange(y.shape[1])
        backwards = np.take_along_axis(y, np.maximum(sizes[:, None] - 1 - columns, 0), axis=1)
        if not isinstance(self.base, Addition | Multiplication):
            return x, backwards, sizes
        first = (x == self.base.symbols.index(self.base.sign)).argmax(axis=1)
        whole = self.base.most_bits(first, lengths - 2 - first)
        padded = np.zeros((len(x), int(whole.max())), dtype=np.int64)  # the symbol 0 is the first
        padded[:, : y.shape[1]] = (backwards * (columns < sizes[:, None]))[:, : padded.shape[1]]
        return x, padded, whole

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """As in the base; digits of equal significance share an id."""
        if isinstance(self.base, Addition | Multiplication):
            sign, equals = (self.tokens.index(symbol) for symbol in (self.base.sign, "="))
            return significance(batch, plus=sign, equals=equals, reversed_answer=True)
        forwards = replace(batch, tokens=_turned(batch, batch.tokens))
        ids = self.base.coupled_ids(forwards)
        return None if ids is None else _turned(batch, ids)

    @property
    def local_steps(self) -> LocalSteps | None:
        """Of sums the bit before tells the carry: it less the bits of the operands. A reverse is a copy."""
        if isinstance(self.base, Reverse):
            return LocalSteps(1, 1, "the symbol that it copies", but=END)
        if not isinstance(self.base, Addition):
            return None
        return LocalSteps(5, 1, "the two bits to be added, the two before them, and their sum", but=END)

    @property
    def far_steps(self) -> str | None:
        """As in the base: the order makes nothing nearer."""
        return None if self.local_steps else far_steps(self.base)

    @cached_property
    def nope(self) -> Evidence:  # type: ignore[override]
        """Different answers stay different, so that as many bits must be told; programs are not known."""
        return _kept(self.base.nope)

    @cached_property
    def ape(self) -> Evidence:  # type: ignore[override]
        """The same."""
        return _kept(self.base.ape)


def _turned(batch: Batch, rows: IntArray) -> IntArray:
    """The columns of the answers in the other order, and all others as they are."""
    columns = np.arange(rows.shape[1])
    first = batch.mask.argmax(axis=1)[:, None] + 1
    last = batch.sizes[:, None] - 1
    places = np.where((columns >= first) & (columns <= last), first + last - columns, columns)
    return np.take_along_axis(rows, places, axis=1)


def _kept(evidence: Evidence) -> Evidence:
    if evidence.kind == "communication":
        return replace(evidence, reason=f"{evidence.reason}, in whichever order it is written")
    return Evidence("none", None, "nobody has written a program for the reversed order")
