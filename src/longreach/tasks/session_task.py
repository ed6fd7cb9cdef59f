"""Tasks that are objects of this Python session, known by a name with a hash of what they are.

Results hold names only. The object behind such a name is kept in one table of this process, `_OBJECTS`:
another process cannot find it, and says so. The hash is that of examples and tokens, so that results of
another task with the same name are never taken for those of this one.
"""

from __future__ import annotations

import hashlib
import re

import numpy as np

from longreach.config.task_name import SESSION
from longreach.errors import OWN_FAILURES, InputError, failure_line
from longreach.tasks.task import Task

EXAMPLES = 8
"""Of each length."""
FARTHER = (20, 40, 100)
"""How far above the least length examples are drawn, besides the least lengths themselves."""
LEAST_LENGTHS = 4
LONGEST_NAME = 40

_OBJECTS: dict[str, Task] = {}
"""By name: filled by `remember`, read by `session_task`, never written to disk."""


def remember(task: Task) -> str:
    """The name by which this process finds the task again: the same for tasks that are alike.

    >>> from longreach.tasks.sort import Sort
    >>> name = remember(Sort(9))
    >>> name, session_task(name).size, remember(Sort(9)) == name, remember(Sort(8)) == name
    ('object:sort@...', 9, True, False)
    """
    shown = re.sub(r"[^\w.-]+", "-", str(getattr(task, "name", ""))).strip("-")[:LONGEST_NAME] or "task"
    name = f"{SESSION}{shown}@{fingerprint(task)}"
    _OBJECTS[name] = task
    return name


def session_task(name: str) -> Task:
    """The object behind such a name.

    >>> session_task("object:mine@0123456789ab")
    Traceback (most recent call last):
    longreach.errors.InputError: object:mine@0123456789ab is an object of another Python session; put it...
    """
    try:
        return _OBJECTS[name]
    except KeyError:
        where = "put it into a module and name it module:attribute"
        raise InputError(f"{name} is an object of another Python session; {where}") from None


def fingerprint(task: Task) -> str:
    """The beginning of a hash of the task's tokens and of examples that are always the same."""
    found = hashlib.sha256(repr((task.kind, tuple(task.tokens), task.least_length)).encode())
    rng = np.random.default_rng(0)
    try:
        for length in _lengths(task):
            batch = task.sample([length] * EXAMPLES, rng)
            for array in (batch.tokens, batch.targets, batch.mask, batch.position_ids, batch.sizes):
                found.update(repr(array.shape).encode())
                found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
            if (ids := task.coupled_ids(batch)) is not None:
                found.update(np.ascontiguousarray(ids, dtype=np.int64).tobytes())
    except InputError:
        raise
    except OWN_FAILURES as error:
        raise InputError(f"{task.name}: drawing examples fails: {failure_line(error)}") from None
    return found.hexdigest()[:12]


def _lengths(task: Task) -> list[int]:
    least = task.least_length
    span = np.arange(least, least + max(FARTHER) + 1, dtype=np.int64)
    known = span[np.asarray(task.has(span), dtype=np.bool_)].tolist()
    far = [max((length for length in known if length <= least + step), default=least) for step in FARTHER]
    return sorted({*known[:LEAST_LENGTHS], *(far if known else ())})
