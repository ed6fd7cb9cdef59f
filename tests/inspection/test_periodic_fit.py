"""Functions of positions that are known, and what the fit makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.inspection.offset_variance import by_distance
from longreach.inspection.periodic_fit import fit_positions
from longreach.limit.model import Array


def _matrix(function: object, size: int = 36) -> Array:
    assert callable(function)
    return by_distance(np.array([float(function(distance)) for distance in range(size)]), size)


@pytest.mark.parametrize("back", [0, 1, 4])
def test_one_distance_is_local(back: int) -> None:
    found = fit_positions(_matrix(lambda distance: 6.0 * (distance == back)))
    assert (found.shape, found.local_to, found.period) == ("local", back, 1)
    assert found.residual == pytest.approx(0, abs=1e-6)
    assert found.local[back] == pytest.approx(6)
    assert found.at(np.arange(10)) == pytest.approx(6.0 * (np.arange(10) == back), abs=1e-6)


@pytest.mark.parametrize("period", [2, 3, 5])
def test_a_residue_is_periodic(period: int) -> None:
    found = fit_positions(_matrix(lambda distance: 2.0 * (distance % period == 1)))
    assert (found.shape, found.local_to, found.period) == ("periodic", -1, period)
    assert found.unexplained == pytest.approx(0, abs=1e-9)


def test_both_at_once() -> None:
    found = fit_positions(_matrix(lambda distance: 3.0 * (distance == 1) + 2.0 * (distance % 2)))
    assert found.words == "local and periodic τ=1 Δ=2"
    assert (found.shape, found.local_to, found.period) == ("local and periodic", 1, 2)
    assert found.local[1] == pytest.approx(3)


def test_what_is_neither() -> None:
    rng = np.random.default_rng(0)
    assert fit_positions(_matrix(lambda distance: rng.normal()), most_local=5).shape == "neither"
    absolute = np.repeat(rng.normal(size=(36, 1)), 36, axis=1)  # the query alone
    found = fit_positions(absolute)
    assert found.shape == "neither"
    assert found.words.startswith("neither")
    assert found.by_offsets > 0.5


def test_what_is_constant() -> None:
    found = fit_positions(np.full((20, 20), 4.0))
    assert (found.shape, found.local_to, found.period) == ("constant", -1, 1)
    assert found.periodic.tolist() == [4.0]
    assert (found.residual, found.unexplained) == (0, 0)


@given(st.integers(1, 4), st.integers(-1, 4), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02]))
@settings(max_examples=40, deadline=None)
def test_the_residual_is_what_is_left(period: int, local_to: int, seed: int, noise: float) -> None:
    """Whatever is found, its residual is the distance of the matrix from what it says, entry by entry."""
    rng = np.random.default_rng(seed)
    periodic, local = rng.normal(size=period), rng.normal(size=local_to + 1)
    values = periodic[np.arange(30) % period]
    values[: local_to + 1] += local
    matrix = by_distance(values, 30) + noise * rng.normal(size=(30, 30))
    found = fit_positions(matrix)
    said = by_distance(found.at(np.arange(30)), 30)
    lower = np.tril_indices(30)
    assert found.residual == pytest.approx(np.sqrt(np.mean((matrix - said)[lower] ** 2)), abs=1e-6)
    if noise == 0:
        assert found.residual == pytest.approx(0, abs=1e-4)
        assert found.period + found.local_to <= period + local_to


def _literal(matrix: Array, most_period: int, most_local: int) -> tuple[int, int, float]:
    """Every Δ and τ by least squares over the means, each as often as its diagonal has entries."""
    size = len(matrix)
    means = np.array([np.diagonal(matrix, -distance).mean() for distance in range(size)])
    root = np.sqrt(np.arange(size, 0, -1))
    best: tuple[float, int, int, int] | None = None
    for period in range(1, most_period + 1):
        for local_to in range(-1, most_local + 1):
            columns = [np.arange(size) % period == residue for residue in range(period)]
            columns += [np.arange(size) == distance for distance in range(local_to + 1)]
            design = np.stack(columns, axis=1).astype(float)
            solution = np.linalg.lstsq(design * root[:, None], means * root, rcond=None)[0]
            left = float((((means - design @ solution) * root) ** 2).sum() / (size * (size + 1) / 2))
            numbers = period + local_to + 1
            criterion = size * np.log(left + 1e-12) + numbers * np.log(size)
            if best is None or (criterion, numbers) < (best[0] - 1e-7, best[1]):
                best = (criterion, numbers, period, local_to)
    assert best is not None
    return best[2], best[3], best[0]


@given(st.integers(0, 2**32 - 1), st.integers(12, 20))
@settings(max_examples=15, deadline=None)
def test_the_best_of_all_fits(seed: int, size: int) -> None:
    """Random matrices with something local and something periodic in them."""
    rng = np.random.default_rng(seed)
    values = 2 * rng.normal(size=3)[np.arange(size) % 3] * (rng.random() < 0.5)
    values[: int(rng.integers(0, 4))] += 3
    matrix = by_distance(values, size) + 0.3 * rng.normal(size=(size, size))
    found = fit_positions(matrix)
    period, local_to, _ = _literal(matrix, size // 3, size // 3 - 1)
    assert (found.period, found.local_to) == (period, local_to)
