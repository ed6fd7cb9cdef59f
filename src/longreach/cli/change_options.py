"""The options that change a task: `--scratchpad`, `--reversed` and `--index-hints` append to its name."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from longreach.config.task_name import TaskName

ScratchpadOption: TypeAlias = Annotated[
    bool, typer.Option("--scratchpad", help="The same as TASK+scratchpad: steps are written down.")
]
ReversedOption: TypeAlias = Annotated[
    bool, typer.Option("--reversed", help="The same as TASK+reversed: answers are written from their end.")
]
IndexHintsOption: TypeAlias = Annotated[
    bool, typer.Option("--index-hints", help="The same as TASK+index-hints: symbols have hints before them.")
]


def changed_name(task: str, *, scratchpad: bool, reversed_: bool, index_hints: bool) -> str:
    """The name of the task with the changes that are asked for.

    >>> changed_name("addition", scratchpad=False, reversed_=True, index_hints=True)
    'addition+reversed+index-hints'
    """
    asked = {"scratchpad": scratchpad, "reversed": reversed_, "index-hints": index_hints}
    wanted = [change for change, is_asked in asked.items() if is_asked]
    return TaskName(task).changed(*wanted) if wanted else task
