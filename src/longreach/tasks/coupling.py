"""Coupled position ids as arrays: tokens that belong together share an id (Cho et al., arXiv 2405.20671).

An array of ids has a column more than the batch: in the column after an example's last token stands the id of
the token after it, mostly EOS. SOS, separators and EOS have the id 0; columns beyond are 0 as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, failure_line

if TYPE_CHECKING:
    from longreach.tasks.task import Batch, IntArray, Task

IdScheme: TypeAlias = Callable[[tuple[str, ...], tuple[str, ...]], Sequence[int]]
"""From the tokens of x and of y to the ids of SOS x SEP y EOS, in this order."""


def numbered(batch: Batch, separator: int) -> tuple[IntArray, IntArray]:
    """The tokens before the first separator counted from 1 behind SOS, and those behind it; 0 elsewhere.

    >>> from longreach.tasks.reverse import Reverse
    >>> x, y = numbered(Reverse().sample([2, 3], np.random.default_rng(0)), separator=3)
    >>> x.tolist()
    [[0, 1, 2, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 0, 0, 0, 0, 0]]
    >>> y.tolist()
    [[0, 0, 0, 0, 1, 2, 0, 0, 0], [0, 0, 0, 0, 0, 1, 2, 3, 0]]
    """
    at = (batch.tokens == separator).argmax(axis=1)[:, None]
    columns = np.arange(batch.tokens.shape[1] + 1)
    before = np.where(columns < at, columns, 0)
    behind = np.where((columns > at) & (columns < batch.sizes[:, None]), columns - at, 0)
    return before, behind


def backwards(places: IntArray) -> IntArray:
    """Each row's numbers 1 … n as n … 1, zeros where they are.

    >>> backwards(np.array([[0, 1, 2, 3], [0, 0, 1, 0]])).tolist()
    [[0, 3, 2, 1], [0, 0, 1, 0]]
    """
    return np.where(places > 0, places.max(axis=1, keepdims=True) + 1 - places, 0)


def significance(batch: Batch, *, plus: int, equals: int, reversed_answer: bool = False) -> IntArray:
    """Digits of equal significance share an id, 1 for the least; + and = have 0.

    >>> from longreach.tasks.addition import Addition
    >>> batch = Addition().sample([6], np.random.default_rng(1))
    >>> " ".join(Addition().decode(batch.tokens[0])), significance(batch, plus=5, equals=6).tolist()
    ('SOS 1 1 + 0 0 = 1 1', [[0, 2, 1, 0, 2, 1, 0, 2, 1, 0]])
    """
    x, answer = numbered(batch, equals)
    first, _ = numbered(batch, plus)
    second = np.maximum(x - first.max(axis=1, keepdims=True) - 1, 0)
    made: IntArray = backwards(first) + backwards(second)
    return made + (answer if reversed_answer else backwards(answer))


def ids_by_function(task: Task, batch: Batch, scheme: IdScheme, separator: int) -> IntArray:
    """The ids that a function gives, row by row; what does not fit is refused in one line."""
    made = np.zeros((len(batch), batch.tokens.shape[1] + 1), dtype=np.int64)
    for row, size in enumerate(batch.sizes.tolist()):
        tokens = task.decode(batch.tokens[row, 1:size].tolist())
        at = tokens.index(task.tokens[separator])
        x, y = tuple(tokens[:at]), tuple(tokens[at + 1 :])
        made[row, : size + 1] = _checked(task.name, scheme, x, y)
    return made


def _checked(task: str, scheme: IdScheme, x: tuple[str, ...], y: tuple[str, ...]) -> list[int]:
    name = getattr(scheme, "__name__", "ids")
    call = f"{'ids' if name == '<lambda>' else name}({_shown(x)!r}, {_shown(y)!r})"
    try:
        found = list(scheme(x, y))
    except InputError:
        raise
    except OWN_FAILURES as error:
        raise InputError(f"{task}: {call} fails: {failure_line(error)}") from error
    wanted = len(x) + len(y) + 3
    if len(found) != wanted:
        raise InputError(f"{task}: {call} gives {len(found)} ids, not {wanted}, for SOS x SEP y EOS")
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int | np.integer) or not 0 <= each < 2**31:
            raise InputError(f"{task}: {call} gives {each!r}; ids are whole numbers from 0 on")
    return [int(each) for each in found]


def _shown(tokens: Sequence[str]) -> str:
    shown = " ".join(tokens[:20])
    return shown if len(tokens) <= 20 else f"{shown} …"
