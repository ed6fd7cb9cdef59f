"""All tasks with numbers as answers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longreach.config.regression import RegressionConfig
from longreach.config.regression_name import RegressionName
from longreach.errors import Field, InputError
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


def read_regression(document: Mapping[str, Any]) -> RegressionConfig:
    """The configuration in a document, if its task has the lengths."""
    config = RegressionConfig.read(document)
    least = load_regression(config.task).least_length
    for field, lengths in config.named_ranges:
        if lengths.first < least:
            reason = f"{lengths.option}: {config.task} has sequences of at least {least} tokens"
            raise InputError(reason, place=Field(field))
    return config
