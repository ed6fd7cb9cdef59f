"""A task, by name or as an object → the name that settings and results hold."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.config.task_name import REGEX, TaskName
from longreach.errors import Argument, InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.language_task import LanguageTask
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.session_task import remember
from longreach.tasks.task import Task


def name_of_task(
    task: str | Task, alphabet: Sequence[str] | None = None
) -> tuple[str, tuple[str, ...] | None]:
    """The name of a task and, for a regular expression, its alphabet.

    An object that its name leads to has that name; any other is an object of this session.

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
    if isinstance(task, ProgramTask) and TaskName(task.name).is_program:
        return task.self_contained, None
    letters = task.letters if isinstance(task, LanguageTask) and TaskName(task.name).is_regex else None
    return (task.name, letters) if _leads_to(task, letters) else (remember(task), None)


def _leads_to(task: Task, alphabet: tuple[str, ...] | None) -> bool:
    """Whether the task's name gives an equal task; no module is imported to find out."""
    if TaskName(task.name).is_attribute:
        return False
    try:
        found = load_task(task.name, alphabet)
        return type(found) is type(task) and bool(found == task)
    except (InputError, ValueError):  # no such task, or one that cannot be compared
        return False
