"""Random small core programs, and a literal reading of the definition, for the tests of transformations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.crasp.evaluate import accepts
from longreach.crasp.words import encode

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


@st.composite
def programs(
    draw: st.DrawFn,
    relations: Sequence[str] | None = None,
    alphabet: tuple[str, ...] = ("a", "b"),
    closed: bool = True,
    max_ops: int = 14,
) -> Core:
    """A random acceptor that counts at least once, and often what other counts decide."""
    if relations is None:
        relations = draw(st.sampled_from(ALL_CLASSES))
    ops: list[c.Op] = [c.Token(alphabet[0]), c.One(), c.Count(0), c.Leq(1, 2)]
    for _ in range(draw(st.integers(1, max_ops))):
        ops.append(draw(_op(ops, relations, alphabet)))
    ops.append(c.Leq(draw(_operand(ops, False)), draw(_operand(ops, False))))
    accept = draw(_operand(ops, True))
    return Core(tuple(ops), alphabet, closed, accept)


@st.composite
def _operand(draw: st.DrawFn, ops: list[c.Op], boolean: bool) -> int:
    """Late operations are likelier, so that programs nest."""
    fitting = [k for k, op in enumerate(ops) if c.is_boolean(op) == boolean]
    return fitting[-1 - draw(st.integers(0, min(4, len(fitting) - 1)))]


@st.composite
def _op(draw: st.DrawFn, ops: list[c.Op], relations: Sequence[str], alphabet: tuple[str, ...]) -> c.Op:
    kinds = ["token", "top", "not", "and", "leq", "leq", "count", "count", "conditional", "add", "subtract"]
    match draw(st.sampled_from([*kinds, *relations, *relations])):
        case "token":
            return c.Token(draw(st.sampled_from(alphabet)))
        case "top":
            return c.Top()
        case "not":
            return c.Not(draw(_operand(ops, True)))
        case "and":
            return c.And(draw(_operand(ops, True)), draw(_operand(ops, True)))
        case "leq":
            return c.Leq(draw(_operand(ops, False)), draw(_operand(ops, False)))
        case "count":
            return c.Count(draw(_operand(ops, True)))
        case "local":
            distances = draw(st.sets(st.integers(0, 3), min_size=1, max_size=3))
            return c.Count(draw(_operand(ops, True)), tuple(sorted(distances)))
        case "periodic":
            modulus = draw(st.integers(2, 4))
            residues = draw(st.sets(st.integers(0, modulus - 1), min_size=1))
            return c.Periodic(modulus, tuple(sorted(residues)))
        case "conditional":
            return c.Conditional(
                draw(_operand(ops, True)), draw(_operand(ops, False)), draw(_operand(ops, False))
            )
        case "add":
            return c.Add(draw(_operand(ops, False)), draw(_operand(ops, False)))
        case _:
            return c.Subtract(draw(_operand(ops, False)), draw(_operand(ops, False)))
