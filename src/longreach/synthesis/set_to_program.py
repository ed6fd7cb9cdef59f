"""From a set of behaviours to a program whose operations have them."""

from __future__ import annotations

import numpy as np

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.crasp.lowering import tidy
from longreach.crasp.program import Program, raise_core
from longreach.crasp.readable import tidy_statements
from longreach.synthesis.behaviours import Behaviours, Kind
from longreach.synthesis.enumeration import Found
from longreach.synthesis.program_sets import Sets, Step, steps


def core_of(found: Found, behaviours: Behaviours) -> Core:
    """A program with one operation for each behaviour of the set; the set says nothing of their order.

    >>> from longreach.synthesis.enumeration import Enumeration
    >>> from longreach.synthesis.program_family import Family
    >>> from longreach.synthesis.word_tree import WordTree
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
    match step.kind:
        case Kind.NOT:
            return c.Not(*operands)
        case Kind.AND:
            return c.And(*operands)
        case Kind.LEQ:
            return c.Leq(*operands)
        case Kind.ADD:
            return c.Add(*operands)
        case Kind.SUBTRACT:
            return c.Subtract(*operands)
        case Kind.CONDITIONAL:
            return c.Conditional(*operands)
        case _:
            return c.Count(operands[0], behaviours.guards[step.kind - Kind.COUNT])


def readable(core: Core) -> Program:
    """The program as a person would write it."""
    return tidy_statements(raise_core(core))
