"""Bits that Alice must send Bob about a black-box function, measured from its answers.

Alice holds the beginning of an input, Bob what is left. Two beginnings are told apart where some end gives
inputs with both, and different answers. So many beginnings of which any two are told apart need the logarithm
of their number in bits. Only inputs that are asked for count: a beginning is compared on ends that it shares.

A PERIODIC and LOCAL limit transformer passes C log N bits at any cut (Huang et al., arXiv 2410.02140,
Theorem 12). Bits that grow linearly to some N are a reason to expect that they go on, not a proof; and a task
that looks at a window of N letters or more grows as fast up to N. So bits count only when they are followed
far beyond: where all words are inputs, with a few letters free, spread over a long word whose other letters
are fixed; where inputs are drawn, by how rarely two long inputs have the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

from longreach.errors import InputError
from longreach.theory.automata.automaton import Word
from longreach.theory.communication.complexity import Growth, fit_growth

LEAST_LENGTHS = 5
"""Fewer lengths say nothing about growth."""
LEAST_LENGTH = 6
"""A shorter longest length neither."""
LEAST_BITS, STEADY = 0.5, 0.8
"""Per symbol, and the least step as a share of the largest: those of N to a power shrink."""
MOST_LETTERS, SCREENED, KEPT = 3, 3, 2
BEYOND, FAR = 3, 100
"""How many times the longest length bits must be followed, and how far they are followed if words can be."""
LEAST_FREE, FREE, FREE_WORDS = 5, 8, 1024
"""Free letters of a long word, at least and at most, and how many such words are asked about."""
TWICE, UNSEEN = 2.0, 3.0
"""Bits of long drawn inputs against those counted; and how often, at 95 %, what was never seen may happen in
as many tries."""


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Who holds what: Alice N of her letters, Bob N or a fixed number of his."""

    alice: tuple[str, ...]
    bob: tuple[str, ...]
    """Empty: whatever stands in the inputs."""
    size: int | None
    """How many letters Bob holds; None: as many as Alice."""
    between: Word = ()
    """What always stands between their letters."""
    end: Word = ()
    """What always stands after Bob's."""

    def whole(self, start: Word, end: Word) -> Word:
        """The input with these letters of Alice's and Bob's."""
        return (*start, *self.between, *end, *self.end)

    def bob_size(self, length: int) -> int:
        return length if self.size is None else self.size

    @property
    def words(self) -> str:
        """For people."""
        what = "as many symbols as Alice" if self.size is None else f"the last {self.size} symbols"
        return "Alice holds the whole input" if self.size == 0 else f"Bob holds {what}"


