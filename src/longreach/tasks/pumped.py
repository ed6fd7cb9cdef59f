"""Probing inputs of tasks without an automaton: sorts of hard inputs that a task knows, and pumped inputs.

A task may know inputs that are hard for a window or a rough count: `Task.hard` names their sorts and
`Task.hard_input` makes one. Beside them short inputs are drawn and pumped: a few tokens are repeated at a
place where the longer word is still an input, and the answer changes with their number where it can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from longreach.errors import InputError
from longreach.tasks.probing import LONGEST_PIECE, PIECES, REPEATS, TRIED_PLACES, P, is_power
from longreach.tasks.task import RARE, SEP, Batch, IntArray, Probes, Task, draw_lengths

if TYPE_CHECKING:
    from longreach.tasks.lengths import LengthRange

Word: TypeAlias = tuple[str, ...]
Pair: TypeAlias = tuple[Word, Word]

SHORT_SPAN, SHORT_LENGTHS, SHORT_INPUTS = 24, 8, 4
"""Inputs in which pieces are looked for: the shortest lengths within a span, and how many of each."""
PUMPED_TIMES, PUMPED_ENOUGH = 9, 3
"""A piece is repeated up to so often to see whether inputs come out, of which there must be so many."""
TRIED_ANSWERS = 4000
"""Answers in the search for pieces."""
NEAR_SHORTEST = 6
"""How much longer than the shortest an input may be before it is pumped."""
TRIED_INPUTS, TRIED_DRAWS = 16, 8
"""Inputs into which a piece is put, and how often lengths are drawn for them."""


def position_share(batch: Batch) -> float:
    """The share of rows that the best predictor gets right which only counts how many tokens it predicted.

    It says one sequence; a row is right where its targets begin that sequence. 0 if that is rare.

    >>> from longreach.tasks.counting import BinaryMajority
    >>> rng = np.random.default_rng(0)
    >>> abs(position_share(BinaryMajority().sample([9] * 500, rng)) - 1 / 2) < 0.1
    True
    """
    counts = Counter(batch.answers)
    sizes = sorted({len(row) for row in counts})
    best = max(sum(counts.get(row[:size], 0) for size in sizes if size <= len(row)) for row in counts)
    return best / len(batch) if best / len(batch) > RARE else 0.0


def inputs_of(task: Task, batch: Batch) -> list[Word]:
    """What stands between SOS and SEP, or before the answer; of a language the whole word."""
    found = []
    for row, size in enumerate(batch.sizes.tolist()):
        end = size if task.kind == "language" else int(batch.mask[row].argmax()) + 1
        tokens = task.decode(batch.tokens[row, 1:end].tolist())
        found.append(tuple(token for token in tokens if token != SEP))
    return found


def answered(task: Task, x: Word) -> Pair | None:
    """An input with its answer; None where the task has no such input."""
    try:
        y = task.answer(x)
    except InputError:
        return None
    known = task.is_drawn(x) and {*y} <= {*task.tokens} and bool(task.has(np.array([len(x)]))[0])
    return (x, y) if known else None


def pumped_pieces(task: Task) -> tuple[Word, ...]:
    """Short pieces of inputs whose repetition gives inputs, the shortest first.

    Those that change the answer, if there are any.

    >>> from longreach.tasks.recall import SelectiveCopy
    >>> pumped_pieces(SelectiveCopy(2)), pumped_pieces(load_task("sort"))
    ((('.',),), ())
    """
    rng = np.random.default_rng(4)
    known = task.lengths(task.least_length, task.least_length + SHORT_SPAN)[:SHORT_LENGTHS].tolist()
    words = inputs_of(task, task.sample(known * SHORT_INPUTS, rng))
    changing, keeping = dict[Word, None](), dict[Word, None]()
    tried: Counter[Word] = Counter()
    for word, place, piece in _pieces(words):
        if len(changing) >= PIECES or tried.total() * PUMPED_TIMES >= TRIED_ANSWERS:
            break
        if piece in changing or tried[piece] >= TRIED_PLACES:
            continue
        tried[piece] += 1
        made = [(*word[:place], *piece * times, *word[place:]) for times in range(PUMPED_TIMES)]
        fitting = task.has(np.array([len(x) for x in made])).tolist()
        made = [x for x, fits in zip(made, fitting, strict=True) if fits]
        pairs = [answered(task, x) for x in made]
        if len(pairs) < PUMPED_ENOUGH or None in pairs:
            continue
        (changing if len({pair[1] for pair in pairs if pair}) > 1 else keeping)[piece] = None
    return tuple(changing or keeping)[:PIECES]


def _pieces(words: Sequence[Word]) -> Iterator[tuple[Word, int, Word]]:
    for size in range(1, LONGEST_PIECE + 1):
        for word in words:
            for place in range(len(word) - size + 1):
                piece = word[place : place + size]
                if not is_power(piece):
                    yield word, place, piece


def pumped(task: Task, length: int, piece: Word, kind: int, rng: np.random.Generator) -> Pair | None:
    """An input of this length that repeats the piece, nearly everywhere (p) or over a third (q)."""
    sizes = length - len(piece) * np.arange(REPEATS, length // len(piece) + 1)
    sizes = sizes[(sizes >= task.least_length) & task.has(sizes)]
    if not len(sizes):
        return None
    if kind == P:
        sizes = sizes[sizes <= sizes.min() + NEAR_SHORTEST]
    else:
        sizes = sizes[[np.abs(sizes - (length - length // 3)).argmin()]]
    size = int(rng.choice(sizes))
    middle = piece * ((length - size) // len(piece))
    words = inputs_of(task, task.sample([size] * TRIED_INPUTS, rng))
    for word in sorted(words, key=lambda each: not _occurs(piece, each)):
        for place in rng.permutation(size + 1)[:TRIED_PLACES].tolist():
            found = answered(task, (*word[:place], *middle, *word[place:]))
            if found is not None:
                return found
    return None


def _occurs(piece: Word, word: Word) -> bool:
    return any(word[place : place + len(piece)] == piece for place in range(len(word)))


class HardInputs(NamedTuple):
    """Inputs with their answers, before they are laid out."""

    pairs: list[Pair]
    sorts: IntArray
    kinds: IntArray
    names: tuple[str, ...]

    def probes(self, batch: Batch) -> Probes:
        """These inputs as the task lays them out."""
        return probes(batch, self.sorts, self.kinds, self.names)


def hard_probes(
    task: Task, pieces: Sequence[Word], lengths: LengthRange, count: int, rng: np.random.Generator
) -> HardInputs | None:
    """Hard and pumped inputs with their answers, equally many of each sort.

    A sort that hardly ever has an input of these lengths is left out; None where all are.
    """
    names = (*task.hard, *map(" ".join, pieces))
    possible, rows = np.arange(len(names)), np.arange(count)
    while len(possible):
        sorts = possible[rows % len(possible)]
        kinds = np.where(sorts < len(task.hard), P, rows // len(possible) % 2)
        pairs = list[Pair | None]([None] * count)
        left = rows
        for _ in range(TRIED_DRAWS):
            sizes = draw_lengths(task, *lengths, len(left), rng)
            for row, size in zip(left.tolist(), sizes.tolist(), strict=True):
                sort = int(sorts[row])
                if sort < len(task.hard):
                    x = task.hard_input(size, sort, rng)
                    pairs[row] = None if x is None else answered(task, tuple(x))
                else:
                    pairs[row] = pumped(task, size, pieces[sort - len(task.hard)], int(kinds[row]), rng)
            left = np.array([row for row in rows.tolist() if pairs[row] is None], dtype=np.int64)
            if not len(left):
                return HardInputs([pair for pair in pairs if pair is not None], sorts, kinds, names)
        possible = np.setdiff1d(possible, sorts[left])
    return None


def probes(batch: Batch, sorts: IntArray, kinds: IntArray, names: tuple[str, ...]) -> Probes:
    """Probing inputs with what guessing gets right on them."""
    return Probes(batch, sorts, kinds, names, position_share(batch))
