"""The smallest program for a target, and larger ones found by joining and local search.

Programs are compared on a few words first. One that is right there is checked against the target; a word on
which it is wrong joins the others. So what is found is a smallest program of the family, not only on those
words.

Beyond the sizes that can be searched completely, tests that are known already are joined: each is right on
all accepted words (or on all rejected ones), and each of the others is ruled out by one of them. Last comes
simulated annealing; finding no program there proves nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.lower import simplify, tidy
from longreach.theory.crasp.program import Program, raise_core, tidy_statements
from longreach.theory.search.behaviours import OPERATIONS, Array, Behaviours, Kind, Sets, Step, steps
from longreach.theory.search.enumeration import Enumeration, Finisher, Found
from longreach.theory.search.space import Bits, Family, Truth, Value, WordTree, operation_value
from longreach.theory.search.targets import Check, Target

STEPS = 6000
"""Changes before a restart."""
HOT, COLD = 0.08, 0.004
"""Temperatures at the beginning and at the end, in shares of words that are wrong."""
SHORTEST = 5
"""Operations of the smallest programs that are tried."""


class LocalSearch:
    """The search for one tree of labelled words; the same seed gives the same programs.

    >>> tree = WordTree.of("01", length=5)
    >>> said = np.array([word.count("1") >= word.count("0") for word in tree.words])
    >>> search = LocalSearch(tree, said, np.ones(len(tree), bool), Family())
    >>> search.run(8, Budget(seconds=20).running()) is not None
    True
    """

    def __init__(self, tree: WordTree, said: Truth, known: Truth, family: Family, seed: int = 0) -> None:
        self.tree, self.said, self.family = tree, said, family
        self.tried = 0
        self._rng = np.random.default_rng(seed)
        self._leaves: tuple[c.Op, ...] = (
            *(c.Token(letter) for letter in tree.alphabet),
            *family.position_tests,
        )
        # Accepted and rejected words weigh the same in all.
        shares = [1.0 / max(1, int((label & known).sum())) for label in (said, ~said)]
        weights = np.where(known, np.where(said, *shares), 0.0)
        self._weights: Value = weights / weights.sum()

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


def core_of(found: Found, behaviours: Behaviours) -> Core:
    """A program with one operation for each behaviour of the set; the set says nothing of their order.

    >>> known = Enumeration(WordTree.of("ab", length=4), Family())
    >>> core_of(known.of_size(2)[0], known.behaviours).ops
    (Token(symbol='a'), Not(body=0))
    """
    ops: list[c.Op] = []
    booleans: dict[int, int] = {}
    counts: dict[int, int] = {}
    wanted = set(found.members[0]), set(found.members[1])
    for op, number in behaviours.atoms.items():
        known, missing = (booleans, wanted[0]) if c.is_boolean(op) else (counts, wanted[1])
        if number in missing and number not in known:
            known[number] = len(ops)
            ops.append(op)
    while len(ops) < len(wanted[0]) + len(wanted[1]):
        before = len(ops)
        _derive(ops, booleans, counts, wanted, behaviours)
        if len(ops) == before:
            raise RuntimeError("a set of behaviours is no program's")
    return tidy(ops, behaviours.tree.alphabet, True, booleans[found.behaviour], (), ())


def _derive(
    ops: list[c.Op],
    booleans: dict[int, int],
    counts: dict[int, int],
    wanted: tuple[set[int], set[int]],
    behaviours: Behaviours,
) -> None:
    """Add the operations that read only what is there."""
    columns = list(booleans.items()), list(counts.items())
    row = Sets(
        np.array([[number for number, _ in columns[0]]], np.int32).reshape(1, -1),
        np.array([[number for number, _ in columns[1]]], np.int32).reshape(1, -1),
        np.zeros(1, np.uint32),
        np.zeros(1, np.uint64),
    )
    for step in steps(row.shape, len(behaviours.guards)):
        number = int(step.results(behaviours, row)[0])
        known, missing = (booleans, wanted[0]) if step.gives_boolean else (counts, wanted[1])
        if number in missing and number not in known:
            known[number] = len(ops)
            ops.append(_operation(step, [columns[0][k][1] for k in step.booleans], columns[1], behaviours))


def _operation(step: Step, tests: list[int], counts: list[tuple[int, int]], behaviours: Behaviours) -> c.Op:
    operands = [*tests, *(counts[k][1] for k in step.counts)]
    if step.kind in OPERATIONS:
        return OPERATIONS[step.kind](*operands)
    return c.Count(operands[0], behaviours.guards[step.kind - Kind.COUNT])


def readable(core: Core) -> Program:
    return tidy_statements(raise_core(core))


NODES = 300
"""Words of the first tree, about."""
MAX_SIZE = 14


@dataclass(frozen=True, eq=False, kw_only=True)
class Search:
    """The result of searching for a program: a smallest one, or some one found after that ended."""

    core: Core | None
    check: Check | None
    method: str
    none_up_to: int
    """No program of the family has so few operations or fewer."""
    reason: str
    """Why there is no smallest program."""
    tried: int
    enumeration: Enumeration
    """The last one, whose behaviours larger programs can be joined from."""


def smallest_program(
    target: Target, family: Family, *, max_size: int = MAX_SIZE, budget: Budget | None = None
) -> Search:
    """The smallest program of a family for a target, or the size up to which there is none.

    >>> from longreach.theory.search.targets import target_of
    >>> found = smallest_program(target_of(lambda word: word.count("1") >= word.count("0"), "01"), Family())
    >>> found.core.size, found.none_up_to
    (5, 4)
    """
    budget = (Budget() if budget is None else budget).running()
    tree, tried = target.tree(NODES), 0
    while True:
        enumeration = Enumeration(tree, family, budget)
        reason = f"none up to size {max_size}"
        finisher = Finisher(enumeration.behaviours, *packed_labels(tree, target))
        core, none_up_to = None, 0
        try:
            while core is None and none_up_to < max_size:
                found = next(enumeration.matching(none_up_to + 1, finisher), None)
                core = None if found is None else core_of(found, enumeration.behaviours)
                none_up_to += core is None
        except OverBudget as spent:
            reason = f"{spent} after size {none_up_to}"
        tried += enumeration.candidates
        check = None if core is None else target.check(core, budget)
        if check is None or check.witness is None:
            return Search(
                core=core,
                check=check,
                method="none" if core is None else "enumeration",
                none_up_to=none_up_to,
                reason=reason if core is None else "",
                tried=tried,
                enumeration=enumeration,
            )
        tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])


def packed_labels(tree: WordTree, target: Target) -> tuple[Bits, Bits]:
    """The labels of a tree's words, and which are known."""
    said, known = target.labels(tree)
    packed = tree.pack(np.stack([said & known, known]))
    return packed[0], packed[1]


