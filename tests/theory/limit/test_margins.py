"""Logit margins against all logits of all short inputs, and exact matrices against fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.margins import Dyadic, logit_margins
from longreach.theory.limit.model import Head, Layer, Transformer


def model_with(kq: np.ndarray, phi: np.ndarray, period: int) -> Transformer:
    embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    positions = np.array([[0.0, 0.0], [2.0, 0.0]])[:period]
    layer = Layer.attention_only(Head(kq, np.zeros((2, 2)), phi))
    return Transformer("limit", ("$", "a", "b"), embedding, positions, (layer,), np.zeros((1, 2)))


def literal_margin(model: Transformer, longest: int) -> float:
    """The least gap between two logits that one kind of query sees, over all inputs together."""
    head = model.layers[0].heads[0]
    assert isinstance(head.phi, np.ndarray)
    seen: dict[tuple[str, int], set[float]] = {}
    for n in range(1, longest + 1):
        for word in product("ab", repeat=n):
            y = model.embedding[model.encode(word)] + model.positions[np.arange(n + 1) % model.period]
            for i in range(1, n + 1):
                kind = seen.setdefault((word[i - 1], i % model.period), set())
                for j in range(i + 1):
                    phi = head.phi[i - j] if i - j < len(head.phi) else 0.0
                    kind.add(float(y[j] @ head.kq @ y[i] + phi))
    return min(
        b - a for values in seen.values() for a, b in zip(sorted(values), sorted(values)[1:], strict=False)
    )


@pytest.mark.parametrize("period", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_first_layers_against_all_short_inputs(seed: int, period: int) -> None:
    rng = np.random.default_rng(seed)
    model = model_with(rng.integers(-3, 4, (2, 2)).astype(float), rng.integers(0, 4, 2) / 2.0, period)
    (found,) = logit_margins(model)
    assert found.known
    # The margin ranges over pairs that may occur in different inputs.
    assert found.margin == literal_margin(model, 5)


def test_compiled_models() -> None:
    assert all(found.margin is None for found in logit_margins(compile_program(load("dyck-1").core)))
    margins = [found.margin for found in logit_margins(compile_program(load("tomita-4").core))]
    assert set(margins) == {None, 2.0}


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.lists(NUMBERS, min_size=2, max_size=2))
def test_products_are_exact(left: list[float], right: list[float]) -> None:
    product = Dyadic.of(np.array(left).reshape(2, 2)) @ Dyadic.of(np.array(right))
    a, b, c, d = map(Fraction, left)
    x, y = map(Fraction, right)
    assert [Fraction(value, product.unit) for value in product.whole] == [a * x + b * y, c * x + d * y]


@given(st.lists(NUMBERS, max_size=5))
def test_squares_are_exact(values: list[float]) -> None:
    assert Dyadic.of(np.array(values)).squares() == sum(
        (Fraction(value) ** 2 for value in values), Fraction(0)
    )


def test_an_empty_array() -> None:
    assert Dyadic.of(np.zeros((0, 3))).squares() == 0
    assert (Dyadic.of(np.zeros((2, 0))) @ Dyadic.of(np.zeros((0, 2)))).whole.tolist() == [[0, 0], [0, 0]]
