"""A task whose inputs stand alike: what a model that sees position ids need not find out from tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from longreach.tasks.counterfactuals import joined
from longreach.tasks.task import Batch, BoolArray, IntArray, Task

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

    >>> from longreach.tasks.addition import Addition
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
