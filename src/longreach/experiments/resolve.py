"""From a task and some settings to a whole configuration, with the values of a scale for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from longreach.config.encoding_table import unknown_encoding
from longreach.config.hyperparameters import BASELINE, BASELINE_SHAPE, hyperparameters
from longreach.config.scales import Scale, scale_table
from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError
from longreach.tasks.catalog import load_argument, self_contained
from longreach.tasks.task import Task
from longreach.training.shape import check_ids, check_lengths

PAPER_TRAIN_LENGTH = 50
COMPILE_BELOW_WIDTH = 64
COMPILE_FROM_STEPS = 50_000
COMPILE_UP_TO_LAYERS = 2


def resolve(task: str, encoding: str = "ape", *, scale: Scale = "laptop", **given: Any) -> TrainConfig:
    """The configuration of a task, from what is given and the setting of a scale for the rest.

    What is not given is as in the studies of the scale.
    `laptop` takes a minute or two a member on one core, also for tasks without a setting of their own;
    `paper` is as published and may take days.

    >>> config = resolve("binary-majority")
    >>> config.layers, config.width, config.train_lengths.name, config.test_lengths[-1].name
    (1, 32, '1-20', '41-60')
    >>> resolve("binary-majority", scale="paper").train_lengths.name
    '1-50'
    >>> resolve("sort", "ape", width=64, heads=3)
    Traceback (most recent call last):
    longreach.errors.InputError: width: 64 is not a multiple of 3 heads
    """
    given = {name: value for name, value in given.items() if value is not None}
    if encoding != BASELINE and (wrong := unknown_encoding(encoding)) is not None:
        raise InputError(wrong, place=Field("encoding"))
    alphabet = given.get("alphabet")
    known = load_argument(task, None if alphabet is None else tuple(alphabet))
    _ = known.tokens  # errors name the task as it was asked for
    setting = _of_scale(task, encoding, scale, known)
    if "max_steps" in given:
        # A shorter run keeps the share of steps that the warm-up has, and is looked at as often.
        setting["warmup"] = setting["warmup"] * int(given["max_steps"]) // setting["max_steps"]
        if "evaluate_every" in setting:
            setting["evaluate_every"] = min(setting["evaluate_every"], _a_tenth(given["max_steps"]))
    fields: dict[str, Any] = {"task": self_contained(task), "encoding": encoding, **setting, **given}
    fields.setdefault("train_lengths", known.train_range(PAPER_TRAIN_LENGTH))
    if "test_lengths" not in fields:
        fields["test_lengths"] = known.test_ranges(fields["train_lengths"][1])
    fields.setdefault("evaluate_every", min(1000, _a_tenth(fields["max_steps"])))
    fields.setdefault("compile", _worth_compiling(fields))
    config = TrainConfig.read(fields)
    try:
        check_lengths(config)
    except InputError as error:
        if "test_lengths" in given or error.place != Field("test_lengths"):
            raise
        chosen = f"this is the default after training to {config.train_lengths.last}"
        raise InputError(f"{error.reason}; {chosen}", place=error.place) from None
    check_ids(config)
    return config


def _of_scale(task: str, encoding: str, scale: Scale, known: Task) -> dict[str, Any]:
    # The baseline attends to nothing, so that no length scales its attention.
    own = BASELINE_SHAPE | {"log_length": False} if encoding == BASELINE else {}
    table, name = scale_table(scale), self_contained(task)
    if table is None:
        return asdict(hyperparameters(name, encoding)) | own
    setting = table.setting(task, encoding)
    assert setting.train_to is not None, scale
    lengths = known.train_range(setting.train_to)
    return asdict(hyperparameters(name, encoding)) | setting.given | {"train_lengths": lengths} | own


def _a_tenth(steps: Any) -> int:
    return max(1, int(steps) // 10)


def _worth_compiling(fields: Mapping[str, Any]) -> bool:
    """Compiling takes 25 seconds, 4 from the cache, and saves 1 to 2 milliseconds a step.

    Small models that learn their task stop early: then it pays only if many members share the compiled step.
    """
    small = fields["width"] < COMPILE_BELOW_WIDTH and fields["layers"] <= COMPILE_UP_TO_LAYERS
    return bool(small and fields["max_steps"] >= COMPILE_FROM_STEPS)
