"""Probing words: inputs that a model with a window or a rough count gets wrong, drawn equally over loops.

Random words are easy for a window of some twenty letters. A probing word of an automaton is a short path, one
simple loop as often as the length allows, and a short path on (p); or a third random walk, a third one loop,
a third random walk (q). Loops have numbers, so that the worst one is known beside the mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from longreach.tasks.task import Batch, BoolArray, IntArray, Probes
from longreach.theory.crasp.core import Add, Conditional, Core, Count, Leq, Subtract, live
from longreach.theory.crasp.evaluate import Kernel, State, Value

MOST_LOOPS = 16
"""Loops that are probed, short ones first."""
LOOP_STEPS = 20_000
"""Steps of the search for loops: in large automata it ends here."""
REPEATS = 2
"""A loop comes at least so often."""
SLACK = 3
"""How many letters a short path may have beyond the fewest."""
MOST_LENGTHS = 64
"""Different lengths of a range that a draw looks at."""
WIDEST = 24
"""How far the thirds of a word may move so that a loop fits between them."""
GROWTH = 64
"""Tables grow by so many lengths."""
P, Q = range(2)


class Loop(NamedTuple):
    """A word that leads from a state back to it, through no state twice; letters by place."""

    start: int
    letters: tuple[int, ...]


class Shape(NamedTuple):
    """How a probing word is put together."""

    length: int
    before: int
    """Letters before the loop."""
    times: int
    after: int


def simple_loops(table: IntArray, inside: BoolArray, most: int = MOST_LOOPS) -> tuple[Loop, ...]:
    """Simple loops through these states, each from its least state on, the shortest first.

    Letters that do the same at every state come once, as long as there are loops enough without.

    >>> simple_loops(np.array([[0, 1], [1, 0]]), np.array([True, True]))
    (Loop(start=0, letters=(0,)), Loop(start=1, letters=(0,)), Loop(start=0, letters=(1, 1)))
    """
    kinds: dict[tuple[int, ...], int] = {}
    for letter in range(table.shape[1]):
        kinds.setdefault(tuple(table[:, letter].tolist()), letter)
    found = dict.fromkeys(islice(_loops(table, inside, list(kinds.values())), most))
    if len(found) < most and len(kinds) < table.shape[1]:
        found |= dict.fromkeys(_loops(table, inside, range(table.shape[1])))
    return tuple(islice(found, most))


def _loops(table: IntArray, inside: BoolArray, letters: Sequence[int]) -> Iterator[Loop]:
    rows, steps = table.tolist(), 0
    border: list[tuple[tuple[int, ...], tuple[int, ...]]]  # states and letters of paths of one length
    border = [((state,), ()) for state in np.flatnonzero(inside).tolist()]
    while border:
        longer = []
        for states, word in border:
            for letter in letters:
                steps += 1
                if steps > LOOP_STEPS:
                    return
                target = rows[states[-1]][letter]
                if target == states[0]:
                    yield Loop(target, (*word, letter))
                elif target > states[0] and inside[target] and target not in states:
                    longer.append(((*states, target), (*word, letter)))
        border = longer


@dataclass(frozen=True, eq=False)
class ProbingWords:
    """Words around loops, by place of their letters, before the task answers them."""

    letters: IntArray
    """(words, longest length); 0 beyond the length."""
    shapes: tuple[Shape, ...]
    loops: IntArray
    kinds: IntArray
    names: tuple[str, ...]

    @property
    def lengths(self) -> IntArray:
        return np.array([shape.length for shape in self.shapes], dtype=np.int64)

    def probes(self, batch: Batch) -> Probes:
        """These words as the task answers them."""
        return Probes(batch, self.loops, self.kinds, self.names)


@dataclass(frozen=True, eq=False)
class LoopWords:
    """Draws probing words of an automaton.

    >>> even = LoopWords(("a",), np.array([[1], [0]]), frozenset({0}))
    >>> found = even.draw(np.array([6, 8]), 4, np.random.default_rng(0))
    >>> found.names, [shape.times for shape in found.shapes]
    (('a a at q0',), [3, 2, 4, 2])
    """

    alphabet: tuple[str, ...]
    table: IntArray
    ends: frozenset[int]
    """The states at which a word may end."""
    _tables: dict[int, BoolArray] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _live(self) -> BoolArray:
        found = np.isin(np.arange(len(self.table)), list(self.ends))
        while True:
            more = found | found[self.table].any(axis=1)
            if (more == found).all():
                return found
            found = more

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        return simple_loops(self.table, self._live)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(
            f"{' '.join(self.alphabet[letter] for letter in loop.letters)} at q{loop.start}"
            for loop in self.loops
        )

    @cached_property
    def _goals(self) -> list[int]:
        """The states at which loops begin."""
        return sorted({loop.start for loop in self.loops})

    def _reach(self, longest: int) -> BoolArray:
        """(goal, letters to go, state): whether some word of so many letters leads to the goal.

        The last goal is an end, the others are the states at which loops begin.
        """
        size = -(-(longest + 1) // GROWTH) * GROWTH
        if size not in self._tables:
            found = np.zeros((len(self._goals) + 1, size, len(self.table)), dtype=np.bool_)
            for place, state in enumerate(self._goals):
                found[place, 0, state] = True
            found[-1, 0, list(self.ends)] = True
            for to_go in range(1, size):
                found[:, to_go] = found[:, to_go - 1][:, self.table].any(axis=2)
            self._tables[size] = found
        return self._tables[size]

    def draw(self, known: IntArray, count: int, rng: np.random.Generator) -> ProbingWords | None:
        """So many words of these lengths, equally many of each loop that fits; None where none does."""
        if len(known) > MOST_LENGTHS:
            known = np.sort(rng.choice(known, MOST_LENGTHS, replace=False))
        reach = self._reach(int(known.max()))
        possible = {
            (number, kind): shapes
            for number, loop in enumerate(self.loops)
            for kind, find in ((P, self._around), (Q, self._in_thirds))
            if (shapes := [each for length in known.tolist() for each in find(loop, length, reach)])
        }
        fitting = sorted({number for number, _ in possible})
        if not fitting:
            return None
        rows = np.arange(count)
        loops = np.array(fitting)[rows % len(fitting)]
        kinds = rows // len(fitting) % 2
        # Where a loop fits in one way only, that stands for both.
        other = [pair not in possible for pair in zip(loops.tolist(), kinds.tolist(), strict=True)]
        kinds = kinds ^ np.array(other)
        shapes = [_chosen(possible[pair], rng) for pair in zip(loops.tolist(), kinds.tolist(), strict=True)]
        letters = self._spelled(shapes, loops, reach, rng)
        return ProbingWords(letters, tuple(shapes), loops, kinds, self.names)

    def _around(self, loop: Loop, length: int, reach: BoolArray) -> list[Shape]:
        """Short paths before and after the loop."""
        size, goal = len(loop.letters), self._goals.index(loop.start)
        first = np.flatnonzero(reach[goal, : length + 1, 0])[: SLACK + 1]
        if not len(first):
            return []
        befores = first[first <= first[0] + SLACK][:, None]
        afters = np.flatnonzero(reach[-1, : length + 1, loop.start])[None, :]
        return _shapes(length, befores, afters, size, room=max(size, SLACK))

    def _in_thirds(self, loop: Loop, length: int, reach: BoolArray) -> list[Shape]:
        """About a third before the loop, and a third after it."""
        goal, third = self._goals.index(loop.start), length // 3
        room = min(WIDEST, max(1, length // 6))
        near = np.arange(max(0, third - room), third + room + 1)
        befores = near[reach[goal, near, 0]][:, None]
        afters = near[reach[-1, near, loop.start]][None, :]
        return _shapes(length, befores, afters, len(loop.letters), room=SLACK, around=third)

    def _spelled(
        self, shapes: Sequence[Shape], loops: IntArray, reach: BoolArray, rng: np.random.Generator
    ) -> IntArray:
        length, before, times, after = np.array(shapes, dtype=np.int64).T
        starts = np.array([loop.start for loop in self.loops])[loops]
        sizes = np.array([len(loop.letters) for loop in self.loops])
        spelled = np.zeros((len(self.loops), int(sizes.max())), dtype=np.int64)
        for number, loop in enumerate(self.loops):
            spelled[number, : sizes[number]] = loop.letters
        columns = np.arange(int(length.max()))
        letters: IntArray = spelled[loops[:, None], (columns - before[:, None]) % sizes[loops][:, None]]
        goals = np.searchsorted(self._goals, starts)
        ahead = self._walk(np.zeros_like(starts), before, goals, reach, rng)
        behind = self._walk(starts, after, np.full_like(goals, len(self._goals)), reach, rng)
        last = before + times * sizes[loops]
        for part, begin, size in ((ahead, np.zeros_like(before), before), (behind, last, after)):
            rows, places = np.nonzero(np.arange(part.shape[1]) < size[:, None])
            letters[rows, begin[rows] + places] = part[rows, places]
        letters[columns >= length[:, None]] = 0
        return letters

    def _walk(
        self, states: IntArray, sizes: IntArray, goals: IntArray, reach: BoolArray, rng: np.random.Generator
    ) -> IntArray:
        """Words of these sizes from the states to the goals, each letter uniform among those that can do."""
        word = np.zeros((len(states), int(sizes.max())), dtype=np.int64)
        for step in range(word.shape[1]):
            to_go = sizes - step - 1
            targets = self.table[states]
            good = reach[goals[:, None], np.maximum(to_go, 0)[:, None], targets]
            word[:, step] = (rng.random(good.shape) + good).argmax(axis=1)
            moved = np.take_along_axis(targets, word[:, step : step + 1], axis=1)[:, 0]
            states = np.where(to_go >= 0, moved, states)
        return word


def _shapes(
    length: int, befores: IntArray, afters: IntArray, size: int, *, room: int, around: int = 0
) -> list[Shape]:
    """Those in which the loop fills the rest; paths at most so much longer, or farther, than the best."""
    rest = length - befores - afters
    fits = (rest % size == 0) & (rest >= REPEATS * size)
    if not fits.any():
        return []
    off = np.abs(befores - around) + np.abs(afters - around)
    fits &= off <= off[fits].min() + room
    return [
        Shape(length, int(befores[row, 0]), int(rest[row, column]) // size, int(afters[0, column]))
        for row, column in zip(*np.nonzero(fits), strict=True)
    ]


def _chosen(shapes: Sequence[Shape], rng: np.random.Generator) -> Shape:
    """A length uniformly, then one of its shapes."""
    lengths = sorted({shape.length for shape in shapes})
    length = lengths[int(rng.integers(0, len(lengths)))]
    alike = [shape for shape in shapes if shape.length == length]
    return alike[int(rng.integers(0, len(alike)))]


# Programs: counts that are nearly equal, and a window's content that is repeated far away.


def counting_comparisons(core: Core) -> tuple[int, ...]:
    """The comparisons that the result depends on in which counts over all positions take part.

    >>> core = parse('P = # "a" >= # "b"').core
    >>> [core.ops[index] for index in counting_comparisons(core)]
    [Leq(left=3, right=1)]
    """
    read = live(core.ops, core.roots)
    counting: list[bool] = []
    for op in core.ops:
        match op:
            case Count(_, None):
                counting.append(True)
            case Add(left, right) | Subtract(left, right):
                counting.append(counting[left] or counting[right])
            case Conditional(_, then, other):
                counting.append(counting[then] or counting[other])
            case _:
                counting.append(False)
    return tuple(
        index
        for index, op in enumerate(core.ops)
        if isinstance(op, Leq) and read[index] and (counting[op.left] or counting[op.right])
    )[:MOST_LOOPS]


class NearTies:
    """Words at whose end the counts of a program's comparison differ by 0 or ±1."""

    def __init__(self, core: Core) -> None:
        self._core, self.comparisons = core, counting_comparisons(core)

    def draw(
        self, lengths: IntArray, which: IntArray, rng: np.random.Generator
    ) -> tuple[IntArray, BoolArray]:
        """A word for each length and number of a comparison, and whether its counts are so near.

        A third of the letters is uniform. Then each is one of those that bring the counts nearest.
        """
        pairs = [op for index in self.comparisons if isinstance(op := self._core.ops[index], Leq)]
        kernel = Kernel(self._core, [side for op in pairs for side in (op.left, op.right)])
        size, rows = len(self._core.alphabet), np.arange(len(lengths))
        words = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        following = np.tile(np.arange(size, dtype=np.uint32), len(lengths))[:, None]
        near, state = np.zeros(len(lengths), dtype=np.bool_), State()
        for column in range(words.shape[1]):
            tried = state.take(np.repeat(rows, size))
            values = kernel.advance(tried, following)
            apart = np.stack([_apart(values, op, len(following)) for op in pairs]).reshape(
                -1, len(rows), size
            )
            mine = np.maximum(np.abs(apart[which, rows]), 1)
            free = column < lengths // 3
            keys = np.where(free[:, None], 0, mine) + rng.random(mine.shape)
            chosen = keys.argmin(axis=1)
            words[:, column] = np.where(column < lengths, chosen, 0)
            near = np.where(column == lengths - 1, mine[rows, chosen] <= 1, near)
            state = tried.take(rows * size + chosen)
        return words, near


