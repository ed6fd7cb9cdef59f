"""Loss and gradient of the decoder written out: the function `transformer.forward`, and faster on a CPU.

At these sizes half of a step of automatic differentiation is padding, copies, calls, and a hyperbolic tangent
that is slow. Here products run over all tokens of a batch at once, without padding, into memory that is used
again, and GELU is x · sigmoid(2u), which is the same as its tanh form x · (1 + tanh u) / 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longreach.config.baseline import Model
from longreach.config.decoder import DecoderConfig
from longreach.models.attention_by_hand import Attender, Attention
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.encoding_modules import Encoding, LearnedAbsolute, Rotary, Sinusoidal
from longreach.models.packed_biases import PackedBiases
from longreach.models.packed_rows import Distinct, Ints, Packed, Queries
from longreach.models.parameters import Parameters
from longreach.models.transformer import GELU_CUBIC, GELU_LINEAR
from longreach.models.workspace import Workspace

_aten = torch.ops.aten


def has_gradient_by_hand(model: Model) -> bool:
    """Whether it is written out for a model: without dropout; biases of attention may be anything.

    >>> has_gradient_by_hand(DecoderConfig(layers=1, heads=1, width=2, vocabulary=3, positions=4))
    True
    """
    if not isinstance(model, DecoderConfig) or model.dropout:
        return False
    encoding = type(ENCODING_MODULES[model.encoding])
    return encoding.embed in (Encoding.embed, LearnedAbsolute.embed, Sinusoidal.embed) and encoding.turn in (
        Encoding.turn,
        Rotary.turn,
    )


def first_kinds(config: DecoderConfig, tokens: Ints, ids: Ints) -> Ints | None:
    """Numbers that are the same where tokens enter the first layer as the same vector.

    None where queries and keys there differ all the same, or are nobody's but the supervised tokens'.

    >>> import numpy as np
    >>> config = DecoderConfig(layers=2, heads=1, width=2, vocabulary=3, positions=10)
    >>> first_kinds(config, np.array([0, 2]), np.array([7, 8]))
    array([ 7, 28])
    """
    encoding = type(ENCODING_MODULES[config.encoding])
    if encoding.turn is not Encoding.turn or config.log_length or config.layers == 1:
        return None
    if encoding.embed is Encoding.embed:
        return tokens
    made: Ints = tokens * config.positions + ids.clip(0, config.positions - 1)
    return made


@dataclass(frozen=True, slots=True)
class _Norm:
    """A layer norm's input, and what it found."""

    x: Tensor
    mean: Tensor
    inverse: Tensor


@dataclass(frozen=True, slots=True)
class _Layer:
    """What the backward pass needs of a layer."""

    norm: _Norm | None
    inputs: Tensor
    at_queries: Tensor
    attention: Attention
    biases: list[Tensor] | None
    mixed: Tensor
    mlp_norm: _Norm | None
    mlp_inputs: Tensor
    slope: Tensor
    """The derivative of GELU."""
    active: Tensor


