"""The transformer of the regression tasks on tokens, sequence by sequence, as the papers write it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from longreach.models.counting import RegressionShape
from longreach.models.parameters import Parameters


def literal_streams(
    named: Parameters, shape: RegressionShape, x: Sequence[int]
) -> tuple[Tensor, list[Tensor]]:
    """The residual stream after all layers (length, width), and the attention of each layer."""
    stream = torch.stack([named["embedding"][token] for token in x])
    if shape.period > 1:
        places = [place % shape.period for place in range(1, len(x) + 1)]
        stream = stream + torch.stack([named["positions"][place] for place in places])
    maps = []
    for layer in range(shape.layers):
        key, query, value = (named[f"{layer}.{name}"] for name in ("key", "query", "value"))
        rows, weights = [], torch.zeros(len(x), len(x))
        for i in range(len(x)):
            logits = []
            for j in range(i + 1):
                logit = (key @ stream[j]) @ (query @ stream[i]) / shape.width
                if shape.log_length:
                    logit = math.log(len(x)) * logit
                if shape.locality and not layer and i - j <= shape.locality:
                    logit = logit + math.log(i + 1) * named[f"{layer}.bias"][i - j]
                logits.append(logit)
            shares = torch.softmax(torch.stack(logits), 0)
            weights[i, : i + 1] = shares.detach()
            mixed = stream[i] + sum(share * (value @ stream[j]) for j, share in enumerate(shares))
            inner = torch.relu(named[f"{layer}.in"] @ mixed + named[f"{layer}.in_bias"])
            rows.append(mixed + named[f"{layer}.out"] @ inner)
        stream = torch.stack(rows)
        maps.append(weights)
    return stream, maps


def literal_output(named: Parameters, shape: RegressionShape, x: Sequence[int]) -> Tensor:
    """The answer of the model to one sequence, read at the last position."""
    stream, _ = literal_streams(named, shape, x)
    return named["output"] @ stream[-1]
