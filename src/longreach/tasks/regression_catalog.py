"""All tasks with numbers as answers, by name."""

from __future__ import annotations

from longreach.config.regression_name import RegressionName
from longreach.tasks.kgram_task import KGramTask
from longreach.tasks.modp_task import ModPTask
from longreach.tasks.regression_task import RegressionTask
from longreach.tasks.simple_task import SimpleTask

CLASSES: dict[str, type[RegressionTask]] = {
    "simple-task": SimpleTask,
    "modp-task": ModPTask,
    "in-context-kgram": KGramTask,
}


def load_regression(name: str) -> RegressionTask:
    """The task of a name.

    >>> load_regression("in-context-kgram:S=3").name
    'in-context-kgram:S=3,k=1'
    """
    read = RegressionName.read(name)
    return CLASSES[read.family](read)
