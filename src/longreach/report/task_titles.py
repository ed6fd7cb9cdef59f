"""How tasks are called where people read: an expression says more than a name made of its letters."""

from __future__ import annotations

import re

from longreach.config.task_name import TaskName
from longreach.languages.regular.named_languages import NAMED_LANGUAGES

_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def task_title(name: str) -> str:
    """The title of a task: its expression where it is a language of no better name.

    >>> [task_title(name) for name in ("aa", "regex:(ab)*", "tomita-4", "d-12", "sort", "my.tasks:reverse")]
    ['(aa)*', '(ab)*', 'Tomita 4', 'D₁₂', 'sort', 'my.tasks:reverse']
    >>> task_title("data:sums.jsonl#0123456789abcdef")
    'data:sums.jsonl'
    """
    if found := re.fullmatch(r"(data:.+)#[0-9a-f]{8,64}", name):
        return found[1]
    if found := re.fullmatch(r"tomita-([1-7])", name):
        return f"Tomita {found[1]}"
    if found := re.fullmatch(r"d-([0-9]{1,4})", name):
        return f"D{found[1].translate(_LOWERED)}"
    if name in NAMED_LANGUAGES:
        return NAMED_LANGUAGES[name].expression
    return TaskName(TaskName(name).short).expression or name
