"""The numbers of one head, and of one product function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.inspection.attention_hardness import Softness
from longreach.inspection.offset_variance import (
    WindowShift,
    diagonal_means,
    offset_variance,
    total_variance,
    window_shift,
)
from longreach.inspection.periodic_fit import PeriodicFit, fit_positions
from longreach.inspection.position_products import PositionProduct
from longreach.limit.model import Array

MOST_PROFILE = 512
"""Distances of which a document has the means."""
MOST_DRAWN = 4
"""Heads that are drawn as heat maps."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ProductReport:
    """One product function."""

    name: str
    offset_variance: float
    total_variance: float
    fit: PeriodicFit

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "name": self.name,
            "offset_variance": self.offset_variance,
            "total_variance": self.total_variance,
            "shape": self.fit.shape,
            "tau": self.fit.local_to,
            "delta": self.fit.period,
            "unexplained": self.fit.unexplained,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadReport:
    """One head: the function of positions in its logits, and its weights on data."""

    layer: int
    head: int
    matrix: Array | None
    """Rows are queries; None for most heads of a large model."""
    offset_variance: float
    total_variance: float
    fit: PeriodicFit
    means: Array
    """By distance (Equation 80)."""
    shift: WindowShift
    softness: Softness

    @property
    def name(self) -> str:
        """As people read it."""
        return f"{self.layer}.{self.head}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "layer": self.layer,
            "head": self.head,
            "offset_variance": self.offset_variance,
            "total_variance": self.total_variance,
            "fit": self.fit.document(),
            "mean_by_distance": [round(float(value), 6) for value in self.means[:MOST_PROFILE]],
            "windows": asdict(self.shift),
            "attention": asdict(self.softness),
        }


def report_head(
    product: PositionProduct, *, window: int, softness: Softness, trained: int | None
) -> HeadReport:
    """The numbers of a head; windows are as long as an input of training."""
    size = len(product.matrix)
    return HeadReport(
        layer=product.layer,
        head=product.head,
        matrix=product.matrix,
        offset_variance=offset_variance(product.matrix),
        total_variance=total_variance(product.matrix),
        fit=fit_positions(product.matrix),
        means=diagonal_means(product.matrix),
        shift=window_shift(product.matrix, min(trained or window, size)),
        softness=softness,
    )


def report_product(product: PositionProduct) -> ProductReport:
    """The numbers of a product through value matrices."""
    return ProductReport(
        name=product.name,
        offset_variance=offset_variance(product.matrix),
        total_variance=total_variance(product.matrix),
        fit=fit_positions(product.matrix),
    )


def chosen_heads(heads: Sequence[HeadReport], number: int | None = None) -> tuple[HeadReport, ...]:
    """Some heads from the largest offset variance to the least, both ends among them."""
    ranked = sorted(heads, key=lambda each: (-each.offset_variance, each.layer, each.head))
    places = np.unique(
        np.linspace(0, len(ranked) - 1, min(number or MOST_DRAWN, len(ranked))).round().astype(int)
    )
    return tuple(ranked[place] for place in places)
