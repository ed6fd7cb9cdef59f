"""Parameters of several members with a leading axis, and the forward pass of all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.decoder import forward
from longreach.models.parameters import Parameters


def stack(members: Sequence[Mapping[str, Tensor]]) -> Parameters:
    """One dictionary with a leading member axis."""
    return {name: torch.stack([member[name] for member in members]) for name in members[0]}


def member(parameters: Mapping[str, Tensor], index: int) -> Parameters:
    """One member of stacked parameters, as views."""
    return {name: value[index] for name, value in parameters.items()}


def forward_members(
    parameters: Mapping[str, Tensor],
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """`forward` of every member at once: all parameters and arrays have a leading member axis."""
    arrays = {
        "tokens": tokens, "position_ids": position_ids, "mask_positions": mask_positions, "lengths": lengths
    }  # fmt: skip
    given = {name: array for name, array in arrays.items() if array is not None}

    def one(parameters: Parameters, inputs: dict[str, Any]) -> Tensor:
        return forward(parameters, config, **inputs)

    made: Tensor = torch.func.vmap(one)(dict(parameters), given)
    return made
