"""The attention of `reach` for models of your own: a function, a module, and a model of Transformers.

They compute what `--encoding reach` trains: `longreach.models.reach.Reach` has the formula. `ReachConfig` and
`ReachForCausalLM` need the extra `hf` and are loaded when they are asked for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from longreach.config.model import ModelConfig
from longreach.config.reach import NEAR
from longreach.errors import Field, InputError
from longreach.models.encodings import Attending
from longreach.models.reach import Reach, read_last

_OF_TRANSFORMERS = ("ReachConfig", "ReachForCausalLM")


class ReachCache(NamedTuple):
    """Keys and values of what was read, (batch, heads, time, head width) each."""

    keys: Tensor
    values: Tensor


def reach_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    near: Tensor,
    *,
    modulus: int | Literal["auto"] = "auto",
    counting: int = 0,
    layer: int = 0,
    mask: Tensor | None = None,
) -> Tensor:
    """What heads read, (batch, heads, queries, head width), causally, of keys and values (…, keys, …).

    The queries are those of the last tokens, so that a cache holds the keys and values of those before.
    `near`, (heads that find, 10), is the bias of each distance 0, …, 8 and farther. The last `counting` heads
    are softmax heads. Which heads do not see the token that asks depends on whether `layer` is even. `mask`,
    (batch, keys), is false at padding, on either side.

    >>> q, k, v = torch.randn(3, 1, 4, 6, 8).unbind()
    >>> whole = reach_attention(q, k, v, torch.zeros(4, 10))
    >>> last = reach_attention(q[:, :, 5:], k, v, torch.zeros(4, 10))
    >>> torch.allclose(whole[:, :, 5:], last, atol=1e-6)
    True
    """
    heads, queries, width = query.shape[-3:]
    config = _shape(heads, width, modulus, counting)
    reading = read_last(queries, key.shape[-2], query.device, mask)
    encoding, parameters = Reach(), {f"layers.{layer}.reach.bias": near}
    bias = encoding.bias(parameters, config, layer, reading.query_ids, reading.key_ids)
    assert bias is not None
    assert reading.log_length is not None
    factor = reading.log_length.to(query.dtype)
    query = query * width**-0.5
    reading = reading._replace(hidden=encoding.hide(config, layer, reading))
    attending = Attending(parameters, config, layer, reading, query, key, None)
    logits = (query * factor) @ key.transpose(-1, -2) + bias * factor
    return encoding.mix(attending, encoding.weigh(attending, logits), value)


@lru_cache(maxsize=64)
def _shape(heads: int, head_width: int, modulus: int | Literal["auto"], counting: int) -> ModelConfig:
    return ModelConfig.read(
        {
            "layers": 1, "heads": heads, "width": heads * head_width, "vocabulary": 1, "positions": 1,
            "encoding": "reach", "reach_modulus": modulus, "reach_counting": counting,
        }
    )  # fmt: skip


class ReachAttention(nn.Module):
    """Causal self-attention that finds the last match, and tells how long ago it was, in place of your own.

    >>> attention = ReachAttention(16, heads=4)
    >>> x = torch.randn(2, 9, 16)
    >>> y = attention(x)
    >>> first, cache = attention.read(x[:, :5])
    >>> then, cache = attention.read(x[:, 5:], cache)
    >>> y.shape, torch.allclose(torch.cat([first, then], 1), y, atol=1e-6)
    (torch.Size([2, 9, 16]), True)
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        modulus: int | Literal["auto"] = "auto",
        counting: int = 0,
        layer: int = 0,
        bias: bool = True,
    ) -> None:
        """`layer` is the number of the layer, from 0: even and odd ones have other strict heads."""
        super().__init__()
        if heads < 1 or width % heads:
            raise InputError(f"{width} is not a multiple of {heads} heads", place=Field("width"))
        _shape(heads, width // heads, modulus, counting)
        self.heads, self.modulus, self.counting, self.layer = heads, modulus, counting, layer
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=bias) for _ in range(4))
        self.near = nn.Parameter(torch.zeros(heads - counting, NEAR + 1))

    def forward(self, x: Tensor, *, mask: Tensor | None = None) -> Tensor:
        """Of inputs (batch, time, width); `mask`, (batch, time), is false at padding."""
        return self.read(x, mask=mask)[0]

    def read(
        self, x: Tensor, cache: ReachCache | None = None, *, mask: Tensor | None = None
    ) -> tuple[Tensor, ReachCache]:
        """The same for tokens behind those of a cache, and the cache with them; `mask` is about all tokens.

        The cache is that of any transformer: no head keeps anything more.
        """
        split = (*x.shape[:-1], self.heads, -1)
        query, key, value = (
            part(x).view(split).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        if cache is not None:
            key, value = torch.cat([cache.keys, key], dim=2), torch.cat([cache.values, value], dim=2)
        mixed = reach_attention(
            query, key, value, self.near, modulus=self.modulus, counting=self.counting, layer=self.layer,
            mask=mask,
        )  # fmt: skip
        made: Tensor = self.out(mixed.transpose(1, 2).flatten(-2))
        return made, ReachCache(key, value)

    def extra_repr(self) -> str:
        return f"heads={self.heads}, modulus={self.modulus!r}, counting={self.counting}, layer={self.layer}"


def __getattr__(name: str) -> Any:
    if name not in _OF_TRANSFORMERS:
        raise AttributeError(f"module 'longreach.nn' has no attribute {name!r}")
    from longreach.models.huggingface import library

    library(f"longreach.nn.{name}")
    from longreach.models import reach_for_transformers

    return getattr(reach_for_transformers, name)
