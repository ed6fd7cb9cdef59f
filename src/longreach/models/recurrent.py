"""Nonlinear recurrences: LSTM, GRU and Elman's RNN, as PyTorch has them.

LSTM: Hochreiter and Schmidhuber 1997; GRU: Cho et al., arXiv 1406.1078; RNN: Elman 1990, with tanh.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from longreach.models.blocks import Reader, States, check_options


class Recurrent(Reader):
    """Embedding, recurrent layers, a linear map to the vocabulary."""

    stackable = False  # the recurrences of PyTorch do not run under `vmap`

    def __init__(
        self,
        kind: Callable[[int, int, int], nn.RNNBase],
        *,
        vocabulary: int,
        positions: int,
        layers: int = 2,
        width: int = 64,
        state_passing: float = 0.0,
    ) -> None:
        check_options(layers=layers, width=width, state_passing=state_passing)
        super().__init__(state_passing)
        self.embedding = nn.Embedding(vocabulary, width)
        self.recurrence = kind(width, width, layers)
        self.head = nn.Linear(width, vocabulary)

    def read(self, ids: Tensor, starts: States | None = None) -> tuple[Tensor, States]:
        # PyTorch keeps states as (layers, batch, width).
        given = [start.transpose(0, 1).contiguous() for start in starts or () if start is not None]
        inputs = self.embedding(ids.T)
        if isinstance(self.recurrence, nn.LSTM):
            outputs, ends = self.recurrence(inputs, (given[0], given[1]) if given else None)
        else:
            outputs, end = self.recurrence(inputs, given[0] if given else None)
            ends = (end,)
        return self.head(outputs).transpose(0, 1), [end.transpose(0, 1) for end in ends]

    def state_size(self, length: int) -> int:
        states = 2 if isinstance(self.recurrence, nn.LSTM) else 1
        return states * self.recurrence.num_layers * self.recurrence.hidden_size


def lstm(**options: Any) -> nn.Module:
    """An LSTM.

    >>> import torch
    >>> made = lstm(vocabulary=5, positions=9, width=8)
    >>> made(torch.tensor([[0, 3, 1]])).shape, made.state_size(100)
    (torch.Size([1, 3, 5]), 32)
    """
    return Recurrent(nn.LSTM, **options)


def gru(**options: Any) -> nn.Module:
    """A GRU."""
    return Recurrent(nn.GRU, **options)


def rnn(**options: Any) -> nn.Module:
    """Elman's RNN with tanh."""
    return Recurrent(nn.RNN, **options)
