"""How large a trained model is by the measures of the theory: R of it, R_∞ of its limit transformer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from longreach.inspection.folded_norms import FoldedModel
from longreach.inspection.inspected_model import Subject
from longreach.inspection.trained_to_limit import LimitSummary, to_transformer
from longreach.limit.measure.norms import LimitRegularizer, Regularizer, limit_regularizer, regularizer
from longreach.limit.model import Transformer

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
    """R of the model with linear layer norms; None where it is too wide."""
    limit: LimitRegularizer | None
    summary: LimitSummary

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
    """R and R_∞; parameters count with the precision that float32 has."""
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
        summary=summary,
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
