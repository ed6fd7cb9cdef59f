"""Parameters as dictionaries from dotted names to tensors: initial values, members side by side, checks.

A model is a function of such a dictionary. An ensemble is the same dictionary with a leading member axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from longreach.errors import InputError, near_names

Parameters: TypeAlias = dict[str, Tensor]


@dataclass(frozen=True)
class Initial:
    """The shape of a parameter and what it starts from."""

    shape: tuple[int, ...]
    distribution: Literal["normal", "uniform", "constant"]
    scale: float
    """The standard deviation, the bound ±scale, or the value."""


def draw(
    table: Mapping[str, Initial],
    seed: int,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Parameters:
    """The initial parameters of one member; the same seed gives the same numbers on every device.

    >>> table = {"weight": Initial((2, 2), "normal", 0.02), "bias": Initial((2,), "constant", 0.0)}
    >>> first, again, other = draw(table, 7), draw(table, 7), draw(table, 8)
    >>> torch.equal(first["weight"], again["weight"]), torch.equal(first["weight"], other["weight"])
    (True, False)
    """
    generator = torch.Generator().manual_seed(seed)
    made: Parameters = {}
    for name, initial in table.items():
        value = torch.empty(initial.shape)
        if initial.distribution == "normal":
            value.normal_(0.0, initial.scale, generator=generator)
        elif initial.distribution == "uniform":
            value.uniform_(-initial.scale, initial.scale, generator=generator)
        else:
            value.fill_(initial.scale)
        made[name] = value.to(device=device, dtype=dtype)
    return made


def check(table: Mapping[str, Initial], parameters: Mapping[str, Tensor]) -> None:
    """Refuse parameters that are not those of the table, in one line.

    >>> check({"bias": Initial((2,), "constant", 0.0)}, {"bias": torch.zeros(3)})
    Traceback (most recent call last):
    longreach.errors.InputError: parameter 'bias': shape (3,), expected (2,)
    """
    for name in parameters:
        if name not in table:
            raise InputError(f"parameter {name!r}: not of this model{near_names(name, table)}")
    for name, initial in table.items():
        if name not in parameters:
            raise InputError(f"parameter {name!r}: missing")
        if (shape := tuple(parameters[name].shape)) != initial.shape:
            raise InputError(f"parameter {name!r}: shape {shape}, expected {initial.shape}")


def register(module: nn.Module, parameters: Mapping[str, Tensor]) -> None:
    """Hold the parameters in `module`, so that its state dictionary has the same dotted names."""
    for name, value in parameters.items():
        *path, last = name.split(".")
        holder = module
        for part in path:
            if part not in holder._modules:
                holder.add_module(part, nn.Module())
            holder = holder.get_submodule(part)
        holder.register_parameter(last, nn.Parameter(value.detach().clone()))
