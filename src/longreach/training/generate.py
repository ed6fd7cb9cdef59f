"""What models write on their own: batched, greedy, with keys and values kept.

Each written token is read next, with its position id: the one that the model predicts, if it predicts ids
(predictive position coupling, Golowich et al., arXiv 2502.16792, section 5.2), or the next of a given list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from longreach.errors import InputError
from longreach.models.network import Cache, Network, Rereading
from longreach.models.parameters import Parameters
from longreach.tasks.task import EOS, Batch, IntArray, Task

WRITTEN_AT_ONCE = 32_768
"""Rows that are written together have room for about so many tokens."""


KEPT = 0.75
"""Finished rows are dropped when at most this share is still being written: dropping copies the memory."""


@dataclass(frozen=True, eq=False)
class Generated:
    """What was written behind each prompt."""

    tokens: IntArray
    """(rows, most): the tokens; 0 behind the last."""
    ids: IntArray
    """(rows, most): their position ids; 0 behind the last."""
    counts: IntArray
    """How many tokens were written, an end included."""


def generate(
    parameters: Parameters,
    network: Network,
    tokens: IntArray,
    *,
    sizes: IntArray | None = None,
    ids: IntArray | None = None,
    most: int | IntArray,
    end: int | None = None,
    following: IntArray | None = None,
) -> Generated:
    """Write `most` tokens at most behind each prompt, or as many as come before the token `end` and it.

    Prompts are (rows, width), padded on the right, with `sizes` tokens each. Their `ids` are 0, 1, … where
    nothing is said. A model that predicts ids is fed what it predicts; any other is fed `following`,
    (rows, most), or the numbers that follow the last id of the prompt.

    >>> from longreach.config.model import ModelConfig
    >>> from longreach.models.network import network
    >>> model = network(ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8))
    >>> prompts, sizes = np.array([[1, 2], [1, 0]]), np.array([2, 1])
    >>> written = generate(model.initial(0), model, prompts, sizes=sizes, most=3)
    >>> written.ids.tolist(), written.counts.tolist()
    ([[2, 3, 4], [1, 2, 3]], [3, 3])
    """
    rows, width = tokens.shape
    sizes = np.full(rows, width, dtype=np.int64) if sizes is None else sizes
    ids = np.tile(np.arange(width), (rows, 1)) if ids is None else ids
    limits = np.broadcast_to(np.asarray(most, dtype=np.int64), (rows,))
    if rows and not (sizes >= 1).all():
        raise InputError("a prompt has no token")
    if following is None:
        last = ids[np.arange(rows), sizes - 1]
        following = last[:, None] + 1 + np.arange(int(limits.max(initial=0)))
    _check_ids(network, ids, sizes, following, limits)
    made = Generated(
        tokens=np.zeros((rows, int(limits.max(initial=0))), dtype=np.int64),
        ids=np.zeros((rows, int(limits.max(initial=0))), dtype=np.int64),
        counts=np.zeros(rows, dtype=np.int64),
    )
    # Rows of similar size end together.
    order = np.argsort(sizes + limits, kind="stable")
    each = max(1, WRITTEN_AT_ONCE // max(1, int((sizes + limits).max(initial=1))))
    with torch.inference_mode():
        for first in range(0, rows, each):
            part = order[first : first + each]
            _write(
                made, part, parameters, network, tokens, ids, following,
                sizes=sizes, limits=limits, end=end,
            )  # fmt: skip
    return made


def _check_ids(
    network: Network, ids: IntArray, sizes: IntArray, following: IntArray, limits: IntArray
) -> None:
    """Refuse ids for which the model has no vector."""
    inside = np.where(np.arange(ids.shape[1]) < sizes[:, None], ids, 0)
    # What is written last is not read.
    written = np.where(np.arange(following.shape[1]) < limits[:, None] - 1, following, 0)
    largest = int(max(inside.max(initial=0), 0 if network.predicts_ids else written.max(initial=0)))
    if network.positions is not None and largest >= network.positions:
        raise InputError(f"the position id {largest} is beyond the {network.positions} of the model")


def _write(
    made: Generated,
    rows: IntArray,
    parameters: Parameters,
    network: Network,
    tokens: IntArray,
    ids: IntArray,
    following: IntArray,
    *,
    sizes: IntArray,
    limits: IntArray,
    end: int | None,
) -> None:
    """Write behind these prompts."""
    rows = rows[limits[rows] > 0]
    if not len(rows):
        return
    width = int(sizes[rows].max())
    # Rows that have ended may be read further for a while.
    columns = width + int(limits[rows].max())
    cache: Cache = (
        Rereading(network, parameters, len(rows), columns)
        if network.decode is None
        else network.decode(parameters, len(rows), columns)
    )
    device = next(iter(parameters.values())).device
    read, numbers = (torch.from_numpy(each[rows, :width]).to(device) for each in (tokens, ids))
    found = cache.read(read, numbers, torch.from_numpy(sizes[rows]).to(device))
    live = np.ones(len(rows), dtype=np.bool_)
    for place in range(int(limits[rows].max())):
        token = found.tokens.argmax(dim=-1)
        if found.ids is not None:
            number = found.ids.argmax(dim=-1)
        else:
            number = torch.from_numpy(following[rows, place]).to(device)
        now = rows[live]
        made.tokens[now, place] = token.cpu().numpy()[live]
        made.ids[now, place] = number.cpu().numpy()[live]
        made.counts[now] = place + 1
        live &= limits[rows] > place + 1
        if end is not None:
            live &= made.tokens[rows, place] != end
        if not live.any():
            return
        if live.sum() <= KEPT * len(live):
            kept = torch.from_numpy(np.flatnonzero(live)).to(device)
            cache.keep(kept)
            rows, token, number, live = rows[live], token[kept], number[kept], live[live]
        found = cache.read(token[:, None], number[:, None], torch.ones_like(token))


@dataclass(frozen=True)
class Written:
    """How much of a test set a model writes right on its own."""

    right: float
    """The share of examples with all tokens right, and all ids where they are predicted."""
    tokens_right: float
    """The share with all tokens right, whatever the ids."""


def written_right(parameters: Parameters, network: Network, task: Task, batch: Batch) -> Written | None:
    """Let the model write each example from the first supervised token on.

    None where that makes no sense: what is between supervised tokens would have to be given.
    """
    first, counts = batch.mask.argmax(axis=1), batch.mask.sum(axis=1)
    if not (first + counts == batch.sizes).all():
        return None
    end = task.tokens.index(EOS) if EOS in task.tokens else None
    most = int(counts.max())
    columns = np.minimum(first[:, None] + np.arange(most), batch.tokens.shape[1] - 1)
    asked = np.arange(most) < counts[:, None]
    # The id of a token that is written is that of the place after the one that predicts it; EOS is not read.
    after = batch.next_ids
    if after is None:
        after = np.hstack([batch.position_ids[:, 1:], batch.position_ids[:, -1:]])
    following = np.take_along_axis(after, columns, axis=1)
    made = generate(
        parameters, network, batch.tokens,
        sizes=first + 1, ids=batch.position_ids, most=counts, end=end, following=following,
    )  # fmt: skip
    targets = np.take_along_axis(batch.targets, columns, axis=1)
    complete = made.counts == counts
    tokens = complete & ((made.tokens == targets) | ~asked).all(axis=1)
    right = tokens
    if network.predicts_ids:
        right = tokens & ((made.ids == following) | ~asked).all(axis=1)
    return Written(right=float(right.mean()), tokens_right=float(tokens.mean()))