def _apart(values: dict[int, Value], op: Leq, rows: int) -> IntArray:
    left, right = (np.broadcast_to(np.asarray(values[side]), (rows, 1))[:, 0] for side in (op.left, op.right))
    return left.astype(np.int64) - right.astype(np.int64)


def window_repeated(words: IntArray, lengths: IntArray, width: int, rng: np.random.Generator) -> IntArray:
    """The words with what stands in a window of the first third again in the last third.

    >>> window_repeated(np.arange(12)[None], np.array([12]), 2, np.random.default_rng(0)).tolist()
    [[0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 3, 11]]
    """
    made = words.copy()
    third = lengths // 3
    first = rng.integers(0, np.maximum(third - width, 0) + 1)
    second = lengths - third + rng.integers(0, np.maximum(third - width, 0) + 1)
    for place in range(width):
        rows = np.flatnonzero(second + place < lengths)
        made[rows, second[rows] + place] = words[rows, first[rows] + place]
    return made


# Own functions: pieces of drawn inputs whose repetition changes the answer.

PIECES, LONGEST_PIECE = 8, 4
"""Pieces that are repeated, and their most letters."""
TRIED_PLACES, TRIED_REPEATS, TRIED_ANSWERS = 6, 6, 2000
"""Places at which a piece is repeated to see whether that matters, how often there, and answers in all: a
user's function may be slow."""


