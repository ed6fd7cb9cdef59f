"""Simulation strings of random one-layer limit transformers: lengths and errors as promised."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.simulation.finite_string import FiniteSimulation
from longreach.bounds.simulation.model_pair import ModelPair, Word
from longreach.bounds.simulation.simulation_counts import Case
from longreach.errors import InputError
from longreach.limit.compile.attention_averages import modp_task_model, simple_task_model
from longreach.limit.compile.kgram_head import kgram_head
from longreach.limit.compile.named_models import load_model
from longreach.limit.run.float_evaluator import attention, run
from longreach.limit.run.softmax_weights import RelativePrecision
from tests.helpers.one_layer_models import one_layer_model


def _word(rng: np.random.Generator, tokens: int, length: int) -> Word:
    """Some tokens rare or absent, and not evenly spread."""
    shares = 10.0 ** -rng.choice([0, 1, 3, 300], tokens)
    shares[rng.integers(tokens)] = 1.0
    word = rng.choice(tokens, length, p=shares / shares.sum())
    return np.concatenate([np.sort(word[: length // 2]), word[length // 2 :]]).astype(np.intp)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 1, 2, 3]),
    st.sampled_from([None, 0, 1, 3]),
    st.sampled_from([0.3, 1.0, 5.0, 100.0]),
    st.integers(0, 6),
)
def test_lengths_and_errors_of_random_pairs(
    seed: int, period: int, locality: int | None, error: float, precision: int
) -> None:
    rng = np.random.default_rng(seed)
    pair = ModelPair(
        one_layer_model(rng, period=period, locality=locality),
        one_layer_model(rng, period=1 if seed % 2 else period, locality=None if seed % 3 else locality),
    )
    simulation = FiniteSimulation(pair, precision=precision)
    x = _word(rng, 3, int(10 ** rng.uniform(0, 5.5)))
    found = simulation.string(x, error * simulation.sensitivity / 10 or error)
    assert len(found.z) <= min(found.bound, len(x))
    assert max(found.errors.f, found.errors.g) <= error * simulation.sensitivity / 10 + 1e-9
    assert (len(x) - len(found.z)) % pair.period == 0
    kept = min(pair.locality + 1, len(x))
    assert found.z[len(found.z) - kept :].tolist() == x[len(x) - kept :].tolist()
    if found.case is not Case.WHOLE:
        assert len(found.z) >= found.hard_from
    else:
        assert found.z is x


def test_errors_are_measured_with_the_precision_of_the_theorem() -> None:
    rng = np.random.default_rng(1)
    pair = ModelPair(simple_task_model(3.0), simple_task_model(2.0))
    x = _word(rng, 3, 3000)
    found = FiniteSimulation(pair, precision=5).string(x, 0.5)
    assert len(found.z) < 3000
    for model, error in zip(pair.models, (found.errors.f, found.errors.g), strict=True):
        one, other = run(model, [pair.decode(x), pair.decode(found.z)], precision=RelativePrecision(5))
        assert error == pytest.approx(float(np.abs(one[-1] - other[-1]).max()), abs=1e-12)


def test_attention_on_z_is_hard() -> None:
    pair = ModelPair(modp_task_model(3, 1), modp_task_model(3, 2))
    simulation = FiniteSimulation(pair, precision=20)
    x = _word(np.random.default_rng(0), 2, 20_000)
    found = simulation.string(x, 1.0)
    assert found.case is Case.NO_ROOM
    weights = attention(pair.f, pair.decode(found.z), 0, 0, precision=RelativePrecision(20))[-1]
    assert len(np.unique(weights)) == 2
    assert (len(x) - len(found.z)) % 3 == 0


def test_short_words_and_soft_attention_give_x_itself() -> None:
    pair = ModelPair(simple_task_model(), simple_task_model())
    for word in ("", "0", "0110"):
        found = FiniteSimulation(pair, precision=4).string(pair.encode(word), 0.1)
        assert (found.case, found.errors.f, len(found.z)) == (Case.WHOLE, 0.0, len(word))
    soft = FiniteSimulation(pair, precision=200).string(pair.encode("01" * 5000), 0.1)
    assert soft.case is Case.WHOLE
    assert FiniteSimulation(pair, precision=1000).string(pair.encode("01" * 50), 0.1).bound == inf


def test_equal_logits_are_hard_at_every_precision() -> None:
    model = one_layer_model(np.random.default_rng(0))
    model.layers[0].heads[0].kq[:] = 0.0
    simulation = FiniteSimulation(ModelPair(model, model), precision=60)
    assert simulation.hard_from == 1
    x = _word(np.random.default_rng(1), 3, 50_000)
    found = simulation.string(x, 10.0)
    assert found.case is Case.SHARED
    assert found.errors.f <= 10.0


def test_an_error_of_any_size_is_fine_and_a_million_tokens_are_quick() -> None:
    pair = ModelPair(simple_task_model(), simple_task_model(2.0))
    x = np.random.default_rng(0).integers(0, 3, 1_000_000)
    lengths = [len(FiniteSimulation(pair, precision=8).string(x, error).z) for error in (0.2, 1.0, 50.0)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] < 3000


def test_parameters_without_a_finite_norm_are_refused() -> None:
    model = simple_task_model()
    huge = replace(model, unembedding=model.unembedding * 1e300, embedding=model.embedding * 1e200)
    with pytest.raises(InputError, match="no finite Lipschitz constant"):
        FiniteSimulation(ModelPair(huge, huge), precision=8).string(np.zeros(5, dtype=np.intp), 1.0)


@pytest.mark.parametrize("error", [0.0, -1.0, float("nan"), inf])
def test_an_error_is_positive(error: float) -> None:
    pair = ModelPair(simple_task_model(), simple_task_model())
    with pytest.raises(InputError, match=r"error: .* an error is a positive number"):
        FiniteSimulation(pair, precision=8).string(pair.encode("01"), error)


def test_what_the_theorem_is_not_about_is_refused() -> None:
    simple, deep = simple_task_model(), kgram_head("012", 1)
    with pytest.raises(InputError, match="model: 2 layers; with finite precision the theorem is about one"):
        FiniteSimulation(ModelPair(deep, deep), precision=8)
    steps = load_model("lib:majority")
    with pytest.raises(InputError, match="model: 1 of 1 units of the MLP are Heaviside steps"):
        FiniteSimulation(ModelPair(steps, steps), precision=8)
    with pytest.raises(InputError, match="against: it reads other tokens"):
        ModelPair(simple, modp_task_model())
    with pytest.raises(InputError, match="against: a pair has one depth"):
        ModelPair(simple, deep)
    with pytest.raises(InputError, match=r"word: token 2, '7', is not one of the model's \(0 1 2\)"):
        ModelPair(simple, simple).encode("07")
