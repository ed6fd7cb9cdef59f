"""Asking a task, or the program behind a forecast, for answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from longreach.errors import OWN_FAILURES, Argument, InputError, failure_line
from longreach.tasks.copying import CopyUnique
from longreach.tasks.data import DataTask
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.regular import LanguageTask, label_name
from longreach.tasks.task import SEP, Task
from longreach.theory.automata.automaton import Automaton, Word

if TYPE_CHECKING:
    from longreach.theory.communication.rows import DrawnPairs


def automaton_of_task(task: Task) -> Automaton:
    """The automaton of a task that is a regular language."""
    automaton = getattr(task, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise InputError("its evidence is its language, but it has no automaton", place=Argument("task"))
    return automaton


def answer(task: Task, x: Sequence[str]) -> tuple[str, ...]:
    """The right answer to an input of a length that the task has.

    >>> from longreach.tasks.counting import Parity
    >>> answer(Parity(), ["1", "0"])
    ('odd', 'EOS')
    """
    try:
        # Of a language x may also be the beginning of a word.
        if task.kind != "language" and not task.has(np.array([len(x)], dtype=np.int64))[0]:
            raise InputError(f"no input has length {len(x)}")
        return tuple(task.answer(x))
    except InputError:
        raise
    except OWN_FAILURES as error:
        raise InputError(f"its answer to {' '.join(x)} fails: {failure_line(error)}") from None


def follows(task: Task, x: Sequence[str], after: Sequence[str], token: str) -> bool | None:
    """Whether the token comes next after SOS, x and `after`; None if nothing is asked there.

    Of a language the token is a letter or EOS, and may come next, or it is the class of the word. Of copying
    distinct symbols x may repeat them (`CopyUnique.may_follow`). Of the other tasks `after` is what is left
    of the input, SEP, where there is one, and the beginning of an answer.

    >>> from longreach.tasks.counting import Parity
    >>> follows(Parity(), ["1", "0", "1"], ("SEP",), "even")
    True
    """
    if isinstance(task, LanguageTask):
        label = answer(task, (*x, *after))[-1]
        return any(token in symbols for symbols in task.labels if label_name(symbols) == label)
    if not isinstance(task, SequenceTask) or (task.separated and SEP not in after):
        return None
    place = after.index(SEP) if task.separated else 0
    x, written = (*x, *after[:place]), tuple(after[place + task.separated :])
    if not {*x} <= {*task.symbols}:
        return None
    if isinstance(task, CopyUnique) and len({*x}) < len(x):
        return token in task.may_follow(x, written[0]) if len(written) == 1 else None
    right = answer(task, x)
    if isinstance(task, CopyUnique) and len(written) == 1:
        # Of distinct symbols the definition for all inputs and the right answer are the same.
        following = right.index(written[0]) + 1 if written[0] in x else None
        found = following is not None and right[following] == token
        if found != (token in task.may_follow(x, written[0])) and token in task.symbols:
            raise InputError(f"the answer to {' '.join(x)} is not what followed before")
        return found
    if right[: len(written)] != written or len(right) <= len(written):
        return None
    return right[len(written)] == token


# Which tasks only their answers are known of; what looks into these is loaded for them alone.


SECONDS = 5.0
"""For one task unless told otherwise; of computing."""


def is_black_box(task: Task, trusted: bool) -> bool:
    """Whether only answers are known of a task: a function, a predicate, or somebody's without evidence."""
    if isinstance(task, FunctionTask | PredicateLanguage):
        return True
    return isinstance(task, SequenceTask) and not isinstance(task, DataTask) and not trusted


# Inputs of a task as its sampler draws them, and whether every word is one.


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
        return tuple(sorted({letter for words in self.inputs.values() for word in words for letter in word}))


def draw_inputs(task: SequenceTask, lengths: int = FEW, *, left: Callable[[], float]) -> DrawnInputs:
    """Inputs of so many of the least lengths, as many as it takes to see nearly all; `left` says how many
    seconds there are.

    >>> from longreach.tasks.counting import Parity
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
            found |= drawn_inputs(task, length, count, rng)
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


def drawn_inputs(task: SequenceTask, length: int, count: int, rng: np.random.Generator) -> dict[Word, Word]:
    """Inputs of one length with their answers."""
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


MOST_PAIRED = 20_000
"""Long inputs that are compared."""


def drawn_pairs(task: SequenceTask, length: int, count: int, *, left: Callable[[], float]) -> DrawnPairs:
    """How often two of about so many drawn inputs have the same answer.

    >>> from longreach.tasks.counting import Parity
    >>> found = drawn_pairs(Parity(), 30, 200, left=lambda: 1.0)
    >>> found.inputs >= 200, found.bits < 3
    (True, True)
    """
    from longreach.theory.communication.rows import DrawnPairs  # a forecast seldom needs it

    rng = np.random.default_rng(4)
    answers: Counter[Word] = Counter()
    while answers.total() < min(count, MOST_PAIRED) and left() >= 0:
        answers.update(drawn_inputs(task, length, min(BATCH, count), rng).values())
    same = sum(times * (times - 1) // 2 for times in answers.values())
    return DrawnPairs(length=length, inputs=answers.total(), same=same)


def every_word_to(task: SequenceTask, drawn: DrawnInputs) -> int:
    """The length to which all words from the least length on are drawn; 0 if some are not, or too many.

    >>> from longreach.tasks.counting import BinaryMajority
    >>> from longreach.tasks.counting import Parity
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
            found |= drawn_inputs(task, length, BATCH, rng)
        if len(found) < words:
            return 0
    enough = len(asked) >= 2 and (asked[-1] >= 2 or letters == 1)
    return asked[-1] if enough else 0
