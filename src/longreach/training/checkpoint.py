"""The state of a run in one file: a run that resumes from it gives the same numbers as one never stopped.

Tensors and all else lie in one safetensors file, the rest as JSON in its header: a file that is renamed into
its place cannot hold one without the other.
"""

from __future__ import annotations

import contextlib
import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import safetensors
import safetensors.torch
import torch
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longreach.config.architectures import COUNTING, architecture_row
from longreach.config.encodings import is_own_encoding
from longreach.config.model import Model, Shape
from longreach.config.run import RunConfig
from longreach.errors import InputError, one_line
from longreach.files import clean_up, open_file, read_tensors, write_atomically
from longreach.models.network import network, read_model
from longreach.models.parameters import Parameters
from longreach.training.result import PROGRESS, RESULT, Count, Evaluation, Seconds
from longreach.training.steps import State

STATE = "state.safetensors"
MODEL = "model.safetensors"
TENSORS = ("vector", "first", "second")
FLOAT = "F32"  # how the file format names float32


class Progress(BaseModel):
    """What a run knows besides its tensors."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    key: str
    step: Annotated[Count, Field(ge=1)]
    data: dict[str, Any]
    """The state of the data stream."""
    losses: tuple[float, Count] = (0.0, 0)
    """Sum and number of losses since the last evaluation."""
    rows: tuple[Evaluation, ...] = ()
    seconds: dict[str, Seconds] = {}


class InvalidState(InputError):
    """A state that does not belong to the run, or that no run has written."""


def save(directory: Path, state: State, progress: Progress) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    tensors = {"vector": state.vector.cpu(), "first": state.first.cpu(), "second": state.second.cpu()}
    text = progress.model_dump_json()
    content = safetensors.torch.save(tensors, {"progress": text, "checksum": _checksum(tensors, text)})
    write_atomically(directory / STATE, content)


def load(directory: Path, config: RunConfig, size: int) -> tuple[State, Progress] | None:
    """The last state of the run with this configuration and so many parameters; None when there is none.

    A file that this run cannot have written is an `InvalidState`; nothing of it is used.
    """
    path = directory / STATE
    if not path.exists():
        return None
    wanted = dict.fromkeys(TENSORS, (size,))
    tensors, metadata = _read(path, wanted)
    text = metadata.get("progress", "")
    if metadata.get("checksum") != _checksum(tensors, text):
        raise InvalidState(f"{path}: damaged, its checksum does not match")
    try:
        progress = Progress.model_validate_json(text)
    except ValidationError as error:
        raise InvalidState(f"{path}: {one_line(error)}") from None
    problem = _inconsistent(progress, config) or _not_a_state(tensors)
    if problem is not None:
        raise InvalidState(f"{path}: {problem}")
    return State(tensors["vector"], tensors["first"], tensors["second"], progress.step), progress


def _inconsistent(progress: Progress, config: RunConfig) -> str | None:
    """Why a run with this configuration cannot have come to this progress, if it cannot."""
    if progress.key != config.key:
        return f"the state of another configuration, {progress.key[:40]!r}"
    step, every = progress.step, config.evaluate_every
    if step > config.max_steps:
        return f"step {step} of {config.max_steps}"
    if config.loss == "squared":
        return None if isinstance(progress.data.get("last_loss"), float) else "it has no last loss"
    expected = list(range(every, step + 1, every))
    if step == config.max_steps and step % every:
        expected.append(step)
    if [row.step for row in progress.rows] != expected:
        return f"its evaluations are not those of a run at step {step}"
    training = config.train_lengths.name
    for row in progress.rows:
        right = row.accuracy.get(training, -1.0) * config.test_size
        if row.loss is None or not math.isfinite(row.loss) or row.accuracy_random_offset or row.other:
            return f"the evaluation at step {row.step} is not one of this run"
        if set(row.accuracy) != {training} or abs(right - round(right)) > 1e-6 or not right >= 0:
            return f"the evaluation at step {row.step} is not one of this run"
        if config.stop_early and row.accuracy[training] == 1.0 and row.step < step:
            return f"it was right at step {row.step} and did not stop"
    if progress.losses[1] != step - (expected[-1] if expected else 0):
        return f"it counts {progress.losses[1]} losses since the last evaluation"
    return None


def _not_a_state(tensors: Parameters) -> str | None:
    for name in TENSORS:
        if not bool(torch.isfinite(tensors[name]).all()):
            return f"{name} has values that are not numbers"
    if bool((tensors["second"] < 0).any()):
        return "second has negative values, and is a mean of squares"
    return None


def remove(directory: Path) -> None:
    """Remove the state and what tells how far a run is."""
    for name in (STATE, PROGRESS):
        with contextlib.suppress(OSError):
            (directory / name).unlink(missing_ok=True)
    tidy(directory)


def tidy(directory: Path) -> None:
    """Remove the drafts that this run left when its process was killed; not those that are being written."""
    clean_up(directory, STATE, MODEL, PROGRESS, RESULT)


def _checksum(tensors: Parameters, text: str) -> str:
    """A disk can silently change a byte; a run that resumed from there would be wrong."""
    total = zlib.crc32(text.encode())
    for name in sorted(tensors):
        total = zlib.crc32(tensors[name].contiguous().numpy().data, total)
    return f"{total:08x}"


def _read(path: Path, wanted: Mapping[str, tuple[int, ...]]) -> tuple[Parameters, dict[str, str]]:
    """The tensors of a file, which has exactly these, and its header."""
    try:
        tensors, header = read_tensors(path, wanted, framework="pt", dtype=FLOAT, exactly=True)
    except InputError as error:
        raise InvalidState(error.message) from None
    # Copies, so that the file can be replaced while the tensors are in use.
    return {name: tensor.clone() for name, tensor in tensors.items()}, header


def save_model(directory: Path, parameters: Parameters, shape: Shape) -> None:
    """Write the parameters by name, with the model's shape in the header."""
    directory.mkdir(parents=True, exist_ok=True)
    tensors = {name: value.clone() for name, value in parameters.items()}  # views may share memory
    header = {"config": shape.model_dump_json()}
    if shape.architecture == COUNTING:
        header = {"regression": json.dumps(shape.model_dump())}
    write_atomically(directory / MODEL, safetensors.torch.save(tensors, header))


