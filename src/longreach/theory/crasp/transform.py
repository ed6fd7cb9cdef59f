r"""Closure properties: Boolean combinations, quotients and the mask j < i.

Transformations take core programs and give core programs. What happens at position 0 is settled once, at the
end: counts never see that position, so only the result on the empty word depends on it.

>>> even = parse('P = i % 2 == 0').core
>>> print(raise_core(intersection(even, parse('Q = # "a" <= 1').core)).text)
C1 = # "a"
Q = C1 <= 1
P = i % 2 == 0
P1 = P && Q
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder, merged_alphabet
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify, tidy
from longreach.theory.crasp.words import Codes, encode


def complement(core: Core) -> Core:
    """The words that the program does not accept (over its alphabet); at most one more operation.

    >>> complement(parse('P = # "a" >= 1').core).ops[-1]
    Not(body=3)
    """
    return _combined([core], lambda builder, roots: builder.not_(roots[0]))


def intersection(first: Core, *others: Core) -> Core:
    """The words that all programs accept; the size is at most the sum of the sizes plus their number.

    >>> a, b = parse('P = # "a" >= 1').core, parse('P = # "b" >= 1').core
    >>> intersection(a, b).size, intersection(a, b).alphabet
    (8, ('a', 'b'))
    """
    return _combined([first, *others], _conjunction)


def union(first: Core, *others: Core) -> Core:
    """The words that at least one of the programs accepts.

    >>> union(parse('P = # "a" >= 1').core, parse('P = # "a" <= 3').core).class_name
    'C-RASP[∅]'
    """

    def join(builder: CoreBuilder, roots: Sequence[int]) -> int:
        return builder.not_(_conjunction(builder, [builder.not_(root) for root in roots]))

    return _combined([first, *others], join)


def difference(left: Core, right: Core) -> Core:
    """The words that `left` accepts and `right` does not.

    >>> difference(parse('P = # "a" >= 1').core, parse('P = # "a" >= 1').core).ops[-2:]
    (Not(body=3), And(left=3, right=4))
    """
    return _combined([left, right], lambda builder, roots: builder.and_(roots[0], builder.not_(roots[1])))


def symmetric_difference(left: Core, right: Core) -> Core:
    """The words that exactly one of two programs accepts: empty exactly when they are equivalent.

    >>> symmetric_difference(parse('P = # "a" >= 1').core, parse('P = # "b" >= 1').core).depth
    1
    """
    return _combined([left, right], lambda builder, roots: builder.not_(builder.iff(roots[0], roots[1])))


def predictor_of(acceptors: Mapping[str, Core]) -> Core:
    """The predictor that says each token where its program accepts the word so far.

    >>> some = parse('P = # "a" >= 1').core
    >>> predictor_of({"yes": some, "no": complement(some)}).outputs
    (('yes', 3), ('no', 4))
    """
    alphabet, closed = merged_alphabet(list(acceptors.values()))
    builder, roots, names = _together(list(acceptors.values()))
    said = tuple(dict.fromkeys((*alphabet, *acceptors)))
    return tidy(builder.ops, said, closed, None, zip(acceptors, roots, strict=True), names)


def _conjunction(builder: CoreBuilder, roots: Sequence[int]) -> int:
    result = roots[0]
    for root in roots[1:]:
        result = builder.and_(result, root)
    return result


def _combined(cores: Sequence[Core], join: Callable[[CoreBuilder, Sequence[int]], int]) -> Core:
    """One program that holds all of `cores` and accepts as `join` says."""
    for core in cores:
        acceptance(core)
    alphabet, closed = merged_alphabet(cores)
    builder, roots, names = _together(cores)
    return tidy(builder.ops, alphabet, closed, join(builder, roots), (), names)


def _together(cores: Iterable[Core]) -> tuple[CoreBuilder, list[int], Iterable[tuple[str, int]]]:
    """The operations of all programs, equal ones shared, with what decides acceptance and all names."""
    builder = CoreBuilder()
    roots: list[int] = []
    names: dict[str, int] = {}
    for core in cores:
        moved = c.rewrite(core.ops, builder.add_op)
        roots.append(moved[acceptance(core)])
        for name, index in core.names:
            names[_free_name(name, names)] = moved[index]
    return builder, roots, names.items()


def _free_name(name: str, taken: dict[str, int]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


# What every transformation shares


def acceptance(core: Core) -> int:
    """The operation that decides acceptance; a predictor has none, and cannot be transformed.

    >>> acceptance(parse('output "a" = "b"').core)
    Traceback (most recent call last):
    longreach.errors.InputError: the program is a predictor: only a program that accepts words is transformed
    """
    if core.accept is None:
        raise InputError("the program is a predictor: only a program that accepts words is transformed")
    return core.accept


def with_empty_word(core: Core, accepted: bool) -> Core:
    """The same program, which accepts the empty word exactly when `accepted`; at most seven more operations.

    No relation is needed: # ⊤ is 0 at position 0 only.

    >>> core = with_empty_word(parse('P = # "b" <= # "a"').core, False)
    >>> [raise_core(core).accepts(word) for word in ("ε", "a", "ab", "b")]
    [False, True, True, False]
    """
    accept = acceptance(core)
    if bool(at_empty_word(core)[accept]) == accepted:
        return core
    builder = CoreBuilder()
    moved = c.rewrite(core.ops, builder.add_op)
    accept = moved[accept]
    some = builder.exists(builder.add_op(c.Top()))
    accept = builder.or_(accept, builder.not_(some)) if accepted else builder.and_(accept, some)
    names = [(name, moved[index]) for name, index in core.names]
    return tidy(builder.ops, core.alphabet, core.closed, accept, (), names)


def finish(
    builder: CoreBuilder, alphabet: tuple[str, ...], closed: bool, accept: int, at_empty: bool
) -> Core:
    """The simplified program of what was built, with its result on the empty word as given.

    >>> builder = CoreBuilder()
    >>> finish(builder, ("a",), True, builder.add_op(c.Top()), True).ops
    (Top(),)
    """
    return with_empty_word(simplify(tidy(builder.ops, alphabet, closed, accept, (), ())), at_empty)


def total(builder: CoreBuilder, terms: Iterable[int]) -> int:
    """The sum of counts; a count that occurs k times is multiplied in about log k operations.

    >>> builder = CoreBuilder()
    >>> total(builder, [builder.add_op(c.One())] * 8), len(builder.ops)
    (3, 4)
    """
    result: int | None = None
    for term, times in Counter(terms).items():
        part = builder.scale(times, term)
        result = part if result is None else builder.add_op(c.Add(result, part))
    return builder.integer(0) if result is None else result


# The mask j < i


def strict_masks(core: Core) -> Core:
    """Every counting operation reads j < i instead of j ≤ i, expressed with masks j ≤ i.

    At every position of every non-empty word each new operation has the value that its original has when
    #[j ≤ i, ψ] is read as #[j < i, ψ]; on the empty word both programs agree, since every count is 0 there.
    Without a relation the current position is subtracted again (Huang et al., arXiv 2410.02140,
    Proposition 39); of a local relation the distance 0 is dropped. The class and the depth do not grow, the
    size grows by at most two operations per counting operation, and a few constants.

    >>> strict = strict_masks(parse('P = "a" && # "a" >= 1').core)
    >>> [raise_core(strict).accepts(word) for word in ("a", "ba", "aa", "aab")]
    [False, False, True, False]
    """
    accept = acceptance(core)
    builder = CoreBuilder()

    def strict(op: c.Op) -> int:
        match op:
            case c.Count(body, None):
                return builder.count_before(body)
            case c.Count(body, tuple(distances)):
                kept = tuple(distance for distance in distances if distance)
                return builder.count(body, kept) if kept else builder.integer(0)
            case _:
                return builder.add_op(op)

    moved = c.rewrite(core.ops, strict)
    return finish(builder, core.alphabet, core.closed, moved[accept], bool(at_empty_word(core)[accept]))


# Quotients of a program's language by a word.


def left_quotient(core: Core, word: str | Sequence[str]) -> Core:
    """u⁻¹L: accepts v exactly when `core` accepts u v, for the word u.

    At position i ≥ 1 of v each operation has the value that its original has at position |u| + i of u v: a
    count starts with what it found in u, residues move by |u|, and near the start of v a local relation
    still sees the end of u, which # ⊤ tells apart without a relation. The class stays within that of `core`,
    the depth grows from 0 to 1 at most, and the size by at most about 2 τ + log |u| operations per counting
    operation.

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
