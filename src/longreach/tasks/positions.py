"""Position ids of a task: offsets, and how near they bring each step to what it depends on.

A coupling helps where every supervised token has few parents, and these have ids near its own, within a
window that does not grow with the length (Golowich et al., arXiv 2502.16792, Definition 4.1). Places count
from SOS, 0; the token that is predicted at a place stands at the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from longreach.errors import Field, InputError
from longreach.tasks.task import Batch, IntArray, Task
from longreach.wording import counted


def random_offsets(batch: Batch, positions: int, rng: np.random.Generator) -> Batch:
    """Each example at a uniformly random offset that fits: 0 … positions − size.

    Padding that would stand beyond the last position stays at the last.

    >>> from longreach.tasks.copying import Sort
    >>> rng = np.random.default_rng(0)
    >>> ids = random_offsets(Sort(5).sample([2] * 9, rng), 10, rng).position_ids
    >>> ids.shape, bool((ids[:, 0] <= 4).all()), bool((ids[:, 1] == ids[:, 0] + 1).all())
    ((9, 6), True, True)
    """
    _check(batch, positions)
    offsets = rng.integers(0, positions - batch.sizes + 1)
    width = batch.tokens.shape[1]
    ids = np.minimum(np.arange(int(offsets.max()) + width), positions - 1)
    windows = as_strided(ids, (len(ids) - width + 1, width), ids.strides * 2, writeable=False)
    return replace(batch, position_ids=windows[offsets])


def coupled_offsets(batch: Batch, ids: IntArray, positions: int, rng: np.random.Generator | None) -> Batch:
    """Each example with the task's own ids, all shifted by a uniformly random number that fits; without
    random numbers by none. What comes next must fit as well.

    >>> from longreach.tasks.copying import Reverse
    >>> batch = Reverse().sample([2], np.random.default_rng(0))
    >>> moved = coupled_offsets(batch, Reverse().coupled_ids(batch), 9, np.random.default_rng(0))
    >>> moved.position_ids.tolist(), moved.next_ids.tolist()
    ([[5, 6, 7, 5, 7, 6]], [[6, 7, 5, 7, 6, 5]])
    """
    inside = np.arange(ids.shape[1]) <= batch.sizes[:, None]
    most = np.where(inside, ids, 0).max(axis=1)
    if int(most.max()) >= positions:
        reason = f"{positions} position ids are too few for the task's own, {int(most.max()) + 1} are needed"
        raise InputError(reason, place=Field("max_position"))
    if rng is not None:
        ids = ids + rng.integers(0, positions - most)[:, None]
    ids = np.where(inside, ids, positions - 1)
    return replace(batch, position_ids=ids[:, :-1], next_ids=ids[:, 1:])


def no_offsets(batch: Batch, positions: int, rng: np.random.Generator) -> Batch:
    """Each example at the first positions."""
    _check(batch, positions)
    return batch


def _check(batch: Batch, positions: int) -> None:
    longest = int(batch.sizes.max())
    if longest > positions:
        reason = f"{positions} position ids are too few for an input of {longest} tokens"
        raise InputError(reason, place=Field("max_position"))


Parents: TypeAlias = Callable[[Batch], Sequence[Mapping[int, Sequence[int] | None]]]
"""For each example of a batch: the place of each supervised token, and the places that determine it together.
None: too many do."""

EXAMPLES, MOST = 1000, 2
LOOKED_AT, TIMES, SPAN = 200, 4, 40
"""Examples in which ids of answers are compared; how far above some times the least length they may be."""
REPEATED = 4
"""How often the tokens at some places must repeat, on average, before they are said to determine another."""


@dataclass(frozen=True, kw_only=True)
class TokenLocality:
    """One supervised token of inputs of one length, in the worst of the examples."""

    length: int
    number: int
    """Which supervised token of the input, from 0."""
    token: str
    """In that example."""
    parents: tuple[int, ...] | None
    """Places; None: more than were looked for."""
    distances: tuple[int, ...]
    """Ids of the parents minus the token's own."""

    @property
    def reach(self) -> int | None:
        """The largest distance, either way; None where the parents are not known."""
        return None if self.parents is None else max(map(abs, self.distances), default=0)

    @property
    def spread(self) -> int | None:
        """How far apart the ids of the parents are: what Definition 4.1 bounds."""
        if self.parents is None:
            return None
        return max(self.distances) - min(self.distances) if self.distances else 0


