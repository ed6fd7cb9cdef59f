"""Variable assignment: which variable is reached from a first one, by assignments in chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from longreach.config.length_range import LengthRange
from longreach.errors import InputError
from longreach.tasks.draws import random_orders
from longreach.tasks.evidence import Evidence
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.task import SEP_ID, Batch, BoolArray, IntArray

ARROW, FIRST = "←", "SEP1"
BEFORE = 2
"""The tokens of x before the first assignment: where to begin, and a separator."""
SOME_CHAINS = 4
NOT_WRITTEN = Evidence("none", None, "a program for this would look up assignments; it is not written out")


@dataclass(frozen=True)
class VariableAssignment(FamilyTask):
    """SOS v4 SEP1 v2 ← v9 v4 ← v7 v7 ← v1 v9 ← v3 SEP v4 ← v7 v7 ← v1, for d = 2.

    w chains of d assignments with distinct variables, interleaved uniformly, in order within each chain; x
    begins with the first variable of one chain, and the scratchpad writes that chain. LEN counts the
    tokens of x: 2 + 3dw, where the paper counts the 3dw of the assignments (Golowich et al.,
    arXiv 2502.16792, equation (22)). Without the scratchpad only the last variable is written.

    >>> VariableAssignment(2).answer("v4 SEP1 v2 ← v9 v4 ← v7 v7 ← v1 v9 ← v3".split())
    ('v4', '←', 'v7', 'v7', '←', 'v1')
    """

    d: int = 2
    variables: int = 200
    scratchpad: bool = True

    family = "variable-assignment"

    def __post_init__(self) -> None:
        if self.variables <= self.d:
            raise InputError(f"{self.family}: a chain of {self.d} steps needs {self.d + 1} variables")
        steps = "step" if self.d == 1 else "steps"
        self._describe(
            {"d": self.d, "variables": self.variables, "scratchpad": self.scratchpad},
            about=f"{self.d} {steps} from variable to variable, "
            + ("each written" if self.scratchpad else "the last variable written"),
            nope=Evidence("none", None, "what stands behind a variable needs the tokens next to it"),
            ape=_evidence(self.d) if self.scratchpad and self.variables == 200 else NOT_WRITTEN,
            chance=0.0 if self.scratchpad else 1 / self.variables,
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*(f"v{number}" for number in range(1, self.variables + 1)), ARROW, FIRST)

    @property
    def least_length(self) -> int:
        return self._length(1)

    def has(self, lengths: IntArray) -> BoolArray:
        chains, rest = np.divmod(lengths - BEFORE, 3 * self.d)
        found: BoolArray = (chains >= 1) & (rest == 0) & (chains * (self.d + 1) <= self.variables)
        return found

    @property
    def with_scratchpad(self) -> VariableAssignment | None:
        return None if self.scratchpad else replace(self, scratchpad=True)

    def train_range(self, train_to: int) -> LengthRange:
        """Of several chains at least: with one there is nothing to choose.

        Where the variables are too few for tests on three times as much, of a third of the chains that there
        can be.
        """
        chains = self.variables // (self.d + 1)
        last = max(train_to, self._length(SOME_CHAINS))
        if 2 * last >= self._length(chains):
            last = self._length(max(chains // 3, 1))
        return LengthRange(self.least_length, last)

    def _length(self, chains: int) -> int:
        return BEFORE + 3 * self.d * chains

    def answer_size(self, length: int) -> int:
        return 3 * self.d if self.scratchpad else 1

    def is_drawn(self, x: Sequence[str]) -> bool:
        """Whether all variables of the chains differ; that chains stand in order is not looked at."""
        left, right = {*x[BEFORE::3]}, {*x[BEFORE + 2 :: 3]}
        steps = len(x[BEFORE::3])
        return len(left) == len(right) == steps and len(left | right) == steps + steps // self.d

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        left, arrows, right = (x[BEFORE + place :: 3] for place in range(3))
        if [*x[1:2]] != [FIRST]:
            raise InputError(f"{self.name}: x begins with a variable and {FIRST}")
        if {*arrows} != {ARROW} or len(left) != len(right):
            raise InputError(f"{self.name}: assignments are written as in v4 {ARROW} v7")
        value = dict(zip(left, right, strict=True))
        now, written = x[0], list[str]()
        for _ in range(self.d):
            if now not in value:
                raise InputError(f"{self.name}: nothing is assigned to {now}")
            written += [now, ARROW, value[now]]
            now = value[now]
        return tuple(written if self.scratchpad else [now])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        d, rows = self.d, len(lengths)
        steps = (lengths - BEFORE) // 3
        most = int(steps.max())
        names = random_orders(np.full(rows, self.variables), self.variables, rng)
        chain, inside = _interleaved(steps, most, d, rng)
        # Of chain c the variables are names[c (d + 1)] … names[c (d + 1) + d].
        place = np.minimum(chain * (d + 1) + inside, self.variables - 2)
        left, right = (np.take_along_axis(names, place + next_one, axis=1) for next_one in (0, 1))
        arrow = np.full_like(left, self.variables)
        assignments = np.stack([left, arrow, right], axis=2).reshape(rows, 3 * most)
        start = np.column_stack([names[:, 0], np.full(rows, self.variables + 1)])
        x = np.concatenate([start, assignments], axis=1)
        if not self.scratchpad:
            return x, names[:, d : d + 1], np.ones_like(lengths)
        arrows = np.full((rows, d), self.variables)
        y = np.stack([names[:, :d], arrows, names[:, 1 : d + 1]], axis=2).reshape(rows, 3 * d)
        return x, y, np.full_like(lengths, 3 * d)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """0, 1 … LEN, 0, then I₁, I₁ + 1, I₁ + 2, I₂ …: a step has the ids of its assignment.

        I_j is the id of the j-th variable as the left side of its assignment (Golowich et al.,
        arXiv 2502.16792, E.3.1).
        """
        if not self.scratchpad:
            return None
        width = batch.tokens.shape[1]
        separators = (batch.tokens == SEP_ID).argmax(axis=1)[:, None]
        columns = np.arange(width + 1)
        ids = np.where(columns < separators, columns, 0)
        # The left sides of the assignments, and of the steps of the scratchpad.
        lefts = np.arange(1 + BEFORE, int(separators.max()), 3)
        sides = np.where(lefts < separators, batch.tokens[:, lefts], -1)
        written = separators + 1 + 3 * np.arange(self.d)
        steps = np.take_along_axis(batch.tokens, written, axis=1)
        found = lefts[(sides[:, None, :] == steps[:, :, None]).argmax(axis=2)]
        for next_one in range(3):
            np.put_along_axis(ids, written + next_one, found + next_one, axis=1)
        return ids


def _evidence(d: int) -> Evidence:
    why = "an induction head: each variable is assigned once, and looked up by the token before the arrow"
    return Evidence("program", f"variable-assignment-{d}", why)


def _interleaved(steps: IntArray, most: int, d: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """The chain of each step, uniformly among all orders with d steps of each chain; its place there.

    >>> chain, inside = _interleaved(np.array([4]), 4, 2, np.random.default_rng(0))
    >>> sorted(chain[0].tolist()), sorted(inside[0].tolist())
    ([0, 0, 1, 1], [0, 0, 1, 1])
    """
    chain = random_orders(steps, most, rng) // d
    # In order of chains and, within a chain, of steps; what lies beyond stands last.
    order = np.argsort(chain, axis=1, kind="stable")
    inside = np.empty_like(chain)
    np.put_along_axis(inside, order, np.broadcast_to(np.arange(most) % d, chain.shape), axis=1)
    return chain, inside
