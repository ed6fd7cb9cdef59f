"""A forecast in a few lines, for a Python prompt and for a notebook."""

from __future__ import annotations

from collections.abc import Mapping

from longreach import notebook
from longreach.config.task_name import TaskName
from longreach.languages.program_class import ENCODING_SIDES
from longreach.tasks.task import Task
from longreach.verdicts.plain_words import clause, expectation, rests_on, side_title
from longreach.verdicts.verdict import Verdict


def title_of(name: str, task: Task) -> str:
    """What is forecast, in one line.

    >>> from longreach.tasks.catalog import load_task
    >>> title_of("sort", load_task("sort")), title_of("regex:(ab)*", load_task("regex:(ab)*"))
    ('sort: distinct numbers in increasing order', '(ab)*')
    """
    shown = task.name if TaskName(name).is_session else TaskName(name).expression
    return shown if task.about == shown else f"{shown}: {task.about}"


def as_text(name: str, task: Task, sides: Mapping[str, Verdict]) -> str:
    """A line for the task and one for each encoding."""
    lines = [f"  {side_title(key)}: {_says(sides[key])}" for key in ENCODING_SIDES]
    return "\n".join([title_of(name, task), *lines])


def _says(verdict: Verdict) -> str:
    basis = rests_on(verdict)
    said = expectation(verdict.trained)
    return f"{said}: {clause(verdict)}" + ("" if basis == said else f" ({basis})")


def as_html(name: str, task: Task, sides: Mapping[str, Verdict]) -> str:
    """The same as a table."""
    rows = [
        (side_title(key), expectation(sides[key].trained), clause(sides[key]), rests_on(sides[key]))
        for key in ENCODING_SIDES
    ]
    return notebook.table(["", "forecast", "why", "rests on"], rows, title=title_of(name, task))
