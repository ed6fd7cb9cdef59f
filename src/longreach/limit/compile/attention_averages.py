"""One-layer limit transformers that average over attended tokens: SimpleTask and ModPTask.

The constructions of Izzo, Nichani and Lee (arXiv 2510.27015), A.2 of the workshop version, with a finite
logit where it has ∞: with the paper's model of precision attention is hard from |x| = 2^(p / GAP) on, and
then the attended averages are exact.
"""

from __future__ import annotations

from math import ceil, sin, sqrt

import numpy as np

from longreach.errors import InputError
from longreach.limit.model import START, Array, Head, Layer, Transformer

GAP = 4.0
"""Logit of attended keys; others have 0 or less."""
MAX_FREQUENCY = 1000.0
MAX_PERIOD = 256


def simple_task_model(omega: float = 1.0, tolerance: float = 1e-3) -> Transformer:
    """y = sin(ω (c₀ − c₁)/(c₀ + c₁)) over the tokens 0, 1, 2; 0 where there is neither 0 nor 1.

    Attention is uniform over 0 and 1. The MLP interpolates the sine on a grid, with an error of at most
    `tolerance`; it is odd, as the sine is. For it ‖A‖_F ‖B‖_F is the variation of the slope, which grows like
    ω² (the Lipschitz constant is ω).

    >>> from longreach.limit.run.float_evaluator import run
    >>> from longreach.limit.run.softmax_weights import RelativePrecision
    >>> run(simple_task_model(), ["0001222222222"], precision=RelativePrecision(8))[0][-1].round(3).tolist()
    [0.479]
    """
    if not 0 < omega <= MAX_FREQUENCY:
        raise InputError(f"omega {omega:g}: a frequency between 0 and {MAX_FREQUENCY:g} is needed")
    if not 1e-6 <= tolerance < 1:
        raise InputError(f"tolerance {tolerance:g}: a number from 1e-06 to 1 is needed")
    names = (START, "token 0", "token 1", "token 2", "difference", "y")
    place = {name: index for index, name in enumerate(names)}
    d = len(names)
    kq, v = np.zeros((d, d)), np.zeros((d, d))
    kq[[place["token 0"], place["token 1"]], :4] = GAP
    v[place["difference"], place["token 0"]] = 1.0
    v[place["difference"], place["token 1"]] = -1.0
    a, b, out = _odd_interpolation(omega, ceil(omega / sqrt(8 * tolerance)))
    layer = Layer(
        (Head(kq, v),),
        _columns(a, d, place["difference"]),
        b,
        _columns(out, d, place["y"]).T,
        np.zeros(len(b), dtype=np.bool_),
    )
    return Transformer(
        kind="limit",
        vocabulary=(START, "0", "1", "2"),
        embedding=np.eye(4, d),
        positions=np.zeros((1, d)),
        layers=(layer,),
        unembedding=np.eye(d)[[place["y"]]],
        read_out=("y",),
        coordinates=place,
    )


def _odd_interpolation(omega: float, pieces: int) -> tuple[Array, Array, Array]:
    """Units (a, b, out) of z ↦ Σ out ReLU(a z + b), which is sin(ωz) at the multiples of 1/pieces."""
    grid = np.arange(pieces + 1) / pieces
    slopes = np.diff([sin(omega * z) for z in grid]) * pieces
    changes = np.diff(slopes, prepend=0.0)
    size = np.sqrt(np.abs(changes))  # the same norm inside and outside
    a = np.concatenate([size, -size])
    b = np.concatenate([-size * grid[:-1], -size * grid[:-1]])
    out = np.concatenate([np.sign(changes) * size, -np.sign(changes) * size])
    return a, b, out


def _columns(values: Array, width: int, column: int) -> Array:
    """A matrix with these values in one column."""
    result = np.zeros((len(values), width))
    result[:, column] = values
    return result


def modp_task_model(period: int = 5, residue: int = 0) -> Transformer:
    """y = mean of the bits at positions ≡ residue (mod period), from 1 on; for words of `period` or more.

    Attention is uniform over those positions. The mean passes one ReLU, which changes nothing, so that
    L = ‖A‖_F ‖B‖_F ‖V E_s‖ is 1.

    >>> from longreach.limit.run.float_evaluator import run
    >>> from longreach.limit.run.softmax_weights import RelativePrecision
    >>> model = modp_task_model(3, residue=1)
    >>> run(model, ["011111100"], precision=RelativePrecision(4))[0][-1].round(3).tolist()
    [0.667]
    """
    if not 1 <= period <= MAX_PERIOD:
        raise InputError(f"period {period}: a number from 1 to {MAX_PERIOD} is needed")
    if not 0 <= residue < period:
        raise InputError(f"residue {residue}: a number from 0 to {period - 1} is needed")
    names = [START, "token 0", "token 1", "mean", "y", *(f"residue {r}" for r in range(period))]
    place = {name: index for index, name in enumerate(names)}
    d = len(names)
    kq, v = np.zeros((d, d)), np.zeros((d, d))
    kq[place[f"residue {residue}"], :3] = GAP
    kq[place[START], :3] = -GAP  # $ stands at position 0, and is none of the word's
    v[place["mean"], place["token 1"]] = 1.0
    positions = np.zeros((period, d))
    positions[:, place["residue 0"] :] = np.eye(period)
    layer = Layer(
        (Head(kq, v),),
        np.eye(d)[[place["mean"]]],
        np.zeros(1),
        np.eye(d)[:, [place["y"]]],
        np.zeros(1, dtype=np.bool_),
    )
    return Transformer(
        kind="limit",
        vocabulary=(START, "0", "1"),
        embedding=np.eye(3, d),
        positions=positions,
        layers=(layer,),
        unembedding=np.eye(d)[[place["y"]]],
        read_out=("y",),
        coordinates=place,
    )
