"""Where a run trains: the processor, a CUDA device or Apple's MPS. Random numbers are drawn on the CPU.

A device is no part of a configuration: it changes how fast numbers come, and their rounding.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

import torch
from torch import Tensor

from longreach.errors import Field, InputError
from longreach.training.batches import Chunk

CPU = torch.device("cpu")
_PLACE = Field("device")
NAMES = re.compile(r"auto|cpu|mps|cuda(:[0-9]+)?")
STEPS_BETWEEN_READS = 50
"""Reading a number waits until the device is done with all before it."""


def check_name(name: str) -> None:
    """Refuse what is no name of a device, here or elsewhere."""
    if not NAMES.fullmatch(name):
        raise InputError(f"{name!r} is not one of auto, cpu, cuda, cuda:N, mps", place=_PLACE)


def find_device(name: str = "auto") -> torch.device:
    """The device with this name; `auto` is a CUDA device if there is one, else the processor.

    >>> find_device("cpu")
    device(type='cpu')
    >>> find_device("gpu")
    Traceback (most recent call last):
    longreach.errors.InputError: device: 'gpu' is not one of auto, cpu, cuda, cuda:N, mps
    """
    check_name(name)
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "mps" and not torch.backends.mps.is_available():
        raise InputError("mps is not available here", place=_PLACE)
    if not name.startswith("cuda"):
        return torch.device(name)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    number = int(name.partition(":")[2] or 0)
    if number >= count:
        there = f"there are cuda:0 to cuda:{count - 1}" if count > 1 else "there is cuda:0 only"
        raise InputError(f"{name} is not available here" + (f", {there}" if count else ""), place=_PLACE)
    return torch.device("cuda", number)


def check_dtype(dtype: str, device: torch.device) -> None:
    if dtype == "bfloat16" and device.type == "mps" and not torch.backends.mps.is_macos_or_newer(14, 0):
        reason = "bfloat16 needs macOS 14 on mps; use float32 or another --device"
        raise InputError(reason, place=Field("dtype"))


def describe(device: torch.device) -> str:
    """The device as results name it.

    >>> describe(CPU)
    'cpu'
    """
    return f"{device} ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device)


def prepare(device: torch.device) -> None:
    """Before training in this process: one thread per process, where the processor does the work."""
    if device.type == "cpu":
        torch.set_num_threads(1)


def precision(dtype: str, device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Matrix products in this precision; parameters and their updates stay float32."""
    if dtype == "float32":
        return contextlib.nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def steps_between_reads(device: torch.device) -> int:
    """How many steps may run before their losses are read."""
    return 1 if device.type == "cpu" else STEPS_BETWEEN_READS


def send(value: Tensor, device: torch.device) -> Tensor:
    """A tensor of the CPU on the device, without waiting for it."""
    if device.type == "cpu":
        return value
    if device.type == "cuda":
        value = value.pin_memory()
    return value.to(device, non_blocking=device.type == "cuda")


def send_chunk(chunk: Chunk, device: torch.device) -> Chunk:
    if device.type == "cpu":
        return chunk
    return Chunk._make(None if value is None else send(value, device) for value in chunk)
