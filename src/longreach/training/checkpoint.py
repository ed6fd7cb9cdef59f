"""The state of a run in one file, from which it goes on with the same numbers as if never stopped.

Tensors and all else lie in one safetensors file, the rest as JSON in its header: a file that is renamed into
its place cannot hold one without the other.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from pydantic import BaseModel, ConfigDict, ValidationError

from longreach.errors import InputError
from longreach.models.model import Model, read_model
from longreach.models.parameters import Parameters
from longreach.results.atomic import write_atomically
from longreach.results.schema import Evaluation
from longreach.training.step import State

STATE = "state.safetensors"
MODEL = "model.safetensors"


class Progress(BaseModel):
    """What a run knows besides its tensors."""

    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="strings")

    key: str
    """Of the configuration."""
    step: int
    data: dict[str, Any]
    """The state of the data stream."""
    losses: tuple[float, int] = (0.0, 0)
    """Sum and number of losses since the last evaluation."""
    rows: tuple[Evaluation, ...] = ()
    seconds: dict[str, float] = {}


def save(directory: Path, state: State, progress: Progress) -> None:
    """Write the state in place of the last one."""
    directory.mkdir(parents=True, exist_ok=True)
    tensors = {"vector": state.vector.cpu(), "first": state.first.cpu(), "second": state.second.cpu()}
    text = progress.model_dump_json()
    content = safetensors.torch.save(tensors, {"progress": text, "checksum": _checksum(tensors, text)})
    write_atomically(directory / STATE, content)


def load(directory: Path, key: str, size: int) -> tuple[State, Progress] | None:
    """The last state, or None when there is none that can be read: then a run begins anew.

    A state of another configuration or of another shape is an error.
    """
    path = directory / STATE
    found = _read(path)
    if found is None:
        return None
    tensors, metadata = found
    if metadata.get("checksum") != _checksum(tensors, metadata.get("progress", "")):
        return None
    try:
        progress = Progress.model_validate_json(metadata.get("progress", ""))
        state = State(tensors["vector"], tensors["first"], tensors["second"], progress.step)
    except (ValidationError, KeyError):
        return None
    if progress.key != key:
        raise InputError(f"{path}: the state of another configuration, {progress.key}")
    for name, tensor in tensors.items():
        if tuple(tensor.shape) != (size,):
            raise InputError(f"{path}: {name} has the shape {tuple(tensor.shape)}, expected ({size},)")
    return state, progress


def remove(directory: Path) -> None:
    """Remove the state, and drafts of it that were left when a process was killed."""
    with contextlib.suppress(OSError):
        for path in [directory / STATE, *directory.glob(f".{STATE}.*.tmp")]:
            path.unlink(missing_ok=True)


def _checksum(tensors: Parameters, text: str) -> str:
    """A disk can change a byte without a word; a run that goes on from there would be wrong."""
    total = zlib.crc32(text.encode())
    for name in sorted(tensors):
        total = zlib.crc32(tensors[name].contiguous().numpy().data, total)
    return f"{total:08x}"


def _read(path: Path) -> tuple[Parameters, dict[str, str]] | None:
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            # Copies, so that the file can be replaced while the tensors are in use.
            return {name: file.get_tensor(name).clone() for name in file.keys()}, metadata  # noqa: SIM118
    except (OSError, safetensors.SafetensorError):
        return None


def save_model(directory: Path, parameters: Parameters, config: Model) -> None:
    """Write the parameters by name, with the model's shape in the header."""
    directory.mkdir(parents=True, exist_ok=True)
    tensors = {name: value.clone() for name, value in parameters.items()}  # views may share memory
    metadata = {"config": config.model_dump_json()}
    write_atomically(directory / MODEL, safetensors.torch.save(tensors, metadata))


def load_model(path: Path) -> tuple[Parameters, Model]:
    """The parameters of a file that `save_model` wrote."""
    found = _read(path)
    if found is None:
        raise InputError(f"{path}: not a model, or damaged")
    parameters, metadata = found
    try:
        return parameters, read_model(json.loads(metadata["config"]))
    except (KeyError, ValueError) as error:
        raise InputError(f"{path}: no shape of a model in it: {error}") from None
