"""Stochastic local search: programs of a fixed size are changed operation by operation, with restarts.

A change that makes fewer words wrong is kept, another one now and then, less and less often (simulated
annealing). Nothing is proved by finding none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.crasp.lowering import tidy
from longreach.crasp.simplify import simplify
from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.program_family import Family
from longreach.synthesis.tree_evaluator import Value, operation_value
from longreach.synthesis.word_tree import Truth, WordTree

STEPS = 6000
"""Changes before a restart."""
HOT, COLD = 0.08, 0.004
"""Temperatures at the beginning and at the end, in shares of words that are wrong."""
SHORTEST = 5
"""Operations of the smallest programs that are tried."""


@dataclass(eq=False)
class LocalSearch:
    """The search for one tree of labelled words; the same seed gives the same programs.

    >>> tree = WordTree.of("01", length=5)
    >>> said = np.array([word.count("1") >= word.count("0") for word in tree.words])
    >>> search = LocalSearch(tree, said, np.ones(len(tree), bool), Family())
    >>> search.run(8, Budget(seconds=20).running()) is not None
    True
    """

    tree: WordTree
    said: Truth
    known: Truth
    family: Family
    seed: int = 0
    tried: int = 0
    _rng: np.random.Generator = field(init=False, repr=False)
    _leaves: tuple[c.Op, ...] = field(init=False, repr=False)
    _weights: Value = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        tokens = tuple(c.Token(letter) for letter in self.tree.alphabet)
        self._leaves = (*tokens, *self.family.position_tests)
        share = np.where(self.said, _share(self.said & self.known), _share(~self.said & self.known))
        weights = np.where(self.known, share, 0.0)
        self._weights = weights / weights.sum()

    def run(self, max_size: int, budget: Budget) -> Core | None:
        """The first program that is right on all known words; None when the time is over."""
        largest = max(SHORTEST, max_size - len(self._leaves))
        try:
            while True:
                for size in range(SHORTEST, largest + 1):
                    budget.check()
                    found = self._anneal(size, budget)
                    if found is not None and found.size <= max_size:
                        return found
        except OverBudget:
            return None

    def _anneal(self, size: int, budget: Budget) -> Core | None:
        """One restart with so many operations beyond the leaves."""
        ops: list[c.Op] = [*self._leaves, c.One()]
        fixed = len(ops)
        values: list[Value] = [operation_value(op, [], self.tree) for op in ops]
        for _ in range(size):
            op = self._random(ops, len(ops), None if len(ops) < fixed + size - 1 else True)
            values.append(operation_value(op, values, self.tree))
            ops.append(op)
        wrong = self._wrong(values[-1])
        for step in range(STEPS):
            if wrong == 0.0:
                return simplify(tidy(ops, self.tree.alphabet, True, len(ops) - 1, (), ()))
            if step % 256 == 0:
                budget.check()
            self.tried += 1
            place = int(self._rng.integers(fixed, len(ops)))
            op = self._random(ops, place, c.is_boolean(ops[place]))
            if op == ops[place]:
                continue
            changed = [*ops[:place], op, *ops[place + 1 :]]
            new = values[:place]
            for later in range(place, len(ops)):
                reads = c.operands(changed[later])
                same = later > place and all(new[k] is values[k] for k in reads)
                new.append(values[later] if same else operation_value(changed[later], new, self.tree))
            after = self._wrong(new[-1])
            heat = HOT * (COLD / HOT) ** (step / STEPS)
            if after <= wrong or self._rng.random() < math.exp((wrong - after) / heat):
                ops, values, wrong = changed, new, after
        return None

    def _wrong(self, value: Value) -> float:
        return float(self._weights[value != self.said].sum())

    def _random(self, ops: list[c.Op], before: int, boolean: bool | None) -> c.Op:
        """An operation that reads earlier ones, of a sort if one is asked for."""
        tests = [k for k in range(before) if c.is_boolean(ops[k])]
        counts = [k for k in range(before) if not c.is_boolean(ops[k])]
        if boolean is None:
            boolean = bool(self._rng.random() < 0.5)
        pick = self._pick
        if boolean:
            kind = self._rng.random()
            if kind < 0.2:
                return c.Not(pick(tests))
            return c.And(pick(tests), pick(tests)) if kind < 0.45 else c.Leq(pick(counts), pick(counts))
        kind = self._rng.random()
        if kind < 0.5:
            guards = self.family.guards
            return c.Count(pick(tests), guards[int(self._rng.integers(len(guards)))])
        if kind < 0.7:
            return c.Add(pick(counts), pick(counts))
        if kind < 0.85:
            return c.Subtract(pick(counts), pick(counts))
        return c.Conditional(pick(tests), pick(counts), pick(counts))

    def _pick(self, indices: list[int]) -> int:
        return indices[int(self._rng.integers(len(indices)))]


def _share(chosen: Truth) -> float:
    """The weight of one of these words, so that accepted and rejected ones weigh the same."""
    return 1.0 / max(1, int(chosen.sum()))
