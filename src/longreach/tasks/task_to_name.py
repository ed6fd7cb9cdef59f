"""A task, by name or as an object → the name that settings and results hold."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from longreach.config.keys import canonical_json
from longreach.config.task_name import REGEX, TaskName
from longreach.errors import Argument, InputError
from longreach.tasks.catalog import TASKS, load_task, name_of, self_contained
from longreach.tasks.language_task import LanguageTask
from longreach.tasks.session_task import remember
from longreach.tasks.task import Task

MOST_LETTERS = 40  # of a task in a file's name


def name_of_task(
    task: str | Task, alphabet: Sequence[str] | None = None
) -> tuple[str, tuple[str, ...] | None]:
    """The name of a task and, for a regular expression, its alphabet.

    An object that another process can find has the name by which it does (`catalog.name_of`); any other is an
    object of this session.

    >>> from longreach.tasks.sort import Sort
    >>> name_of_task("regex:a*", "ab"), name_of_task(Sort()), name_of_task(load_task("regex:a*", "ab"))
    (('regex:a*', ('a', 'b')), ('sort', None), ('regex:a*', ('a', 'b')))
    >>> name_of_task(Sort(9))
    ('object:sort@...', None)
    """
    if isinstance(task, str):
        return task, None if alphabet is None else tuple(alphabet)
    if not isinstance(task, Task):
        kind = f"the class {task.__name__}" if isinstance(task, type) else f"a {type(task).__name__}"
        raise InputError(f"expected the name of a task or a Task, not {kind}", place=Argument("task"))
    if alphabet is not None:
        raise InputError(f"an alphabet goes with {REGEX}…, a Task has its own", place=Argument("task"))
    if isinstance(task, LanguageTask) and TaskName(task.name).has_alphabet and _leads_to(task, task.letters):
        return task.name, task.letters
    return name_of(task) or remember(task), None


def _leads_to(task: Task, alphabet: tuple[str, ...]) -> bool:
    try:
        return load_task(task.name, alphabet) == task
    except InputError:
        return False


def file_name(task: str, alphabet: tuple[str, ...] | None) -> str:
    """What stands for a task in names of files.

    >>> file_name("aa", None)
    'aa'
    """
    if task in TASKS:
        return task
    whole = canonical_json({"task": self_contained(task), "alphabet": alphabet})
    slug = re.sub(r"[^A-Za-z0-9]+", "-", TaskName(task).short).strip("-")[:MOST_LETTERS]
    return f"{slug}-{hashlib.sha256(whole.encode()).hexdigest()[:4]}"
