"""Memory that every step uses again: fresh buffers of this size are mapped and faulted anew each time."""

from __future__ import annotations

import math

import torch
from torch import Tensor


class Workspace:
    """Buffers one after the other, all of them free again when the next step starts.

    >>> space = Workspace(torch.float32)
    >>> space.start()
    >>> space.take(2, 3).shape
    torch.Size([2, 3])
    """

    def __init__(self, dtype: torch.dtype) -> None:
        self._memory = torch.empty(0, dtype=dtype)
        self._used = self._most = 0

    def start(self) -> None:
        """Take back all buffers; what did not fit last time fits now."""
        if self._most > len(self._memory):
            self._memory = self._memory.new_empty(self._most + self._most // 4)
        self._used = 0

    def take(self, *shape: int) -> Tensor:
        """A buffer with anything in it."""
        size = math.prod(shape)
        first = self._used
        self._used += -(-size // 16) * 16  # whole cache lines
        self._most = max(self._most, self._used)
        if self._used > len(self._memory):
            return self._memory.new_empty(shape)
        strides = (shape[1] * shape[2], shape[2], 1) if len(shape) == 3 else (shape[-1], 1)[-len(shape) :]
        return self._memory.as_strided(shape, strides, first)

    def mark(self) -> int:
        """Where the next buffer will begin, for `back`."""
        return self._used

    def back(self, mark: int) -> None:
        """Take back the buffers since then."""
        self._used = mark
