"""Simulation strings of random models: lengths, statistics and errors as promised."""

from __future__ import annotations

from collections import Counter
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.bounds.quantities import quantities
from longreach.theory.bounds.simulation import Case, ModelPair, Word
from longreach.theory.bounds.strings import (
    LEAST,
    FiniteSimulation,
    InfiniteSimulation,
    attended,
    class_counts,
    draw_kept,
    error_figure,
    finite_curve,
    infinite_curve,
    sensitivity,
    statistics,
    windows,
)
from longreach.theory.limit.hand_built import induction_head, kgram_head, modp_task_model, simple_task_model
from longreach.theory.limit.rounding import RelativePrecision
from longreach.theory.limit.run import attention, run
from tests.helpers.one_layer_models import one_layer_model
from tests.helpers.small_models import small_model


@pytest.mark.parametrize("period", [1, 2, 3])
@pytest.mark.parametrize("locality", [None, 0, 2])
def test_attended_are_the_keys_with_weight(period: int, locality: int | None) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        pair = ModelPair(
            one_layer_model(rng, period=period, locality=locality), one_layer_model(rng, period=2)
        )
        x = rng.integers(0, 1 + seed % 3, int(rng.integers(8, 40))).astype(np.intp)
        middle = len(x) - pair.locality - 1
        counts = class_counts(pair, x, middle)
        for model in pair.models:
            # Bits so few that any margin makes attention hard.
            weights = attention(model, pair.decode(x), 0, 0, precision=RelativePrecision(0))[-1]
            wanted = np.zeros(counts.shape, dtype=np.bool_)
            for j in range(1, middle + 1):
                wanted[x[j - 1], j % pair.period] |= weights[j] > 0
            np.testing.assert_array_equal(
                attended(pair, model, x, counts, margin=quantities(model).logit_margin), wanted
            )


def test_outputs_change_no_more_than_the_sensitivity_says() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        model = one_layer_model(rng, period=2)
        pair = ModelPair(model, model)
        layer = model.layers[0]
        values = (model.embedding[:, None] + model.positions[None]).reshape(-1, model.width) @ layer.heads[
            0
        ].v.T
        one, other = rng.dirichlet(np.full(len(values), 0.3), 2)
        outputs = []
        for weights in (one, other):
            y = weights @ values
            outputs.append(model.unembedding @ (y + layer.out @ np.maximum(layer.a @ y + layer.b, 0)))
        most = sensitivity(pair, model) * np.abs(one - other).sum()
        assert np.linalg.norm(outputs[0] - outputs[1]) <= most + 1e-9


def test_one_layer() -> None:
    pair = ModelPair(simple_task_model(), simple_task_model(2.0))
    x = np.random.default_rng(0).integers(0, 3, 30_000)
    rows = finite_curve(FiniteSimulation(pair, 8), x)
    lengths = [row.length for row in rows]
    assert len(rows) >= 5
    assert lengths == sorted(lengths)
    assert all(max(row.errors.f, row.errors.g) <= row.promised for row in rows)
    (axis,) = error_figure(rows, "title", pair=True).axes
    assert len(axis.lines) == 3


def test_two_layers() -> None:
    pair = ModelPair(induction_head("ab"), induction_head("ab"))
    x = np.random.default_rng(0).integers(0, 2, 5_000)
    rows = infinite_curve(InfiniteSimulation(pair), x, points=4)
    assert len(rows) == 4
    assert all(row.statistics is not None and row.statistics.larger <= row.promised for row in rows)
    (axis,) = error_figure(rows, "title", pair=False).axes
    assert len(axis.lines) == 5
    assert infinite_curve(InfiniteSimulation(pair), x[:300]) == []


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


def test_the_chain_has_the_share_and_the_pieces_that_are_asked_for() -> None:
    kept = draw_kept(400_000, 0.2, 25.0, np.random.default_rng(3))
    assert len(kept) == 400_000
    assert kept.mean() == pytest.approx(0.2, abs=0.02)
    pieces = int((np.diff(kept.astype(int)) == 1).sum())
    assert kept.sum() / pieces == pytest.approx(25.0, rel=0.1)


def test_the_chain_forgets_like_a_chain_of_two_states() -> None:
    # Correlations of the indicator fall by 1 − 1/(ℓ (1 − π)) a step: the variances of docs/simulation.md.
    kept = draw_kept(1_000_000, 0.3, 10.0, np.random.default_rng(0)).astype(float)
    centred = kept - kept.mean()
    fall = float((centred[1:] * centred[:-1]).mean() / (centred**2).mean())
    assert fall == pytest.approx(1 - 1 / (10 * 0.7), abs=0.01)


def test_short_words_are_drawn_too() -> None:
    for units in (1, 2, 5):
        for seed in range(20):
            assert len(draw_kept(units, 0.3, 2.0, np.random.default_rng(seed))) == units


def _literal(x: list[int], kept: list[bool], window: int) -> tuple[float, float]:
    z = [token for token, stays in zip(x, kept, strict=True) if stays]

    def counts(word: list[int]) -> Counter[tuple[int, ...]]:
        padded = [-1] * (window - 1) + word
        return Counter(tuple(padded[end - window : end]) for end in range(window, len(padded) + 1))

    one, other = counts(x), counts(z)
    suffix = sum(abs(one[key] / len(x) - other[key] / len(z)) for key in one | other)
    histogram = 0.0
    for m in range(1, len(x) + 1):
        so_far = [token for token, stays in zip(x[:m], kept[:m], strict=True) if stays]
        if not so_far:
            histogram += 2
            continue
        for token in set(x):
            histogram += abs(x[:m].count(token) / m - so_far.count(token) / len(so_far))
    return suffix, histogram / len(x)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=25), st.integers(1, 4))
def test_statistics_are_those_of_the_definition(drawn: list[tuple[int, bool]], window: int) -> None:
    x, kept = [token for token, _ in drawn], [stays for _, stays in drawn]
    found = statistics(np.array(x), np.array(kept), tokens=3, window=window)
    if any(kept):
        assert (found.suffix, found.histogram) == pytest.approx(_literal(x, kept, window))
    else:
        assert found.histogram == 2.0


def test_windows_are_numbered_alike_in_all_words() -> None:
    one, other = windows([np.array([0, 1, 0, 1]), np.array([1, 0, 1])], tokens=2, window=2)
    assert one[1] == one[3] == other[2]
    assert len({int(one[0]), int(one[1]), int(one[2]), int(other[0])}) == 4
