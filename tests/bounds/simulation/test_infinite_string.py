"""Simulation strings of two-layer models: lengths and statistics as promised, errors that fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.simulation.infinite_string import LEAST, InfiniteSimulation
from longreach.bounds.simulation.model_pair import ModelPair
from longreach.errors import InputError
from longreach.limit.compile.attention_averages import simple_task_model
from longreach.limit.compile.hand_built import induction_head
from longreach.limit.compile.kgram_head import kgram_head
from longreach.limit.run.float_evaluator import run
from tests.helpers.small_models import small_model


def _pair() -> ModelPair:
    return ModelPair(induction_head("abc"), induction_head("abc", phi=0.5))


@given(st.integers(0, 2**32 - 1), st.integers(LEAST, 3000))
def test_lengths_and_statistics_are_as_promised(seed: int, target: int) -> None:
    rng = np.random.default_rng(seed)
    simulation = InfiniteSimulation(_pair(), seed=seed % 5)
    drift = np.linspace(0, 1, 20_000) < rng.random(20_000)
    x = np.where(drift, rng.integers(0, 3, 20_000), rng.integers(0, 2, 20_000))
    found = simulation.of_length(x, target)
    rate = target ** (-1 / 3)
    assert len(found.z) <= found.bound < 20_000
    assert found.statistics.suffix <= found.rates.suffix * rate
    assert found.statistics.histogram <= found.rates.histogram * rate
    assert found.z[-3:].tolist() == x[-3:].tolist()


def test_statistics_fall_with_the_cube_root() -> None:
    simulation = InfiniteSimulation(_pair())
    x = np.random.default_rng(0).integers(0, 3, 300_000)
    few, many = (simulation.of_length(x, n).statistics for n in (300, 30_000))
    # A hundred times the length: 100^(1/3) ≈ 4.6 by the lemma; drawn words do better than the worst.
    assert many.suffix < few.suffix / 3
    assert many.histogram < few.histogram / 3


def test_errors_are_measured_with_infinite_precision() -> None:
    pair = ModelPair(kgram_head("ab", 2, match=8.0), induction_head("ab"))
    x = np.random.default_rng(0).integers(0, 2, 4000)
    found = InfiniteSimulation(pair).of_length(x, 1000)
    for model, error in zip(pair.models, (found.errors.f, found.errors.g), strict=True):
        one, other = run(model, [pair.decode(x), pair.decode(found.z)], precision="infinite")
        assert error == pytest.approx(float(np.linalg.norm(one[-1] - other[-1])), abs=1e-9)


def test_periods_are_kept_whole() -> None:
    model = small_model(3)  # period 2
    simulation = InfiniteSimulation(ModelPair(model, model))
    # The token says its residue: a at odd positions, b at even ones.
    x = np.arange(9_001) % 2
    z = simulation.of_length(x, 500).z
    assert len(z) < 1000
    assert (z == np.arange(len(z)) % 2).all()


def test_nearly_all_can_be_kept() -> None:
    simulation = InfiniteSimulation(_pair())
    x = np.random.default_rng(0).integers(0, 3, 20_000)
    found = simulation.of_length(x, 17_000)
    assert 14_000 < len(found.z) <= found.bound < 20_000


def test_an_error_chooses_the_length() -> None:
    simulation = InfiniteSimulation(_pair())
    x = np.random.default_rng(0).integers(0, 3, 50_000)
    found = simulation.string(x, 2.5)
    assert found.statistics.suffix <= 2.5
    assert found.target == pytest.approx((found.rates.larger / 2.5) ** 3, abs=1)
    whole = simulation.string(x, 1e-3)
    assert whole.z is x
    assert (whole.errors.f, whole.statistics.suffix) == (0.0, 0.0)


def test_what_the_lemma_is_not_about_is_refused() -> None:
    simple, general = simple_task_model(), small_model(1, phi="general")
    with pytest.raises(InputError, match="model: 1 layers; with infinite precision the theorem is about two"):
        InfiniteSimulation(ModelPair(simple, simple))
    with pytest.raises(InputError, match=r"model: .*phi: not local"):
        InfiniteSimulation(ModelPair(general, general))
    with pytest.raises(InputError, match="error: 0: an error is a positive number"):
        InfiniteSimulation(_pair()).string(np.zeros(5, dtype=np.intp), 0.0)
    with pytest.raises(InputError, match="length: 10: the construction is made for 216 tokens and more"):
        InfiniteSimulation(_pair()).of_length(np.zeros(5, dtype=np.intp), 10)
