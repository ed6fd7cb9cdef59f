"""From a trained decoder to an approximate limit transformer: its size, and its accuracy by length.

What a limit transformer has instead (Huang et al., arXiv 2410.02140, sections 2 and 3):

    positions    p_i                →  the mean of all p_j with j ≡ i modulo Δ
    logits       p_jᵀ KᵀQ p_i       →  the product of these means, + φ(i − j) for distances up to τ, which is
                                      what the product's mean at that distance is above the means' own
    layer norm   at each token      →  a linear map, at its average variance over data
    GELU                            →  a broken line of ReLUs

The first two make the model run at any length, and `kept` stops there; all four make a `Transformer` of
`theory.limit`, with one coordinate that is always 1 and carries the biases. If attention was trained
without the factor log |x|, logits are divided by its value at the training length, where both agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.encodings import encoding_row, is_own_encoding
from longreach.config.model import ModelConfig
from longreach.inspection.models import Subject, batch_at, nearest_length
from longreach.inspection.positions import MOST_PERIOD, PeriodicFit, diagonal_means
from longreach.inspection.trace import (
    BrokenLine,
    Changes,
    FoldedLayer,
    FoldedModel,
    Map,
    broken_gelu,
    fold,
    trace,
)
from longreach.models.decoder import encoding_module
from longreach.models.parameters import Parameters
from longreach.tasks.task import Batch, Task
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer
from longreach.theory.limit.norms import LimitRegularizer, Regularizer, limit_regularizer, regularizer

UNSUPPORTED = {
    "rope": "RoPE turns keys and queries, which is no function of positions alone",
    "alibi": "ALiBi falls with the distance for ever, which is neither local nor periodic",
    "fire": "FIRE is a function of the distance as a share of the length",
}
MOST_SHARED = 24
ENOUGH = 0.15
"""The share of the positions' variance that a period must explain."""
SURE = 4.0
"""Standard deviations by which it must explain more than a period would of noise."""
CLOSE = 0.02
"""A period that explains this much less than another one and is shorter is taken."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitSummary:
    """An approximate limit transformer, in two forms that `trace` can run."""

    config: ModelConfig
    period: int
    positions: Array
    """(period, width)"""
    phi: tuple[Array, ...]
    """By layer, (heads, distances)."""
    scales: Mapping[str, float]
    gelu: BrokenLine
    divisor: float
    """Logits are divided by this before the factor log |x|; 1 if training had that factor."""

    @property
    def local_to(self) -> int:
        """τ: the largest distance at which some φ is not 0; −1 if there is none."""
        return max((_last(values) for values in self.phi), default=-1)

    @property
    def kept(self) -> Changes:
        """Only positions are replaced; layer norms and GELU are the decoder's own."""
        return Changes(positions=_single(self.positions), phi=[_single(values) for values in self.phi])

    @property
    def strict(self) -> Changes:
        """Exactly what a limit transformer has."""
        return Changes(
            positions=_single(self.positions),
            phi=[_single(values) / self.divisor for values in self.phi],
            scales=self.scales,
            gelu=self.gelu,
        )

    def strict_model(self, parameters: Parameters) -> tuple[ModelConfig, Parameters]:
        """The model for `strict`: with the factor log |x|, and queries divided accordingly."""
        config = self.config.model_copy(update={"log_length": True})
        changed = {
            name: value / self.divisor if ".attention.query." in name else value
            for name, value in parameters.items()
        }
        return config, changed


def cannot_be_limit(config: ModelConfig) -> str | None:
    """Why a decoder has no approximate limit transformer, or None.

    >>> cannot_be_limit(ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8)) is None
    True
    """
    if config.loops != 1:
        return "its layers are applied more than once"
    if is_own_encoding(config.encoding):
        return "nothing is known of an encoding of your own"
    if encoding_module(config.encoding).changes_attention:
        return "its attention is no softmax of products and functions of positions over all tokens so far"
    return UNSUPPORTED.get(config.encoding)


