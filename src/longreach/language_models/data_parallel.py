"""What the processes of one training share, when `torchrun` starts several: gradients, and who may write."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, distributed


@dataclass(frozen=True)
class Workers:
    """How many processes train one model, and which of them this is."""

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        """The one that writes and speaks."""
        return self.rank == 0

    def share(self, rows: int) -> slice:
        """The rows of a batch that are this process's."""
        return slice(self.rank, rows, self.count)

    def average(self, tensors: Iterable[Tensor | None], weight: float) -> None:
        """Replaces gradients by their mean over the processes, weighted by the rows that each has seen."""
        if self.count == 1:
            return
        present = [tensor for tensor in tensors if tensor is not None]
        flat = torch.cat([tensor.reshape(-1) * weight for tensor in present])
        distributed.all_reduce(flat)
        start = 0
        for tensor in present:
            tensor.copy_(flat[start : start + tensor.numel()].view_as(tensor))
            start += tensor.numel()

    def wait(self) -> None:
        """Until all are here."""
        if self.count > 1:
            distributed.barrier()


def join_workers(device: torch.device) -> Workers:
    """This process among those that `torchrun` has started; alone if it has not."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Workers()
    if not distributed.is_initialized():
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Workers(distributed.get_rank(), count)


def leave_workers() -> None:
    """At the end of the process."""
    if distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()