def changing_pieces(
    words: Sequence[tuple[str, ...]], answer: Callable[[tuple[str, ...]], Hashable]
) -> tuple[tuple[str, ...], ...]:
    """Short pieces of words such that repeating one inside its word changes the answer, the shortest first.

    >>> changing_pieces([tuple("abba")], lambda word: word.count("a") % 2)
    (('a',), ('a', 'b'), ('b', 'a'), ('a', 'b', 'b'), ('b', 'b', 'a'))
    """
    found: dict[tuple[str, ...], None] = {}
    tried: Counter[tuple[str, ...]] = Counter()
    for size in range(1, LONGEST_PIECE + 1):
        for word in words:
            for place in range(len(word) - size + 1):
                piece = word[place : place + size]
                if len(found) >= PIECES or tried.total() * TRIED_REPEATS >= TRIED_ANSWERS:
                    return tuple(found)
                if piece in found or tried[piece] >= TRIED_PLACES or is_power(piece):
                    continue
                tried[piece] += 1
                made = [word[:place] + piece * times + word[place:] for times in range(TRIED_REPEATS)]
                if len({answer(each) for each in made}) > 1:
                    found[piece] = None
    return tuple(found)


def is_power(piece: tuple[str, ...]) -> bool:
    """Whether it repeats a shorter one."""
    size = len(piece)
    return any(size % part == 0 and piece == piece[:part] * (size // part) for part in range(1, size))


def repeated(word: tuple[str, ...], piece: tuple[str, ...], kind: int) -> tuple[str, ...]:
    """The word with its inside replaced by repetitions: all but a few letters (p), or its middle third (q).

    >>> "".join(repeated(tuple("x" * 12), ("a", "b"), P)), "".join(repeated(tuple("x" * 12), ("a", "b"), Q))
    ('xababababxxx', 'xxxxababxxxx')
    """
    before = len(word) // 3 if kind == Q else min(1, len(word) // 3)
    times = (len(word) - 2 * before - (2 if kind == P else 0)) // len(piece)
    middle = piece * max(times, 1)
    return (word[:before] + middle + word[before + len(middle) :])[: len(word)]
