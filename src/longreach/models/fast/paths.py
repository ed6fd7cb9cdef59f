"""Which faster code may stand in for a model's own functions.

A path declares every configuration field that it implements. A field that differs from its default and is
not declared switches the path off: a new field is slow until somebody writes its fast form, and never wrong.
One test compares each declared value with the plain function.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic_core import PydanticUndefined

from longreach.config.model import ModelConfig, Shape
from longreach.models.decoder import encoding_module


class _Anything:
    def __contains__(self, value: object) -> bool:
        return True


ANY: Container[object] = _Anything()


@dataclass(frozen=True)
class FastPath:
    """One faster way to compute the same."""

    name: str
    architecture: str
    implements: Mapping[str, Container[object]]
    """By field, the values that it can take. Fields without a default are sizes, and any size will do unless
    they are declared here."""
    devices: Container[str] = ("cpu",)
    dtypes: Container[str] = ("float32",)
    """Of matrix products, as configurations name them."""


_WITHOUT_TURNS = (
    "nope", "ape", "sinusoidal", "alibi", "t5", "fire", "randomized", "coupled", "coupled-local",
    "stick-breaking",
)  # fmt: skip
_DECODER: dict[str, Container[object]] = {
    "dropout": ANY,  # no model here applies it
    **dict.fromkeys(
        (
            "outputs",
            "layer_norm",
            "norm_epsilon",
            "tied",
            "mlp_ratio",
            "log_length",
            "scaled_bias",
            "predict_ids",
        ),
        ANY,
    ),
}

_ALL_DECODERS = _DECODER | {
    "encoding": (*_WITHOUT_TURNS, "rope", "reach"), "reach_modulus": ANY, "reach_counting": ANY
}  # fmt: skip

PACKED_OUTPUTS = FastPath("packed outputs", "decoder", _ALL_DECODERS, dtypes=("float32", "bfloat16"))
"""`forward.PackedForward`: rows without padding, in memory that is used again."""
PACKED_GRADIENT = FastPath("packed gradient", "decoder", _ALL_DECODERS)
"""`gradient.DecoderGradient`: the same with its backward pass, written out."""
SHARED_TOKENS = FastPath(
    "shared tokens",
    "decoder",
    # With one layer only the supervised tokens ask; turns and lengths make queries differ all the same.
    _DECODER | {"encoding": _WITHOUT_TURNS, "log_length": (False,), "layers": range(2, 2**31)},
    dtypes=("float32", "bfloat16"),
)
"""Tokens that enter the first layer as the same vector go through its linear maps once."""
PATHS = (PACKED_OUTPUTS, PACKED_GRADIENT, SHARED_TOKENS)


def applies(path: FastPath, shape: Shape, *, device: str = "cpu", dtype: str = "float32") -> bool:
    """Whether a path computes what a model of this shape does.

    >>> config = ModelConfig(layers=1, heads=1, width=2, vocabulary=3, positions=4)
    >>> applies(PACKED_GRADIENT, config), applies(PACKED_GRADIENT, config, dtype="bfloat16")
    (True, False)
    >>> from longreach.config.model import BaselineConfig
    >>> applies(PACKED_GRADIENT, BaselineConfig(width=2, vocabulary=3, outputs=3))
    False
    """
    if shape.architecture != path.architecture or device not in path.devices or dtype not in path.dtypes:
        return False
    for name, field in type(shape).model_fields.items():
        value = getattr(shape, name)
        if name in path.implements:
            if value not in path.implements[name]:
                return False
        elif field.default is not PydanticUndefined and value != field.default:
            return False
    return True


def token_kinds(
    config: ModelConfig, tokens: NDArray[np.int64], ids: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Numbers that are the same where tokens enter the first layer as the same vector; None: not shared.

    >>> config = ModelConfig(layers=2, heads=1, width=2, vocabulary=3, positions=10)
    >>> token_kinds(config, np.array([0, 2]), np.array([7, 8]))
    array([ 7, 28])
    """
    if not applies(SHARED_TOKENS, config):
        return None
    if not encoding_module(config.encoding).adds_vectors:
        return tokens
    made: NDArray[np.int64] = tokens * config.positions + ids.clip(0, config.positions - 1)
    return made
