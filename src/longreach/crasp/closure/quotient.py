"""Quotients of a program's language by a word.

>>> from longreach.crasp import parse
>>> from longreach.crasp.program import raise_core
>>> dyck = parse('o = # "("\\nc = # ")"\\nD = # (o < c) == 0 && o == c').core
>>> [raise_core(left_quotient(dyck, "((")).accepts(word) for word in ("))", "))()", ")", "ε")]
[True, True, False, False]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from longreach.crasp import core as c
from longreach.crasp.closure.transform import acceptance, finish, total
from longreach.crasp.core import Core, CoreBuilder
from longreach.crasp.evaluate import Kernel, State, at_empty_word
from longreach.crasp.words import Codes, encode


def left_quotient(core: Core, word: str | Sequence[str]) -> Core:
    """u⁻¹L: accepts v exactly when `core` accepts u v, for the word u.

    At position i ≥ 1 of v each operation has the value that its original has at position |u| + i of u v: a
    count starts with what it found in u, residues move by |u|, and near the start of v a local relation
    still sees the end of u, which # ⊤ tells apart without a relation. The class stays within that of `core`,
    the depth grows from 0 to 1 at most, and the size by at most about 2 τ + log |u| operations per counting
    operation.

    >>> from longreach.crasp import parse
    >>> from longreach.crasp.program import raise_core
    >>> core = left_quotient(parse('P = # ("b" && #[i-1] "a" >= 1) >= 1').core, "a")
    >>> [raise_core(core).accepts(word) for word in ("b", "cb", "ε")]
    [True, False, False]
    """
    accept = acceptance(core)
    codes = encode(core, word)
    values = _values(core, codes)
    builder = CoreBuilder()
    moved: list[int] = []
    for op in core.ops:
        match op:
            case c.Periodic(modulus, residues):
                moved.append(builder.periodic(modulus, [(r - len(codes)) % modulus for r in residues]))
            case c.Count(body, None):
                found = builder.integer(int(values[body].sum()))
                moved.append(builder.add_op(c.Add(builder.count(moved[body]), found)))
            case c.Count(body, tuple(distances)):
                seen = _seen_in_prefix(builder, values[body], distances)
                moved.append(builder.add_op(c.Add(builder.count(moved[body], distances), seen)))
            case _:
                moved.append(builder.add_op(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    at_empty = values[accept][-1] if len(codes) else at_empty_word(core)[accept]
    return finish(builder, core.alphabet, core.closed, moved[accept], bool(at_empty))


def _values(core: Core, codes: Codes) -> list[NDArray[np.int64]]:
    """Every operation at every position of one word; Booleans are 0 or 1."""
    kept = Kernel(core, range(core.size)).advance(State(), codes[None, :])
    return [
        np.broadcast_to(np.asarray(kept[k]), (1, len(codes)))[0].astype(np.int64) for k in range(core.size)
    ]


def _seen_in_prefix(builder: CoreBuilder, prefix: NDArray[np.int64], distances: Sequence[int]) -> int:
    """How many of the distances lead from the current position into the prefix, to a place where it holds."""
    positions = builder.count(builder.add_op(c.Top()))
    result, below = builder.integer(0), 0
    for position in range(distances[-1], 0, -1):
        places = [len(prefix) + position - distance - 1 for distance in distances if distance >= position]
        seen = sum(int(prefix[place]) for place in places if place >= 0)
        if seen != below:  # positions with the same value share one comparison
            early = builder.leq(positions, builder.integer(position))
            result, below = builder.conditional(early, builder.integer(seen), result), seen
    return result


def right_quotient(core: Core, word: str | Sequence[str]) -> Core:
    """Lu⁻¹: accepts v exactly when `core` accepts v u, for the word u.

    For each operation and each k ≤ |u| there is one whose value at the last position of v is the original's
    at position |v| + k of v u: tokens are known, residues move by k, a count adds what it finds in u, and of
    a local relation the distances that lead beyond u stay, shortened by k. The class stays within that of
    `core`, the depth does not grow but from 0 to 1, and the size grows at most by the factor |u| + 1 times
    the number of distances in one relation.

    >>> from longreach.crasp import parse
    >>> from longreach.crasp.program import raise_core
    >>> core = right_quotient(parse('P = "b" && #[i-1] "a" >= 1').core, "b")
    >>> [raise_core(core).accepts(word) for word in ("ba", "ab", "ε")]
    [True, False, False]
    """
    accept = acceptance(core)
    codes = encode(core, word)
    builder = CoreBuilder()
    moved: list[list[int]] = []
    for op in core.ops:
        moved.append(_continued(builder, op, moved, core.alphabet, codes))
    values = _values(core, codes)
    at_empty = values[accept][-1] if len(codes) else at_empty_word(core)[accept]
    return finish(builder, core.alphabet, core.closed, moved[accept][-1], bool(at_empty))


def _continued(
    builder: CoreBuilder, op: c.Op, moved: list[list[int]], alphabet: Sequence[str], codes: Codes
) -> list[int]:
    """The operation 0, 1, …, |u| positions beyond the current one."""
    steps = range(len(codes) + 1)
    match op:
        case c.Token(symbol):
            truths = (builder.false(), builder.add_op(c.Top()))
            own = alphabet.index(symbol)
            return [builder.add_op(op), *(truths[int(code) == own] for code in codes)]
        case c.Periodic(modulus, residues):
            return [builder.periodic(modulus, [(r - k) % modulus for r in residues]) for k in steps]
        case c.Count(body, None):
            counts = [builder.count(moved[body][0])]
            for k in steps[1:]:
                counts.append(builder.add_op(c.Add(counts[-1], builder.as_count(moved[body][k]))))
            return counts
        case c.Count(body, tuple(distances)):
            return [_window_beyond(builder, moved[body], distances, k) for k in steps]
        case _:
            return [builder.add_op(c.with_operands(op, [moved[o][k] for o in c.operands(op)])) for k in steps]


def _window_beyond(builder: CoreBuilder, body: list[int], distances: Sequence[int], k: int) -> int:
    """A local count k positions beyond the current one: what it sees in u, and what it sees up to here."""
    parts = [builder.as_count(body[k - distance]) for distance in distances if distance < k]
    left = tuple(distance - k for distance in distances if distance >= k)
    return total(builder, parts + ([builder.count(body[0], left)] if left else []))
