"""A task, by name or as an object → the name that settings and results hold."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.config.task_name import REGEX, TaskName
from longreach.errors import Argument, InputError
from longreach.tasks.catalog import load_task, name_of
from longreach.tasks.language_task import LanguageTask
from longreach.tasks.session_task import remember
from longreach.tasks.task import Task


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
