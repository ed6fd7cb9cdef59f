"""Sampling of batches against plain loops that make one example after the other."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from benchmarks.harness import Row, best_time
from longreach.tasks.catalog import load_task
from longreach.tasks.task import draw_lengths
from longreach.theory.automata.named import named_automaton

BATCH, ROUNDS = 64, 20
Example = tuple[list[int], list[int]]


def _binary_majority(length: int, chance: random.Random) -> Example:
    while 2 * (zeros := chance.randint(0, length)) == length:
        pass
    x = [0] * zeros + [1] * (length - zeros)
    chance.shuffle(x)
    return x, [int(2 * zeros < length)]


def _majority(length: int, chance: random.Random) -> Example:
    while True:
        x = chance.choices(range(26), k=length)
        (mode, most), *rest = Counter(x).most_common(2)
        if not rest or rest[0][1] < most:
            return x, [mode]


def _sort(length: int, chance: random.Random) -> Example:
    x = chance.sample(range(150), length)
    return x, sorted(x)


def _copy_unique(length: int, chance: random.Random) -> Example:
    x = chance.sample(range(150), length)
    return x, x


def _parity(length: int, chance: random.Random) -> Example:
    ones = chance.randint(0, length)
    x = [1] * ones + [0] * (length - ones)
    chance.shuffle(x)
    return x, [ones % 2]


def _addition(length: int, chance: random.Random) -> Example:
    first = chance.randint(1, length - 3)
    a, b = chance.choices((0, 1), k=first), chance.choices((0, 1), k=length - 2 - first)
    total = int("".join(map(str, a)), 2) + int("".join(map(str, b)), 2)
    return [*a, 2, *b, 3], list(map(int, f"{total:b}"))


def _language(name: str) -> Callable[[int, random.Random], Example]:
    automaton = named_automaton(name)
    moves = automaton.transitions

    @cache
    def count(to_go: int, state: int) -> int:
        if to_go == 0:
            return int(state in automaton.accepting)
        return sum(count(to_go - 1, target) for target in moves[state])

    def example(length: int, chance: random.Random) -> Example:
        word: list[int] = []
        states = [0]
        for to_go in range(length - 1, -1, -1):
            weights = [count(to_go, target) for target in moves[states[-1]]]
            left = chance.randrange(sum(weights))
            letter = 0
            while left >= weights[letter]:
                left -= weights[letter]
                letter += 1
            word.append(letter)
            states.append(moves[states[-1]][letter])
        return word, states

    return example


LOOPS: dict[str, Callable[[int, random.Random], Example]] = {
    "binary-majority": _binary_majority,
    "majority": _majority,
    "sort": _sort,
    "copy-unique": _copy_unique,
    "parity": _parity,
    "addition": _addition,
    **{name: _language(name) for name in ("tomita-5", "d-12", "aa-bb-cc-dd-ee", "sigma-be")},
}


def _collated(examples: list[Example]) -> list[np.ndarray]:
    """SOS x SEP y EOS as lists, then one array each for tokens, targets, mask and positions."""
    width = max(len(x) + len(y) for x, y in examples) + 2
    batch: list[list[list[int]]] = [[], [], [], []]
    for x, y in examples:
        tokens = [1, *x, 3, *y]
        rest = [0] * (width - len(tokens))
        batch[0].append(tokens + rest)
        batch[1].append([0] * (len(x) + 1) + [*y, 2] + rest)
        batch[2].append([0] * (len(x) + 1) + [1] * (len(y) + 1) + rest)
        batch[3].append(list(range(width)))
    return [np.array(part) for part in batch]


def rows() -> Iterator[Row]:
    for name, one in LOOPS.items():
        task, rng = load_task(name), np.random.default_rng(0)
        chance = random.Random(0)
        lengths = [draw_lengths(task, 1, 50, BATCH, rng) for _ in range(ROUNDS)]
        listed = [each.tolist() for each in lengths]
        plain = best_time(
            lambda one=one, c=chance, all=listed: [_collated([one(n, c) for n in b]) for b in all]
        )
        batched = best_time(lambda task=task, rng=rng, all=lengths: [task.sample(b, rng) for b in all])
        yield Row(f"{name}, 64 examples to 50: loop / batched", plain / batched, "×", "≥ 3")
