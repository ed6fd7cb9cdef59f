"""Two lemmas on norms, measured: a bound on spectral norms, and the terms of models as initialized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.theory.limit.model import Array
from longreach.theory.limit.norms import spectral_norm


@dataclass(frozen=True)
class SpectralBound:
    """Lemma 56: `spectral` ≥ `nuclear`."""

    spectral: float
    """‖A‖"""
    nuclear: float
    """‖XᵀAX‖_* / ‖X‖_F², which for n unit vectors is ‖G‖_* / n"""

    @property
    def holds(self) -> bool:
        # Singular values are exact to a few units in the last place.
        return self.nuclear <= self.spectral * (1 + 1e-9)


@dataclass(frozen=True)
class InitialTerm:
    """Proposition 54: the variant (67) of term (8) at random initialization, averaged over samples."""

    length: int
    width: int
    mean: float
    deviation: float
    """The standard deviation of the mean."""
    expected: float
    """The expectation: L · H · ((N + 1) / 2d + 2 / d²)."""


def spectral_bound(vectors: Array, matrix: Array) -> SpectralBound:
    """Lemma 56 for vectors x_1, …, x_n (rows) and a matrix A: ‖A‖ ≥ ‖G‖_* / n with G_ij = x_iᵀ A x_j.

    For vectors that are not unit vectors, n is replaced by the sum of their squared norms, as in the proof.

    >>> spectral_bound(np.eye(3), 2 * np.eye(3))
    SpectralBound(spectral=2.0, nuclear=2.0)
    """
    gram = vectors @ matrix @ vectors.T
    size = float(np.sum(vectors**2)) or 1.0
    return SpectralBound(spectral_norm(matrix), float(np.linalg.svd(gram, compute_uv=False).sum()) / size)


def initial_terms(
    lengths: Sequence[int],
    widths: Sequence[int],
    *,
    layers: int = 1,
    heads: int = 1,
    samples: int = 20,
    seed: int = 0,
) -> list[InitialTerm]:
    """Proposition 54 measured: one row per length N and width d.

    Entries of the encodings and of KᵀQ are independent normal with variance 1/d. The expectation is bounded
    where d grows with N, and grows with N at a fixed d.

    >>> [row.expected for row in initial_terms([8, 16], [8, 16], samples=1)]
    [0.59375, 0.2890625, 1.09375, 0.5390625]
    """
    rng = np.random.default_rng(seed)
    rows = []
    for length in lengths:
        for width in widths:
            values = []
            for _ in range(samples):
                encodings = rng.normal(0, width**-0.5, (length, width))
                logits = [
                    encodings @ rng.normal(0, width**-0.5, (width, width)) @ encodings.T
                    for _ in range(layers * heads)
                ]
                values.append(sum(float(np.sum(np.triu(each) ** 2)) for each in logits) / length)
            expected = layers * heads * ((length + 1) / (2 * width) + 2 / width**2)
            spread = float(np.std(values)) / samples**0.5
            rows.append(InitialTerm(length, width, float(np.mean(values)), spread, expected))
    return rows
