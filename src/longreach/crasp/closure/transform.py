"""Boolean combinations of acceptors, the empty word, and the mask j < i.

Transformations take core programs and give core programs. What happens at position 0 is settled once, at the
end: counts never see that position, so only the result on the empty word depends on it.

>>> from longreach.crasp import parse
>>> from longreach.crasp.program import raise_core
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

from longreach.crasp import core as c
from longreach.crasp.core import Core, CoreBuilder
from longreach.crasp.evaluate import at_empty_word
from longreach.crasp.lowering import tidy
from longreach.crasp.simplify import simplify
from longreach.errors import InputError

# Boolean combinations


def complement(core: Core) -> Core:
    """The words that the program does not accept (over its alphabet); at most one more operation.

    >>> from longreach.crasp import parse
    >>> complement(parse('P = # "a" >= 1').core).ops[-1]
    Not(body=3)
    """
    return _combined([core], lambda builder, roots: builder.not_(roots[0]))


def intersection(first: Core, *others: Core) -> Core:
    """The words that all programs accept; the size is at most the sum of the sizes plus their number.

    >>> from longreach.crasp import parse
    >>> a, b = parse('P = # "a" >= 1').core, parse('P = # "b" >= 1').core
    >>> intersection(a, b).size, intersection(a, b).alphabet
    (8, ('a', 'b'))
    """
    return _combined([first, *others], _conjunction)


def union(first: Core, *others: Core) -> Core:
    """The words that at least one of the programs accepts.

    >>> from longreach.crasp import parse
    >>> union(parse('P = # "a" >= 1').core, parse('P = # "a" <= 3').core).class_name
    'C-RASP[∅]'
    """

    def join(builder: CoreBuilder, roots: Sequence[int]) -> int:
        return builder.not_(_conjunction(builder, [builder.not_(root) for root in roots]))

    return _combined([first, *others], join)


def difference(left: Core, right: Core) -> Core:
    """The words that `left` accepts and `right` does not.

    >>> from longreach.crasp import parse
    >>> difference(parse('P = # "a" >= 1').core, parse('P = # "a" >= 1').core).ops[-2:]
    (Not(body=3), And(left=3, right=4))
    """
    return _combined([left, right], lambda builder, roots: builder.and_(roots[0], builder.not_(roots[1])))


def symmetric_difference(left: Core, right: Core) -> Core:
    """The words that exactly one of two programs accepts: empty exactly when they are equivalent.

    >>> from longreach.crasp import parse
    >>> symmetric_difference(parse('P = # "a" >= 1').core, parse('P = # "b" >= 1').core).depth
    1
    """
    return _combined([left, right], lambda builder, roots: builder.not_(builder.iff(roots[0], roots[1])))


def predictor_of(acceptors: Mapping[str, Core]) -> Core:
    """The predictor that says each token where its program accepts the word so far.

    >>> from longreach.crasp import parse
    >>> some = parse('P = # "a" >= 1').core
    >>> predictor_of({"yes": some, "no": complement(some)}).outputs
    (('yes', 3), ('no', 4))
    """
    alphabet, closed = merged_alphabet(list(acceptors.values()))
    builder = CoreBuilder()
    outputs: list[tuple[str, int]] = []
    names: dict[str, int] = {}
    for label, core in acceptors.items():
        moved = _copy(builder, core)
        outputs.append((label, moved[acceptance(core)]))
        for name, index in core.names:
            names[_free_name(name, names)] = moved[index]
    said = tuple(dict.fromkeys((*alphabet, *acceptors)))
    return tidy(builder.ops, said, closed, None, outputs, names.items())


def _conjunction(builder: CoreBuilder, roots: Sequence[int]) -> int:
    result = roots[0]
    for root in roots[1:]:
        result = builder.and_(result, root)
    return result


def _combined(cores: Sequence[Core], join: Callable[[CoreBuilder, Sequence[int]], int]) -> Core:
    """One program that holds all of `cores`, with equal operations shared, and accepts as `join` says."""
    roots = [acceptance(core) for core in cores]
    alphabet, closed = merged_alphabet(cores)
    builder = CoreBuilder()
    names: dict[str, int] = {}
    for place, core in enumerate(cores):
        moved = _copy(builder, core)
        roots[place] = moved[roots[place]]
        for name, index in core.names:
            names[_free_name(name, names)] = moved[index]
    return tidy(builder.ops, alphabet, closed, join(builder, roots), (), names.items())


def _copy(builder: CoreBuilder, core: Core) -> list[int]:
    """Adds a program's operations and returns where each of them is now."""
    moved: list[int] = []
    for op in core.ops:
        moved.append(builder.add_op(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    return moved


def _free_name(name: str, taken: dict[str, int]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}_{number}"
    return free


def merged_alphabet(cores: Sequence[Core]) -> tuple[tuple[str, ...], bool]:
    """The alphabet of a combination, and whether it is declared.

    A declared alphabet must hold every token of the other programs; undeclared ones are merged.

    >>> from longreach.crasp import parse
    >>> merged_alphabet([parse('P = # "b" >= 1').core, parse('#alphabet a b\\nP = # "a" >= 1').core])
    (('b', 'a'), True)
    """
    merged = tuple(dict.fromkeys(symbol for core in cores for symbol in core.alphabet))
    for core in cores:
        missing = [symbol for symbol in merged if core.closed and symbol not in core.alphabet]
        if missing:
            raise InputError(f"the alphabets differ: token {missing[0]!r} is in one of them alone")
    return merged, any(core.closed for core in cores)


# What every transformation shares


def acceptance(core: Core) -> int:
    """The operation that decides acceptance; a predictor has none, and cannot be transformed.

    >>> from longreach.crasp import parse
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

    >>> from longreach.crasp import parse
    >>> from longreach.crasp.program import raise_core
    >>> core = with_empty_word(parse('P = # "b" <= # "a"').core, False)
    >>> [raise_core(core).accepts(word) for word in ("ε", "a", "ab", "b")]
    [False, True, True, False]
    """
    accept = acceptance(core)
    if bool(at_empty_word(core)[accept]) == accepted:
        return core
    builder = CoreBuilder()
    moved = _copy(builder, core)
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
    """The program in which every counting operation reads j < i instead of j ≤ i, in the language of j ≤ i.

    At every position of every non-empty word each new operation has the value that its original has when
    #[j ≤ i, ψ] is read as #[j < i, ψ]; on the empty word both programs agree, since every count is 0 there.
    Without a relation the current position is subtracted again (Huang et al., arXiv 2410.02140,
    Proposition 39); of a local relation the distance 0 is dropped. The class and the depth do not grow, the
    size grows by at most two operations per counting operation, and a few constants.

    >>> from longreach.crasp import parse
    >>> from longreach.crasp.program import raise_core
    >>> strict = strict_masks(parse('P = "a" && # "a" >= 1').core)
    >>> [raise_core(strict).accepts(word) for word in ("a", "ba", "aa", "aab")]
    [False, False, True, False]
    """
    accept = acceptance(core)
    builder = CoreBuilder()
    moved: list[int] = []
    for op in core.ops:
        match op:
            case c.Count(body, None):
                moved.append(builder.count_before(moved[body]))
            case c.Count(body, tuple(distances)):
                kept = tuple(distance for distance in distances if distance)
                moved.append(builder.count(moved[body], kept) if kept else builder.integer(0))
            case _:
                moved.append(builder.add_op(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    return finish(builder, core.alphabet, core.closed, moved[accept], bool(at_empty_word(core)[accept]))
