"""The models of precision against their definitions, read literally."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from longreach.theory.limit.model import Array, Head, Layer, Transformer
from longreach.theory.limit.rounding import RelativePrecision
from longreach.theory.limit.run import Method, attention, run
from tests.helpers import exact_evaluator as exact
from tests.helpers.small_models import random_words, small_model

METHODS: tuple[Method, ...] = ("blocks", "classes")


def _one_head(logits: list[float], phi: Array | None = None) -> Transformer:
    """Outputs the share of each token; key t has the logit logits[t] for every query."""
    size = len(logits)
    tokens = ("$", *"abcdefgh"[: size - 1])
    d = 2 * size
    kq, v = np.zeros((d, d)), np.zeros((d, d))
    kq[:size, :size] = np.array(logits)[:, None]
    v[size:, :size] = np.eye(size)
    layer = Layer.attention_only(Head(kq, v, phi))
    return Transformer(
        "limit", tokens, np.eye(size, d), np.zeros((1, d)), (layer,), np.eye(size, d, size), read_out=tokens
    )


@pytest.mark.parametrize("bits", [0, 1, 3, 9])
def test_relative_rounding_equals_the_exact_evaluator(bits: int) -> None:
    rule = RelativePrecision(bits)
    for seed in range(8):
        for phi in ("none", "local", "general"):
            model = small_model(seed, "limit", phi=phi, precision=None, integer=seed % 2 == 0)
            words = random_words(seed, 3, 6)
            wanted = [
                np.array(exact.run(model, word, precision=rule).outputs, dtype=np.float64) for word in words
            ]
            for method in METHODS:
                for got, want in zip(run(model, words, precision=rule, method=method), wanted, strict=True):
                    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_relative_weights_are_those_of_the_definition() -> None:
    model = _one_head([0.0, 1.0, 0.5, -1.0], np.array([0.25, 0.5]))
    word, bits = "abcbacab", 5
    found = attention(model, word, 0, 0, precision=RelativePrecision(bits))
    codes = model.encode(word)
    for i in range(len(codes)):
        logits = [[0.0, 1.0, 0.5, -1.0][codes[j]] + {0: 0.25, 1: 0.5}.get(i - j, 0.0) for j in range(i + 1)]
        raw = [exp(log(len(codes)) * (logit - max(logits))) for logit in logits]
        weights = [0 if w <= 2.0**-bits else np.floor(w * 2**bits + 0.5) / 2**bits for w in raw]
        np.testing.assert_allclose(found[i, : i + 1], np.array(weights) / sum(weights))


def test_attention_is_hard_from_the_threshold_on_and_not_before() -> None:
    # γ = 1/2 and p = 3: hard from |x| = 2^6 on, the tie included; $ has the lowest logit.
    model = _one_head([-9.0, 1.0, 0.5])
    for length, hard in ((63, False), (64, True), (65, True)):
        word = "a" + "b" * (length - 2)
        share = float(run(model, [word], precision=RelativePrecision(3))[0][-1, 1])
        assert (share == 1.0) is hard
        assert exact.run(model, word, precision=RelativePrecision(3)).outputs[-1][1] == pytest.approx(share)


def test_equal_logits_share_equally_at_every_precision() -> None:
    model = _one_head([0.5, 0.5, 0.5])
    for bits in (0, 4, 40):
        share = run(model, ["aab"], precision=RelativePrecision(bits))[0][-1]
        np.testing.assert_allclose(share, [0.25, 0.5, 0.25])


def test_the_two_roundings_differ_and_are_not_mixed() -> None:
    # Raw exponentials |x|^−3 round to 0 at two bits; relative to the row's maximum they are 1.
    model = _one_head([-3.0, -3.0, -3.0])
    assert not run(model, ["aab"], precision=2)[0].any()
    np.testing.assert_allclose(run(model, ["aab"], precision=RelativePrecision(2))[0][-1], [0.25, 0.5, 0.25])


def test_as_many_bits_as_there_are_change_nothing() -> None:
    model = _one_head([0.0, 1.0, 0.5])
    exactly, rounded = (run(model, ["abab"], precision=rule)[0] for rule in (None, RelativePrecision(1000)))
    np.testing.assert_allclose(rounded, exactly, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_infinite_precision_scales_only_the_local_part(method: Method) -> None:
    phi = np.array([0.0, 1.5, 0.5])
    tokens = [0.3, 1.0, -0.5]
    model = _one_head(tokens, phi)
    word = "abbabaab" * 3
    found = run(model, [word], precision="infinite", method=method)[0]
    codes = model.encode(word)
    for i in range(len(codes)):
        logits = [tokens[codes[j]] + log(i + 1) * (phi[i - j] if i - j < 3 else 0.0) for j in range(i + 1)]
        weights = np.exp(logits) / np.exp(logits).sum()
        wanted = [weights[codes[: i + 1] == token].sum() for token in range(3)]
        np.testing.assert_allclose(found[i], wanted, atol=1e-12)


def test_infinite_precision_by_classes_and_by_blocks_on_random_models() -> None:
    for seed in range(8):
        for phi in ("none", "local"):
            model = small_model(seed, "limit", phi=phi, precision=3, integer=False)
            words = random_words(seed, 3, 40)
            one, other = (run(model, words, precision="infinite", method=method) for method in METHODS)
            for left, right in zip(one, other, strict=True):
                np.testing.assert_allclose(left, right, atol=1e-9)