class DecoderGradient:
    """The loss and its gradient for a shape of models, in memory that is used again.

    `parameters` are read and `gradients` written, in place; both have the same names.
    """

    def __init__(
        self,
        config: DecoderConfig,
        parameters: Parameters,
        gradients: Parameters,
        space: Workspace | None = None,
    ) -> None:
        """Those that never run at once may share a workspace."""
        self._config = config
        self._encoding = ENCODING_MODULES[config.encoding]
        self._parameters, self._gradients = parameters, gradients
        dtype = parameters["embedding"].dtype
        self._space = Workspace(dtype) if space is None else space
        self._attender = Attender(config.heads, config.head_width, self._space, dtype)
        self._linear = torch.tensor(GELU_LINEAR, dtype=dtype)
        self._biased = type(self._encoding).bias is not Encoding.bias
        self._turned = type(self._encoding).turn is not Encoding.turn

    def __call__(self, packed: Packed) -> Tensor:
        """The mean loss over the supervised tokens; the gradient is written, whatever was there."""
        with torch.no_grad():
            self._space.start()
            biases = PackedBiases(self._config, self._parameters, packed) if self._biased else None
            layers, last = self._forward(packed, biases)
            loss, gradient = self._outputs(last, packed.targets)
            self._backward(packed, layers, gradient, biases)
            return loss

    def _forward(self, packed: Packed, biases: PackedBiases | None) -> tuple[list[_Layer], Tensor]:
        """The layers, and the residual stream at the supervised tokens after the last."""
        config, parameters = self._config, self._parameters
        tokens, ids = _entering(packed)
        y = _aten.embedding(parameters["embedding"], tokens)
        y = self._encoding.embed(parameters, config, y, ids)
        layers: list[_Layer] = []
        for number in range(config.layers):
            chosen = packed.chosen if number == config.layers - 1 else None
            queries = packed.everywhere if chosen is None or packed.supervised is None else packed.supervised
            distinct = packed.distinct if number == 0 else None
            layer, y = self._layer(number, packed, queries, chosen, distinct, y, biases)
            layers.append(layer)
        return layers, y

    def _layer(
        self,
        number: int,
        packed: Packed,
        queries: Queries,
        chosen: Tensor | None,
        distinct: Distinct | None,
        y: Tensor,
        biases: PackedBiases | None,
    ) -> tuple[_Layer, Tensor]:
        take, parameters, width = self._space.take, self._parameters, self._config.width
        name = f"layers.{number}"
        inputs, norm = self._normalise(f"{name}.attention_norm", y)
        at_queries, y = (inputs, y) if chosen is None else (inputs[chosen], y[chosen])
        if distinct is not None:
            y = y[distinct.which]
        query, key, value = (
            self._projected(f"{name}.attention.{part}", given)
            for part, given in (("query", at_queries), ("key", inputs), ("value", inputs))
        )
        self._turn(query, packed, chosen, 1)
        self._turn(key, packed, None, 1)
        self._scale(query, packed, chosen)
        mixed = take(len(y), width)
        added = None if biases is None else biases.of(number, queries)
        spread = None if distinct is None else distinct.spread
        attention = self._attender.forward(packed, queries, query, key, value, added, mixed, spread)
        out = f"{name}.attention.out"
        y = torch.addmm(y, mixed, parameters[f"{out}.weight"].t(), out=take(len(y), width))
        y += parameters[f"{out}.bias"]
        mlp_inputs, mlp_norm = self._normalise(f"{name}.mlp_norm", y)
        matrix, bias = parameters[f"{name}.mlp.in.weight"], parameters[f"{name}.mlp.in.bias"]
        slope, active = take(len(y), len(matrix)), take(len(y), len(matrix))
        mark = self._space.mark()
        units, gate = take(len(y), len(matrix)), take(len(y), len(matrix))
        torch.addmm(bias, mlp_inputs, matrix.t(), out=units)
        double = torch.mul(units, units, out=slope)
        torch.add(self._linear, double, alpha=GELU_CUBIC, out=double).mul_(units)
        torch.mul(torch.sigmoid(double, out=gate), units, out=active)
        # Of x·s(t), with t = 2u: s + x·t'·s·(1 − s), where x·t' = 3t − 2·GELU_LINEAR·x.
        double.add_(units, alpha=-2 * GELU_LINEAR / 3)
        _aten.sigmoid_backward.grad_input(double, gate, grad_input=slope)
        torch.add(gate, slope, alpha=3, out=slope)
        self._space.back(mark)
        matrix, bias = parameters[f"{name}.mlp.out.weight"], parameters[f"{name}.mlp.out.bias"]
        after = torch.addmm(y, active, matrix.t(), out=take(len(y), width))
        after += bias
        layer = _Layer(
            norm=norm,
            inputs=inputs,
            at_queries=at_queries,
            attention=attention,
            biases=added,
            mixed=mixed,
            mlp_norm=mlp_norm,
            mlp_inputs=mlp_inputs,
            slope=slope,
            active=active,
        )
        return layer, after

    def _outputs(self, y: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """The loss, and its gradient by the residual stream."""
        name = "embedding" if self._config.tied else "unembedding"
        matrix, share = self._parameters[name], 1 / len(targets)
        inputs, norm = self._normalise("norm", y)
        logits = torch.mm(inputs, matrix.t(), out=self._space.take(len(inputs), len(matrix)))
        logs = torch.log_softmax(logits, dim=-1)
        at = targets[:, None]
        loss = logs.gather(1, at).sum() * -share
        gradient = torch.exp(logs, out=logits).mul_(share)
        gradient.scatter_add_(1, at, gradient.new_full((1, 1), -share).expand_as(at))
        torch.mm(gradient.t(), inputs, out=self._gradients[name])
        return loss, self._normalise_back("norm", norm, torch.mm(gradient, matrix))

    def _backward(
        self, packed: Packed, layers: Sequence[_Layer], gradient: Tensor, biases: PackedBiases | None
    ) -> None:
        """Write the gradients of the parameters from that by the residual stream after the last layer."""
        config, gradients = self._config, self._gradients
        mark = self._space.mark()
        for number in reversed(range(config.layers)):
            chosen = packed.chosen if number == config.layers - 1 else None
            gradient = self._layer_back(number, packed, chosen, layers[number], gradient, biases)
            if biases is None and config.layer_norm:
                self._space.back(mark)  # what comes next finds it in the cache
        if biases is not None:
            biases.write(gradients)
        tokens, ids = _entering(packed)
        if type(self._encoding).embed is LearnedAbsolute.embed:
            ids = ids.clamp(0, config.positions - 1)
            gradients["positions"].zero_().index_add_(0, ids, gradient)
        elif type(self._encoding).embed is Sinusoidal.embed:
            gradient.mul_(math.sqrt(config.width))
        if not config.tied:
            gradients["embedding"].zero_()
        gradients["embedding"].index_add_(0, tokens, gradient)

    def _layer_back(
        self,
        number: int,
        packed: Packed,
        chosen: Tensor | None,
        layer: _Layer,
        gradient: Tensor,
        biases: PackedBiases | None,
    ) -> Tensor:
        take, width = self._space.take, self._config.width
        name = f"layers.{number}"
        d_units = take(*layer.slope.shape)
        self._linear_back(f"{name}.mlp.out", layer.active, gradient, d_units)
        d_units.mul_(layer.slope)
        d_inputs = take(len(gradient), width)
        self._linear_back(f"{name}.mlp.in", layer.mlp_inputs, d_units, d_inputs)
        gradient += self._normalise_back(f"{name}.mlp_norm", layer.mlp_norm, d_inputs)
        d_mixed = self._with_zeros(len(gradient))
        self._linear_back(f"{name}.attention.out", layer.mixed, gradient, d_mixed[:-1])
        queries, keys = len(gradient), len(packed.tokens)
        d_query, d_key, d_value = take(queries, width), take(keys, width), take(keys, width)
        d_logits = self._attender.backward(layer.attention, packed, d_mixed, (d_query, d_key, d_value))
        if biases is not None and layer.biases is not None:
            biases.add(layer.biases, d_logits)
        self._scale(d_query, packed, chosen)
        self._turn(d_query, packed, chosen, -1)
        self._turn(d_key, packed, None, -1)
        if number == 0 and packed.distinct is not None:
            d_query, d_key, d_value, gradient = (
                take(len(layer.inputs), width).zero_().index_add_(0, packed.distinct.which, each)
                for each in (d_query, d_key, d_value, gradient)
            )
        d_inputs = take(len(layer.inputs), width)
        attention = f"{name}.attention"
        self._linear_back(f"{attention}.key", layer.inputs, d_key, d_inputs)
        self._linear_back(f"{attention}.value", layer.inputs, d_value, d_inputs, add=True)
        if chosen is None:
            self._linear_back(f"{attention}.query", layer.inputs, d_query, d_inputs, add=True)
            return gradient.add_(self._normalise_back(f"{attention}_norm", layer.norm, d_inputs))
        d_chosen = take(queries, width)
        self._linear_back(f"{attention}.query", layer.at_queries, d_query, d_chosen)
        d_inputs.index_add_(0, chosen, d_chosen)
        everywhere = self._normalise_back(f"{attention}_norm", layer.norm, d_inputs)
        return everywhere.index_add_(0, chosen, gradient)

    def _projected(self, name: str, inputs: Tensor) -> Tensor:
        """A linear map of the inputs, and a last row of zeros for slots that are empty."""
        made = self._with_zeros(len(inputs))
        matrix, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        torch.addmm(bias, inputs, matrix.t(), out=made[:-1])
        return made

    def _linear_back(
        self, name: str, inputs: Tensor, gradient: Tensor, out: Tensor, *, add: bool = False
    ) -> None:
        """The gradients of a linear map; that by its inputs is written into `out`, or added to it."""
        torch.mm(gradient.t(), inputs, out=self._gradients[f"{name}.weight"])
        torch.sum(gradient, 0, out=self._gradients[f"{name}.bias"])
        matrix = self._parameters[f"{name}.weight"]
        if add:
            out.addmm_(gradient, matrix)
        else:
            torch.mm(gradient, matrix, out=out)

    def _normalise(self, name: str, x: Tensor) -> tuple[Tensor, _Norm | None]:
        config, parameters = self._config, self._parameters
        if not config.layer_norm:
            return x, None
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        made, mean, inverse = torch.native_layer_norm(x, (config.width,), weight, bias, config.norm_epsilon)
        return made, _Norm(x, mean, inverse)

    def _normalise_back(self, name: str, norm: _Norm | None, gradient: Tensor) -> Tensor:
        """The gradient by what went into a layer norm."""
        if norm is None:
            return gradient
        weight, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        made, d_weight, d_bias = _aten.native_layer_norm_backward(
            gradient, norm.x, (self._config.width,), norm.mean, norm.inverse, weight, bias, (True, True, True)
        )
        self._gradients[f"{name}.weight"].copy_(d_weight)
        self._gradients[f"{name}.bias"].copy_(d_bias)
        return made  # type: ignore[no-any-return]

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
        seen.copy_(self._encoding.turn(config, seen.transpose(0, 1), ids).transpose(0, 1))

    def _scale(self, queries: Tensor, packed: Packed, chosen: Tensor | None) -> None:
        """Multiply queries, or their gradient, by the logarithm of the length of the prefix."""
        if self._config.log_length:
            places = packed.places if chosen is None else packed.places[chosen]
            queries[: len(places)].mul_((places + 1).float().log_().to(queries.dtype)[:, None])


def _entering(packed: Packed) -> tuple[Tensor, Tensor]:
    """Tokens and ids of what enters the first layer."""
    if packed.distinct is None:
        return packed.tokens, packed.ids
    return packed.tokens[packed.distinct.tokens], packed.ids[packed.distinct.tokens]
