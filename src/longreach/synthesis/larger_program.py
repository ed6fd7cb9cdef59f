"""Programs beyond the sizes that are searched completely: joined from small ones, then by local search."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from longreach.crasp.core import Core
from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.enumeration import Enumeration
from longreach.synthesis.joined_programs import joined
from longreach.synthesis.local_search import LocalSearch
from longreach.synthesis.program_family import Family
from longreach.synthesis.search_target import Check, Target
from longreach.synthesis.smallest_program import SmallestSearch, packed_labels
from longreach.synthesis.word_tree import WordTree

JOINED_SIZE = 7
"""Programs up to this size are joined, all of them."""
JOINING = 0.5
"""The share of the time that is left for joining."""
ROUNDS = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class LargerSearch:
    """What these searches came to."""

    core: Core | None
    check: Check | None
    method: str
    tried: int


def larger_program(
    target: Target, family: Family, *, search: SmallestSearch, max_size: int, budget: Budget, seed: int = 0
) -> LargerSearch:
    """Some program for a target, found after enumeration has ended without one."""
    share = replace(budget, seconds=round(budget.left * JOINING, 1), ends=None).running()
    tree, tried = search.enumeration.tree, search.tried
    for _ in range(ROUNDS):
        try:
            known = Enumeration(tree, family, share)
            known.of_size(JOINED_SIZE)
        except OverBudget:
            break
        tried += known.candidates
        core = joined(known, *packed_labels(tree, target), max_size)
        if core is None:
            break
        check = target.check(core, budget)
        if check.witness is None:
            return LargerSearch(core=core, check=check, method="join", tried=tried)
        tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])
    return _local(target, family, tree, max_size=max_size, budget=budget, seed=seed, tried=tried)


def _local(
    target: Target, family: Family, tree: WordTree, *, max_size: int, budget: Budget, seed: int, tried: int
) -> LargerSearch:
    """Local search, guided by counterexamples; once there is a program, for smaller ones."""
    best: tuple[Core, Check] | None = None
    for number in range(ROUNDS):
        said, known = target.labels(tree)
        local = LocalSearch(tree, np.asarray(said, bool), np.asarray(known, bool), family, seed + number)
        core = local.run(max_size, budget)
        tried += local.tried
        if core is None:
            break
        check = target.check(core, budget)
        if check.witness is not None:
            tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])
            continue
        best, max_size = (core, check), core.size - 1
    if best is None:
        return LargerSearch(core=None, check=None, method="none", tried=tried)
    return LargerSearch(core=best[0], check=best[1], method="local search", tried=tried)
