"""Many Boolean operations of C-RASP without relations, as tables of their values, by the definition alone."""

from __future__ import annotations

import random
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.bool_]
LENGTH = 9
WORDS = tuple(product("ab", repeat=LENGTH))
"""Their beginnings are all words over two letters up to the length."""


@cache
def operations(chosen: int = 1500) -> Table:
    """Distinct ones of depth 0 and 1, and some of depth 2; axes: operation, word, position."""
    chance = random.Random(36)
    a = np.array([[letter == "a" for letter in word] for word in WORDS])
    letters = [a, ~a, np.ones_like(a), np.zeros_like(a)]
    first = _distinct(_comparisons(letters[:2], range(-2, 3), range(-3, 4)))
    joined = _distinct([*letters, *first, *(test & letter for test in first for letter in letters[:2])])
    counted = chance.sample(joined, min(120, len(joined)))
    second = []
    for _ in range(chosen):
        pair = chance.sample(counted, 2)
        total = sum(chance.randint(-2, 2) * _count(body) for body in pair)
        second.append(total >= chance.randint(-3, 3))
    found = joined + second
    for _ in range(2 * chosen):
        one, other = chance.sample(found[: len(joined) + chosen], 2)
        found.append(chance.choice([one & other, one | other, one ^ other]))
    found = _distinct([*found, *(~each for each in found)])
    return np.array(found)


@cache
def operations_after(chosen: int = 1500) -> Table:
    """The same for operations that are read after the letter: they compare counts, and test no letter."""
    chance = random.Random(37)
    a = np.array([[letter == "a" for letter in word] for word in WORDS])
    first = _distinct(_comparisons([a, ~a], range(-2, 3), range(-3, 4)))
    bodies = _distinct([a, ~a, *(test & letter for test in first for letter in (a, ~a))])
    counted = chance.sample(bodies, min(120, len(bodies)))
    second = [_count(body) >= bound for body in bodies for bound in (1, 2)]
    for _ in range(chosen):
        pair = chance.sample(counted, 2)
        total = sum(chance.randint(-2, 2) * _count(body) for body in pair)
        second.append(total >= chance.randint(-3, 3))
    found = _distinct([*first, *second])
    for _ in range(2 * chosen):
        one, other = chance.sample(found, 2)
        found.append(chance.choice([one & other, one | other, one ^ other]))
    return np.array(_distinct([*found, *(~each for each in found)]))


def _count(body: Table) -> npt.NDArray[np.int64]:
    return np.cumsum(body, axis=1, dtype=np.int64)


def _comparisons(bodies: list[Table], factors: range, bounds: range) -> list[Table]:
    counts = [_count(body) for body in bodies]
    return [
        sum(factor * count for factor, count in zip(chosen, counts, strict=True)) >= bound
        for chosen in product(factors, repeat=len(counts))
        for bound in bounds
    ]


def _distinct(tables: list[Table]) -> list[Table]:
    return list({np.asarray(table, dtype=np.bool_).tobytes(): np.asarray(table) for table in tables}.values())


def matching(tables: Table, wanted: Table, where: Table) -> int:
    """How many operations have the wanted values at all places that count."""
    flat, columns = tables.reshape(len(tables), -1), np.flatnonzero(where.ravel())
    left = np.arange(len(flat))
    for part in np.array_split(columns, max(1, len(columns) // 16)):
        left = left[(flat[np.ix_(left, part)] == wanted.ravel()[part]).all(axis=1)]
    return len(left)
