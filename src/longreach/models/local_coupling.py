"""Coupled positions with attention that stays near: local hypotheses (Golowich et al., arXiv 2502.16792)."""

from __future__ import annotations

from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_modules import LearnedAbsolute
from longreach.models.parameters import Parameters

SLOPE = 1.0
"""What a step in ids takes off the logits: tokens far away in ids have never met in training on short inputs,
so that nothing else keeps attention off them."""


class LocalCoupling(LearnedAbsolute):
    """A learned vector per id, and −|distance in ids| on the logits of all heads (Assumption 3.3, softly)."""

    relative = False  # the vectors are not

    def bias(
        self, parameters: Parameters, config: DecoderConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        distance = (query_ids[..., :, None] - key_ids[..., None, :]).abs()
        return -SLOPE * distance.to(parameters["embedding"].dtype).unsqueeze(-3)
