"""The fast evaluator against the exact one, its ways of summing against each other, and its limits."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import product
from typing import Literal

import numpy as np
import pytest
import torch

from longreach.theory.limit import run as heads
from longreach.theory.limit.model import Array, Head, Layer, Transformer
from longreach.theory.limit.rounding import RelativePrecision, round_bfloat16
from longreach.theory.limit.run import (
    Method,
    Precision,
    accepts,
    attention,
    last_output,
    predictions,
    residuals,
    run,
)
from tests.helpers import exact_evaluator as exact
from tests.helpers.small_models import random_words, small_model

METHODS: tuple[Method, ...] = ("blocks", "classes")


def exact_outputs(model: Transformer, word: str, offset: int) -> Array:
    return np.array(exact.run(model, word, offset).outputs, dtype=np.float64)


@pytest.mark.parametrize("precision", [None, 0, 2, 8])
@pytest.mark.parametrize(
    ("kind", "phi"), [("finite", "none"), ("limit", "none"), ("limit", "local"), ("limit", "general")]
)
def test_equal_to_exact_on_random_models(
    kind: Literal["limit", "finite"], phi: Literal["local", "none", "general"], precision: int | None
) -> None:
    for seed in range(12):
        model = small_model(seed, kind, phi=phi, precision=precision, integer=seed % 2 == 0)
        words = random_words(seed, 4, 6)
        for offset in (0, 3):
            expected = [exact_outputs(model, word, offset) for word in words]
            for method in METHODS:
                for got, wanted in zip(run(model, words, offset, method=method), expected, strict=True):
                    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)


def test_residuals_equal_exact_streams() -> None:
    model = small_model(5, precision=4)
    streams = exact.run(model, "abbab", 1, streams=True).streams
    got = residuals(model, "abbab", 1)
    assert len(got) == len(streams) == len(model.layers) + 1
    for one, other in zip(got, streams, strict=True):
        np.testing.assert_allclose(one, np.array(other, dtype=np.float64), atol=1e-12)


def test_precision_can_be_chosen_for_a_run() -> None:
    model = small_model(3)
    for precision in (1, None):
        wanted = exact_outputs(replace(model, precision=precision), "abab", 0)
        np.testing.assert_allclose(run(model, ["abab"], precision=precision)[0], wanted, atol=1e-12)


def test_ties_of_rounded_exponentials() -> None:
    # |x| is a power of two: |x|^a lies exactly between two numbers of p bits.
    for logit, precision, word in ((-3.0, 2, "a"), (-1.5, 2, "aaa"), (-1.0, 2, "a" * 7)):
        model = _previous(np.array([logit]), precision)
        np.testing.assert_array_equal(run(model, [word])[0], exact_outputs(model, word, 0))


def test_large_logits_do_not_overflow() -> None:
    for precision in (None, 3):
        for logit in (-2000.0, 2000.0):
            model = _previous(np.array([0.0, logit]), precision)
            for method in METHODS:
                got = run(model, ["abab"], method=method)[0]
                np.testing.assert_allclose(got, exact_outputs(model, "abab", 0), atol=1e-12)


def _previous(phi: Array, precision: int | None = None) -> Transformer:
    """The share of a among the positions seen, weighed by φ."""
    v = np.array([[0.0, 0.0], [1.0, 0.0]])
    layer = Layer.attention_only(Head(np.zeros((2, 2)), v, phi))
    embedding, out = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0]])
    tokens = ("$", "a", "b")
    return Transformer("limit", tokens, embedding, np.zeros((1, 2)), (layer,), out, precision=precision)


def test_words_of_different_lengths_in_one_batch() -> None:
    model = small_model(7)
    words = ["".join(word) for n in range(5) for word in product("ab", repeat=n)]
    together = run(model, words)
    for word, output in zip(words, together, strict=True):
        assert output.shape == (len(word) + 1, 2)
        np.testing.assert_allclose(output, run(model, [word])[0], rtol=1e-12, atol=1e-12)
    assert run(model, []) == []


def test_many_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model(7)
    words = random_words(1, 20, 9)
    whole = run(model, words, method="blocks")
    monkeypatch.setattr("longreach.theory.limit.run.CHUNK", 50)
    monkeypatch.setattr(heads, "BLOCK", 8)
    for one, other in zip(run(model, words, method="blocks"), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("precision", [None, 6])
@pytest.mark.parametrize("side", ["keys", "queries", "both"])
def test_ways_of_summing_agree_on_long_words(
    side: str, precision: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One side of KQ reads tokens only, the other all: classes of keys, or of queries, or neither."""
    model = small_model(11, precision=precision, width=6)
    layers = []
    for layer in model.layers:
        changed = []
        for head in layer.heads or (Head(np.ones((6, 6)) / 8, np.eye(6), np.array([1.0, 2.0])),):
            kq, v = head.kq.copy(), head.v.copy()
            v[:2] = 0
            if side in ("keys", "both"):
                kq[2:] = 0
            if side in ("queries", "both"):
                kq[:, 2:] = 0
            changed.append(replace(head, kq=kq, v=v))
        out = layer.out.copy()
        out[:2] = 0
        layers.append(replace(layer, heads=tuple(changed), out=out))
    model = replace(model, layers=tuple(layers))
    words = random_words(3, 3, 400)
    blocks = run(model, words, method="blocks")
    used: list[bool] = []
    original = heads.Attention.blocks
    monkeypatch.setattr(heads.Attention, "blocks", lambda self: (used.append(True), original(self))[1])
    for one, other in zip(run(model, words, method="classes"), blocks, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert not used


def _wide(width: int) -> Transformer:
    """Uniform and local heads that write the whole width, and a full MLP, as compiled programs have them."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> Array:
        return rng.integers(-1, 2, shape) * (rng.random(shape) < 0.05) / 4

    layer = Layer(
        heads=(
            Head(np.zeros((width, width)), draw(width, width)),
            Head(np.zeros((width, width)), draw(width, width), np.array([0.0, 0.0, 2.0])),
        ),
        a=draw(2 * width, width),
        b=draw(2 * width),
        out=draw(width, 2 * width),
        heaviside=rng.random(2 * width) < 0.8,
    )
    return Transformer(
        "limit", ("$", "a", "b"), draw(3, width), np.zeros((1, width)), (layer, layer), draw(1, width)
    )


def test_memory_is_proportional_to_length_times_width() -> None:
    model, length = _wide(200), 10_000
    word = "".join(np.random.default_rng(1).choice(["a", "b"], length))
    tracemalloc.start()
    try:
        (output,) = run(model, [word])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert output.shape == (length + 1, 1)
    assert np.isfinite(output).all()
    assert peak < 10 * 8 * length * model.width  # ten streams; a matrix of weights would be fifty


def test_blocks_need_no_square_matrix() -> None:
    model, length = small_model(2, phi="none"), 4_000
    word = "".join(np.random.default_rng(1).choice(["a", "b"], length))
    tracemalloc.start()
    try:
        run(model, [word], method="blocks")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * length * length


def test_narrow_types_round() -> None:
    model = _previous(np.array([0.0]))
    word = "aab"
    thirds = run(model, [word])[0].ravel()
    assert thirds[2] == 2 / 3
    assert run(model, [word], dtype="float32")[0].ravel()[2] == np.float32(2 / 3)
    assert run(model, [word], dtype="bfloat16")[0].ravel()[2] == 171 / 256
    for seed in range(5):
        small = small_model(seed)
        for method in METHODS:
            (wide,), (narrow,) = (
                run(small, ["abba"], dtype=dtype, method=method) for dtype in ("float64", "float32")
            )
            np.testing.assert_allclose(narrow, wide, rtol=1e-3, atol=1e-3)


def test_bfloat16_rounds_to_nearest_even() -> None:
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8), 1 + 2**-8 + 2**-20, 0.0, 3e38])
    wanted = [1.0, 1 + 4 * 2**-8, -1.0, 1 + 2 * 2**-8, 0.0]
    assert round_bfloat16(values)[:5].tolist() == wanted


def test_bfloat16_agrees_with_torch() -> None:
    values = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    expected = torch.tensor(values).to(torch.bfloat16).to(torch.float32).numpy()
    np.testing.assert_array_equal(round_bfloat16(values), expected)


def test_acceptance_and_predictions() -> None:
    acceptor = _previous(np.array([0.0]))
    assert accepts(acceptor, ["ab", "bb", ""]).tolist() == [True, False, False]
    predictor = replace(acceptor, read_out=("a",))
    assert predictions(predictor, ["ba", ""]) == [[(), (), ("a",)], [()]]


def test_attention_matrix() -> None:
    weights = attention(_previous(np.array([0.0, 2.0])), "ab", 0, 0)
    expected = [[1, 0, 0], [0.9, 0.1, 0], [1 / 11, 9 / 11, 1 / 11]]
    np.testing.assert_allclose(weights, expected)
    model = small_model(5, precision=4)
    stream = residuals(model, "abbab")
    for layer in range(len(model.layers)):
        total = stream[layer].copy()
        for head, part in enumerate(model.layers[layer].heads):
            total += attention(model, "abbab", layer, head) @ stream[layer] @ part.v.T
        assert total.shape == stream[layer].shape
        if not len(model.layers[layer].b):
            np.testing.assert_allclose(total, stream[layer + 1])


@pytest.mark.parametrize("precision", ["own", None, 3, RelativePrecision(4), "infinite"])
def test_equal_to_the_last_of_all_outputs(precision: Precision) -> None:
    for seed in range(12):
        for phi in ("none", "local", "general"):
            model = small_model(
                seed, "limit", phi=phi, precision=None, integer=seed % 2 == 0, layers=1 + seed % 2
            )
            if phi == "general" and len(model.layers) == 1:
                continue  # one layer is run class by class, which a φ of any reach does not allow
            for word in [*random_words(seed, 2, 30), "", "a"]:
                wanted = run(model, [word], precision=precision)[0][-1]
                found = last_output(model, model.encode(word), precision=precision)
                np.testing.assert_allclose(found, wanted, atol=1e-9)
