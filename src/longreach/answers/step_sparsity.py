"""On how many earlier tokens each step of a task depends, measured from examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from longreach.tasks.dependence import MeasuredParents, measured_parents
from longreach.tasks.layouts import joined
from longreach.tasks.task import Batch, BoolArray, IntArray, Task
from longreach.theory.names import TaskName

# A task whose inputs stand alike: what a model that sees position ids need not find out from tokens.


DRAWN = 2000
"""Examples among which the commonest layout is looked for, and drawn at a time."""
MOST_DRAWS = 25
GUESSABLE = 0.9
"""Of the answers of a layout: where so many are one, the layout tells little of the task."""


@dataclass(frozen=True, eq=False)
class SameLayout(Task):
    """The inputs of one length whose ids and supervised places are those that most have.

    Of sums with operands of all sizes these are the sums of two sizes. A task without ids has one layout for
    each number of tokens.

    >>> from longreach.tasks.arithmetic import Addition
    >>> alike = SameLayout(Addition(), 7).sample([7] * 5, np.random.default_rng(0))
    >>> len({tuple(row == Addition().tokens.index("+")) for row in alike.tokens})
    1
    """

    base: Task
    length: int

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.base.name

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.base.tokens

    @property
    def least_length(self) -> int:
        return self.base.least_length

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = lengths == self.length
        return found

    def input_size(self, length: int) -> int:
        return self.base.input_size(length)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return self.base.answer(x)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        return self.base.coupled_ids(batch)

    def counterfactuals(
        self, batch: Batch, row: int, others: Batch, *, count: int, rng: np.random.Generator
    ) -> Batch | None:
        """Those of the base that stand alike, too."""
        found = self.base.counterfactuals(batch, row, others, count=count, rng=rng)
        if found is None:
            return None
        rows = [place for place, each in enumerate(self._layouts(found)) if each == self._wanted]
        return _chosen(found, rows) if rows else None

    @cached_property
    def _looked_at(self) -> Batch:
        return self.base.sample([self.length] * DRAWN, np.random.default_rng(0))

    @property
    def _first(self) -> Batch:
        """What was looked at and has the layout: at least one example."""
        drawn = self._looked_at
        return _chosen(drawn, [row for row, each in enumerate(self._layouts(drawn)) if each == self._wanted])

    @cached_property
    def _wanted(self) -> bytes:
        """The commonest, unless nearly all of its answers are one, as products of one bit are 0: then the
        commonest of the longer half."""
        drawn = self._looked_at
        layouts = self._layouts(drawn)
        ((wanted, count),) = Counter(layouts).most_common(1)
        rows = [row for row, each in enumerate(layouts) if each == wanted]
        ((_, alike),) = Counter(drawn.targets[row].tobytes() for row in rows).most_common(1)
        if alike <= GUESSABLE * count:
            return wanted
        supervised = drawn.mask.sum(axis=1)
        longer = np.flatnonzero(supervised >= np.median(supervised))
        return Counter(layouts[row] for row in longer.tolist()).most_common(1)[0][0]

    def _layouts(self, batch: Batch) -> list[bytes]:
        """What tells layouts apart, row by row."""
        ids = self.base.coupled_ids(batch)
        known = np.zeros_like(batch.tokens) if ids is None else ids[:, :-1]
        used = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
        whole = [
            (int(size), row[:size].tobytes(), mask[:size].tobytes())
            for size, row, mask in zip(batch.sizes, known * used, batch.mask, strict=True)
        ]
        return [repr(each).encode() for each in whole]

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """Fewer than were asked for, where the layout hardly comes up."""
        found, there = list[Batch](), 0
        for _ in range(MOST_DRAWS):
            drawn = self.base.sample([self.length] * DRAWN, rng)
            rows = [row for row, each in enumerate(self._layouts(drawn)) if each == self._wanted]
            found.append(_chosen(drawn, rows))
            there += len(rows)
            if there >= len(lengths):
                break
        if not there:
            found.append(self._first)
        whole = reduce(joined, (part for part in found if len(part)))
        return _chosen(whole, list(range(min(len(whole), len(lengths)))))


def _chosen(batch: Batch, rows: Sequence[int]) -> Batch:
    """These examples, as wide as they need."""
    picked = np.asarray(rows, dtype=np.int64)
    width = int(batch.sizes[picked].max()) if len(picked) else 0
    return Batch(
        tokens=batch.tokens[picked, :width],
        targets=batch.targets[picked, :width],
        mask=batch.mask[picked, :width],
        position_ids=batch.position_ids[picked, :width],
        sizes=batch.sizes[picked],
    )


# On how many earlier tokens each written token depends, and how far away, measured from examples.


SPAN, FIRST, APART = 40, 5, 4
"""How far above the least length lengths are looked for, from where on, and how far apart at least."""
EXAMPLES, POOL, TRIED = 8, 2000, 6
"""Examples whose parents are looked for, sequences that may speak against them, and parents at most."""


@dataclass(frozen=True, kw_only=True)
class StepSparsity:
    """The most tokens that a written token depends on, at a short length and at a longer one."""

    task: str
    name: str
    lengths: tuple[int, int]
    parents: tuple[int | None, int | None]
    """None: more than were tried."""
    distances: tuple[int | None, int | None]
    """The farthest of them from the token that is read, in coupled ids or in positions."""
    coupled: bool
    tested: tuple[bool, bool] = (True, True)
    """Whether enough inputs could have shown that more tokens matter; else a number is a lower bound."""

    @property
    def is_sparse(self) -> bool:
        """Whether longer inputs need no more tokens, as far as that was tested."""
        short, long = self.parents
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def is_local(self) -> bool:
        """Whether those are no farther away on longer inputs, as far as that was tested."""
        short, long = self.distances
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def words(self) -> str:
        """One line.

        >>> said = {"task": "a", "name": "a", "lengths": (4, 6), "coupled": True}
        >>> StepSparsity(**said, parents=(2, 2), distances=(1, 1)).words
        '2 tokens, within 1 in coupled ids'
        >>> StepSparsity(**said, parents=(4, None), distances=(4, None)).words
        '4 tokens at length 4, more than 6 at 6'
        >>> StepSparsity(**said, parents=(2, 3), distances=(1, 1), tested=(True, False)).words
        '2 tokens at length 4, at least 3 at 6'
        """
        first, second = self.lengths
        short, long = map(_shown, self.parents, self.tested)
        if self.is_sparse:
            many = "1 token" if long == "1" else f"{long} tokens"
        else:
            many = f"{short} tokens at length {first}, {long} at {second}"
        near, far = self.distances
        if near is None or far is None or not all(self.tested):
            return many
        ids = "coupled ids" if self.coupled else "positions"
        if self.is_local:
            return f"{many}, within {far} in {ids}"
        return f"{many}, within {near} in {ids} at length {first}, {far} at {second}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lengths": list(self.lengths),
            "parents": list(self.parents),
            "distances": list(self.distances),
            "ids": "coupled" if self.coupled else "true",
            "tested": list(self.tested),
            "sparse": self.is_sparse,
            "local": self.is_local,
        }


def step_sparsity(task: Task, name: str, *, coupled: bool) -> StepSparsity:
    """Of one task, in its coupled ids or in positions."""
    lengths = _two_lengths(task)
    short, long = (_measured(task, length, coupled) for length in lengths)
    return StepSparsity(
        task=name,
        name=f"{TaskName(TaskName(name).short).expression}{', coupled' if coupled else ''}",
        lengths=lengths,
        parents=(short.most, long.most),
        distances=(short.distance, long.distance),
        coupled=coupled,
        tested=(short.most is None or short.is_tested, long.most is None or long.is_tested),
    )


def _shown(parents: int | None, tested: bool) -> str:
    if parents is None:
        return f"more than {TRIED}"
    return str(parents) if tested else f"at least {parents}"


def _measured(task: Task, length: int, coupled: bool) -> MeasuredParents:
    """Among inputs that stand alike, where ids tell how they stand; else among all of the length."""
    rng = np.random.default_rng(0)
    asked = SameLayout(task, length) if coupled else task
    batch = asked.sample([length] * EXAMPLES, rng)
    ids = asked.coupled_ids(batch) if coupled else None
    return measured_parents(
        asked, length, rng, ids=None if ids is None else ids[:, :-1], batch=batch, pool=POOL, tried=TRIED
    )


def _two_lengths(task: Task) -> tuple[int, int]:
    """Short enough that examples cover most inputs, and not the same where the task has more than one."""
    least = task.least_length
    known = task.lengths(least, least + SPAN).tolist()
    first = next((length for length in known if length >= least + FIRST), known[0])
    return first, next((length for length in known if length >= first + APART), known[-1])


def seems_local(task: Task) -> bool:
    """Whether in examples each step needs few tokens, none farther away in the task's ids than the next.

    >>> seems_local(load_task("copy-repeat")), seems_local(load_task("reverse"))
    (True, False)
    """
    found = step_sparsity(task, task.name, coupled=True)
    far = found.distances[1]
    return found.is_sparse and found.is_local and far is not None and far <= 1
