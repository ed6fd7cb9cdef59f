"""Compiled and hand-built transformers as ordinary PyTorch modules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from longreach.errors import InputError
from longreach.theory.limit.model import Layer, Transformer


class CompiledLayer(nn.Module):
    """One layer: heads that all read the layer's input, then an MLP of ReLU and Heaviside units."""

    def __init__(self, layer: Layer, dtype: torch.dtype) -> None:
        super().__init__()

        def parameter(arrays: Sequence[np.ndarray] | np.ndarray, shape: tuple[int, ...]) -> nn.Parameter:
            values = np.asarray(arrays, dtype=np.float64).reshape(shape)
            return nn.Parameter(torch.from_numpy(values.copy()).to(dtype))

        d, m, h = layer.out.shape[0], len(layer.b), len(layer.heads)
        self.kq = parameter([head.kq for head in layer.heads], (h, d, d))
        self.v = parameter([head.v for head in layer.heads], (h, d, d))
        self.a = parameter(layer.a, (m, d))
        self.b = parameter(layer.b, (m,))
        self.out = parameter(layer.out, (d, m))
        self.register_buffer("heaviside", torch.from_numpy(layer.heaviside.copy()))
        reach = max((len(head.phi) for head in layer.heads if isinstance(head.phi, np.ndarray)), default=0)
        phi = np.zeros((h, reach))
        for number, head in enumerate(layer.heads):
            if isinstance(head.phi, np.ndarray):
                phi[number, : len(head.phi)] = head.phi
        self.register_buffer("phi", torch.from_numpy(phi).to(dtype))

    def forward(self, y: Tensor) -> Tensor:
        """Reads and returns residual streams (batch, length, width)."""
        n = y.shape[1]
        if len(self.kq):
            # a[b, h, i, j] = y_jᵀ KQ_h y_i: keys on the left, queries on the right.
            logits = torch.einsum("bjd,hde,bie->bhij", y, self.kq, y) + self._phi(n)
            mask = torch.ones(n, n, dtype=torch.bool, device=y.device).tril()
            logits = (logits * math.log(n)).masked_fill(~mask, -math.inf)
            y = y + torch.einsum("bhij,hed,bjd->bie", torch.softmax(logits, dim=-1), self.v, y)
        units = y @ self.a.T + self.b
        active = torch.where(cast(Tensor, self.heaviside), (units >= 0).to(y.dtype), torch.relu(units))
        return y + active @ self.out.T

    def _phi(self, n: int) -> Tensor:
        phi = cast(Tensor, self.phi)
        distance = torch.arange(n, device=phi.device)[:, None] - torch.arange(n, device=phi.device)[None, :]
        if phi.shape[1] == 0:
            return phi.new_zeros(1, 1, 1)
        inside = (distance >= 0) & (distance < phi.shape[1])
        return phi[:, distance.clamp(0, phi.shape[1] - 1)] * inside


class CompiledTransformer(nn.Module):
    """A transformer of `longreach.theory.limit` in PyTorch, of kind "finite" or "limit" (with local φ).

    >>> from longreach.theory.limit.model import Transformer
    >>> import numpy as np
    >>> model = Transformer("limit", ("$", "a"), np.eye(2), np.zeros((1, 2)), (), np.array([[-1.0, 1.0]]))
    >>> CompiledTransformer(model)(torch.tensor([[0, 1]])).tolist()
    [[[-1.0], [1.0]]]
    """

    def __init__(self, model: Transformer, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        if model.precision is not None:
            raise InputError("the PyTorch module does not round: use the evaluators for a given precision")
        _ = model.locality  # refuses relations that are not local
        self.vocabulary = model.vocabulary
        self.context = model.context
        self.read_out = model.read_out
        self.embedding = nn.Parameter(torch.from_numpy(model.embedding.copy()).to(dtype))
        self.positions = nn.Parameter(torch.from_numpy(model.positions.copy()).to(dtype))
        self.layers = nn.ModuleList(CompiledLayer(layer, dtype) for layer in model.layers)
        self.unembedding = nn.Parameter(torch.from_numpy(model.unembedding.copy()).to(dtype))

    def forward(self, tokens: Tensor, offset: int = 0) -> Tensor:
        """Outputs (batch, length, outputs) for rows of the vocabulary (batch, length), $ first."""
        n = tokens.shape[1]
        places = torch.arange(n, device=tokens.device) + offset
        if self.context is None:
            places = places % len(self.positions)
        elif n + offset > self.context:
            raise InputError(f"{n} positions at offset {offset} exceed the context of {self.context}")
        y = self.embedding[tokens] + self.positions[places]
        for layer in self.layers:
            y = layer(y)
        return y @ self.unembedding.T