def shared_period(positions: Array | None, fits: Sequence[PeriodicFit]) -> int:
    """Δ: of the vectors themselves, and of the heads that are periodic.

    >>> turns = np.tile(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), (8, 1))
    >>> shared_period(turns, []), shared_period(None, [])
    (3, 1)
    """
    found = 1 if positions is None else _period_of(positions)
    for fit in fits:
        if "periodic" in fit.shape and math.lcm(found, fit.period) <= MOST_SHARED:
            found = math.lcm(found, fit.period)
    return found


def _period_of(positions: Array) -> int:
    """The shortest period that explains nearly as much of the adjusted variance as any."""
    size = len(positions)
    spread = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False) ** 2
    total = spread.sum()
    if total <= 0:
        return 1
    dimensions = total**2 / (spread**2).sum()  # as many as vary, the participation ratio
    explained = [0.0]
    for period in range(2, min(MOST_PERIOD, size // 3) + 1):
        left = ((positions - residue_means(positions, period)[np.arange(size) % period]) ** 2).sum()
        share = 1 - left / (size - period) / (total / (size - 1))
        # The deviation of this share for noise, from the beta distribution of R² in each dimension.
        chance = math.sqrt(2 * (period - 1) / ((size - period) * (size + 1) * dimensions))
        explained.append(share if share > SURE * chance else 0.0)
    best = max(explained)
    if best < ENOUGH:
        return 1
    return 1 + next(place for place, value in enumerate(explained) if value >= best - CLOSE)


def residue_means(positions: Array, period: int) -> Array:
    """The mean of the rows of each residue class.

    >>> residue_means(np.array([[1.0], [4.0], [3.0]]), 2).tolist()
    [[2.0], [4.0]]
    """
    return np.stack([positions[residue::period].mean(axis=0) for residue in range(period)])


def summarize(
    parameters: Parameters,
    model: FoldedModel,
    products: Sequence[Sequence[Array]],
    *,
    fits: Sequence[Sequence[PeriodicFit]],
    trained_size: int,
) -> LimitSummary:
    """The approximate limit transformer; `products` and `fits` are those of each head, by layer.

    `trained_size` is the longest input of training in tokens.
    """
    config = model.config
    size = len(products[0][0])
    used = None if model.positions is None else model.positions[:size]
    period = shared_period(used, [fit for layer in fits for fit in layer])
    means = np.zeros((1, config.width)) if used is None else residue_means(used, period)
    phi = []
    for layer, (found, fitted) in enumerate(zip(products, fits, strict=True)):
        rows = [
            _relation(matrix, fit, _of_means(model, layer, head, means, size))
            for head, (matrix, fit) in enumerate(zip(found, fitted, strict=True))
        ]
        longest = max(map(len, rows))
        phi.append(np.stack([np.pad(row, (0, longest - len(row))) for row in rows]))
    return LimitSummary(
        config=config,
        period=len(means),
        positions=means,
        phi=tuple(phi),
        scales=model.scales,
        gelu=broken_gelu(),
        divisor=1.0 if config.log_length else math.log(max(trained_size, 2)),
    )


def _of_means(model: FoldedModel, layer: int, head: int, means: Array, size: int) -> Array:
    rows = means[np.arange(size) % len(means)]
    return model.layers[layer].heads[head].product(rows, rows)


def _relation(matrix: Array, fit: PeriodicFit, of_means: Array) -> Array:
    """φ at the distances 0 … τ: the residual of the means there, minus their residual beyond."""
    local_to = -1 if fit.shape == "constant" else fit.local_to
    left = diagonal_means(matrix) - diagonal_means(of_means)
    counts = np.arange(len(left), 0, -1)
    beyond = np.average(left[local_to + 1 :], weights=counts[local_to + 1 :])
    return np.asarray(left[: local_to + 1] - beyond)


def to_transformer(summary: LimitSummary, parameters: Parameters) -> Transformer:
    """The limit transformer as data, with width + 1 coordinates; the last is always 1."""
    model = fold(parameters, summary.config, summary.scales)
    names = (START, *(f"token {place}" for place in range(1, len(model.embedding))))
    return Transformer(
        "limit",
        names,
        np.hstack([model.embedding, np.ones((len(model.embedding), 1))]),
        np.hstack([summary.positions, np.zeros((len(summary.positions), 1))]),
        tuple(_layer(summary, number, each) for number, each in enumerate(model.layers)),
        _joined(model.read),
        read_out=tuple(f"token {place}" for place in range(len(model.read.constant))),
        coordinates={"always 1": summary.config.width},
    )


def _joined(found: Map) -> Array:
    return np.hstack([found.matrix, found.constant[:, None]])


def _layer(summary: LimitSummary, number: int, layer: FoldedLayer) -> Layer:
    width = summary.config.width
    heads = []
    for place, head in enumerate(layer.heads):
        value = np.zeros((width + 1, width + 1))
        value[:width] = head.out @ _joined(head.value)
        if place == 0:  # weights add up to 1, so that one head can write what all write together
            value[:width, width] += layer.out_constant
        kq = _joined(head.key).T @ _joined(head.query) / summary.divisor
        phi = summary.phi[number][place] / summary.divisor
        heads.append(Head(kq, value, phi if phi.any() else None))
    knots, steps = np.array(summary.gelu.knots), np.array(summary.gelu.steps)
    inner = np.repeat(np.hstack([layer.inner.matrix, np.zeros((len(layer.inner.matrix), 1))]), len(knots), 0)
    bias = (layer.inner.constant[:, None] - knots[None]).ravel()
    outer = (layer.outer.matrix[:, :, None] * steps).reshape(width, -1)
    # One more unit, ReLU(1), writes the constant of the MLP.
    one = np.zeros((1, width + 1))
    one[0, width] = 1.0
    out = np.vstack([np.hstack([outer, layer.outer.constant[:, None]]), np.zeros((1, outer.shape[1] + 1))])
    a, b = np.vstack([inner, one]), np.append(bias, 0.0)
    return Layer(tuple(heads), a, b, out, np.zeros(len(b), dtype=bool))


def _last(values: Array) -> int:
    places = np.flatnonzero(values.any(axis=0)) if values.size else np.zeros(0, dtype=int)
    return int(places[-1]) if len(places) else -1


def _single(values: Array) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()


WIDEST = 256
"""Matrices of a wider model are not made whole."""
BITS = 24
"""Of float32 numbers: parameters are rounded to so many fractional bits before bits are counted."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitSize:
    """The approximate limit transformer in numbers."""

    period: int
    local_to: int
    width: int
    units: int
    finite: Regularizer | None
    """R of the model with linear layer norms; None if the model is too wide."""
    limit: LimitRegularizer | None

    def document(self) -> dict[str, Any]:
        return {
            "period": self.period,
            "local_to": self.local_to,
            "width": self.width,
            "units": self.units,
            "R": None
            if self.finite is None
            else {"total": self.finite.total, "parts": {k: float(v) for k, v in self.finite.groups.items()}},
            "R_inf": None if self.limit is None else {"total": self.limit.total, "parts": asdict(self.limit)},
        }


def size_of(summary: LimitSummary, found: Subject, model: FoldedModel) -> LimitSize:
    """R and R_∞, with parameters at float32 precision."""
    units = len(summary.gelu.knots) * summary.config.mlp_ratio * summary.config.width + 1
    finite = limit = None
    if summary.config.width <= WIDEST:
        made = _rounded(to_transformer(summary, found.parameters))
        limit = limit_regularizer(made)
        finite = regularizer(_finite(made, model))
    return LimitSize(
        period=summary.period,
        local_to=summary.local_to,
        width=summary.config.width + 1,
        units=units,
        finite=finite,
        limit=limit,
    )


def _finite(limit: Transformer, model: FoldedModel) -> Transformer:
    """The model itself with linear layer norms: its own positions, and no φ."""
    positions = np.zeros((model.config.positions, limit.width))
    if model.positions is not None:
        positions[:, :-1] = _fixed(model.positions)
    layers = tuple(
        replace(layer, heads=tuple(replace(head, phi=None) for head in layer.heads)) for layer in limit.layers
    )
    return replace(limit, kind="finite", positions=positions, layers=layers)


def _fixed(values: np.ndarray) -> np.ndarray:
    return np.round(values * 2.0**BITS) / 2.0**BITS


def _rounded(model: Transformer) -> Transformer:
    layers = tuple(
        replace(
            layer,
            a=_fixed(layer.a), b=_fixed(layer.b), out=_fixed(layer.out),
            heads=tuple(
                replace(
                    head, kq=_fixed(head.kq), v=_fixed(head.v),
                    phi=_fixed(head.phi) if isinstance(head.phi, np.ndarray) else None,
                )
                for head in layer.heads
            ),
        )
        for layer in model.layers
    )  # fmt: skip
    return replace(
        model,
        embedding=_fixed(model.embedding),
        positions=_fixed(model.positions),
        unembedding=_fixed(model.unembedding),
        layers=layers,
    )


Answering: TypeAlias = Callable[[Tensor, Tensor], Tensor]
"""From tokens and position ids (rows, time) to outputs (rows, time, outputs)."""
MULTIPLES = (1, 2, 3, 5, 8)
"""Of the training length, at which lengths are tried."""
ENTRIES_AT_ONCE = 1 << 22
"""Attention weights of one head that are computed together."""


@dataclass(frozen=True, kw_only=True)
class LengthRow:
    """Accuracy at one length."""

    length: int
    model: float | None
    """None if the model has too few positions."""
    kept: float | None = None
    """With periodic positions and local φ, but its own layer norms and GELU."""
    strict: float | None = None
    """As a limit transformer."""


def answers_of(found: Subject, changes: Changes | None = None) -> Answering:
    """The model itself, or with some of its parts replaced."""
    return lambda tokens, ids: (
        trace(found.parameters, found.config, tokens, ids, changes=changes, keep=False).outputs
    )


def strict_answers(found: Subject, summary: LimitSummary) -> Answering:
    """As a limit transformer."""
    config, parameters = summary.strict_model(found.parameters)
    return answers_of(replace(found, config=config, parameters=parameters), summary.strict)


def correct(batch: Batch, answer: Answering) -> tuple[Tensor, Tensor]:
    """Which places are right (unsupervised ones count as right) and what is predicted, both (rows, time)."""
    tokens, ids = torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
    targets, mask = torch.from_numpy(batch.targets), torch.from_numpy(batch.mask)
    step = max(1, ENTRIES_AT_ONCE // tokens.shape[1] ** 2)
    parts = []
    with torch.inference_mode():
        for start in range(0, len(tokens), step):
            part = slice(start, start + step)
            parts.append(answer(tokens[part], ids[part]).argmax(dim=-1))
    said = torch.cat(parts)
    return (said == targets) | ~mask, said


def accuracy_of(batch: Batch, answer: Answering) -> float:
    """The share of rows whose supervised places are all right."""
    right, _ = correct(batch, answer)
    return float(right.all(dim=1).double().mean())


def longest_size(found: Subject) -> int | None:
    """The maximum input size in tokens; None if there is none."""
    encoding = found.config.encoding
    return found.config.positions if encoding_row(encoding).learned_positions else None


def tried_lengths(task: Task, trained_to: int) -> list[int]:
    """The task's lengths nearest to multiples of the training length."""
    return sorted({nearest_length(task, times * trained_to) for times in MULTIPLES})


def accuracy_by_length(
    found: Subject,
    lengths: Iterable[int],
    *,
    summary: LimitSummary | None = None,
    rows: int = 40,
    seed: int = 0,
) -> tuple[LengthRow, ...]:
    """One row per length; the model and its limit transformer get the same inputs."""
    assert found.task is not None
    made, most = [], longest_size(found)
    for length in lengths:
        batch = batch_at(found, length, rows, np.random.default_rng([seed, length]))
        fits = most is None or batch.tokens.shape[1] <= most
        made.append(
            LengthRow(
                length=length,
                model=accuracy_of(batch, answers_of(found)) if fits else None,
                kept=None if summary is None else accuracy_of(batch, answers_of(found, summary.kept)),
                strict=None if summary is None else accuracy_of(batch, strict_answers(found, summary)),
            )
        )
    return tuple(made)
