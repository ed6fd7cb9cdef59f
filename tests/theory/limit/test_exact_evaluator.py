"""The exact evaluator against values worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Head, Layer, Relation, Transformer
from tests.helpers.exact_evaluator import accepts, rational_power, rounded, run
from tests.helpers.small_models import small_model


def one_head(
    phi: Array | Relation | None = None, kq: float = 0.0, precision: int | None = None, **more: object
) -> Transformer:
    """Averages the indicator of a: coordinate 0 is a, coordinate 1 the average, coordinate 2 constant."""
    v, product = np.zeros((3, 3)), np.zeros((3, 3))
    v[1, 0] = 1.0
    product[0, 2] = kq  # keys with a get this logit
    layer = Layer.attention_only(Head(product, v, phi))
    embedding = np.array([[0.0, 0, 1], [1, 0, 1], [0, 0, 1]])
    fields: dict[str, object] = {
        "kind": "limit",
        "vocabulary": ("$", "a", "b"),
        "embedding": embedding,
        "positions": np.zeros((1, 3)),
        "layers": (layer,),
        "unembedding": np.array([[0.0, 1.0, 0.0]]),
        "precision": precision,
    }
    return Transformer(**(fields | more))  # type: ignore[arg-type]


def outputs(model: Transformer, word: str, offset: int = 0) -> list[Fraction]:
    return [output for (output,) in run(model, word, offset).outputs]


def test_local_relation_weighs_with_powers_of_the_length() -> None:
    # |x| = 4, φ(1) = 2: the previous position has weight 16, the others 1.
    assert outputs(one_head(np.array([0.0, 2.0])), "aba") == [
        0,
        Fraction(1, 17),
        Fraction(16, 18),
        Fraction(2, 19),
    ]


def test_logits_of_keys() -> None:
    # |x| = 3, keys with a have logit −1: weights 1, 1/3, 1.
    assert outputs(one_head(kq=-1.0), "ab") == [0, Fraction(1, 4), Fraction(1, 7)]


def test_general_relation_sees_key_and_query_and_moves_with_the_offset() -> None:
    model = one_head(lambda j, i: float(j == 1))
    assert outputs(model, "ab") == [0, Fraction(3, 4), Fraction(3, 5)]
    assert outputs(model, "ab", offset=1) == [0, Fraction(1, 4), Fraction(1, 5)]


def test_empty_word_has_length_one() -> None:
    assert outputs(one_head(np.array([5.0]), kq=2.0), "") == [0]


def test_rational_powers_of_other_logits() -> None:
    # |x| = 4 and logit ½: weight 2, still exact.
    result = run(one_head(kq=0.5), "abb")
    assert result.exact
    assert result.outputs[-1] == (Fraction(2, 5),)


def test_irrational_weights_are_said_to_be_inexact() -> None:
    result = run(one_head(kq=0.5), "ab")
    assert not result.exact
    share = result.outputs[-1][0]
    weight = 2 * share / (1 - share)  # √3
    assert abs(weight * weight - 3) < Fraction(1, 10**50)


def test_rounding_of_exponentials_decides_ties_exactly() -> None:
    # |x| = 2, logit −3: 1/8 rounds up to 1/4 with two bits, and to 0 with one.
    assert outputs(one_head(kq=-3.0, precision=2), "a") == [0, Fraction(1, 5)]
    assert outputs(one_head(kq=-3.0, precision=1), "a") == [0, 0]


def test_rounding_of_logits() -> None:
    # ¼ rounds to ½ with one bit; |x| = 4 makes that 2.
    assert outputs(one_head(kq=0.25, precision=1), "abb")[-1] == Fraction(2, 5)


def test_rounding_of_irrational_exponentials() -> None:
    result = run(one_head(kq=0.5, precision=4), "ab")  # √3 = 27.71…/16
    assert result.exact
    assert result.outputs[-1] == (Fraction(28, 16) / (2 + Fraction(28, 16)),)


def test_head_adds_nothing_where_all_exponentials_round_to_zero() -> None:
    model = one_head(np.array([-9.0, -9.0, -9.0]), precision=0)
    assert outputs(model, "ab") == [0, 0, 0]


def test_powers() -> None:
    assert rational_power(1, Fraction(1, 3)) == 1
    assert rational_power(10**6, Fraction(5, 6)) == 10**5
    assert rational_power(12, Fraction(1, 2)) is None
    assert rounded(Fraction(-3, 8), 2) == Fraction(-1, 4)


def test_heaviside_of_zero_is_one_and_relu_cuts() -> None:
    layer = Layer(
        (),
        a=np.array([[1.0], [1.0]]),
        b=np.array([0.0, 0.0]),
        out=np.array([[4.0, 0.5]]),
        heaviside=np.array([True, False]),
    )
    model = Transformer(
        "limit",
        ("$", "a", "b"),
        np.array([[0.0], [-1.0], [2.0]]),
        np.zeros((1, 1)),
        (layer,),
        np.ones((1, 1)),
    )
    assert outputs(model, "ab") == [4, -1, 7]


def test_streams_are_returned_when_asked_for() -> None:
    result = run(one_head(), "ab", streams=True)
    assert [stream[2] for stream in result.streams] == [(0, 0, 1), (0, Fraction(1, 3), 1)]
    assert run(one_head(), "ab").streams == ()


def test_positions_and_offset_of_finite_transformers() -> None:
    model = one_head(kind="finite", positions=np.array([[0.0, i, 0] for i in range(4)]))
    assert outputs(model, "b", offset=2) == [2, 3]


def test_positions_of_limit_transformers_are_periodic() -> None:
    model = one_head(positions=np.array([[0.0, 0, 0], [0, 1, 0], [0, 2, 0]]))
    assert outputs(model, "bbbb") == [0, 1, 2, 0, 1]
    assert outputs(model, "bb", offset=1) == [1, 2, 0]


def test_acceptance() -> None:
    assert accepts(one_head(), "ab")
    assert not accepts(one_head(), "bb")
    with pytest.raises(InputError, match="read_out"):
        accepts(replace(one_head(), read_out=("a",)), "ab")


def test_rounded_models_are_always_exact() -> None:
    for seed in range(20):
        assert run(small_model(seed, precision=3), "abba").exact
