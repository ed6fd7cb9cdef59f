"""Asking a task for right answers: whatever goes wrong in its code becomes one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.errors import OWN_FAILURES, Argument, InputError, failure_line
from longreach.languages.regular.automaton import Automaton
from longreach.tasks.copy_unique import CopyUnique
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import SEP, Task


def automaton_of_task(task: Task) -> Automaton:
    """The automaton of a task that is a regular language."""
    automaton = getattr(task, "automaton", None)
    if not isinstance(automaton, Automaton):
        raise InputError("its evidence is its language, but it has no automaton", place=Argument("task"))
    return automaton


def answer(task: Task, x: Sequence[str]) -> tuple[str, ...]:
    """The right answer to an input of a length that the task has.

    >>> from longreach.tasks.parity import Parity
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

    >>> from longreach.tasks.parity import Parity
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
