"""The settings of the study of natural language, as data, by scale."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from longreach.config.scales import Scale


class NetworkShape(BaseModel):
    """The shape of the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    width: int = Field(ge=2)
    vocabulary: int = Field(ge=2)

    @property
    def parameters(self) -> int:
        """The size of the model; input and output share one table.

        >>> NetworkShape(layers=24, heads=32, width=2048, vocabulary=32000).parameters
        1273595904
        """
        return self.vocabulary * self.width + self.layers * (12 * self.width**2 + 2 * self.width) + self.width


class LanguageTraining(BaseModel):
    """How one model is trained: h_short has a last phase with PoSE, h_long none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: int = Field(ge=2)
    batch: int = Field(ge=1)
    steps: int = Field(ge=1)
    pose_steps: int = Field(ge=0)
    """The last steps, in which ids reach up to `longest`."""
    longest: int = Field(ge=2)
    rate: float = Field(gt=0)
    warmup: int = Field(ge=0)
    seed: int = 0


class LanguageSettings(BaseModel):
    """One study: two models on one text, and what is measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokenizer: Literal["bytes", "bpe"]
    vocabulary: int
    """Tokens that BPE learns."""
    layers: int
    heads: int
    width: int
    context: int
    """L, of h_short."""
    full: int
    """L̄, of h_long."""
    batch: int
    """Inputs of h_short; h_long has as many tokens."""
    steps: int
    long_steps: int
    pose_share: float = 0.3
    rate: float = 1e-3
    warmup: int
    influential: int = 5
    examples: int
    """Test inputs of the analysis."""
    windows: int
    """Test windows of the perplexities, at most."""
    seed: int = 0

    def shape(self, vocabulary: int) -> NetworkShape:
        """The shape of both models, for a tokenizer of that size."""
        return NetworkShape(layers=self.layers, heads=self.heads, width=self.width, vocabulary=vocabulary)

    def training(self, name: str) -> LanguageTraining:
        """The training of `short` or `long`.

        >>> SETTINGS["paper"].training("short").pose_steps, SETTINGS["paper"].training("long").batch
        (14700, 4096)
        """
        short = name == "short"
        steps = self.steps if short else self.long_steps
        return LanguageTraining(
            context=self.context if short else self.full,
            batch=self.batch if short else max(1, self.batch * self.context // self.full),
            steps=steps,
            pose_steps=round(self.pose_share * steps) if short else 0,
            longest=self.full,
            rate=self.rate,
            warmup=self.warmup,
            seed=self.seed,
        )


SETTINGS: dict[Scale, LanguageSettings] = {
    "smoke": LanguageSettings(
        tokenizer="bytes", vocabulary=0, layers=1, heads=2, width=16, context=16, full=32, batch=4, steps=12,
        long_steps=12, warmup=2, influential=2, examples=6, windows=8,
    ),
    "laptop": LanguageSettings(
        tokenizer="bpe", vocabulary=2048, layers=4, heads=4, width=192, context=64, full=128, batch=32,
        steps=2000, long_steps=2000, warmup=100, examples=200, windows=1000,
    ),
    # Golowich et al., arXiv 2502.16792, Table 5; its text is C4, its tokenizer that of Llama 2.
    "paper": LanguageSettings(
        tokenizer="bpe", vocabulary=32000, layers=24, heads=32, width=2048, context=64, full=128, batch=8192,
        steps=49000, long_steps=48000, warmup=5000, examples=1000, windows=20000,
    ),
}  # fmt: skip
