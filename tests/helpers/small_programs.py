"""Random small core programs, and a literal reading of the definition, for the tests of transformations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.morphisms import Padding, reach
from longreach.theory.crasp.words import encode

ALL_CLASSES = [(), ("periodic",), ("local",), ("periodic", "local")]


def literal_values(core: Core, word: Sequence[str], strict: bool = False) -> dict[tuple[int, int], int]:
    """Every operation at every position 1 … n, or at position 0 of the empty word, as Definition 8 says.

    With `strict`, counting operations read j < i instead of j ≤ i.
    """
    values: dict[tuple[int, int], int] = {}
    for i in range(1, len(word) + 1) if word else [0]:
        for k, op in enumerate(core.ops):
            values[k, i] = _literal(op, i, word, values, strict)
    return values


def _literal(op: c.Op, i: int, word: Sequence[str], values: dict[tuple[int, int], int], strict: bool) -> int:
    match op:
        case c.Token(symbol):
            return i > 0 and word[i - 1] == symbol
        case c.Top() | c.One():
            return 1
        case c.Not(body):
            return not values[body, i]
        case c.And(left, right):
            return values[left, i] and values[right, i]
        case c.Periodic(modulus, residues):
            return i % modulus in residues
        case c.Leq(left, right):
            return values[left, i] <= values[right, i]
        case c.Conditional(test, then, other):
            return values[then, i] if values[test, i] else values[other, i]
        case c.Add(left, right):
            return values[left, i] + values[right, i]
        case c.Subtract(left, right):
            return values[left, i] - values[right, i]
        case c.Count(body, distances):
            seen = range(1, i if strict else i + 1)
            return sum(bool(values[body, j]) for j in seen if distances is None or i - j in distances)


def literally_accepts(core: Core, word: Sequence[str], strict: bool = False) -> bool:
    assert core.accept is not None
    return bool(literal_values(core, word, strict)[core.accept, len(word)])


def agree(core: Core, words: Sequence[Sequence[str]], wanted: Sequence[bool]) -> None:
    """The program gives the wanted results, read literally and run by the package."""
    assert [literally_accepts(core, word) for word in words] == list(wanted)
    assert accepts(core, [encode(core, list(word)) for word in words]).tolist() == list(wanted)


def words_up_to(alphabet: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    for n in range(length + 1):
        yield from product(alphabet, repeat=n)


def programs(
    relations: Sequence[str] | None = None,
    alphabet: tuple[str, ...] = ("a", "b"),
    closed: bool = True,
    layers: int = 3,
) -> st.SearchStrategy[Core]:
    """Random acceptors; drawn evenly, since programs made of smallest choices compute little."""
    return st.integers(0, 2**32).map(
        lambda seed: random_program(random.Random(seed), relations, alphabet, closed, layers)
    )


def random_program(
    draw: random.Random,
    relations: Sequence[str] | None,
    alphabet: tuple[str, ...],
    closed: bool,
    layers: int,
) -> Core:
    """A program of some layers: each counts what the layers before it decided."""
    if relations is None:
        relations = draw.choice(ALL_CLASSES)
    b = CoreBuilder()
    tests = [b.add_op(c.Token(symbol)) for symbol in alphabet]
    for _ in range(layers):
        if "periodic" in relations:
            modulus = draw.randint(2, 4)
            residues = sorted(draw.sample(range(modulus), draw.randint(1, modulus)))
            tests.append(b.add_op(c.Periodic(modulus, tuple(residues))))
        counts = [_count(draw, b, tests, relations) for _ in range(draw.randint(2, 3))]
        for _ in range(draw.randint(1, 2)):
            comparison = b.leq(_sum(draw, b, tests, counts), _sum(draw, b, tests, counts))
            tests.append(_boolean(draw, b, comparison, tests))
    core = Core(tuple(b.ops), alphabet, closed, tests[-1])
    return replace(core, accept=next((test for test in reversed(tests) if _varies(core, test)), tests[-1]))


def _varies(core: Core, index: int) -> bool:
    """Whether an operation is true at some positions and false at others: constants would test nothing."""
    first, last = core.alphabet[0], core.alphabet[-1]
    words = [(first,) * 6, (last,) * 6, (first, last) * 3, (last, last, first) * 2, (first, first, last) * 2]
    found = [literal_values(core, word) for word in words]
    return len({bool(values[index, i]) for values in found for i in range(1, 7)}) == 2


def _late(draw: random.Random, items: list[int]) -> int:
    """One of the last few, so that programs nest."""
    return draw.choice(items[-4:])


def _count(draw: random.Random, b: CoreBuilder, tests: list[int], relations: Sequence[str]) -> int:
    body = _boolean(draw, b, _late(draw, tests), tests)
    if "local" in relations and draw.random() < 0.6:
        distances = sorted(draw.sample(range(4), draw.randint(1, 3)))
        return b.add_op(c.Count(body, tuple(distances)))
    return b.add_op(c.Count(body))


def _sum(draw: random.Random, b: CoreBuilder, tests: list[int], counts: list[int]) -> int:
    """A count, a constant, or two of them added, subtracted or chosen between."""
    terms = [draw.choice(counts), draw.choice(counts), b.integer(draw.randint(-1, 2))]
    first, second = draw.sample(terms, 2)
    match draw.choice(["first", "add", "subtract", "conditional"]):
        case "add":
            return b.add_op(c.Add(first, second))
        case "subtract":
            return b.add_op(c.Subtract(first, second))
        case "conditional":
            chosen = b.add_op(c.Conditional(_late(draw, tests), first, second))
            return b.add_op(c.Add(chosen, chosen)) if draw.random() < 0.5 else chosen
        case _:
            return first


def _boolean(draw: random.Random, b: CoreBuilder, test: int, tests: list[int]) -> int:
    match draw.choice(["itself", "itself", "not", "and", "or", "iff"]):
        case "not":
            return b.add_op(c.Not(test))
        case "and":
            return b.and_(test, _late(draw, tests))
        case "or":
            return b.or_(test, _late(draw, tests))
        case "iff":
            return b.iff(test, _late(draw, tests))
        case _:
            return test


def least_padding(core: Core, neutral: str, relations: Sequence[str] = ("periodic", "local")) -> Padding:
    """The shortest blocks that remove the relations: padding is needed only after the letters."""
    period = simplify(core).modulus if "periodic" in relations else 1
    far = reach(core) if "local" in relations else 0
    return Padding(neutral, 0, period * (far // period + 1) - 1)
