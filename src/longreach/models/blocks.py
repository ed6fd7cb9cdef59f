"""What the recurrent architectures share: a residual stack of blocks, and states passed on between rows.

Inside, arrays are (time, batch, width): a recurrence reads one contiguous slice per step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from longreach.errors import Field, InputError

States: TypeAlias = list[Tensor | None]
"""One entry per part of a model that carries a state, rows first; None: zeros, or nothing is passed on."""


def check_options(*, state_passing: float = 0.0, **whole: int) -> None:
    """Refuse sizes that are not positive whole numbers, and a share outside [0, 1], in one line.

    >>> check_options(layers=2, width=0)
    Traceback (most recent call last):
    longreach.errors.InputError: width: expected a whole number of at least 1, not 0
    """
    for name, value in whole.items():
        if type(value) is not int or value < 1:
            raise InputError(f"expected a whole number of at least 1, not {value!r}", place=Field(name))
    if type(state_passing) not in (int, float) or not 0 <= state_passing <= 1:
        reason = f"expected a share from 0 to 1, not {state_passing!r}"
        raise InputError(reason, place=Field("state_passing"))


def check_flag(name: str, value: bool) -> None:
    if type(value) is not bool:
        raise InputError(f"expected true or false, not {value!r}", place=Field(name))


def head_width(width: int, heads: int) -> int:
    """The width of each head.

    >>> head_width(64, 3)
    Traceback (most recent call last):
    longreach.errors.InputError: width: 64 is not a multiple of 3 heads
    """
    if width % heads:
        raise InputError(f"{width} is not a multiple of {heads} heads", place=Field("width"))
    return width // heads


def passed_on(ends: Tensor, share: float) -> Tensor:
    """Initial states (batch, …): for that share of the rows the end of the row before, otherwise zeros.

    The rows are spread evenly. A row never gets its own end, which would tell it what is still to come.

    >>> passed_on(torch.tensor([[1.0], [2.0], [3.0], [4.0]]), 0.5).T
    tensor([[0., 1., 0., 3.]])
    """
    rows = len(ends)
    chosen = [rows > 1 and math.floor((row + 1) * share) > math.floor(row * share) for row in range(rows)]
    mask = torch.tensor(chosen, device=ends.device).view(-1, *(1 for _ in ends.shape[1:]))
    return torch.where(mask, ends.roll(1, 0), torch.zeros_like(ends))


class Reader(nn.Module):
    """A model that reads token by token and keeps a state in between.

    State passing (Buitrago Ruiz and Gu, arXiv 2507.02782), in training only: a share of the rows starts from
    the state in which another row of the batch ends, so that training sees the states of long inputs.
    """

    stackable = True
    """Whether it runs under `torch.func.vmap` over parameters."""

    def __init__(self, state_passing: float) -> None:
        super().__init__()
        self.state_passing = state_passing

    def forward(self, ids: Tensor) -> Tensor:
        """Logits (batch, time, vocabulary) of ids (batch, time)."""
        starts: States | None = None
        if self.training and self.state_passing:
            with torch.no_grad():
                _, ends = self.read(ids)
            starts = [None if end is None else passed_on(end, self.state_passing) for end in ends]
        return self.read(ids, starts)[0]

    def read(self, ids: Tensor, starts: States | None = None) -> tuple[Tensor, States]:
        """Logits and the states after the last token, from the given states or zeros."""
        raise NotImplementedError

    def state_size(self, length: int) -> int:
        """How many numbers are kept of an input of this length to read the next token."""
        raise NotImplementedError


class Mixer(nn.Module):
    """The part of a block through which tokens see earlier ones."""

    def forward(self, inputs: Tensor, start: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Outputs (time, batch, width) of inputs of that shape, and the state (batch, …) after the last."""
        raise NotImplementedError

    def state_size(self, length: int) -> int:
        raise NotImplementedError


class Block(nn.Module):
    """A mixer and an MLP, each behind a layer norm and with a residual connection."""

    def __init__(self, mixer: Mixer, width: int, mlp_ratio: int) -> None:
        super().__init__()
        self.mixer_norm, self.mixer = nn.LayerNorm(width), mixer
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp_in = nn.Linear(width, mlp_ratio * width)
        self.mlp_out = nn.Linear(mlp_ratio * width, width)

    def forward(self, y: Tensor, start: Tensor | None) -> tuple[Tensor, Tensor | None]:
        mixed, end = self.mixer(self.mixer_norm(y), start)
        y = y + mixed
        return y + self.mlp_out(F.gelu(self.mlp_in(self.mlp_norm(y)), approximate="tanh")), end


class Stack(Reader):
    """Embedding, blocks, a last layer norm and a linear map to the vocabulary."""

    def __init__(
        self, mixers: Sequence[Mixer], *, vocabulary: int, width: int, mlp_ratio: int, state_passing: float
    ) -> None:
        super().__init__(state_passing)
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(mixer, width, mlp_ratio) for mixer in mixers)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def read(self, ids: Tensor, starts: States | None = None) -> tuple[Tensor, States]:
        y, ends = self.embedding(ids.T), []
        for block, start in zip(self.blocks, starts or [None] * len(self.blocks), strict=True):
            y, end = block(y, start)
            ends.append(end)
        return self.head(self.norm(y)).transpose(0, 1), ends

    def state_size(self, length: int) -> int:
        mixers = (module for module in self.modules() if isinstance(module, Mixer))
        return sum(mixer.state_size(length) for mixer in mixers)
