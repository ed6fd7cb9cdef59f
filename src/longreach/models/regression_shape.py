"""The small transformers of Izzo, Nichani and Lee (arXiv 2510.27015): shapes, μP initial values and rates.

No layer norms, one head per layer, a hidden layer of rectifiers, all with residual connections; the paper
leaves the activation open. Initial values and learning rates are those of μP (Yang et al., arXiv 2203.03466,
Table 8) for Adam: embeddings have variance 1 and the full rate, matrices of a layer the variance 1 / inputs,
the output 1 / inputs², attention logits are divided by the width; all but the embeddings have the rate
divided by the width, as in appendix B of the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from longreach.models.parameters import Parameters


@dataclass(frozen=True)
class RegressionShape:
    """What decides the shape of every parameter.

    >>> shape = RegressionShape(symbols=3, outputs=1, layers=1, width=16, hidden=256)
    >>> sum(math.prod(each) for each in shape.table.values())
    9280
    """

    symbols: int
    outputs: int
    layers: int
    width: int
    hidden: int
    period: int = 1
    """Of the positions: one learned vector per residue; 1 is none."""
    locality: int = 0
    """Distances 0 … locality have a learned bias; 0 is none."""
    log_length: bool = False
    """Whether all attention logits are multiplied by the logarithm of the length."""

    @property
    def kinds(self) -> int:
        """Tokens at a position modulo the period."""
        return self.symbols * self.period

    @property
    def table(self) -> dict[str, tuple[int, ...]]:
        """The shapes by name, in the order of the vector."""
        d, h = self.width, self.hidden
        found: dict[str, tuple[int, ...]] = {"embedding": (self.symbols, d)}
        if self.period > 1:
            found["positions"] = (self.period, d)
        for layer in range(self.layers):
            found |= {f"{layer}.{name}": (d, d) for name in ("key", "query", "value")}
            if self.locality and not layer:
                found[f"{layer}.bias"] = (self.locality + 1,)
            found |= {f"{layer}.in": (h, d), f"{layer}.in_bias": (h,), f"{layer}.out": (d, h)}
        return found | {"output": (self.outputs, d)}

    @property
    def size(self) -> int:
        """The number of parameters."""
        return sum(math.prod(shape) for shape in self.table.values())

    def named(self, vectors: Tensor) -> Parameters:
        """The parameters as views of vectors, whose leading axes they keep."""
        sizes = [math.prod(shape) for shape in self.table.values()]
        parts = torch.split_with_sizes(vectors, sizes, dim=-1)
        return {
            name: part.view(*vectors.shape[:-1], *shape)
            for (name, shape), part in zip(self.table.items(), parts, strict=True)
        }

    def initial(self, rng: np.random.Generator) -> Tensor:
        """A vector of initial values."""
        parts = [
            rng.standard_normal(shape).reshape(-1) * self._deviation(name, shape)
            for name, shape in self.table.items()
        ]
        return torch.from_numpy(np.concatenate(parts).astype(np.float32))

    def rates(self, rate: float) -> Tensor:
        """The learning rate of each parameter."""
        return torch.cat(
            [
                torch.full((math.prod(shape),), rate if _embeds(name) else rate / self.width)
                for name, shape in self.table.items()
            ]
        )

    def _deviation(self, name: str, shape: tuple[int, ...]) -> float:
        if _embeds(name):
            return 1.0
        if len(shape) == 1:
            return 0.0
        return 1 / shape[-1] if name == "output" else shape[-1] ** -0.5


def _embeds(name: str) -> bool:
    """Whether a parameter is looked up rather than multiplied; a bias by distance is, too."""
    return name in ("embedding", "positions") or name.endswith(".bias")
