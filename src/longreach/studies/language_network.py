"""The language models of the study of natural language: settings, network, losses."""

from __future__ import annotations

from typing import Literal

import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn import functional

from longreach.config.scales import Scale
from longreach.errors import InputError
from longreach.inspection.perplexity import TorchScorer


class NetworkShape(BaseModel):
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


# A causal transformer with rotary positions, whose ids and visible tokens can be chosen.


ROTARY_BASE = 10_000.0


class LanguageNetwork(nn.Module):
    """Tokens to logits of the next token.

    >>> shape = NetworkShape(layers=1, heads=2, width=8, vocabulary=11)
    >>> LanguageNetwork(shape)(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 11])
    """

    def __init__(self, shape: NetworkShape, seed: int = 0) -> None:
        super().__init__()
        if shape.width % (2 * shape.heads):
            raise InputError(f"width {shape.width} is not a multiple of twice {shape.heads} heads")
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width, bias=False)
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                # What is added to the residual stream is scaled down by the number of additions.
                scale = (2 * shape.layers) ** -0.5 if name.endswith("out.weight") else 1.0
                nn.init.normal_(parameter, std=0.02 * scale, generator=generator)

    def forward(self, tokens: Tensor, ids: Tensor | None = None, visible: Tensor | None = None) -> Tensor:
        """Logits after each token.

        `ids` are position ids, by default 0, 1, …; `visible` says which tokens may be attended to at all. A
        token that is not visible sees itself, and nobody sees it.
        """
        length = tokens.shape[1]
        if ids is None:
            ids = torch.arange(length, device=tokens.device)[None, :]
        turn = _rotation(ids, self.shape.width // self.shape.heads)
        mask = None
        if visible is not None:
            causal = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
            own = torch.eye(length, dtype=torch.bool, device=tokens.device)
            mask = ((causal & visible[:, None, :]) | own)[:, None]
        stream = self.embedding(tokens)
        for layer in self.layers:
            stream = layer(stream, turn, mask)
        logits: Tensor = functional.linear(self.norm(stream), self.embedding.weight)
        return logits


class _Layer(nn.Module):
    def __init__(self, shape: NetworkShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attention_norm = nn.LayerNorm(shape.width, bias=False)
        self.mixing = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.attention_out = nn.Linear(shape.width, shape.width, bias=False)
        self.mlp_norm = nn.LayerNorm(shape.width, bias=False)
        self.mlp_in = nn.Linear(shape.width, 4 * shape.width, bias=False)
        self.mlp_out = nn.Linear(4 * shape.width, shape.width, bias=False)

    def forward(self, stream: Tensor, turn: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        batch, length, width = stream.shape
        mixed = self.mixing(self.attention_norm(stream)).view(
            batch, length, 3, self.heads, width // self.heads
        )
        query, key, value = mixed.permute(2, 0, 3, 1, 4).unbind(0)
        seen = functional.scaled_dot_product_attention(
            _turned(query, turn), _turned(key, turn), value, attn_mask=mask, is_causal=mask is None
        )
        stream = stream + self.attention_out(seen.transpose(1, 2).reshape(batch, length, width))
        added: Tensor = self.mlp_out(functional.gelu(self.mlp_in(self.mlp_norm(stream))))
        return stream + added


def _rotation(ids: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Cosine and sine of each id times each frequency (Su et al., arXiv 2104.09864)."""
    powers = torch.arange(0, size, 2, device=ids.device, dtype=torch.float32) / size
    angles = ids[..., None].float() * ROTARY_BASE**-powers
    return angles.cos()[:, None], angles.sin()[:, None]


def _turned(vectors: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Each half of the coordinates is one axis of the planes that are turned."""
    cosine, sine = (part.to(vectors.dtype) for part in turn)
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)


class NetworkScorer(TorchScorer):
    """A trained network."""

    def __init__(self, network: LanguageNetwork) -> None:
        self._network = network.eval()
        self.device = network.embedding.weight.device
        self.vocabulary = network.shape.vocabulary

    def logits(self, tokens: Tensor, visible: Tensor | None, *, last: bool) -> Tensor:
        found: Tensor = self._network(tokens, visible=visible)
        return found
