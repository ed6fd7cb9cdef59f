"""Inputs of a task as its sampler draws them, and whether every word is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, failure_line
from longreach.languages.regular.automaton import Word
from longreach.tasks.layout import SequenceTask

FEW, MANY = 6, 11
"""How many of the least lengths are looked at: to see which words are inputs, and to count them."""
FIRST_BATCH, BATCH, MOST_DRAWS = 20, 200, 8_000
"""Of one length."""
NEW = 0.02
"""The share of new inputs in a batch below which nearly all inputs of the length have been seen."""
LETTERS_ALONE = 600
"""Inputs of one length, nearly all different: enough to see the letters."""
FEW_LENGTHS = 4
"""Lengths that are looked at though most of their inputs remain unseen."""
MOST_WORDS, MOST_PAIRS = 70, 700
"""Of one length, and of length 2: whether all of them are drawn."""


@dataclass(frozen=True, eq=False)
class DrawnInputs:
    """Inputs with their answers, by length, the shortest first."""

    inputs: dict[int, dict[Word, Word]]
    whole: frozenset[int]
    """The lengths of which nearly all inputs have been drawn."""

    @property
    def letters(self) -> tuple[str, ...]:
        """Of the inputs."""
        return tuple(sorted({letter for words in self.inputs.values() for word in words for letter in word}))


def draw_inputs(task: SequenceTask, lengths: int = FEW, *, left: Callable[[], float]) -> DrawnInputs:
    """Inputs of so many of the least lengths, as many as it takes to see nearly all; `left` says how many
    seconds there are.

    >>> from longreach.tasks.parity import Parity
    >>> found = draw_inputs(Parity(), left=lambda: 1.0)
    >>> found.letters, found.inputs[2]["1", "0"], 3 in found.whole
    (('0', '1'), ('odd', 'EOS'), True)
    """
    rng = np.random.default_rng(0)
    inputs: dict[int, dict[Word, Word]] = {}
    whole: set[int] = set()
    for length in task.lengths(task.least_length, task.least_length + 4 * lengths).tolist()[:lengths]:
        found = inputs[length] = {}
        drawn = 0
        while drawn < MOST_DRAWS:
            before = len(found)
            # A few first: each may take long.
            count = BATCH if drawn else FIRST_BATCH
            drawn += count
            found |= _drawn(task, length, count, rng)
            if len(found) - before < NEW * count:
                whole.add(length)
                break
            # Of far too many inputs some are enough: for their letters.
            many = LETTERS_ALONE <= drawn < LETTERS_ALONE + BATCH and len(found) > 0.95 * drawn
            if many or left() < 0:
                break
        if left() < 0 or (length not in whole and len(inputs) >= FEW_LENGTHS):
            break
    return DrawnInputs(inputs, frozenset(whole))


def _drawn(task: SequenceTask, length: int, count: int, rng: np.random.Generator) -> dict[Word, Word]:
    try:
        batch = task.sample([length] * count, rng)
    except InputError:
        raise
    except OWN_FAILURES as error:
        raise InputError(f"{task.name}: drawing examples fails: {failure_line(error)}") from None
    found: dict[Word, Word] = {}
    for tokens, targets, mask in zip(batch.tokens, batch.targets, batch.mask, strict=True):
        answer = tuple(task.decode(targets[mask].tolist()))
        x = tuple(task.decode(tokens[1 : 1 + length].tolist()))
        if found.setdefault(x, answer) != answer:
            answers = " and ".join(" ".join(each) for each in (found[x], answer))
            raise InputError(f"{task.name}: {' '.join(x)} has different answers, {answers}")
    return found


def every_word_to(task: SequenceTask, drawn: DrawnInputs) -> int:
    """The length to which all words from the least length on are drawn; 0 if some are not, or too many.

    >>> from longreach.tasks.binary_majority import BinaryMajority
    >>> from longreach.tasks.parity import Parity
    >>> [every_word_to(task, draw_inputs(task, left=lambda: 1.0)) for task in (Parity(), BinaryMajority())]
    [6, 0]
    """
    least, letters, rng = task.least_length, len(drawn.letters), np.random.default_rng(1)
    if not task.has(np.arange(least, least + 2 * MANY, dtype=np.int64)).all():
        return 0
    asked = [n for n in drawn.inputs if letters**n <= (MOST_PAIRS if n <= 2 else MOST_WORDS)]
    for length in asked:
        found, words = dict(drawn.inputs[length]), letters**length
        # The rarest word may come once in many thousand draws, and what is never drawn soon shows.
        if len(found) < 0.6 * words:
            return 0
        for _ in range(MOST_DRAWS // BATCH):
            if len(found) == words:
                break
            found |= _drawn(task, length, BATCH, rng)
        if len(found) < words:
            return 0
    enough = len(asked) >= 2 and (asked[-1] >= 2 or letters == 1)
    return asked[-1] if enough else 0
