"""DeltaNet: a matrix as memory, corrected by the delta rule at every token.

S_t = S_{t−1} (I − β k kᵀ) + β v kᵀ with a unit vector k (Schlag et al., arXiv 2102.11174; Yang et al., arXiv
2406.06484). With β up to 2 a factor can reflect (Grazzi et al., arXiv 2411.12537). Several factors per token
compose rotations and permutations (DeltaProduct; Siems et al., arXiv 2502.10297).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from longreach.models.blocks import Mixer, Stack, check_flag, check_options, head_width

CHUNK = 32
"""Factors that are multiplied at once."""


def delta_rule(
    query: Tensor, key: Tensor, value: Tensor, rate: Tensor, start: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """The answers S_t q_t, (…, time, d), and the last S, (…, d, d), from `start` or zeros.

    Queries are (…, time, d); keys and values (…, time·n, d) and rates (…, time·n, 1) have n factors for each
    token. Within a chunk, all corrections u = β (v − S k) solve one triangular system (Yang et al., arXiv
    2406.06484, section 3), and S grows by the sum of u kᵀ.

    >>> one = torch.tensor([[1.0, 0.0]])
    >>> delta_rule(one, one, torch.tensor([[2.0, 3.0]]), torch.tensor([[0.5]]))[0]
    tensor([[1.0000, 1.5000]])
    """
    count = key.shape[-2] // query.shape[-2]
    tokens = max(1, CHUNK // count)
    factors = tokens * count
    state, answers = start, []
    pieces = (torch.split(query, tokens, -2), *(torch.split(x, factors, -2) for x in (key, value, rate)))
    for q, k, v, beta in zip(*pieces, strict=True):
        wanted = v if state is None else v - k @ state.mT
        system = (beta * k @ k.mT).tril(-1)
        u = torch.linalg.solve_triangular(system, beta * wanted, upper=False, unitriangular=True)
        size = torch.arange(k.shape[-2], device=k.device)
        later = size > size[count - 1 :: count, None]
        answer = (q @ k.mT).masked_fill(later, 0.0) @ u
        answers.append(answer if state is None else answer + q @ state.mT)
        state = u.mT @ k if state is None else state + u.mT @ k
    assert state is not None  # there is at least one token
    return torch.cat(answers, -2), state


class DeltaRule(Mixer):
    """Heads with a matrix each, and the normalised answers to a query."""

    def __init__(self, width: int, *, heads: int, signed: bool, reflections: int) -> None:
        super().__init__()
        self.heads, self.head_width, self.reflections = heads, head_width(width, heads), reflections
        self.largest = 2.0 if signed else 1.0
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, reflections * width, bias=False)
        self.value = nn.Linear(width, reflections * width, bias=False)
        self.rate = nn.Linear(width, reflections * heads)
        self.norm = nn.RMSNorm(self.head_width, eps=1e-5)
        self.out = nn.Linear(width, width)

    def rates(self, inputs: Tensor) -> Tensor:
        """β, (…, factors × heads)."""
        found: Tensor = self.largest * self.rate(inputs).sigmoid()
        return found

    def forward(self, inputs: Tensor, start: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        query = self._by_head(self.query(inputs), self.head_width)
        key = self._by_head(self.key(inputs), self.head_width)
        value = self._by_head(self.value(inputs), self.head_width)
        rate = self._by_head(self.rates(inputs), 1)
        unit = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        answers, end = delta_rule(*unit, value, rate, start)
        return self.out(self.norm(answers).permute(2, 0, 1, 3).flatten(-2)), end

    def _by_head(self, projected: Tensor, size: int) -> Tensor:
        """(batch, heads, time × factors, size) of (time, batch, factors × heads × size)."""
        time, batch, _ = projected.shape
        parts = projected.view(time, batch, -1, self.heads, size)
        return parts.permute(1, 3, 0, 2, 4).reshape(batch, self.heads, -1, size)

    def state_size(self, length: int) -> int:
        return self.heads * self.head_width**2


def deltanet(
    *,
    vocabulary: int,
    positions: int,
    layers: int = 2,
    width: int = 64,
    heads: int = 4,
    signed: bool = False,
    reflections: int = 1,
    mlp_ratio: int = 4,
    state_passing: float = 0.0,
) -> nn.Module:
    """DeltaNet; `signed` for eigenvalues in [−1, 1], `reflections` factors per token.

    >>> made = deltanet(vocabulary=5, positions=9, width=8, heads=2, signed=True, reflections=2)
    >>> made(torch.tensor([[0, 3, 1]])).shape, made.state_size(100)
    (torch.Size([1, 3, 5]), 64)
    """
    shape = {"layers": layers, "width": width, "heads": heads, "mlp_ratio": mlp_ratio}
    check_options(**shape, reflections=reflections, state_passing=state_passing)
    check_flag("signed", signed)
    mixers = [DeltaRule(width, heads=heads, signed=signed, reflections=reflections) for _ in range(layers)]
    return Stack(mixers, vocabulary=vocabulary, width=width, mlp_ratio=mlp_ratio, state_passing=state_passing)
