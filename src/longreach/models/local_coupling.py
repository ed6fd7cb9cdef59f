"""Coupled positions seen nearby only: local and relative hypotheses (Golowich et al., arXiv 2502.16792)."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_modules import Encoding
from longreach.models.parameters import Initial, Parameters

WINDOW = 1
"""Tokens farther away in ids than this are not attended to. The steps of all built-in tasks that are local at
all are so within 1; what is farther away tells short inputs from long ones."""
OUTSIDE = -30.0
"""The logit of those: next to nothing, and no infinity that rows of padding could trip over."""


class LocalCoupling(Encoding):
    """A learned bias per distance in ids, with its sign, and head; one for marks; shared by the layers.

    Attention depends on differences of ids alone (relativity), and on those within the window (locality,
    Assumption 3.3), so that longer inputs look the same from each token. Marks, which are the tokens with the
    id of SOS, such as separators, are seen from everywhere: they are as many in long inputs as in short ones,
    and attention goes there if what it looks for is missing. Learned vectors per id leave pairs of ids that
    never meet in short inputs to chance, and the share of tokens far away grows with the length.
    """

    relative = True

    def table(self, config: DecoderConfig) -> dict[str, Initial]:
        return {"relative.weight": Initial((2 * WINDOW + 2, config.heads), "normal", 0.02)}

    def bias(
        self, parameters: Parameters, config: DecoderConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        distance = query_ids[..., :, None] - key_ids[..., None, :]
        marks = (key_ids == key_ids[..., :1])[..., None, :].expand_as(distance)
        near = distance.clamp(-WINDOW, WINDOW)
        kinds = (near + WINDOW).masked_fill(marks, 2 * WINDOW + 1)
        found = F.embedding(kinds, parameters["relative.weight"])
        outside = ((near != distance) & ~marks)[..., None]
        return found.masked_fill(outside, OUTSIDE).movedim(-1, -3)