@dataclass(frozen=True, kw_only=True)
class SpreadRows:
    """Beginnings of one long length that differ in a few free letters, spread over it; the rest is fixed.

    A window of half the length holds only half of the free letters.
    """

    length: int
    free: int
    alice: tuple[str, ...]
    """Repeated, what stands in the other places of Alice's."""
    bob: tuple[str, ...]
    mirrored: bool
    """Whether Bob's part is laid out backwards."""
    rows: int

    @property
    def places(self) -> tuple[int, ...]:
        """Of Alice's free letters.

        >>> SpreadRows(length=20, free=4, alice=("a",), bob=(), mirrored=False, rows=1).places
        (2, 7, 12, 17)
        """
        return tuple((2 * place + 1) * self.length // (2 * self.free) for place in range(self.free))

    def words(self, cut: Cut) -> Iterable[Word]:
        """Every filling of Alice's free letters with every one of Bob's."""
        ends = [()] if cut.size == 0 else list(self._filled(self.bob, cut.bob, self.mirrored))
        for start in self._filled(self.alice, cut.alice, False):
            for end in ends:
                yield cut.whole(start, end)

    def _filled(self, fill: tuple[str, ...], letters: tuple[str, ...], mirrored: bool) -> Iterable[Word]:
        word = [fill[place % len(fill)] for place in range(self.length)]
        for chosen in product(letters, repeat=self.free):
            for place, letter in zip(self.places, chosen, strict=True):
                word[place] = letter
            yield tuple(reversed(word)) if mirrored else tuple(word)


@dataclass(frozen=True, kw_only=True)
class DrawnPairs:
    """Answers to inputs of one long length as they are drawn, compared two by two."""

    length: int
    inputs: int
    same: int
    """Pairs with the same answer."""

    @property
    def bits(self) -> float:
        """So many bits the answers have at least, with a confidence of 95 %: few answers would meet often.

        >>> round(DrawnPairs(length=30, inputs=1000, same=0).bits, 1)
        17.3
        """
        pairs = self.inputs * (self.inputs - 1) / 2
        likely = self.same + UNSEEN + 2 * math.sqrt(self.same)
        return math.log2(max(1.0, pairs / likely))


Followed = SpreadRows | DrawnPairs


@dataclass(frozen=True, kw_only=True)
class MeasuredRows:
    """Beginnings that are told apart, by their length."""

    cut: Cut
    lengths: tuple[int, ...]
    rows: tuple[int, ...]
    exhaustive: bool
    """Whether all words over the letters were looked at, not only inputs that were drawn: then the rows are
    a lower bound."""
    followed: tuple[Followed, ...] = ()
    """The same at longer lengths, for some inputs."""

    @property
    def bits(self) -> tuple[float, ...]:
        return tuple(map(math.log2, self.rows))

    @property
    def growth(self) -> Growth:
        return fit_growth(self.lengths, self.bits)

    @property
    def grows(self) -> bool:
        """Whether every further symbol of the longer half takes as many bits more, up to a length that is
        more than the letters: a limited supply of distinct symbols proves nothing."""
        return is_linear(self.lengths, self.bits, len(self.cut.alice))

    @property
    def linear(self) -> bool:
        """Whether they grow so far beyond the lengths that were counted that no window explains it."""
        return self.grows and is_followed(self.lengths, self.bits, self.followed)


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


def is_followed(lengths: Sequence[int], bits: Sequence[float], followed: Sequence[Followed]) -> bool:
    """Whether longer inputs need bits at the same rate: free letters as many as they are, drawn inputs twice
    those that were counted.

    >>> far = SpreadRows(length=60, free=6, alice=("a",), bob=(), mirrored=False, rows=64)
    >>> is_followed(range(1, 9), range(1, 9), [far]), is_followed(range(1, 9), range(1, 9), [])
    (True, False)
    """
    rate = (bits[-1] - bits[0]) / (lengths[-1] - lengths[0])
    for each in followed:
        if isinstance(each, SpreadRows):
            if each.free < LEAST_FREE or math.log2(each.rows) < STEADY * rate * each.free:
                return False
        elif each.bits < TWICE * bits[-1]:
            return False
    return max((each.length for each in followed), default=0) >= BEYOND * lengths[-1]


def inputs_to_follow(bits: Sequence[float]) -> int:
    """How many long inputs must be drawn so that twice the bits are seen if no two answers are the same.

    >>> inputs_to_follow([1.0, 2.0, 3.0])
    22
    """
    return 2 + math.ceil(math.sqrt(2 * UNSEEN) * 2 ** (TWICE / 2 * bits[-1]))


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
    cuts = list(_cuts(letters))
    # With more letters growth is seen to shorter lengths, which say nothing.
    far = [cut for cut in cuts if _longest(cut, most, LEAST_LENGTH) == LEAST_LENGTH] or cuts
    screened = []
    for cut in far:
        length = _longest(cut, most // 16, SCREENED)
        if length:
            screened.append((told_apart(_asked(answer, cut, length), length)[0], cut))
    # The first of those with most rows: Alice alone comes first, and few letters reach far.
    best = sorted(screened, key=lambda each: -each[0])[:KEPT]
    return rows_of_cuts(answer, [cut for _, cut in best], most=most)


def rows_of_cuts(
    answer: Callable[[Word], Hashable], cuts: Iterable[Cut], *, most: int = 4096
) -> MeasuredRows | None:
    """The growth for the first of these ways to cut for which it is linear, else the fastest.

    >>> cut = Cut(alice=("a", "b"), bob=("a", "b"), size=None, between=("#",))
    >>> rows_of_cuts(lambda word: word[: len(word) // 2] < word[len(word) // 2 + 1 :], [cut]).rows[:4]
    (2, 4, 8, 16)
    """
    found = []
    for cut in cuts:
        lengths = range(1, _longest(cut, most, 12) + 1)
        rows = tuple(max(1, told_apart(_asked(answer, cut, n), n)[0]) for n in lengths)
        if not rows:
            continue
        first = 1 - len(rows) % 2
        measured = MeasuredRows(cut=cut, lengths=tuple(lengths), rows=rows, exhaustive=True)
        # What takes a bit for every second symbol grows in stairs.
        stairs = replace(measured, lengths=measured.lengths[first::2], rows=rows[first::2])
        measured = stairs if stairs.grows and not measured.grows else measured
        if measured.grows:
            measured = replace(measured, followed=tuple(_followed(answer, measured, most)))
        found.append(measured)
        if measured.linear:
            break
    return max(found, key=lambda each: (each.linear, each.grows, each.bits[-1]), default=None)


def _followed(answer: Callable[[Word], Hashable], measured: MeasuredRows, most: int) -> Iterable[SpreadRows]:
    """Rows at longer lengths, as far as words of these lengths have answers; the first that fall behind end
    it."""
    cut, longest = measured.cut, measured.lengths[-1]
    base = len(cut.alice) * (1 if cut.size == 0 else len(cut.bob))
    free = max((n for n in range(1, FREE + 1) if base**n <= min(most, FREE_WORDS)), default=1)
    for length in sorted({BEYOND * longest, max(FAR, BEYOND * longest)}):
        try:
            found = _spread(answer, cut, length, free)
        except InputError:  # functions may be for short inputs only
            return
        yield found
        if not is_followed(measured.lengths, measured.bits, [found]):
            return


PATTERN = (0, 0, 1, 0, 1, 1, 1)
"""Which letters stand in fixed places, besides one letter everywhere."""


def _spread(answer: Callable[[Word], Hashable], cut: Cut, length: int, free: int) -> SpreadRows:
    """With the fixed letters that tell most apart, by two free letters first."""
    fills: list[tuple[Word, Word]] = [((a,), (b,)) for a in cut.alice for b in (cut.bob or ("",))]
    if len(cut.alice) > 1:
        pattern = tuple(cut.alice[place] for place in PATTERN)
        fills.append((pattern, tuple(cut.bob[place] for place in PATTERN) if cut.bob else ("",)))
    sides = [False] if cut.size == 0 else [False, True]
    tried = [
        SpreadRows(
            length=length,
            free=2,
            alice=alice,
            bob=() if cut.size == 0 else bob,
            mirrored=mirrored,
            rows=1,
        )
        for alice, bob in fills
        for mirrored in sides
    ]
    best = max(tried, key=lambda each: _counted(answer, cut, each))
    best = replace(best, free=free)
    return replace(best, rows=_counted(answer, cut, best))


def _counted(answer: Callable[[Word], Hashable], cut: Cut, spread: SpreadRows) -> int:
    return max(1, told_apart({word: answer(word) for word in spread.words(cut)}, spread.length)[0])


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
    words = (cut.whole(start, end) for start in product(cut.alice, repeat=length) for end in ends)
    return {word: answer(word) for word in words}


MOST_OF_BOB = 4


def rows_of_inputs(inputs: Mapping[int, Mapping[Word, Hashable]]) -> MeasuredRows | None:
    """The growth where only some words are inputs: from inputs with their answers, by length.

    >>> from itertools import product
    >>> sums = {n: {w: sum(map(int, w)) for w in product("01", repeat=n)} for n in range(1, 9)}
    >>> rows_of_inputs(sums).grows
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
    return max(found, key=lambda each: (each.grows, each.lengths[-1], each.bits[-1]), default=None)
