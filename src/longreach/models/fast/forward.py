"""The decoder over packed rows.

Products run over all tokens of a batch at once; only attention sees rows. GELU is x · sigmoid(2u), which is
the same as its tanh form x · (1 + tanh u) / 2, and faster on a CPU. `gradient` adds the backward pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.attention import StickBreaking
from longreach.models.decoder import GELU_CUBIC, GELU_LINEAR, ID_MATRIX, encoding_module
from longreach.models.encodings import Encoding
from longreach.models.fast.attention import Attender, Attention, StickAttender
from longreach.models.fast.packed import Packed, PackedBiases, Workspace
from longreach.models.fast.reach import NearTables, ReachAttender, ReachBiases, Waves
from longreach.models.parameters import Parameters
from longreach.models.reach import Reach, layer_heads

_aten = torch.ops.aten


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm's input, and what it found."""

    x: Tensor
    mean: Tensor
    inverse: Tensor


@dataclass(frozen=True, slots=True)
class Attended:
    """What attention in a layer leaves for the backward pass."""

    norm: Norm | None
    inputs: Tensor
    at_queries: Tensor
    attention: Attention
    biases: list[Tensor] | None
    mixed: Tensor


class PackedForward:
    """The logits of a shape of models, in memory that is used again; `parameters` are read.

    >>> import numpy as np
    >>> from longreach.models.fast.packed import PackedRows
    >>> from longreach.models.decoder import forward, initialise
    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> tokens, parameters = np.array([[0, 3, 1]]), initialise(config, 0)
    >>> rows = PackedRows(tokens, np.arange(3)[None], tokens, tokens >= 0, np.array([3]))
    >>> found = PackedForward(config, parameters).logits(rows.batch(slice(0, 1), heads=2, borders=[0, 1]))
    >>> torch.allclose(found, forward(parameters, config, torch.from_numpy(tokens))[0], atol=1e-6)
    True
    """

    def __init__(self, config: ModelConfig, parameters: Parameters, space: Workspace | None = None) -> None:
        """Instances that never run at the same time may share a workspace."""
        self._config = config
        self._encoding = encoding_module(config.encoding)
        self._parameters = parameters
        dtype = parameters["embedding"].dtype
        self._space = Workspace(dtype) if space is None else space
        self._attenders = self._make_attenders(dtype)
        reaches = isinstance(self._encoding, Reach)
        self._waves = Waves(config, dtype) if reaches else None
        self._near = NearTables(dtype) if reaches else None
        self._linear = torch.tensor(GELU_LINEAR, dtype=dtype)
        self._biased = self._encoding.adds_bias
        self._turned = type(self._encoding).turn is not Encoding.turn

    def _make_attenders(self, dtype: torch.dtype) -> list[Attender]:
        config, space = self._config, self._space
        if isinstance(self._encoding, Reach):
            heads = [layer_heads(config, layer) for layer in range(config.layers)]
            return [ReachAttender(each, config.head_width, space, dtype) for each in heads]
        kind = StickAttender if isinstance(self._encoding, StickBreaking) else Attender
        return [kind(config.heads, config.head_width, space, dtype)] * config.layers

    def logits(self, packed: Packed) -> Tensor:
        """At the supervised tokens, (tokens, outputs); the next call overwrites them."""
        return self.outputs(packed)[0]

    def outputs(self, packed: Packed) -> tuple[Tensor, Tensor | None]:
        """The same, and the logits of the next token's id where the model predicts it."""
        with torch.no_grad():
            self._space.start()
            biases = self._biases(packed, keep=False)
            y = self._embedded(packed)
            for number in range(self._config.layers):
                after = self._space.take(self._queries(number, packed), self._config.width)
                mark = self._space.mark()
                _, y = self._attend(number, packed, y, biases, keep=False)
                inputs, _ = self._normalise(f"layers.{number}.mlp_norm", y)
                self._feed(number, inputs, y, after)
                y = after
                self._space.back(mark)
            inputs = self._normalise("norm", y)[0]
            ids = self._unembedded(inputs, ID_MATRIX) if self._config.predict_ids else None
            return self._unembedded(inputs, self._matrix), ids

    def _biases(self, packed: Packed, *, keep: bool = True) -> PackedBiases | None:
        if not self._biased:
            return None
        if self._near is not None:
            return ReachBiases(self._config, self._parameters, packed, self._near, keep=keep)
        return PackedBiases(self._config, self._parameters, packed, keep=keep)

    def _embedded(self, packed: Packed) -> Tensor:
        tokens, ids = entering(packed)
        y = _aten.embedding(self._parameters["embedding"], tokens)
        return self._encoding.embed(self._parameters, self._config, y, ids)

    def _chosen(self, number: int, packed: Packed) -> Tensor | None:
        """The tokens that ask in a layer: in the last one those that are supervised; None: all."""
        return packed.chosen if number == self._config.layers - 1 else None

    def _queries(self, number: int, packed: Packed) -> int:
        chosen = self._chosen(number, packed)
        return len(packed.tokens) if chosen is None else len(chosen)

    def _attend(
        self, number: int, packed: Packed, y: Tensor, biases: PackedBiases | None, *, keep: bool = True
    ) -> tuple[Attended, Tensor]:
        """The residual stream at the queries after attention, and what a backward pass needs."""
        take, parameters, width = self._space.take, self._parameters, self._config.width
        chosen = self._chosen(number, packed)
        queries = packed.everywhere if chosen is None or packed.supervised is None else packed.supervised
        distinct = packed.distinct if number == 0 else None
        name = f"layers.{number}.attention"
        inputs, norm = self._normalise(f"{name}_norm", y)
        at_queries, y = (inputs, y) if chosen is None else (inputs[chosen], y[chosen])
        if distinct is not None:
            y = y[distinct.which]
        query, key, value = (
            self._projected(f"{name}.{part}", given)
            for part, given in (("query", at_queries), ("key", inputs), ("value", inputs))
        )
        self._turn(query, packed, chosen, 1)
        self._turn(key, packed, None, 1)
        self._scale(query, packed, chosen)
        mixed = take(len(y), width)
        added = None if biases is None else biases.of(number, queries)
        spread = None if distinct is None else distinct.spread
        if self._waves is not None:
            self._waves.turn(value, packed, None, -1)
        attention = self._attenders[number].forward(
            packed, queries, query, key, value, added, mixed, spread, keep=keep
        )
        if self._waves is not None:
            self._waves.turn(mixed, packed, chosen, 1)
        after = torch.addmm(y, mixed, parameters[f"{name}.out.weight"].t(), out=take(len(y), width))
        after += parameters[f"{name}.out.bias"]
        return Attended(norm, inputs, at_queries, attention, added, mixed), after

    def _feed(self, number: int, inputs: Tensor, y: Tensor, out: Tensor) -> None:
        """Write the residual stream after the MLP."""
        name, parameters = f"layers.{number}.mlp", self._parameters
        matrix = parameters[f"{name}.in.weight"]
        units, active = (self._space.take(len(y), len(matrix)) for _ in range(2))
        torch.addmm(parameters[f"{name}.in.bias"], inputs, matrix.t(), out=units)
        double = torch.addcmul(self._linear, units, units, value=GELU_CUBIC, out=active).mul_(units)
        double.sigmoid_().mul_(units)
        torch.addmm(y, active, parameters[f"{name}.out.weight"].t(), out=out)
        out += parameters[f"{name}.out.bias"]

    @property
    def _matrix(self) -> str:
        return "embedding" if self._config.tied else "unembedding"

    def _unembedded(self, inputs: Tensor, name: str) -> Tensor:
        matrix = self._parameters[name]
        return torch.mm(inputs, matrix.t(), out=self._space.take(len(inputs), len(matrix)))

    def _projected(self, name: str, inputs: Tensor) -> Tensor:
        """A linear map of the inputs, and a last row of zeros for slots that are empty."""
        made = self._with_zeros(len(inputs))
        matrix, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        torch.addmm(bias, inputs, matrix.t(), out=made[:-1])
        return made

    def _normalise(self, name: str, x: Tensor) -> tuple[Tensor, Norm | None]:
        config, parameters = self._config, self._parameters
        if not config.layer_norm:
            return x, None
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        made, mean, inverse = torch.native_layer_norm(x, (config.width,), weight, bias, config.norm_epsilon)
        return made, Norm(x, mean, inverse)

    def _with_zeros(self, rows: int) -> Tensor:
        made = self._space.take(rows + 1, self._config.width)
        made[-1].zero_()
        return made

    def _turn(self, vectors: Tensor, packed: Packed, chosen: Tensor | None, direction: int) -> None:
        """Turn queries or keys as the encoding does; the gradient of a rotation is the one back."""
        if not self._turned:
            return
        config = self._config
        ids = direction * (packed.ids if chosen is None else packed.ids[chosen])
        seen = vectors[: len(ids)].view(len(ids), config.heads, config.head_width)
        seen.copy_(self._encoding.turn(config, 0, seen.transpose(0, 1), ids).transpose(0, 1))

    def _scale(self, queries: Tensor, packed: Packed, chosen: Tensor | None) -> None:
        """Multiply queries, or their gradient, by the logarithm of the length of the prefix."""
        if self._config.log_length:
            places = packed.places if chosen is None else packed.places[chosen]
            queries[: len(places)].mul_((places + 1).float().log_().to(queries.dtype)[:, None])


def entering(packed: Packed) -> tuple[Tensor, Tensor]:
    """Tokens and ids of what enters the first layer."""
    if packed.distinct is None:
        return packed.tokens, packed.ids
    return packed.tokens[packed.distinct.tokens], packed.ids[packed.distinct.tokens]