STARTS = 60
"""Tests from which a choice begins."""
MOST_TESTS = 6
POOL = 6000
"""Tests that are tried, the smallest first."""


@dataclass(frozen=True, eq=False)
class _Pool:
    """Tests that never reject what should be accepted, and where they are wrong."""

    tests: list[Found]
    wrong: Array
    """Packed: the words to be rejected that each accepts."""


def joined(enumeration: Enumeration, said: Bits, known: Bits, max_size: int) -> Core | None:
    """The smallest program that turns up among conjunctions and disjunctions; None where there is none."""
    best: Core | None = None
    for turned in (False, True):
        pool = _pool(enumeration, said, known, turned)
        for choice in _choices(pool):
            core = _program([pool.tests[k] for k in choice], enumeration, turned)
            if core.size <= max_size and (best is None or core.size < best.size):
                best = core
    return best


def _pool(enumeration: Enumeration, said: Bits, known: Bits, turned: bool) -> _Pool:
    """With `turned` accepted and rejected change places, so that the tests make a disjunction."""
    tests = list(enumeration.found[:POOL])
    rows = enumeration.behaviours.bits[[each.behaviour for each in tests]]
    wanted = (~said if turned else said) & known
    tests_say = ~rows if turned else rows
    fits = ((wanted & ~tests_say) == 0).all(axis=1)
    wrong = (tests_say & ~wanted & known)[fits]
    return _Pool([each for each, fit in zip(tests, fits, strict=True) if fit], wrong)