@dataclass(frozen=True, kw_only=True)
class Locality:
    """What a scheme comes to on a task."""

    window: int
    tokens: tuple[TokenLocality, ...]

    @property
    def far(self) -> tuple[TokenLocality, ...]:
        """Tokens with a parent outside the window, or with too many parents."""
        return tuple(each for each in self.tokens if each.reach is None or each.reach > self.window)

    @property
    def reaches(self) -> dict[int, int | None]:
        """The largest reach at each length; None where a token has too many parents."""
        found: dict[int, int | None] = {}
        for each in self.tokens:
            before = found.get(each.length, 0)
            found[each.length] = None if before is None or each.reach is None else max(before, each.reach)
        return found

    @property
    def grows(self) -> bool:
        """Whether the reach at the greatest length is more than at the least, or unknown."""
        known = list(self.reaches.values())
        return bool(known) and (known[-1] is None or known[0] is None or known[-1] > known[0])


def locality(
    task: Task,
    ids: Callable[[Batch], IntArray] | None = None,
    *,
    lengths: Sequence[int],
    parents: Parents | None = None,
    window: int = 1,
    examples: int = EXAMPLES,
    seed: int = 0,
) -> Locality:
    """How far supervised tokens are from their parents in ids, at some lengths.

    `ids` maps a batch to ids (examples, width + 1), as `Task.coupled_ids` does, whose scheme is taken by
    default; `true_ids` are the places themselves. `parents` are looked for among the examples unless a
    function says them: at most two places whose tokens determine the supervised one in all examples of one
    layout.

    >>> from longreach.tasks.copying import Reverse
    >>> for scheme in (true_ids, Reverse().coupled_ids):
    ...     found = locality(Reverse(), scheme, lengths=(3, 6))
    ...     print(found.reaches, found.grows, len(found.far))
    {3: 6, 6: 12} True 9
    {3: 0, 6: 0} False 0
    """
    scheme = task.coupled_ids if ids is None else ids
    rng = np.random.default_rng(seed)
    found: list[TokenLocality] = []
    for length in lengths:
        batch = task.sample([length] * examples, rng)
        numbers = scheme(batch)
        if numbers is None:
            raise InputError(f"{task.name} has no position ids of its own; give a function")
        if numbers.shape != (len(batch), batch.tokens.shape[1] + 1):
            raise InputError(
                f"{task.name}: ids of the shape {numbers.shape}, a column more than tokens is needed"
            )
        known = determining(batch, numbers) if parents is None else parents(batch)
        found += _worst(task, length, batch, numbers, known)
    return Locality(window=window, tokens=tuple(found))


def true_ids(batch: Batch) -> IntArray:
    """The places themselves, as a scheme.

    >>> from longreach.tasks.copying import Reverse
    >>> true_ids(Reverse().sample([1], np.random.default_rng(0))).tolist()
    [[0, 1, 2, 3, 4]]
    """
    return np.tile(np.arange(batch.tokens.shape[1] + 1), (len(batch), 1))


def _worst(
    task: Task,
    length: int,
    batch: Batch,
    ids: IntArray,
    known: Sequence[Mapping[int, Sequence[int] | None]],
) -> list[TokenLocality]:
    """For each supervised token the example in which it is farthest from its parents."""
    found: dict[int, TokenLocality] = {}
    for row, of_row in enumerate(known):
        places = np.flatnonzero(batch.mask[row]) + 1
        for number, place in enumerate(places.tolist()):
            if place not in of_row:
                raise InputError(f"{task.name}: no parents for the supervised token at place {place}")
            parents = of_row[place]
            here = TokenLocality(
                length=length,
                number=number,
                token=task.tokens[int(batch.targets[row, place - 1])],
                parents=None if parents is None else tuple(parents),
                distances=tuple(int(ids[row, each] - ids[row, place]) for each in parents or ()),
            )
            if number not in found or _far(here) > _far(found[number]):
                found[number] = here
    return [found[number] for number in sorted(found)]


def _far(each: TokenLocality) -> float:
    return float("inf") if each.reach is None else each.reach


def determining(batch: Batch, ids: IntArray, most: int = MOST) -> list[dict[int, tuple[int, ...] | None]]:
    """The fewest places whose tokens determine each supervised token, in all examples of one layout.

    Examples of one layout have the same size and the same supervised places; what the layout alone determines
    has no parents. Of several choices the one with the nearest ids is taken.

    >>> from longreach.tasks.copying import CopyRepeat
    >>> batch = CopyRepeat().sample([3] * 200, np.random.default_rng(0))
    >>> determining(batch, CopyRepeat().coupled_ids(batch))[0]
    {5: (1,), 6: (2,), 7: (3,), 8: ()}
    """
    layouts: dict[bytes, list[int]] = {}
    for row, size in enumerate(batch.sizes.tolist()):
        layouts.setdefault(batch.mask[row, :size].tobytes(), []).append(row)
    made: list[dict[int, tuple[int, ...] | None]] = [{} for _ in range(len(batch))]
    for rows in layouts.values():
        tokens, numbers = batch.tokens[rows], ids[rows]
        found: dict[int, tuple[int, ...] | None] = {}
        for place in (np.flatnonzero(batch.mask[rows[0]]) + 1).tolist():
            far = np.abs(numbers[:, :place] - numbers[:, place : place + 1]).max(axis=0)
            found[place] = _fewest(tokens[:, :place], batch.targets[rows, place - 1], far, most)
        for row in rows:
            made[row] = found
    return made


