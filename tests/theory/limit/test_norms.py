"""R, R_∞, membership in Θ_n, and the statements about them that can be measured."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from longreach.studies.limit_theory.finite_to_limit import to_limit
from longreach.studies.limit_theory.measured import initial_terms
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.norms import (
    bits,
    growth,
    limit_regularizer,
    membership,
    regularizer,
    spectral_norm,
)
from longreach.theory.limit.products import term_8
from tests.helpers.limit_members import random_member
from tests.helpers.limit_reference import random_limit


def test_groups_follow_the_definition() -> None:
    model = random_member(np.random.default_rng(0), precision=4)
    found = regularizer(model)
    heads = [head for layer in model.layers for head in layer.heads]
    assert found.size == {"layers": 2, "heads": 2}
    assert found.precision == {"parameters": bits(model), "rounding": 4}
    assert found.rank["V"] == max(np.linalg.matrix_rank(head.v) for head in heads)
    assert found.matrices["KQ"] == pytest.approx(max(np.linalg.norm(head.kq, 2) for head in heads))
    assert found.matrices["A"] == pytest.approx(max(np.sqrt((layer.a**2).sum()) for layer in model.layers))
    assert found.vectors["p"] == pytest.approx(max(np.sqrt((p**2).sum()) for p in model.positions))
    assert found.positions == {"first key (8)": term_8(model)}
    assert found.total == pytest.approx(sum(found.groups.values()))


def test_bits_are_fractional_bits() -> None:
    model = random_member(np.random.default_rng(1))
    for value in [1.0, -3.0, 0.5, 0.75, 2**-10, 1024.0, 0.1, 5 + 2**-20, 1e-300]:
        embedding = np.zeros_like(model.embedding)
        embedding[0, 0] = value
        plain = dataclasses.replace(model, embedding=embedding, layers=(), positions=0 * model.positions)
        plain = dataclasses.replace(plain, unembedding=0 * model.unembedding)
        assert 2 ** bits(plain) == Fraction(value).denominator


@pytest.mark.parametrize("period", [1, 2, 4])
def test_translated_models_are_members_and_their_regularizer_is_bounded(period: int) -> None:
    model = random_limit(np.random.default_rng(2), period=period, precision=3)
    rows = dict(growth(model, [4, 8, 16, 32, 64]))
    for n in (4, 16):
        found = membership(to_finite(model, n))
        assert found.member
        assert found.bits <= 2
        assert found.context == n
    # All terms but the norm of KᵀQ are constant from n = τ + 1 on; that norm is bounded by ‖KᵀQ‖ and ‖φ‖₁.
    bound = max(
        max(float(np.linalg.norm(head.kq, 2)), 3.0, float(np.abs(head.phi).sum()))
        for layer in model.layers
        for head in layer.heads
        if isinstance(head.phi, np.ndarray)
    )
    rest = [row.total - row.matrices["KQ"] for row in rows.values()]
    assert rest == pytest.approx([rest[0]] * len(rest))
    assert all(row.matrices["KQ"] <= bound + 1e-9 for row in rows.values())


def test_a_violation_is_reported() -> None:
    model = random_member(np.random.default_rng(3))
    assert membership(model).member
    moved = dataclasses.replace(model, positions=model.positions * np.arange(1, 7)[:, None])
    found = membership(moved)
    assert not found.member
    assert found.invariance.worst > 0


def test_limit_regularizer_follows_the_definition() -> None:
    model = random_limit(np.random.default_rng(4), period=2, precision=3, tau=3)
    doubled = dataclasses.replace(model, positions=np.vstack([model.positions] * 2))
    found = limit_regularizer(doubled)
    assert found.size == 2 + 2 + 3
    assert found.precision == 2 + 3
    assert found.largest == 1.25
    assert found.period == 2
    values = [head.phi for layer in model.layers for head in layer.heads]
    assert found.relations == max(np.sum(phi**2) for phi in values if isinstance(phi, np.ndarray))
    assert found.total == found.size + found.precision + found.largest + found.period + found.relations


def test_back_from_t_n_the_limit_regularizer_does_not_grow() -> None:
    model = random_limit(np.random.default_rng(5), period=2, heads=1)
    found = [limit_regularizer(to_limit(to_finite(model, n))) for n in (5, 8, 12)]
    assert found[0] == found[1] == found[2]


def _lemma_56(vectors: np.ndarray, matrix: np.ndarray) -> tuple[float, float]:
    """‖A‖ and ‖G‖_* / Σ‖x_i‖² for G_ij = x_iᵀ A x_j: the former is at least the latter."""
    nuclear = np.linalg.svd(vectors @ matrix @ vectors.T, compute_uv=False).sum() / np.sum(vectors**2)
    return spectral_norm(matrix), float(nuclear)


def test_lemma_56() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        n, d = rng.integers(1, 9, 2)
        vectors = rng.normal(size=(n, d))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        spectral, nuclear = _lemma_56(vectors, rng.normal(size=(d, d)))
        assert nuclear <= spectral * (1 + 1e-9)
    # Equality where the vectors are an orthonormal basis and A is a multiple of an isometry.
    isometry = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    spectral, nuclear = _lemma_56(np.eye(5), 3 * isometry)
    assert nuclear == pytest.approx(spectral)
    # For the encodings of T_n: a bound on ‖KᵀQ‖ from the logits between positions alone.
    finite = to_finite(random_limit(rng, period=3), 20)
    for layer in finite.layers:
        for head in layer.heads:
            spectral, nuclear = _lemma_56(finite.positions, head.kq)
            assert nuclear <= spectral * (1 + 1e-9)


def test_proposition_54() -> None:
    rows = initial_terms([16, 32, 64], [16, 32, 64], heads=2, samples=60)
    for row in rows:
        assert abs(row.mean - row.expected) < 5 * row.deviation
    by_size = {(row.length, row.width): row.expected for row in rows}
    assert by_size[64, 64] < by_size[32, 32] < by_size[16, 16]  # bounded with d = N
    assert by_size[64, 16] > 1.8 * by_size[32, 16]  # but growing at a fixed width