def load_model(path: Path, encoding: str | None = None) -> tuple[Parameters, Model]:
    """The parameters of a file that `save_model` wrote: those of the shape in its header, and no others.

    A header does not have an own encoding imported: the caller names it again, as `encoding`.
    """
    try:
        with open_file(path), safetensors.safe_open(path, framework="pt") as file:
            metadata, number = file.metadata() or {}, len(file.keys())
    except (OSError, safetensors.SafetensorError):
        raise InputError(f"{path}: not a model, or damaged") from None
    if "config" not in metadata:
        reason = "no shape of a model in it; a Hugging Face model has its own in config.json, beside it"
        raise InputError(f"{path}: {reason}")
    try:
        config = read_model(json.loads(metadata["config"]))
    except (KeyError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: no shape of a model in it: {error}") from None
    if architecture_row(config.architecture).is_own:
        reason = f"a model of {config.architecture}, which is code from outside, and no file says what is run"
        raise InputError(f"{path}: {reason}; in Python, longreach.evaluate judges any model")
    named = getattr(config, "encoding", "")
    if is_own_encoding(named) and encoding != named:
        reason = f"its encoding {named} is not imported because a file says so; pass it with --encoding"
        raise InputError(f"{path}: {reason}")
    layers = getattr(config, "layers", 0)
    if layers > number:  # before so many shapes are made
        raise InputError(f"{path}: {layers} layers in {number} tensors")
    parameters, _ = _read(path, network(config).table)
    return parameters, config
