"""Many fits at once are the fits one by one, window by window."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.studies.positional_training import errors_at, fit_functions, initial, pair_weights, products
from longreach.theory.limit.model import Array


@pytest.mark.parametrize(("offsets", "length"), [([0, 0, 3], 4), ([2], 1), ([0, 1, 2, 3, 4], 3), ([1], 6)])
def test_weights_count_windows(offsets: list[int], length: int) -> None:
    wanted = np.zeros((7, 7))
    for offset in offsets:
        for i in range(length):
            for j in range(i + 1):
                wanted[offset + i, offset + j] += 1
    assert pair_weights(np.array(offsets), length, 7) == pytest.approx(wanted / wanted.sum())


def _literal(target: Array, seed: int, steps: int) -> Array:
    """One function alone: windows one after the other, as the paper has it."""
    parameters = initial(1, [seed], 4, 9)
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    rng = np.random.default_rng([seed, 1])
    for _ in range(steps):
        offsets = rng.integers(0, 9 - 5 + 1, 3)
        positions, query, key = (each[0] for each in parameters)
        terms = []
        for offset in offsets.tolist():
            for i in range(offset, offset + 5):
                for j in range(offset, i + 1):
                    value = (key @ positions[j]) @ (query @ positions[i])
                    terms.append((value - target[i, j]) ** 2)
        loss = torch.stack(terms).mean()
        loss = loss + 0.01 * sum((each**2).mean() for each in (positions, query, key))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = products(parameters)[0].detach().numpy()
    errors = []
    for length in (5, 7):
        windows = [
            [(found[o + i, o + j] - target[o + i, o + j]) ** 2 for i in range(length) for j in range(i + 1)]
            for o in range(9 - length + 1)
        ]
        errors.append(np.mean([np.mean(window) for window in windows]))
    return np.array(errors)


def test_side_by_side_is_one_by_one() -> None:
    rng = np.random.default_rng(0)
    targets = np.tril(rng.normal(size=(2, 9, 9)))
    found = fit_functions(targets, seeds=[0, 7], width=4, length=5, tests=(5, 7), steps=4, batch=3, lr=0.01)
    assert found.shape == (2, 2, 2)
    for place, seed in enumerate((0, 7)):
        for number, target in enumerate(targets):
            assert found[place, number] == pytest.approx(_literal(target, seed, 4), rel=1e-3)


def test_a_constant_is_learned() -> None:
    said: list[int] = []
    start = fit_functions(np.ones((1, 12, 12)), seeds=[0], width=4, length=6, tests=(6, 12), steps=1, lr=0.02)
    found = fit_functions(
        np.ones((1, 12, 12)), seeds=[0], width=4, length=6, tests=(6, 12), steps=150, lr=0.02,
        penalty=0.0, report=said.append,
    )  # fmt: skip
    assert said == [150]
    assert found[0, 0, 0] < 0.1 * start[0, 0, 0]
    perfect = torch.ones(1, 12, 12)
    assert errors_at(perfect, perfect, (6, 12)).tolist() == [[0, 0]]
