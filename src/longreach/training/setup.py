"""What a configuration comes to with its task at hand: the task itself, and the shape of the model."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.config.architectures import BASELINE, HUGGING_FACE
from longreach.config.encodings import encoding_row
from longreach.config.model import BaselineConfig, Model, ModelConfig, ModuleConfig
from longreach.config.run import RunConfig
from longreach.errors import Field, InputError
from longreach.tasks.catalog import load_argument, load_task
from longreach.tasks.numbers import load_regression
from longreach.tasks.positions import coupled_offsets
from longreach.tasks.task import Batch, IntArray, Task

if TYPE_CHECKING:
    from longreach.models.counting import RegressionShape
    from longreach.models.network import Network

SOME_EXAMPLES = 256
"""Of the longest inputs: ids may depend on more than the length."""


def task_of(config: RunConfig) -> Task:
    return _task(config.task, config.alphabet)


# Runs of one task share it: tasks do not change, and some take a while to make.
@lru_cache(maxsize=64)
def _task(name: str, alphabet: tuple[str, ...] | None) -> Task:
    return load_argument(name, alphabet)


@lru_cache(maxsize=256)
def positions_of(config: RunConfig) -> int:
    """As many as said, or as the longest input of any range needs."""
    if config.max_position is not None:
        return config.max_position
    task = task_of(config)
    longest = [int(task.lengths(*lengths)[-1]) for lengths in config.ranges]
    return max(map(task.input_size, longest))


def model_of(config: RunConfig) -> Model:
    """The shape of a model that predicts tokens."""
    if "positions" in config.row.can:
        return decoder_of(config)
    vocabulary = len(task_of(config).tokens)
    if config.architecture == BASELINE:
        return BaselineConfig(width=config.width, vocabulary=vocabulary, outputs=vocabulary)
    sizes = {name: getattr(config, name) for name in config.row.sizes}
    return ModuleConfig(
        model=config.architecture,
        vocabulary=vocabulary,
        positions=positions_of(config),
        options=sizes | config.model_options,
    )


def counting_of(config: RunConfig) -> RegressionShape:
    """The shape of a model that predicts numbers."""
    from longreach.models.counting import RegressionShape  # loads torch

    task = load_regression(config.task)
    return RegressionShape(
        symbols=task.symbols,
        outputs=task.outputs,
        layers=config.layers,
        width=config.width,
        hidden=config.hidden,
        period=task.period,
        locality=task.locality,
        log_length=config.log_length,
    )


def network_of(config: RunConfig) -> Network:
    from longreach.models.network import network  # loads torch

    return network(counting_of(config) if config.loss == "squared" else model_of(config))


def model_source(config: RunConfig) -> str | None:
    """A digest of the file with the code of an own model; None where there is no such file."""
    if not config.row.is_own or config.architecture.startswith(HUGGING_FACE):
        return None
    from longreach.models.module import factory  # loads torch

    try:
        file = inspect.getsourcefile(factory(config.architecture))
    except TypeError:
        return None
    path = None if file is None else Path(file)
    return None if path is None or not path.is_file() else sha256(path.read_bytes()).hexdigest()[:16]


@lru_cache(maxsize=256)
def decoder_of(config: RunConfig) -> ModelConfig:
    shared = ModelConfig.model_fields.keys() & RunConfig.model_fields.keys()
    return ModelConfig(
        **{name: getattr(config, name) for name in shared},
        vocabulary=len(task_of(config).tokens),
        positions=positions_of(config),
        loops=(config.row.options | config.model_options).get("loops", 1),
    )


def check_lengths(config: RunConfig) -> None:
    """Refuse ranges in which the task has no input."""
    task = task_of(config)
    for field, lengths in config.named_ranges:
        try:
            task.lengths(*lengths)
        except InputError as error:
            raise error.at(Field(field)) from None
    for other in config.test_tasks:
        on_task(config, other)


def on_task(config: RunConfig, name: str) -> RunConfig:
    """The same run as if its tests were on another task, in the ranges where that has inputs.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("sparse-parity:2", train_lengths=(6, 8), test_lengths=((10, 10), (12, 20)))
    >>> [lengths.name for lengths in on_task(config, "sparse-parity:5-5").ranges]
    ['12-20']
    """
    place = Field("test_tasks")
    try:
        task = load_task(name)
    except InputError as error:
        raise error.at(place) from None
    if task.tokens != task_of(config).tokens:
        raise InputError(f"{name} has other tokens than {config.task}", place=place)
    spans = [np.arange(first, last + 1) for first, last in config.ranges]
    known = [lengths for lengths, span in zip(config.ranges, spans, strict=True) if task.has(span).any()]
    if not known:
        raise InputError(f"{name}: no input has a length in any range", place=place)
    ranges = {"train_lengths": known[0], "test_lengths": tuple(known[1:])}
    same = {"test_tasks": (), "max_position": positions_of(config)}
    return config.model_copy(update={"task": name, **ranges, **same})


def own_ids(config: RunConfig, batch: Batch) -> IntArray:
    """The task's own ids of a batch; a refusal, where it has none, names the option that asked for them."""
    ids = task_of(config).coupled_ids(batch)
    if ids is not None:
        return ids
    encoding, field = encoding_row(config.encoding), "predict_ids"
    if encoding.ids == "given":
        field = "encoding"
    elif config.position_ids is not None:
        field = "position_ids"
    raise InputError(f"{config.task} has no position ids of its own", place=Field(field))


def check_ids(config: RunConfig) -> None:
    """Refuse ids of its own that the task does not have, and fewer than inputs need."""
    task, positions = task_of(config), positions_of(config)
    for lengths in config.ranges:
        longest = int(task.lengths(*lengths)[-1])
        if config.id_scheme == "coupled":
            examples = task.sample([longest] * SOME_EXAMPLES, np.random.default_rng(0))
            coupled_offsets(examples, own_ids(config, examples), positions, None)
        elif (size := task.input_size(longest)) > positions:
            reason = f"{positions} position ids are too few for inputs of {size} tokens, at length {longest}"
            raise InputError(reason, place=Field("max_position"))
    for other in config.test_tasks:
        check_ids(on_task(config, other))


def read_run(document: Mapping[str, Any]) -> RunConfig:
    """The configuration in a document, if it can be trained."""
    config = RunConfig.read(document)
    if config.loss == "squared":
        least = load_regression(config.task).least_length
        for field, lengths in config.named_ranges:
            if lengths.first < least:
                reason = f"{lengths.option}: {config.task} has sequences of at least {least} tokens"
                raise InputError(reason, place=Field(field))
        return config
    check_lengths(config)
    check_ids(config)
    return config
