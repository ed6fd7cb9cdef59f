"""Every core program of a size, one by one: a literal reading that shares nothing with the enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.lower import tidy
from longreach.theory.search.space import Family


def all_programs(alphabet: Sequence[str], family: Family, size: int) -> list[Core]:
    """All acceptors with so many different operations, each of which is read; once each."""
    found: dict[Core, None] = {}
    for ops in _lists(tuple(alphabet), family, size):
        if c.is_boolean(ops[-1]):
            core = tidy(ops, tuple(alphabet), True, len(ops) - 1, (), ())
            if core.size == size:
                found[core] = None
    return list(found)


def _lists(alphabet: tuple[str, ...], family: Family, size: int) -> Iterator[tuple[c.Op, ...]]:
    if size == 0:
        yield ()
        return
    for ops in _lists(alphabet, family, size - 1):
        for op in _operations(ops, alphabet, family):
            if op not in ops:
                yield (*ops, op)


def _operations(ops: tuple[c.Op, ...], alphabet: tuple[str, ...], family: Family) -> Iterator[c.Op]:
    tests = [k for k, op in enumerate(ops) if c.is_boolean(op)]
    counts = [k for k, op in enumerate(ops) if not c.is_boolean(op)]
    yield c.Top()
    yield c.One()
    yield from (c.Token(letter) for letter in alphabet)
    yield from family.position_tests
    for p in tests:
        yield c.Not(p)
        yield from (c.Count(p, guard) for guard in family.guards)
        yield from (c.And(p, q) for q in tests)
    for a in counts:
        for b in counts:
            yield c.Leq(a, b)
            yield c.Add(a, b)
            yield c.Subtract(a, b)
            yield from (c.Conditional(p, a, b) for p in tests)
