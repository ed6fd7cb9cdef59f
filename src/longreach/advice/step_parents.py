"""The fewest earlier tokens that decide each written token, found by trying all small sets on examples.

Examples of one length and one layout are drawn; a set of earlier places *decides* a token if all examples
that agree there agree on it. Sets that examples cover too thinly to say so are not believed. Where a token
stands is taken as known: inputs of another layout are another question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from longreach.tasks.task import Batch, IntArray, Task

EXAMPLES = 2000
COVER = 8
"""Examples, on average, for each way in which the tokens of a set turn out."""
MOST_SETS = 1300
"""Per token; beyond that it depends on more tokens than are looked for."""
_ROOM = 2**40


@dataclass(frozen=True)
class StepParents:
    """Of all written tokens of a length: the most that one depends on, and the farthest of them."""

    parents: int
    distance: int
    """Between ids, of the token that is read last and of those that it needs."""
    whole: bool
    """False: some token depends on more tokens than were looked for."""


def step_parents(task: Task, length: int, *, coupled: bool, rng: np.random.Generator) -> StepParents:
    """What the written tokens of inputs of a length depend on, in coupled ids or in plain positions.

    >>> from longreach.tasks.catalog import load_task
    >>> rng = np.random.default_rng(0)
    >>> step_parents(load_task("parity"), 4, coupled=False, rng=rng)
    StepParents(parents=4, distance=4, whole=True)
    >>> step_parents(load_task("parity+scratchpad"), 4, coupled=True, rng=rng)
    StepParents(parents=2, distance=1, whole=True)
    """
    batch = task.sample([length] * EXAMPLES, rng)
    ids = task.coupled_ids(batch) if coupled else None
    places = np.tile(np.arange(batch.tokens.shape[1] + 1), (len(batch), 1)) if ids is None else ids
    rows = _commonest_layout(batch, places)
    known = places[rows[0]]
    most, farthest, whole = 0, 0, True
    for column in np.flatnonzero(batch.mask[rows[0]]).tolist():
        found = least_parents(batch.tokens[rows, : column + 1], batch.targets[rows, column], known)
        if found is None:
            whole, found = False, tuple(range(column + 1))
        most = max(most, len(found))
        farthest = max([farthest, *(int(abs(known[each] - known[column])) for each in found)])
    return StepParents(most, farthest, whole)


def _commonest_layout(batch: Batch, places: IntArray) -> IntArray:
    """The rows that have the same places and the same supervised tokens as most have."""
    keys = [
        (int(size), ids[:size].tobytes(), mask.tobytes())
        for size, ids, mask in zip(batch.sizes, places, batch.mask, strict=True)
    ]
    ((wanted, _),) = Counter(keys).most_common(1)
    return np.array([row for row, key in enumerate(keys) if key == wanted], dtype=np.int64)


def least_parents(tokens: IntArray, targets: IntArray, places: IntArray) -> tuple[int, ...] | None:
    """The columns of a smallest set that decides the targets, the nearest one; None if it is too large.

    >>> x = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 10)
    >>> least_parents(x, x[:, 0] ^ x[:, 2], np.arange(3))
    (0, 2)
    """
    here, total = int(places[tokens.shape[1] - 1]), len(tokens)
    distinct = np.unique(np.column_stack([tokens, targets]), axis=0)
    targets = distinct[:, -1]
    coded = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in distinct.T[:-1]]
    varying = [column for column, codes in enumerate(coded) if codes.max() > 0]
    near_first = sorted(varying, key=lambda column: (abs(int(places[column]) - here), -column))
    sets = (columns for size in range(len(near_first) + 1) for columns in combinations(near_first, size))
    for columns in islice(sets, MOST_SETS):
        if decides([coded[column] for column in columns], targets, total):
            return tuple(sorted(columns))
    return None


def decides(columns: Sequence[IntArray], targets: IntArray, examples: int) -> bool:
    """Whether rows that are alike have one target, and the examples are enough to say so.

    >>> rows, targets = np.array([0, 1]), np.array([5, 7])
    >>> decides([rows], targets, 16), decides([rows], targets, 2), decides([], targets, 16)
    (True, False, False)
    """
    keys, most = np.zeros(len(targets), dtype=np.int64), 1
    for column in columns:
        size = int(column.max()) + 1
        keys, most = keys * size + column, most * size
        if most > _ROOM:  # numbered anew, so that they fit
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
            most = len(keys)
    ways = len(np.unique(keys))
    if ways * COVER > examples:
        return False
    return len(np.unique(keys * (int(targets.max()) + 1) + targets)) == ways
