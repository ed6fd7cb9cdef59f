"""A smallest program for a target: enumeration guided by counterexamples.

Programs are compared on a few words first. One that is right there is checked against the target; where that is
wrong, the word joins the others. So what is found is a smallest program of the family, and not only on those words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longreach.crasp.core import Core
from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.enumeration import Enumeration, Found
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
        core = None
        try:
            core = first_match(enumeration, target, max_size)
        except OverBudget as spent:
            reason = f"{spent} after size {enumeration.complete}"
        tried += enumeration.candidates
        check = None if core is None else target.check(core, budget)
        if check is None or check.witness is None:
            return SmallestSearch(
                core=core,
                check=check,
                none_up_to=enumeration.complete,
                reason="" if core is not None else reason,
                tried=tried,
                enumeration=enumeration,
            )
        tree = WordTree.of(tree.alphabet, words=[*tree.words, check.witness])


def first_match(enumeration: Enumeration, target: Target, max_size: int) -> Core | None:
    """The first program that is right on all words of the tree whose label is known."""
    for found in matches(enumeration, *packed_labels(enumeration.tree, target), max_size):
        return core_of(found, enumeration.behaviours)
    return None


def packed_labels(tree: WordTree, target: Target) -> tuple[Bits, Bits]:
    """The labels of a tree's words, and which are known."""
    said, known = target.labels(tree)
    packed = tree.pack(np.stack([said & known, known]))
    return packed[0], packed[1]


def matches(enumeration: Enumeration, said: Bits, known: Bits, max_size: int) -> Iterator[Found]:
    """The behaviours with these labels, in order of size."""
    finisher = Finisher(enumeration.behaviours, said, known)
    while enumeration.complete < max_size:
        for part in enumeration.next_size(finisher):
            if part:
                rows = enumeration.behaviours.bits[[each.behaviour for each in part]]
                right = (((rows ^ said) & known) == 0).all(axis=1)
                yield from (part[k] for k in np.flatnonzero(right).tolist())
