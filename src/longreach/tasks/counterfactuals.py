"""Counterfactual resampling: an example with some tokens of its input as other inputs have them.

Drawn inputs over many symbols agree with an example hardly anywhere, and so say little of what its answer
depends on. Its neighbours, answered by the task, say it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.errors import InputError
from longreach.tasks.task import SEP, SOS, Batch, BoolArray, IntArray, Task

FEW = (1, 1, 2, 3)
"""Tokens that are replaced, as often as they stand here; and once half of the input."""


def counterfactuals(
    task: Task,
    batch: Batch,
    row: int,
    others: Batch,
    *,
    separated: bool,
    count: int,
    rng: np.random.Generator,
) -> Batch | None:
    """So many neighbours of an example laid out as SOS x SEP y, less those that the task does not answer.

    A replaced token is that of another input at the same place. None: there are no such inputs.

    >>> from longreach.tasks.parity import Parity
    >>> rng = np.random.default_rng(0)
    >>> drawn = Parity().sample([4] * 50, rng)
    >>> found = counterfactuals(Parity(), drawn, 0, drawn, separated=True, count=20, rng=rng)
    >>> bool((found.tokens[:, 1:5] != drawn.tokens[0, 1:5]).any(axis=1).all())
    True
    """
    begin = int(batch.mask[row].argmax())
    last = begin + (not separated)
    alike = np.flatnonzero(others.mask.argmax(axis=1) == begin)
    if last <= 1 or not len(alike):
        return None
    mine = batch.tokens[row, 1:last]
    donors = others.tokens[rng.choice(alike, count), 1:last]
    sizes = rng.choice([*FEW, max(1, len(mine) // 2)], count)
    order = rng.permuted(np.tile(np.arange(len(mine)), (count, 1)), axis=1)
    made = np.where(order < sizes[:, None], donors, mine)
    known = {*task.tokens}
    inputs, answers = list[list[str]](), list[tuple[str, ...]]()
    for tokens in np.unique(made[(made != mine).any(axis=1)], axis=0).tolist():
        x = task.decode(tokens)
        try:
            y = task.answer(x)
        except InputError:
            continue
        if known.issuperset(y) and task.is_drawn(x):
            inputs.append(x)
            answers.append(y)
    return laid_out(task.tokens, inputs, answers, separated=separated) if inputs else None


def laid_out(
    vocabulary: Sequence[str],
    inputs: Sequence[Sequence[str]],
    answers: Sequence[Sequence[str]],
    *,
    separated: bool,
) -> Batch:
    """Inputs with their answers as a batch; the last token of an answer, mostly EOS, is only predicted."""
    places = {token: place for place, token in enumerate(vocabulary)}
    between = (SEP,) if separated else ()
    whole = [
        [places[token] for token in (SOS, *x, *between, *y)] for x, y in zip(inputs, answers, strict=True)
    ]
    shape = len(whole), max(map(len, whole)) - 1
    tokens, targets = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.bool_)
    for row, (x, full) in enumerate(zip(inputs, whole, strict=True)):
        begin, end = len(x) + separated, len(full) - 1
        tokens[row, :end] = full[:-1]
        targets[row, begin:end] = full[begin + 1 :]
        mask[row, begin:end] = True
    sizes = np.array([len(full) - 1 for full in whole])
    return Batch(tokens, targets, mask, np.tile(np.arange(shape[1]), (shape[0], 1)), sizes)


def joined(first: Batch, second: Batch) -> Batch:
    """The examples of both, padded to one width."""
    width = max(first.tokens.shape[1], second.tokens.shape[1])

    def stacked(one: IntArray | BoolArray, two: IntArray | BoolArray) -> IntArray:
        return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in (one, two)])

    return Batch(
        tokens=stacked(first.tokens, second.tokens),
        targets=stacked(first.targets, second.targets),
        mask=stacked(first.mask, second.mask).astype(np.bool_),
        position_ids=stacked(first.position_ids, second.position_ids),
        sizes=np.concatenate([first.sizes, second.sizes]),
    )
