"""Diagonal linear recurrences with gates that depend on the input: `ssm`, `ssm-signed`, `ssm-complex`.

h_t = a_t ⊙ h_{t−1} + b_t, where a_t and b_t depend on the current token's vector alone. The range of a_t
decides what the recurrence can track (Sarrof, Veitsman and Hahn, arXiv 2405.17394; Grazzi et al., arXiv
2411.12537): [0, 1] as in Mamba (Gu and Dao, arXiv 2312.00752), [−1, 1], or complex of modulus at most 1 as
in Mamba-3 (arXiv 2603.15569). These are the recurrences alone, without convolutions and state expansion.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from longreach.errors import Field, InputError
from longreach.models.blocks import Mixer, Stack, check_options


def scan(a: Tensor, b: Tensor, start: Tensor | None = None) -> Tensor:
    """h_t = a_t ⊙ h_{t−1} + b_t along the first axis, real or complex, from `start` or zeros.

    >>> scan(torch.tensor([0.5, 0.5, -1.0]), torch.tensor([1.0, 0.0, 2.0]))
    tensor([1.0000, 0.5000, 1.5000])
    """
    if start is not None:
        b = torch.cat([torch.addcmul(b[:1], a[:1], start[None]), b[1:]])
    found: Tensor = _Scan.apply(a, b, False)  # type: ignore[no-untyped-call]
    return found


class _Scan(torch.autograd.Function):
    """One fused step per token: on a CPU faster than scans of logarithmic depth at every length.

    The gradient is the same recurrence from the end. With `reverse`, h_t = a_{t+1} ⊙ h_{t+1} + b_t.
    """

    @staticmethod
    def forward(a: Tensor, b: Tensor, reverse: bool) -> Tensor:
        h = torch.empty_like(b, memory_format=torch.contiguous_format)
        factors, terms, states = a.unbind(), b.unbind(), h.unbind()
        order = range(len(terms) - 1, -1, -1) if reverse else range(len(terms))
        states[order[0]].copy_(terms[order[0]])
        for before, now in pairwise(order):
            factor = factors[before if reverse else now]
            torch.addcmul(terms[now], factor, states[before], out=states[now])
        return h

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, bool], output: Tensor) -> None:
        a, _, ctx.reverse = inputs
        ctx.save_for_backward(a, output)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        a, h = ctx.saved_tensors
        of_b = _Scan.apply(_conjugate(a), gradient, not ctx.reverse)  # type: ignore[no-untyped-call]
        # The first factor meets no state, in either direction.
        of_a = of_b[:-1] * _conjugate(h[1:]) if ctx.reverse else of_b[1:] * _conjugate(h[:-1])
        return torch.cat([torch.zeros_like(a[:1]), of_a]), of_b, None

    @staticmethod
    def vmap(info: Any, axes: tuple[int | None, ...], a: Tensor, b: Tensor, reverse: bool) -> Any:
        """All is by element, so that runs side by side are one more axis behind time."""
        a, b = (
            each.unsqueeze(1) if axis is None else each.movedim(axis, 1)
            for each, axis in zip((a, b), axes[:2], strict=True)
        )
        shape = (len(a), info.batch_size, *a.shape[2:])
        return _Scan.apply(a.expand(shape), b.expand(shape), reverse), 1  # type: ignore[no-untyped-call]


def _conjugate(values: Tensor) -> Tensor:
    return values.conj().resolve_conj() if values.is_complex() else values


class DiagonalRecurrence(Mixer):
    """Gates a_t in [0, 1], and the gated output; subclasses have other gates.

    A gate that saturates is exactly 0 or 1, so that a memory may keep its content for ever.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width
        self.inputs = nn.Linear(width, 4 * width)
        self.out = nn.Linear(width, width)
        with torch.no_grad():
            self.inputs.bias[:width] = self.first_biases()

    def first_biases(self) -> Tensor:
        """Of the gates: memories from short to long."""
        return torch.linspace(0.0, 5.0, self.width)

    def gates(self, raw: Tensor) -> Tensor:
        """The factors a_t, from (…, width) numbers of any size."""
        return raw.sigmoid()

    def forward(self, inputs: Tensor, start: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        gates, write, values, read = self.inputs(inputs).chunk(4, dim=-1)
        states = self.states(self.gates(gates), write.sigmoid() * values, start)
        return self.out(self.real(states) * F.silu(read)), states[-1]

    def states(self, a: Tensor, b: Tensor, start: Tensor | None) -> Tensor:
        return scan(a, b, start)

    def real(self, states: Tensor) -> Tensor:
        """The states as (…, width) real numbers."""
        return states

    def state_size(self, length: int) -> int:
        return self.width


class SignedRecurrence(DiagonalRecurrence):
    """Gates a_t in [−1, 1]; steep ones, as a state that turns its sign must not shrink."""

    def first_biases(self) -> Tensor:
        return torch.linspace(-0.8, 0.8, self.width)

    def gates(self, raw: Tensor) -> Tensor:
        return (3.0 * raw).tanh()


class ComplexRecurrence(DiagonalRecurrence):
    """Gates of modulus at most 1 and any angle; a state of `width` numbers is half as many complex ones."""

    def __init__(self, width: int) -> None:
        if width % 2:
            raise InputError(f"complex states need an even width, not {width}", place=Field("width"))
        super().__init__(width)

    def first_biases(self) -> Tensor:
        half = self.width // 2
        return torch.cat([torch.linspace(0.0, 5.0, half), torch.zeros(half)])

    def gates(self, raw: Tensor) -> Tensor:
        modulus, turn = raw.chunk(2, dim=-1)
        modulus, angle = modulus.sigmoid(), math.pi * turn
        return torch.complex(modulus * angle.cos(), modulus * angle.sin())

    def states(self, a: Tensor, b: Tensor, start: Tensor | None) -> Tensor:
        return scan(a, torch.complex(*b.chunk(2, dim=-1)), start)

    def real(self, states: Tensor) -> Tensor:
        return torch.cat([states.real, states.imag], dim=-1)


RECURRENCES: dict[str, type[DiagonalRecurrence]] = {
    "ssm": DiagonalRecurrence,
    "ssm-signed": SignedRecurrence,
    "ssm-complex": ComplexRecurrence,
}


def ssm(
    *,
    vocabulary: int,
    positions: int,
    layers: int = 2,
    width: int = 64,
    mlp_ratio: int = 4,
    state_passing: float = 0.0,
    kind: str = "ssm",
) -> nn.Module:
    """Diagonal recurrences of a kind, by default with gates in [0, 1].

    >>> made = ssm(vocabulary=5, positions=9, width=8)
    >>> made(torch.tensor([[0, 3, 1]])).shape, made.state_size(100)
    (torch.Size([1, 3, 5]), 16)
    """
    check_options(layers=layers, width=width, mlp_ratio=mlp_ratio, state_passing=state_passing)
    mixers = [RECURRENCES[kind](width) for _ in range(layers)]
    return Stack(mixers, vocabulary=vocabulary, width=width, mlp_ratio=mlp_ratio, state_passing=state_passing)


def ssm_signed(**options: Any) -> nn.Module:
    """Diagonal recurrences with gates in [−1, 1]; options are those of `ssm`."""
    return ssm(**options, kind="ssm-signed")


def ssm_complex(**options: Any) -> nn.Module:
    """Diagonal recurrences with complex gates of modulus at most 1; options are those of `ssm`."""
    return ssm(**options, kind="ssm-complex")
