"""Bits that Alice must send Bob about a black-box function, measured from its answers.

Alice holds the beginning of an input, Bob what is left. Two beginnings are told apart where some end gives
inputs with both, and different answers. So many beginnings of which any two are told apart need the logarithm
of their number in bits. Only inputs that are asked for count: a beginning is compared on ends that it shares.

A PERIODIC and LOCAL limit transformer passes C log N bits at any cut (Huang et al., arXiv 2410.02140,
Theorem 12). Bits that grow linearly to some N are a reason to expect that they go on, not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from longreach.theory.automata.automaton import Word
from longreach.theory.communication.complexity import Growth, fit_growth

LEAST_LENGTHS = 5
"""Fewer lengths say nothing about growth."""
LEAST_LENGTH = 6
"""A shorter longest length neither."""
LEAST_BITS, STEADY = 0.5, 0.8
"""Per symbol, and the least step as a share of the largest: those of N to a power shrink."""
MOST_LETTERS, SCREENED, KEPT = 3, 3, 2


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Who holds what: Alice N of her letters, Bob N or a fixed number of his."""

    alice: tuple[str, ...]
    bob: tuple[str, ...]
    """Empty: whatever stands in the inputs."""
    size: int | None
    """How many letters Bob holds; None: as many as Alice."""

    def bob_size(self, length: int) -> int:
        return length if self.size is None else self.size

    @property
    def words(self) -> str:
        """For people."""
        what = "as many symbols as Alice" if self.size is None else f"the last {self.size} symbols"
        return "Alice holds the whole input" if self.size == 0 else f"Bob holds {what}"


@dataclass(frozen=True, kw_only=True)
class MeasuredRows:
    """Beginnings that are told apart, by their length."""

    cut: Cut
    lengths: tuple[int, ...]
    rows: tuple[int, ...]
    exhaustive: bool
    """Whether all words over the letters were looked at, not only inputs that were drawn."""

    @property
    def bits(self) -> tuple[float, ...]:
        return tuple(map(math.log2, self.rows))

    @property
    def growth(self) -> Growth:
        return fit_growth(self.lengths, self.bits)

    @property
    def linear(self) -> bool:
        """Whether every further symbol of the longer half takes as many bits more, up to a length that is
        more than the letters: a limited supply of distinct symbols proves nothing."""
        return is_linear(self.lengths, self.bits, len(self.cut.alice))


