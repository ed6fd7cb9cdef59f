"""The configuration of the random baseline of Figure 1, and of whatever can be trained."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from longreach.config.decoder import DecoderConfig, Positive


class BaselineConfig(BaseModel):
    """The shape of the baseline.

    >>> BaselineConfig(width=16, vocabulary=5, outputs=5).hidden
    64
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    width: Positive
    """The size of the token embedding."""
    vocabulary: Positive
    outputs: Positive
    mlp_ratio: Positive = 4
    """Hidden units per unit of width."""

    @property
    def hidden(self) -> int:
        return self.mlp_ratio * self.width


Model: TypeAlias = DecoderConfig | BaselineConfig
"""The shape of what is trained."""
