"""One program on a tree of words: every operation at every node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.synthesis.word_tree import Truth, WordTree

Value: TypeAlias = NDArray[Any]


def operation_value(op: c.Op, values: Sequence[Value], tree: WordTree) -> Value:
    """An operation at every node, from the values of those before it."""
    match op:
        case c.Token(symbol):
            return tree.token(tree.alphabet.index(symbol)) if symbol in tree.alphabet else tree.nowhere
        case c.Periodic(modulus, residues):
            return tree.position(modulus, residues)
        case c.Top():
            return ~tree.nowhere
        case c.Not(body):
            return ~values[body]
        case c.And(left, right):
            return values[left] & values[right]
        case c.Leq(left, right):
            return values[left] <= values[right]
        case c.Count(body, distances):
            return tree.count_one(values[body], distances)
        case c.Conditional(test, then, other):
            return np.where(values[test], values[then], values[other])
        case c.Add(left, right):
            return values[left] + values[right]
        case c.Subtract(left, right):
            return values[left] - values[right]
        case c.One():
            return np.ones(len(tree), np.int64)


def accepted_on(core: Core, tree: WordTree) -> Truth:
    """Whether an acceptor accepts the word of each node.

    >>> from longreach.crasp import parse
    >>> accepted_on(parse('P = # "a" >= # "b"').core, WordTree.of("ab", length=1)).tolist()
    [True, True, False]
    """
    assert core.accept is not None
    values: list[Value] = []
    for op in core.ops:
        values.append(operation_value(op, values, tree))
    return values[core.accept]
