"""The layout SOS x SEP y EOS of the algorithmic tasks, supervised on y EOS."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from longreach.tasks.counterfactuals import counterfactuals
from longreach.tasks.task import EOS, EOS_ID, PAD, PAD_ID, SEP, SEP_ID, SOS, SOS_ID, Batch, IntArray, Task


class SequenceTask(Task):
    """A task that writes y after reading x."""

    kind = "algorithmic"
    separated = True
    """Whether SEP stands between x and y."""
    ended = True
    """Whether EOS behind y is to be predicted. Without it the last token of y is only predicted, not read."""

    @property
    @abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """The tokens of x and y."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """PAD SOS EOS, SEP where it is used, and the symbols."""
        return (PAD, SOS, EOS, *((SEP,) if self.separated else ()), *self.symbols)

    @property
    def least_length(self) -> int:
        """1 unless the task says otherwise."""
        return 1

    @abstractmethod
    def answer_size(self, length: int) -> int:
        """The most tokens of y for an input of that LEN."""

    def input_size(self, length: int) -> int:
        """SOS, x, SEP and y; EOS is only predicted."""
        return 1 + length + self.separated + self.answer_size(length) - (not self.ended)

    @abstractmethod
    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        """x and y as places in `symbols`, one row each, and the sizes of y; what lies beyond is ignored."""

    def counterfactuals(
        self, batch: Batch, row: int, others: Batch, *, count: int, rng: np.random.Generator
    ) -> Batch | None:
        """With tokens of x as other inputs have them there."""
        return counterfactuals(self, batch, row, others, separated=self.separated, count=count, rng=rng)

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        x, y, answers = self.draw(lengths, rng)
        made = _laid_out(x, lengths, y, answers, self.separated)
        return made if self.ended else _without_end(made)


def _laid_out(x: IntArray, lengths: IntArray, y: IntArray, answers: IntArray, separated: bool) -> Batch:
    first = SEP_ID + 1 if separated else SEP_ID
    sizes = 1 + lengths + separated + answers
    shape = len(lengths), int(sizes.max())
    columns = np.arange(shape[1])
    tokens = np.zeros(shape, dtype=np.int64)
    targets = np.zeros(shape, dtype=np.int64)
    supervised = np.zeros(shape, dtype=np.bool_)
    # All that x has; what lies beyond its length becomes PAD. Masks as indices would take twice as long.
    np.multiply(x + first, columns[: x.shape[1]] < lengths[:, None], out=tokens[:, 1 : 1 + x.shape[1]])
    tokens[:, 0] = SOS_ID
    rows = np.arange(len(lengths)) * shape[1]
    if separated:
        tokens.ravel()[rows + lengths + 1] = SEP_ID
    # The place that predicts each token of y, counted through all rows; the next one reads it.
    used = np.arange(y.shape[1]) < answers[:, None]
    places = ((rows + lengths + separated)[:, None] + np.arange(y.shape[1]))[used]
    last = rows + sizes - 1
    answer = y[used] + first
    tokens.ravel()[places + 1] = answer
    targets.ravel()[places] = answer
    targets.ravel()[last] = EOS_ID
    supervised.ravel()[places] = supervised.ravel()[last] = True
    return Batch(tokens, targets, supervised, np.tile(columns, (shape[0], 1)), sizes)


def _without_end(batch: Batch) -> Batch:
    """The same examples without EOS: what was read last is now only a target."""
    last = np.arange(len(batch)), batch.sizes - 1
    batch.tokens[last] = batch.targets[last] = PAD_ID
    batch.mask[last] = False
    width = batch.tokens.shape[1] - 1
    return Batch(
        tokens=np.ascontiguousarray(batch.tokens[:, :width]),
        targets=np.ascontiguousarray(batch.targets[:, :width]),
        mask=np.ascontiguousarray(batch.mask[:, :width]),
        position_ids=np.ascontiguousarray(batch.position_ids[:, :width]),
        sizes=batch.sizes - 1,
    )
