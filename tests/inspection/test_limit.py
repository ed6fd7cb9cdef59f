"""Tests of `inspection.limit`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from longreach.config.model import ModelConfig
from longreach.inspection.limit import (
    BITS,
    LimitSummary,
    accuracy_by_length,
    accuracy_of,
    answers_of,
    cannot_be_limit,
    longest_size,
    residue_means,
    shared_period,
    size_of,
    summarize,
    to_transformer,
    tried_lengths,
)
from longreach.inspection.models import batch_at
from longreach.inspection.positions import fit_positions, position_products
from longreach.inspection.report import limit_summary
from longreach.inspection.trace import fold, norm_scales, trace
from longreach.models.decoder import forward
from longreach.models.parameters import Parameters
from longreach.theory.limit.norms import limit_regularizer
from longreach.theory.limit.run import run
from tests.helpers.inspected_models import lively, small_config, small_subject

# Accuracy by length against the engine's own, and a limit transformer that goes on where the model ends.


@pytest.mark.parametrize("encoding", ["nope", "ape"])
def test_a_row_is_right_if_all_of_it_is(encoding: str) -> None:
    found = small_subject(encoding, seed=3)
    batch = batch_at(found, 9, 25, np.random.default_rng(0))
    said = forward(
        found.parameters, found.config, torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
    ).argmax(dim=-1)
    right = [
        all(said[row, at] == batch.targets[row, at] for at in range(batch.sizes[row]) if batch.mask[row, at])
        for row in range(25)
    ]
    assert accuracy_of(batch, answers_of(found)) == pytest.approx(np.mean(right))


def test_lengths_beyond_the_positions() -> None:
    found = small_subject("ape")
    assert longest_size(found) == found.config.positions
    assert longest_size(small_subject("rope")) is None
    rows = accuracy_by_length(found, [10, 30, 50], summary=limit_summary(found), rows=4)
    assert [row.length for row in rows] == [10, 30, 50]
    assert [row.model is None for row in rows] == [False, False, True]
    assert all(row.kept is not None and row.strict is not None for row in rows)
    assert found.task is not None
    assert tried_lengths(found.task, 10) == [10, 20, 30, 50, 80]


def test_a_model_without_positions_is_its_own_limit() -> None:
    found = small_subject("nope")
    for row in accuracy_by_length(found, [10, 60], summary=limit_summary(found), rows=8):
        assert row.kept == row.model


def test_numbers_of_the_theory() -> None:
    found = small_subject("ape")
    summary = limit_summary(found)
    model = fold(found.parameters, found.config, summary.scales)
    said = size_of(summary, found, model)
    assert (said.width, said.units) == (9, 4 * 8 * 16 + 1)
    assert said.limit is not None
    assert said.finite is not None
    plain = limit_regularizer(to_transformer(summary, found.parameters))
    assert said.limit.largest == pytest.approx(plain.largest, abs=1e-6)
    assert said.limit.relations == pytest.approx(plain.relations, abs=1e-4)
    assert said.limit.precision <= BITS
    assert said.finite.size == {"layers": 2, "heads": 2}
    assert said.finite.groups["positions"] > 0
    assert size_of(limit_summary(small_subject("nope")), small_subject("nope"), model).finite is not None


TOKENS = torch.tensor([[0, 1, 2, 3, 4, 5, 2, 3, 1], [0, 5, 5, 2, 4, 3, 3, 1, 1]])


def _summary(config: ModelConfig, parameters: Parameters) -> LimitSummary:
    plain = trace(parameters, config, TOKENS)
    scales = norm_scales(config, [(plain, torch.ones(TOKENS.shape, dtype=torch.bool))])
    model = fold(parameters, config, scales)
    found = list(position_products(model, parameters))
    products = [[each.matrix for each in found if each.layer == n] for n in range(config.layers)]
    fits = [[fit_positions(matrix) for matrix in layer] for layer in products]
    return summarize(parameters, model, products, fits=fits, trained_size=9)


@pytest.mark.parametrize(
    ("encoding", "options"),
    [
        ("ape", {"log_length": True}),
        ("ape", {"log_length": False, "tied": False}),
        ("nope", {"log_length": True}),
        ("sinusoidal", {"log_length": True}),
        ("t5", {"log_length": False}),
        ("ape", {"layer_norm": False, "log_length": True}),
    ],
)
def test_another_evaluator_computes_the_same(encoding: str, options: dict[str, object]) -> None:
    config = small_config(encoding, **options)
    parameters = lively(config, size=0.25)
    if encoding == "ape":  # a period, and a bias to the position before
        parameters["positions"] = parameters["positions"] + torch.eye(8)[torch.arange(30) % 3] * 2
    summary = _summary(config, parameters)
    limit = to_transformer(summary, parameters)
    strict_config, strict_parameters = summary.strict_model(parameters)
    whole = torch.tensor([9, 9])
    ours = trace(strict_parameters, strict_config, TOKENS, lengths=whole, changes=summary.strict).outputs
    words = [[f"token {token}" for token in row[1:]] for row in TOKENS.tolist()]
    for row, found in enumerate(run(limit, words)):
        assert found == pytest.approx(ours[row].numpy(), abs=2e-3)
    assert limit.locality == max(summary.local_to, 0)
    assert limit.period == summary.period
    assert limit_regularizer(limit).total > 0


def test_positions_that_are_periodic_are_kept_whole() -> None:
    """Nothing is lost of a decoder whose positions repeat: the same outputs, at any length."""
    config = small_config("ape", log_length=True)
    parameters = lively(config)
    parameters["positions"] = parameters["positions"][torch.arange(30) % 3]
    summary = _summary(config, parameters)
    assert summary.period == 3
    assert summary.local_to == -1
    plain = trace(parameters, config, TOKENS).outputs
    assert torch.allclose(trace(parameters, config, TOKENS, changes=summary.kept).outputs, plain, atol=1e-4)
    longer = torch.cat([TOKENS] * 5, dim=1)
    table = parameters | {"positions": parameters["positions"][torch.arange(45) % 3]}
    wanted = trace(table, config.model_copy(update={"positions": 45}), longer).outputs
    assert torch.allclose(trace(parameters, config, longer, changes=summary.kept).outputs, wanted, atol=1e-4)


def test_a_local_product_becomes_phi() -> None:
    """Orthogonal positions with KᵀQ that shifts by one: φ is what the product is at distance 1."""
    config = ModelConfig(
        layers=1, heads=1, width=16, vocabulary=3, positions=16, encoding="ape", layer_norm=False,
        log_length=True,
    )  # fmt: skip
    parameters = {name: torch.zeros_like(value) for name, value in lively(config).items()}
    parameters["positions"] = torch.eye(16)
    parameters["layers.0.attention.query.weight"] = torch.eye(16) * 4
    parameters["layers.0.attention.key.weight"] = torch.eye(16).roll(1, 0) * 6
    model = fold(parameters, config, {})
    (product,) = position_products(model, parameters)
    assert np.diagonal(product.matrix, -1).tolist() == [6.0] * 15
    fit = fit_positions(product.matrix)
    assert (fit.shape, fit.local_to) == ("local", 1)
    summary = summarize(parameters, model, [[product.matrix]], fits=[[fit]], trained_size=8)
    assert summary.period == 1
    phi = summary.phi[0][0]
    # The mean vector adds the same to all distances, so that only the difference to the rest counts.
    assert phi[1] - phi[0] == pytest.approx(6.0, abs=1e-9)
    assert phi[0] == pytest.approx(0.0, abs=0.1)


def test_periods() -> None:
    rng = np.random.default_rng(0)
    noise = [shared_period(rng.normal(size=(size, 8)), []) for size in (12, 20, 31, 60) for _ in range(25)]
    assert noise.count(1) >= 97
    turning = rng.normal(size=(4, 8))[np.arange(60) % 4]
    assert shared_period(turning + 0.3 * rng.normal(size=(60, 8)), []) == 4
    assert residue_means(turning, 4) == pytest.approx(turning[:4])
    parity = fit_positions(np.fromfunction(lambda i, j: (i - j) % 2 * 3.0, (24, 24)))
    assert shared_period(turning[:, :3], [parity]) == 4
    assert shared_period(None, [parity]) == 2


def test_without_the_factor_logits_agree_at_the_training_length() -> None:
    config = small_config("nope", log_length=False)
    summary = _summary(config, lively(config))
    assert summary.divisor == pytest.approx(math.log(9))
    assert cannot_be_limit(small_config("rope")) is not None