def _choices(pool: _Pool) -> list[list[int]]:
    """Sets of tests that together are wrong nowhere, a few from each start."""
    if not len(pool.wrong):
        return []
    left = np.bitwise_count(pool.wrong).sum(axis=1)
    sizes = np.array([each.size for each in pool.tests])
    starts = np.argsort(left * sizes, kind="stable")[:STARTS]
    found = [_greedy(pool, int(start), sizes) for start in starts]
    return sorted((each for each in found if each), key=lambda chosen: int(sizes[chosen].sum()))[:8]


def _greedy(pool: _Pool, start: int, sizes: NDArray[np.int64]) -> list[int]:
    """From one test on, always the next that rules out most words for what it adds; empty if that ends."""
    chosen, wrong = [start], pool.wrong[start]
    members = [_members(each) for each in pool.tests] if len(pool.tests) < 1000 else None
    have = _members(pool.tests[start])
    while wrong.any() and len(chosen) < MOST_TESTS:
        after = np.bitwise_count(pool.wrong & wrong).sum(axis=1).astype(np.int64)
        removed = int(np.bitwise_count(wrong).sum()) - after
        if not removed.any():
            return []
        added = np.array([len(each - have) for each in members]) if members is not None else sizes
        worth = removed / (added + 1.0)
        best = int(np.argmax(np.where(after == 0, worth * 4, worth)))
        chosen.append(best)
        have = have | _members(pool.tests[best])
        wrong = wrong & pool.wrong[best]
    return chosen if not wrong.any() else []


def _members(found: Found) -> frozenset[tuple[bool, int]]:
    booleans, counts = found.members
    return frozenset([*((True, k) for k in booleans), *((False, k) for k in counts)])


def _program(tests: list[Found], enumeration: Enumeration, turned: bool) -> Core:
    builder = CoreBuilder()
    roots: list[int] = []
    for test in tests:
        core = core_of(test, enumeration.behaviours)
        moved = c.rewrite(core.ops, builder.add_op)
        assert core.accept is not None
        roots.append(builder.not_(moved[core.accept]) if turned else moved[core.accept])
    accept = reduce(builder.and_, roots)
    if turned:
        accept = builder.not_(accept)
    return simplify(tidy(builder.ops, enumeration.tree.alphabet, True, accept, (), ()))


JOINED_SIZE = 7
"""Programs up to this size are joined, all of them."""
JOINING = 0.5
"""The share of the time that is left for joining."""
ROUNDS = 40


def larger_program(
    target: Target, family: Family, *, search: Search, max_size: int, budget: Budget, seed: int = 0
) -> Search:
    """Some program for a target, found after enumeration has ended without one."""
    share = replace(budget, seconds=round(budget.left * JOINING, 1), ends=None).running()
    tree, tried = search.enumeration.tree, search.tried
    for _ in range(ROUNDS):
        try:
            small = Enumeration(tree, family, share)
            small.of_size(JOINED_SIZE)
        except OverBudget:
            break
        tried += small.candidates
        core = joined(small, *packed_labels(tree, target), max_size)
        if core is None:
            break
        check = target.check(core, budget)
        if check.witness is None:
            return replace(search, core=core, check=check, method="join", tried=tried)
        tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])
    search = replace(search, tried=tried)
    # Local search, guided by counterexamples; once there is a program, for smaller ones.
    for number in range(ROUNDS):
        said, known = target.labels(tree)
        local = LocalSearch(tree, said, known, family, seed + number)
        core = local.run(max_size, budget)
        search = replace(search, tried=search.tried + local.tried)
        if core is None:
            break
        check = target.check(core, budget)
        if check.witness is not None:
            tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])
            continue
        search, max_size = replace(search, core=core, check=check, method="local search"), core.size - 1
    return search
