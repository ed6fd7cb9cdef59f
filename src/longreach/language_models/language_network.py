"""A causal transformer with rotary positions, whose ids and visible tokens can be chosen."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from longreach.errors import InputError
from longreach.language_models.language_settings import NetworkShape

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
            raise InputError(f"width {shape.width} is no multiple of twice {shape.heads} heads")
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
