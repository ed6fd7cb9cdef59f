"""A smallest program for a target: enumeration guided by counterexamples.

Programs are compared on a few words first. One that is right there is checked against the target; where that
is wrong, the word joins the others. So what is found is a smallest program of the family, and not only on
those words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.crasp.core import Core
from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.enumeration import Enumeration
from longreach.synthesis.last_operations import Finisher
from longreach.synthesis.program_family import Family
from longreach.synthesis.search_target import Check, Target
from longreach.synthesis.set_to_program import core_of
from longreach.synthesis.word_tree import Bits, WordTree

NODES = 300
"""Words of the first tree, about."""
MAX_SIZE = 14


@dataclass(frozen=True, eq=False, kw_only=True)
class SmallestSearch:
    """What a search for a smallest program came to."""

    core: Core | None
    check: Check | None
    none_up_to: int
    """No program of the family has so few operations or fewer."""
    reason: str
    """Why it ended without a program."""
    tried: int
    enumeration: Enumeration
    """The last one, whose behaviours larger programs can be joined from."""


def smallest_program(
    target: Target, family: Family, *, max_size: int = MAX_SIZE, budget: Budget | None = None
) -> SmallestSearch:
    """The smallest program of a family for a target, or the size up to which there is none.

    >>> from longreach.synthesis.search_target import target_of
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
            return SmallestSearch(
                core=core,
                check=check,
                none_up_to=none_up_to,
                reason="" if core is not None else reason,
                tried=tried,
                enumeration=enumeration,
            )
        tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])


def packed_labels(tree: WordTree, target: Target) -> tuple[Bits, Bits]:
    """The labels of a tree's words, and which are known."""
    said, known = target.labels(tree)
    packed = tree.pack(np.stack([said & known, known]))
    return packed[0], packed[1]
