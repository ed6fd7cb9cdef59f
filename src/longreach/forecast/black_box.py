"""Which tasks only their answers are known of; what looks into these is loaded for them alone."""

from __future__ import annotations

from longreach.tasks.data_task import DataTask
from longreach.tasks.function_task import FunctionTask
from longreach.tasks.layout import SequenceTask
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.task import Task

SECONDS = 5.0
"""For one task unless told otherwise; of computing."""


def is_black_box(task: Task, trusted: bool) -> bool:
    """Whether only answers are known of a task: a function, a predicate, or somebody's without evidence."""
    if isinstance(task, FunctionTask | PredicateLanguage):
        return True
    return isinstance(task, SequenceTask) and not isinstance(task, DataTask) and not trusted
