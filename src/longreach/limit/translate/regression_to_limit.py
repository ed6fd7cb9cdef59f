"""A trained model of a task with numbers as answers → a limit transformer: no layer norms, one head a layer.

Its parameters are taken as they are. The start symbol, which such a model does not have, gets no attention:
two more directions of the stream give its key a logit of −OFF for every query. It counts as a position, so
that the factors are log(n + 1) and log(i + 1) where the trained model has log n and log i.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, safe_open

from longreach.errors import InputError
from longreach.limit.model import START, Array, Head, Layer, Transformer
from longreach.limit.run.model_files import TENSORS

OFF, STEP = 64.0, 2.0**-6
"""$ has the logit −OFF, a small matrix times a long vector: norms of matrices stay as they are."""
METADATA = "regression"
"""The field of the file's header that has the shape."""
UNSCALED = "trained without log|x|: attention need not become hard; longreach train has --log-length"


class _Shape(BaseModel):
    """As training writes it into the header."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    symbols: Annotated[int, Field(ge=1, le=1024)]
    outputs: Annotated[int, Field(ge=1, le=1024)]
    layers: Annotated[int, Field(ge=1, le=2)]
    width: Annotated[int, Field(ge=1, le=4096)]
    hidden: Annotated[int, Field(ge=1, le=65536)]
    period: Annotated[int, Field(ge=1, le=1024)]
    locality: Annotated[int, Field(ge=0, le=1024)]
    log_length: bool


def is_regression(directory: Path) -> bool:
    """Whether a directory has a trained model of a task with numbers as answers."""
    try:
        with safe_open(directory / TENSORS, framework="np") as file:
            return METADATA in (file.metadata() or {})
    except (OSError, SafetensorError):
        return False


def is_scaled(directory: Path) -> bool:
    """Whether its attention is that of a limit transformer: all logits, or φ alone, times a logarithm."""
    _, shape = _read(directory / TENSORS)
    return shape.log_length or shape.layers > 1


def regression_to_limit(directory: Path) -> Transformer:
    """The limit transformer with the parameters of a trained model."""
    tensors, shape = _read(directory / TENSORS)
    d = shape.width
    const, start = d, d + 1
    embedding = np.zeros((shape.symbols + 1, d + 2))
    embedding[1:, :d] = tensors["embedding"]
    embedding[:, const] = 1.0
    embedding[0, start] = OFF / STEP
    positions = np.zeros((shape.period, d + 2))
    if "positions" in tensors:
        positions[:, :d] = tensors["positions"]
    layers = []
    for number in range(shape.layers):
        part = {name.partition(".")[2]: value for name, value in tensors.items() if name[0] == str(number)}
        kq = _wider(part["key"].T @ part["query"] / d, d + 2, d + 2)
        kq[start, const] = -STEP
        head = Head(kq, _wider(part["value"], d + 2, d + 2), part.get("bias"))
        inner, out = _wider(part["in"], shape.hidden, d + 2), _wider(part["out"], d + 2, shape.hidden)
        layers.append(Layer((head,), inner, part["in_bias"], out, np.zeros(shape.hidden, dtype=np.bool_)))
    tokens = tuple(str(token) for token in range(shape.symbols))
    return Transformer(
        kind="limit",
        vocabulary=(START, *tokens),
        embedding=embedding,
        positions=positions,
        layers=tuple(layers),
        unembedding=_wider(tensors["output"], shape.outputs, d + 2),
        read_out=("y",) if shape.outputs == 1 else tokens,
        coordinates={"1": const, START: start},
    )


def _wider(matrix: Array, rows: int, columns: int) -> Array:
    found = np.zeros((rows, columns))
    found[: matrix.shape[0], : matrix.shape[1]] = matrix
    return found


def _read(path: Path) -> tuple[dict[str, Array], _Shape]:
    try:
        with safe_open(path, framework="np") as file:
            shape = _shape(path, file.metadata() or {})
            known = _shapes(shape)
            tensors = {name: file.get_tensor(name).astype(np.float64) for name in known}
    except (OSError, SafetensorError) as error:
        raise InputError(f"{path}: not a model, or damaged: {' '.join(str(error).split())[:200]}") from None
    for name, wanted in known.items():
        if tensors[name].shape != wanted:
            raise InputError(f"{path}: {name} has the shape {tensors[name].shape}, expected {wanted}")
    return tensors, shape


def _shape(path: Path, metadata: Mapping[str, str]) -> _Shape:
    try:
        found: Any = json.loads(metadata[METADATA])
        return _Shape.model_validate(found)
    except (KeyError, ValueError, ValidationError, RecursionError):
        raise InputError(f"{path}: no shape of a model with numbers as answers in it") from None


def _shapes(shape: _Shape) -> dict[str, tuple[int, ...]]:
    """Of every parameter, by name."""
    d, h = shape.width, shape.hidden
    found: dict[str, tuple[int, ...]] = {"embedding": (shape.symbols, d), "output": (shape.outputs, d)}
    if shape.period > 1:
        found["positions"] = (shape.period, d)
    for layer in range(shape.layers):
        found |= {f"{layer}.{name}": (d, d) for name in ("key", "query", "value")}
        if shape.locality and not layer:
            found["0.bias"] = (shape.locality + 1,)
        found |= {f"{layer}.in": (h, d), f"{layer}.in_bias": (h,), f"{layer}.out": (d, h)}
    return found
