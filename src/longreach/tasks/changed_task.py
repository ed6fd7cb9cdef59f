"""A task and how it is to be changed → the changed task: with a scratchpad, in reversed order, with hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.tasks.boolean_expressions import BooleanExpressions
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.formula_scratchpad import FormulaScratchpad
from longreach.tasks.function_scratchpad import with_steps
from longreach.tasks.function_task import FunctionTask
from longreach.tasks.index_hints import IndexHints
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.layout import SequenceTask
from longreach.tasks.parity import Parity
from longreach.tasks.regular_answer import RegularAnswer
from longreach.tasks.reversed_answer import ReversedAnswer
from longreach.tasks.run_scratchpad import (
    AnswerScratchpad,
    LanguageScratchpad,
    ParityScratchpad,
    RunScratchpad,
    StatesScratchpad,
)
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import Task
from longreach.tasks.task_change import ChangedTask

LONG = 20
"""A length at which answers of more than one token have them."""
NO_END = "its answers have no EOS behind them, which the change needs"


def changed_task(task: Task, changes: Sequence[str]) -> Task:
    """The task after the changes, in their one order; changes that it has already stay.

    >>> from longreach.tasks.catalog import load_task
    >>> changed_task(load_task("addition+index-hints"), ["reversed"]).name
    'addition+reversed+index-hints'
    """
    wanted = {*changes}
    while isinstance(task, ChangedTask):
        wanted.add(task.change)
        task = task.base
    for change, make in _CHANGES.items():
        if change in wanted:
            task = make(task)
    return task


def _scratchpad(task: Task) -> Task:
    if isinstance(task, Parity):
        return ParityScratchpad(task)
    if isinstance(task, RegularLanguage):
        return LanguageScratchpad(task)
    if isinstance(task, RegularAnswer | LabelledLanguage):
        return AnswerScratchpad(task)
    if isinstance(task, StateTask) and not task.after:
        return StatesScratchpad(task)
    if isinstance(task, BooleanExpressions):
        return FormulaScratchpad(task)
    if isinstance(task, FunctionTask):
        if task.stepper is None:
            raise _refused(task, "scratchpad", "say which steps: Task.from_function(…, steps=…)")
        return with_steps(task, task.stepper)
    if isinstance(task, FamilyTask) and (steps := task.with_scratchpad) is not None:
        return steps
    raise _refused(task, "scratchpad", "no steps are known that could be written down")


def _reversed(task: Task) -> Task:
    if not isinstance(task, SequenceTask):
        raise _refused(task, "reversed", "it has no answer that could be written in another order")
    if task.answer_size(LONG) == 1:
        raise _refused(task, "reversed", "its answer is one token, the same in any order")
    if not task.ended:
        raise _refused(task, "reversed", NO_END)
    if isinstance(task, RunScratchpad | FormulaScratchpad):
        raise _refused(task, "reversed", "the steps of a scratchpad have one order")
    return ReversedAnswer(task)


def _index_hints(task: Task) -> Task:
    batch = task.sample(
        task.lengths(task.least_length, task.least_length + LONG)[:1], np.random.default_rng(0)
    )
    if not isinstance(task, SequenceTask) or task.coupled_ids(batch) is None:
        raise _refused(task, "index-hints", "the task has no coupled ids that hints could tell")
    if not task.ended:
        raise _refused(task, "index-hints", NO_END)
    return IndexHints(task)


def _refused(task: Task, change: str, reason: str) -> InputError:
    return InputError(f"{TaskName(task.name).short}+{change}: {reason}")


# In the order of `longreach.config.task_name.CHANGES`.
_CHANGES: dict[str, Callable[[Task], Task]] = {
    "scratchpad": _scratchpad,
    "reversed": _reversed,
    "index-hints": _index_hints,
}