def _fewest(tokens: IntArray, targets: IntArray, far: IntArray, most: int) -> tuple[int, ...] | None:
    """The fewest columns that determine the targets; of several the nearest."""
    # Columns that never change say nothing.
    columns = [each for each in range(tokens.shape[1]) if (tokens[:, each] != tokens[0, each]).any()]
    size = int(max(tokens.max(initial=0), targets.max(initial=0))) + 1
    for count in range(most + 1):
        choices = sorted(
            combinations(columns, count), key=lambda each: max((far[c] for c in each), default=0)
        )
        for choice in choices:
            code = np.zeros(len(tokens), dtype=np.int64)
            for column in choice:
                code = code * size + tokens[:, column]
            distinct = len(np.unique(code))
            if REPEATED * distinct <= len(code) and distinct == len(np.unique(code * size + targets)):
                return choice
    return None


def ids_tell(task: Task) -> bool:
    """Whether the coupled ids of an answer depend on what the input says, and so tell part of it.

    Inputs whose ids are the same, with answers of the same size, have answers with other ids. Such ids are
    half of the answer to a model that reads them; one that predicts them must find them (Golowich et al.,
    arXiv 2502.16792, footnote 12).

    >>> ids_tell(load_task("variable-assignment")), ids_tell(load_task("addition"))
    (True, False)
    """
    # The shortest inputs may leave nothing to choose, as one chain of assignments does.
    known = task.lengths(task.least_length, TIMES * task.least_length + SPAN)
    length = int(known[min(len(known) - 1, 3)])
    batch = task.sample([length] * LOOKED_AT, np.random.default_rng(0))
    ids = task.coupled_ids(batch)
    if ids is None:
        return False
    answers: dict[tuple[int, bytes], bytes] = {}
    for row, begin, size in zip(ids, batch.mask.argmax(axis=1).tolist(), batch.sizes.tolist(), strict=True):
        read, written = row[: begin + 1].tobytes(), row[begin + 1 : size].tobytes()
        if answers.setdefault((size, read), written) != written:
            return True
    return False


END = "the end comes where no symbol of the input has the next position"


@dataclass(frozen=True)
class LocalSteps:
    """On how many tokens each written token depends, and how far they are in coupled position ids.

    It is what Golowich et al. (arXiv 2502.16792) ask of a task in Theorem 4.3, with Proposition 4.4 for ids.

    >>> LocalSteps(2, 1, "the state before and the letter").words
    'each step depends on 2 tokens at coupled distance 1 or less: the state before and the letter'
    """

    parents: int
    distance: int
    why: str
    """Which tokens these are: it follows from how the task is made."""
    but: str = ""
    """What is not of this kind."""
    everywhere: bool = True
    """Whether no written token needs one farther away, where the input ends apart."""

    @property
    def words(self) -> str:
        """One sentence without a full stop."""
        tokens = counted(self.parents, "token")
        said = f"each step depends on {tokens} at coupled distance {self.distance} or less: {self.why}"
        return f"{said}; {self.but}" if self.but else said


def local_steps(task: Task) -> LocalSteps | None:
    """What is known of a task under its own coupled ids; None: nothing.

    >>> local_steps(load_task("parity+scratchpad")).parents, local_steps(load_task("parity"))
    (2, None)
    """
    found = getattr(task, "local_steps", None)
    return found if isinstance(found, LocalSteps) else None


def seen_steps(task: Task) -> LocalSteps | None:
    """The same; of somebody's own task what its answers show, which takes seconds to find out.

    >>> from longreach.tasks.task import Task
    >>> def word(length, rng):
    ...     return ["ab"[k] for k in rng.integers(0, 2, length)]
    >>> found = seen_steps(Task.from_function(word, lambda x: x[::-1], name="backwards"))
    >>> found.why.partition(";")[0], found.everywhere
    ('the symbol that it copies', True)
    """
    aligned = getattr(task, "aligned", None)
    return local_steps(task) or getattr(aligned, "steps", None)


def far_steps(task: Task) -> str | None:
    """Why some steps of a task depend on many tokens or on far ones, under its own coupled ids.

    >>> far_steps(load_task("multiplication"))
    'a bit of a product depends on all lower bits of both factors'
    """
    found = getattr(task, "far_steps", None)
    return found if isinstance(found, str) else None