def is_linear(lengths: Sequence[int], bits: Sequence[float], letters: int) -> bool:
    """Whether bits at these lengths are a reason to say "linear".

    >>> is_linear(range(1, 9), range(1, 9), 2)
    True
    >>> is_linear(range(1, 9), [math.log2(n + 1) for n in range(1, 9)], 2)
    False
    """
    if len(lengths) < LEAST_LENGTHS or lengths[-1] < max(LEAST_LENGTH, letters + 1):
        return False
    late = list(zip(lengths, bits, strict=True))[(len(lengths) - 1) // 2 :]
    steps = [(b - a) / (n - m) for (m, a), (n, b) in pairwise(late)]
    return min(steps) >= max(LEAST_BITS, STEADY * max(steps)) and fit_growth(lengths, bits).name == "linear"


def told_apart(answers: Mapping[Word, Hashable], cut: int) -> tuple[int, tuple[Word, ...]]:
    """Beginnings of `cut` letters any two of which are told apart by an end that both have: their number,
    and who they are. The most among those that have the same ends, and among those that share one end.

    >>> copied = {word: word for word in product("ab", repeat=3)}
    >>> told_apart(copied, 3)[0], told_apart({word: word[0] for word in copied}, 2)[0]
    (8, 2)
    """
    ends: dict[Word, dict[Word, Hashable]] = {}
    columns: dict[Word, dict[Hashable, Word]] = {}
    for word, answer in answers.items():
        start, end = word[:cut], word[cut:]
        ends.setdefault(start, {})[end] = answer
        columns.setdefault(end, {}).setdefault(answer, start)
    groups: dict[frozenset[Word], dict[frozenset[tuple[Word, Hashable]], Word]] = {}
    for start, row in ends.items():
        groups.setdefault(frozenset(row), {}).setdefault(frozenset(row.items()), start)
    sets = [tuple(each.values()) for each in groups.values()]
    sets += [tuple(column.values()) for column in columns.values()]
    found = max(sets, key=len, default=())
    return len(found), found


def rows_of_function(
    answer: Callable[[Word], Hashable], letters: Sequence[str], *, most: int = 4096
) -> MeasuredRows | None:
    """The growth where every word is an input: over the letters of Alice's and Bob's that tell most apart.

    `most` bounds the words asked about at each N.

    >>> rows_of_function(lambda word: "".join(word), "ab").rows[:4]
    (2, 4, 8, 16)
    """
    screened = []
    for cut in _cuts(letters):
        length = _longest(cut, most // 16, SCREENED)
        if length:
            screened.append((told_apart(_asked(answer, cut, length), length)[0], cut))
    # The first of those with most rows: Alice alone comes first, and few letters reach far.
    best = sorted(screened, key=lambda each: -each[0])[:KEPT]
    found = []
    for _, cut in best:
        lengths = range(1, _longest(cut, most, 12) + 1)
        rows = tuple(max(1, told_apart(_asked(answer, cut, n), n)[0]) for n in lengths)
        if rows:
            found.append(MeasuredRows(cut=cut, lengths=tuple(lengths), rows=rows, exhaustive=True))
    return max(found, key=lambda each: (each.linear, each.bits[-1]), default=None)


def _cuts(letters: Sequence[str]) -> Iterable[Cut]:
    sizes = range(min(2, len(letters)), min(MOST_LETTERS, len(letters)) + 1)
    chosen = [part for size in sizes for part in combinations(letters[:8], size)]
    for alice in chosen:
        yield Cut(alice=alice, bob=(), size=0)
    for alice, bob in product(chosen, repeat=2):
        if len(alice) == len(bob):
            yield Cut(alice=alice, bob=bob, size=None)


def _longest(cut: Cut, most: int, farthest: int) -> int:
    base = len(cut.alice) * (len(cut.bob) if cut.size is None else 1)
    return max((n for n in range(1, farthest + 1) if base**n <= most), default=0)


def _asked(answer: Callable[[Word], Hashable], cut: Cut, length: int) -> dict[Word, Hashable]:
    ends = list(product(cut.bob, repeat=cut.bob_size(length)))
    return {
        (*start, *end): answer((*start, *end)) for start in product(cut.alice, repeat=length) for end in ends
    }


MOST_OF_BOB = 4


def rows_of_inputs(inputs: Mapping[int, Mapping[Word, Hashable]]) -> MeasuredRows | None:
    """The growth where only some words are inputs: from inputs with their answers, by length.

    >>> from itertools import product
    >>> sums = {n: {w: sum(map(int, w)) for w in product("01", repeat=n)} for n in range(1, 9)}
    >>> rows_of_inputs(sums).linear
    False
    """
    found = []
    for size in (*range(MOST_OF_BOB + 1), None):
        counted: dict[int, tuple[int, set[str]]] = {}
        for length in sorted(inputs):
            # Where both hold as many, only even lengths can be cut.
            cut = length - size if size is not None else length // 2 if length % 2 == 0 else 0
            if cut < 1 or not inputs[length]:
                continue
            count, starts = told_apart(inputs[length], cut)
            counted[cut] = count, {letter for start in starts for letter in start}
        if counted:
            letters = sorted(set[str]().union(*(each for _, each in counted.values())))
            found.append(
                MeasuredRows(
                    cut=Cut(alice=tuple(letters), bob=(), size=size),
                    lengths=tuple(counted),
                    rows=tuple(count for count, _ in counted.values()),
                    exhaustive=False,
                )
            )
    return max(found, key=lambda each: (each.linear, each.lengths[-1], each.bits[-1]), default=None)
