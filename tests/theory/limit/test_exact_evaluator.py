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


LOCAL, FIRST = np.array([0.0, 2.0]), lambda j, i: float(j == 1)
PERIODIC = one_head(positions=np.array([[0.0, 0, 0], [0, 1, 0], [0, 2, 0]]))
PLACES = one_head(kind="finite", positions=np.array([[0.0, i, 0] for i in range(4)]))


@pytest.mark.parametrize(
    ("model", "word", "offset", "wanted"),
    [
        # |x| = 4, φ(1) = 2: the previous position has weight 16, the others 1.
        (one_head(LOCAL), "aba", 0, [0, Fraction(1, 17), Fraction(16, 18), Fraction(2, 19)]),
        # |x| = 3, keys with a have logit −1: weights 1, 1/3, 1.
        (one_head(kq=-1.0), "ab", 0, [0, Fraction(1, 4), Fraction(1, 7)]),
        # A general φ sees key and query, and moves with the offset.
        (one_head(FIRST), "ab", 0, [0, Fraction(3, 4), Fraction(3, 5)]),
        (one_head(FIRST), "ab", 1, [0, Fraction(1, 4), Fraction(1, 5)]),
        # The empty word has length one.
        (one_head(np.array([5.0]), kq=2.0), "", 0, [0]),
        # |x| = 2, logit −3: 1/8 rounds up to 1/4 with two bits, and to 0 with one.
        (one_head(kq=-3.0, precision=2), "a", 0, [0, Fraction(1, 5)]),
        (one_head(kq=-3.0, precision=1), "a", 0, [0, 0]),
        # A head adds nothing where all exponentials round to zero.
        (one_head(np.array([-9.0, -9.0, -9.0]), precision=0), "ab", 0, [0, 0, 0]),
        # Positions of finite transformers and of limit transformers.
        (PLACES, "b", 2, [2, 3]),
        (PERIODIC, "bbbb", 0, [0, 1, 2, 0, 1]),
        (PERIODIC, "bb", 1, [1, 2, 0]),
    ],
)
def test_outputs_by_hand(model: Transformer, word: str, offset: int, wanted: list[Fraction]) -> None:
    assert outputs(model, word, offset) == wanted


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


def test_rounding_of_logits() -> None:
    # ¼ rounds to ½ with one bit; |x| = 4 makes that 2.
    assert outputs(one_head(kq=0.25, precision=1), "abb")[-1] == Fraction(2, 5)


def test_rounding_of_irrational_exponentials() -> None:
    result = run(one_head(kq=0.5, precision=4), "ab")  # √3 = 27.71…/16
    assert result.exact
    assert result.outputs[-1] == (Fraction(28, 16) / (2 + Fraction(28, 16)),)


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


def test_acceptance() -> None:
    assert accepts(one_head(), "ab")
    assert not accepts(one_head(), "bb")
    with pytest.raises(InputError, match="read_out"):
        accepts(replace(one_head(), read_out=("a",)), "ab")


def test_rounded_models_are_always_exact() -> None:
    for seed in range(20):
        assert run(small_model(seed, precision=3), "abba").exact
