"""From a task with numbers as answers and some settings to a whole configuration."""

from __future__ import annotations

from typing import Any

from longreach.config.regression import RegressionConfig
from longreach.config.regression_name import RegressionName
from longreach.config.scales import Scale
from longreach.errors import Argument, Field, InputError
from longreach.tasks.regression_catalog import load_regression, read_regression

SMOKE: dict[str, Any] = {
    "width": 4, "hidden": 8, "batch": 16, "max_steps": 20, "test_size": 32, "evaluate_every": 10,
}  # fmt: skip
LAPTOP: dict[str, dict[str, Any]] = {
    "simple-task": {"max_steps": 6000},
    "modp-task": {"max_steps": 6000},
    # Every position of a batch goes through the first layer: so many fit into a quarter of an hour.
    "in-context-kgram": {"batch": 128, "max_steps": 3000, "test_size": 1024},
}
PAPER: dict[str, Any] = {"max_steps": 100_000}
"""As published, down to the loss; the step budget is ours."""
TRAIN_TO = {"smoke": 6, "laptop": 20, "paper": 50}
TIMES = (2, 4, 8)
"""How many times the longest training length tests are long where nothing else is said."""


def resolve_regression(task: str, *, scale: Scale = "laptop", **given: Any) -> RegressionConfig:
    """The configuration of a task, from what is given and the setting of a scale for the rest.

    >>> config = resolve_regression("simple-task:omega=2", train_lengths=(1, 10))
    >>> config.max_steps, [each.name for each in config.test_lengths]
    (6000, ['20-20', '40-40', '80-80'])
    >>> resolve_regression("simple-task", heads=2)
    Traceback (most recent call last):
    longreach.errors.InputError: heads: does not go with simple-task:omega=1, whose answers are numbers
    """
    try:
        name = RegressionName.read(task)
    except InputError as error:
        raise error.at(Argument("task")) from None
    given = {field: value for field, value in given.items() if value is not None}
    for field in given:
        if field not in RegressionConfig.model_fields:
            raise InputError(f"does not go with {name.text}, whose answers are numbers", place=Field(field))
    fields: dict[str, Any] = {"task": name.text, **_setting(name.family, scale), **given}
    least = load_regression(name.text).least_length
    fields.setdefault("train_lengths", (least, max(TRAIN_TO[scale], 2 * least)))
    last = int(fields["train_lengths"][1])
    fields.setdefault("test_lengths", tuple((times * last, times * last) for times in TIMES))
    return read_regression(fields)


def _setting(family: str, scale: Scale) -> dict[str, Any]:
    if scale == "smoke":
        return SMOKE
    return LAPTOP[family] if scale == "laptop" else PAPER
