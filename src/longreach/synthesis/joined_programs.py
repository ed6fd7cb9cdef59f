"""Programs joined from smaller ones: a conjunction, or a disjunction, of tests that are known already.

Beyond the sizes that can be searched completely. Each known test is right on all accepted words (or on all
rejected ones) and wrong on some of the others; tests are chosen so that each of these is ruled out by one of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from longreach.crasp.core import Core, CoreBuilder, operands, with_operands
from longreach.crasp.lowering import tidy
from longreach.crasp.simplify import simplify
from longreach.synthesis.behaviours import Array
from longreach.synthesis.enumeration import Enumeration, Found
from longreach.synthesis.set_to_program import core_of
from longreach.synthesis.word_tree import Bits

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
    turned: bool
    """Whether accepted and rejected have changed places, so that the tests make a disjunction."""


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
    tests = list(enumeration.found[:POOL])
    rows = enumeration.behaviours.bits[[each.behaviour for each in tests]]
    wanted = (~said if turned else said) & known
    tests_say = ~rows if turned else rows
    fits = ((wanted & ~tests_say) == 0).all(axis=1)
    wrong = (tests_say & ~wanted & known)[fits]
    return _Pool([each for each, fit in zip(tests, fits, strict=True) if fit], wrong, turned)


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
        moved: list[int] = []
        for op in core.ops:
            moved.append(builder.add_op(with_operands(op, [moved[k] for k in operands(op)])))
        assert core.accept is not None
        roots.append(builder.not_(moved[core.accept]) if turned else moved[core.accept])
    accept = reduce(builder.and_, roots)
    if turned:
        accept = builder.not_(accept)
    return simplify(tidy(builder.ops, enumeration.tree.alphabet, True, accept, (), ()))
