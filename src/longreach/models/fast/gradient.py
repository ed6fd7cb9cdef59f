"""Loss and gradient of the decoder written out, for speed on a CPU.

At these sizes half of a step of automatic differentiation is padding, copies, calls, and a slow hyperbolic
tangent. `PackedForward` does without them, and this is its backward pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.decoder import GELU_CUBIC, GELU_LINEAR, ID_MATRIX
from longreach.models.encodings import LearnedAbsolute, Sinusoidal
from longreach.models.fast.forward import Attended, Norm, PackedForward, entering
from longreach.models.fast.packed import Packed, PackedBiases, Workspace
from longreach.models.parameters import Parameters

_aten = torch.ops.aten


@dataclass(frozen=True, slots=True)
class _Layer:
    """What the backward pass needs of a layer."""

    attended: Attended
    mlp_norm: Norm | None
    mlp_inputs: Tensor
    slope: Tensor
    """The derivative of GELU."""
    active: Tensor


class DecoderGradient(PackedForward):
    """The loss and its gradient for a shape of models, in memory that is used again.

    `parameters` are read and `gradients` written, in place; both have the same names.
    """

    def __init__(
        self,
        config: ModelConfig,
        parameters: Parameters,
        gradients: Parameters,
        space: Workspace | None = None,
    ) -> None:
        """Instances that never run at the same time may share a workspace."""
        super().__init__(config, parameters, space)
        self._gradients = gradients

    def __call__(self, packed: Packed) -> Tensor:
        """The mean loss over the supervised tokens; the gradient is overwritten."""
        with torch.no_grad():
            self._space.start()
            biases = self._biases(packed)
            layers, y = [], self._embedded(packed)
            for number in range(self._config.layers):
                layer, y = self._layer(number, packed, y, biases)
                layers.append(layer)
            loss, gradient = self._outputs(y, packed)
            self._backward(packed, layers, gradient, biases)
            return loss

    def _layer(
        self, number: int, packed: Packed, y: Tensor, biases: PackedBiases | None
    ) -> tuple[_Layer, Tensor]:
        take, parameters, width = self._space.take, self._parameters, self._config.width
        attended, y = self._attend(number, packed, y, biases)
        name = f"layers.{number}"
        mlp_inputs, mlp_norm = self._normalise(f"{name}.mlp_norm", y)
        matrix, bias = parameters[f"{name}.mlp.in.weight"], parameters[f"{name}.mlp.in.bias"]
        slope, active = take(len(y), len(matrix)), take(len(y), len(matrix))
        mark = self._space.mark()
        units, gate = take(len(y), len(matrix)), take(len(y), len(matrix))
        torch.addmm(bias, mlp_inputs, matrix.t(), out=units)
        double = torch.addcmul(self._linear, units, units, value=GELU_CUBIC, out=slope).mul_(units)
        torch.mul(torch.sigmoid(double, out=gate), units, out=active)
        # Of x·s(t), with t = 2u: s + x·t'·s·(1 − s), where x·t' = 3t − 2·GELU_LINEAR·x.
        double.add_(units, alpha=-2 * GELU_LINEAR / 3)
        _aten.sigmoid_backward.grad_input(double, gate, grad_input=slope)
        torch.add(gate, slope, alpha=3, out=slope)
        self._space.back(mark)
        matrix, bias = parameters[f"{name}.mlp.out.weight"], parameters[f"{name}.mlp.out.bias"]
        after = torch.addmm(y, active, matrix.t(), out=take(len(y), width))
        after += bias
        return _Layer(attended, mlp_norm, mlp_inputs, slope, active), after

    def _outputs(self, y: Tensor, packed: Packed) -> tuple[Tensor, Tensor]:
        """The loss, and its gradient by the residual stream."""
        inputs, norm = self._normalise("norm", y)
        loss, gradient = self._cross_entropy(inputs, self._matrix, packed.targets)
        if self._config.predict_ids:
            assert packed.target_ids is not None
            of_ids, more = self._cross_entropy(inputs, ID_MATRIX, packed.target_ids)
            loss += of_ids
            gradient += more
        return loss, self._normalise_back("norm", norm, gradient)

    def _cross_entropy(self, inputs: Tensor, name: str, targets: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of an output matrix, and its gradient by what it reads; its own is written."""
        matrix, share = self._parameters[name], 1 / len(targets)
        logits = self._unembedded(inputs, name)
        logs = torch.log_softmax(logits, dim=-1)
        at = targets[:, None]
        loss = logs.gather(1, at).sum() * -share
        gradient = torch.exp(logs, out=logits).mul_(share)
        gradient.scatter_add_(1, at, gradient.new_full((1, 1), -share).expand_as(at))
        torch.mm(gradient.t(), inputs, out=self._gradients[name])
        return loss, torch.mm(gradient, matrix)

    def _backward(
        self, packed: Packed, layers: Sequence[_Layer], gradient: Tensor, biases: PackedBiases | None
    ) -> None:
        """Write the gradients of the parameters from that by the residual stream after the last layer."""
        config, gradients = self._config, self._gradients
        mark = self._space.mark()
        for number in reversed(range(config.layers)):
            chosen = self._chosen(number, packed)
            gradient = self._layer_back(number, packed, chosen, layers[number], gradient, biases)
            if biases is None and config.layer_norm:
                self._space.back(mark)  # what comes next finds it in the cache
        if biases is not None:
            biases.write(gradients)
        tokens, ids = entering(packed)
        if isinstance(self._encoding, LearnedAbsolute):
            ids = ids.clamp(0, config.positions - 1)
            gradients["positions"].zero_().index_add_(0, ids, gradient)
        elif isinstance(self._encoding, Sinusoidal):
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
        name, attended = f"layers.{number}", layer.attended
        d_units = take(*layer.slope.shape)
        self._linear_back(f"{name}.mlp.out", layer.active, gradient, d_units)
        d_units.mul_(layer.slope)
        d_inputs = take(len(gradient), width)
        self._linear_back(f"{name}.mlp.in", layer.mlp_inputs, d_units, d_inputs)
        gradient += self._normalise_back(f"{name}.mlp_norm", layer.mlp_norm, d_inputs)
        d_mixed = self._with_zeros(len(gradient))
        self._linear_back(f"{name}.attention.out", attended.mixed, gradient, d_mixed[:-1])
        queries, keys = len(gradient), len(packed.tokens)
        d_query, d_key, d_value = take(queries, width), take(keys, width), take(keys, width)
        if self._waves is not None:
            self._waves.turn(d_mixed, packed, chosen, -1)
        attender = self._attenders[number]
        d_logits = attender.backward(attended.attention, packed, d_mixed, (d_query, d_key, d_value))
        if self._waves is not None:
            self._waves.turn(d_value, packed, None, 1)
        if biases is not None and attended.biases is not None:
            biases.add(attended.biases, d_logits)
        self._scale(d_query, packed, chosen)
        self._turn(d_query, packed, chosen, -1)
        self._turn(d_key, packed, None, -1)
        if number == 0 and packed.distinct is not None:
            d_query, d_key, d_value, gradient = (
                take(len(attended.inputs), width).zero_().index_add_(0, packed.distinct.which, each)
                for each in (d_query, d_key, d_value, gradient)
            )
        d_inputs = take(len(attended.inputs), width)
        attention = f"{name}.attention"
        self._linear_back(f"{attention}.key", attended.inputs, d_key, d_inputs)
        self._linear_back(f"{attention}.value", attended.inputs, d_value, d_inputs, add=True)
        if chosen is None:
            self._linear_back(f"{attention}.query", attended.inputs, d_query, d_inputs, add=True)
            return gradient.add_(self._normalise_back(f"{attention}_norm", attended.norm, d_inputs))
        d_chosen = take(queries, width)
        self._linear_back(f"{attention}.query", attended.at_queries, d_query, d_chosen)
        d_inputs.index_add_(0, chosen, d_chosen)
        everywhere = self._normalise_back(f"{attention}_norm", attended.norm, d_inputs)
        return everywhere.index_add_(0, chosen, gradient)

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

    def _normalise_back(self, name: str, norm: Norm | None, gradient: Tensor) -> Tensor:
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
