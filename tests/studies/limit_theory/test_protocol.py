"""Theorem 12's protocol against a direct evaluator that is written from the definition of section 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.limit_theory.protocol import Machine, _power, run_protocol
from longreach.theory.limit.model import Array, Head, Layer, Transformer
from tests.helpers.examples import at_most

Vector = list[Fraction]


def rounded(x: Fraction, bits: int | None) -> Fraction:
    return x if bits is None else Fraction(floor(x * 2**bits + Fraction(1, 2)), 2**bits)


def exponential(length: int, logit: Fraction, precision: int) -> Fraction:
    if logit.denominator == 1:
        return rounded(Fraction(length) ** int(logit), precision)
    return rounded(Fraction(length ** float(logit)), precision)


def times(vector: Vector, matrix: Array) -> Vector:
    """vectorᵀ matrix"""
    return [
        sum((x * Fraction(m) for x, m in zip(vector, column, strict=True)), Fraction(0))
        for column in matrix.T.tolist()
    ] if len(matrix) else [Fraction(0)] * matrix.shape[1]  # fmt: skip


def evaluate(
    model: Transformer,
    word: Sequence[str],
    activation_bits: int | None = None,
    key_bits: Sequence[Sequence[int]] | None = None,
) -> list[list[Vector]]:
    """All activations; None: no rounding but that of logits and exponentials."""
    assert model.precision is not None
    rows = model.encode(tuple(word))
    y = [
        [
            rounded(Fraction(e) + Fraction(p), activation_bits)
            for e, p in zip(model.embedding[row], model.positions[i % model.period], strict=True)
        ]
        for i, row in enumerate(rows)
    ]
    history = [y]
    for number, layer in enumerate(model.layers):
        following = []
        for i, query in enumerate(y):
            mixed = list(query)
            for h, head in enumerate(layer.heads):
                weights, values = [], []
                for j in range(i + 1):
                    bits = None if key_bits is None else key_bits[number][h]
                    key = [rounded(x, bits) for x in times(y[j], head.kq)]
                    logit = sum((a * b for a, b in zip(key, query, strict=True)), Fraction(0))
                    if isinstance(head.phi, np.ndarray) and i - j < len(head.phi):
                        logit += Fraction(float(head.phi[i - j]))
                    weights.append(exponential(len(rows), rounded(logit, model.precision), model.precision))
                    values.append([rounded(x, activation_bits) for x in times(y[j], head.v.T)])
                for c in range(model.width):
                    mean = sum((w * v[c] for w, v in zip(weights, values, strict=True)), Fraction(0))
                    mixed[c] += rounded(mean / sum(weights), activation_bits)
            units = [x + Fraction(b) for x, b in zip(times(mixed, layer.a.T), layer.b, strict=True)]
            active = [
                Fraction(int(x >= 0)) if step else max(x, Fraction(0))
                for x, step in zip(units, layer.heaviside, strict=True)
            ]
            change = times(active, layer.out.T)
            following.append([x + rounded(c, activation_bits) for x, c in zip(mixed, change, strict=True)])
        y = following
        history.append(y)
    return history


def matrix(size: int, *entries: tuple[int, int, float]) -> Array:
    made = np.zeros((size, size))
    for row, column, value in entries:
        made[row, column] = value
    return made


def layer(
    heads: Sequence[Head], size: int, units: Sequence[tuple[dict[int, float], float, int]] = ()
) -> Layer:
    """Heaviside units, each given by what it reads, its bias and the coordinate it writes."""
    a, b, out = np.zeros((len(units), size)), np.zeros(len(units)), np.zeros((size, len(units)))
    for number, (reads, bias, writes) in enumerate(units):
        for coordinate, weight in reads.items():
            a[number, coordinate] = weight
        b[number], out[writes, number] = bias, 1
    return Layer(tuple(heads), a, b, out, np.ones(len(units), dtype=bool))


def counting() -> Transformer:
    """Coordinates: a, b, share of a, share of b, majority. A uniform head and a comparison."""
    uniform = Head(np.zeros((5, 5)), matrix(5, (2, 0, 1), (3, 1, 1)))
    made = layer([uniform], 5, [({2: 1, 3: -1}, 0, 4)])
    return Transformer(
        "limit", ("$", "a", "b"), np.vstack([np.zeros((1, 5)), np.eye(5)[:2]]), np.zeros((1, 5)), (made,),
        np.eye(5)[4:], precision=6,
    )  # fmt: skip


def bigrams() -> Transformer:
    """Coordinates: a, b, previous a, ab here, share of ab, some ab. The head of j = i − 1 has φ = 2."""
    previous = Head(np.zeros((6, 6)), matrix(6, (2, 0, 1)), np.array([0.0, 2.0]))
    uniform = Head(np.zeros((6, 6)), matrix(6, (4, 3, 1)))
    first = layer([previous], 6, [({2: 1, 1: 1}, -1.5, 3)])
    second = layer([uniform], 6, [({4: 1}, -(2.0**-10), 5)])
    return Transformer(
        "limit", ("$", "a", "b"), np.vstack([np.zeros((1, 6)), np.eye(6)[:2]]), np.zeros((1, 6)),
        (first, second), np.eye(6)[5:], precision=6,
    )  # fmt: skip


def matching() -> Transformer:
    """Coordinates: a, b, even place, seen. Queries attend to equal tokens, less at even places."""
    kq = matrix(4, (0, 0, 1), (1, 1, 1), (2, 2, -0.5))
    head = Head(kq, matrix(4, (3, 0, 0.5), (3, 2, 1)), np.array([1.0, -0.5, 2.0]))
    other = Head(np.zeros((4, 4)), matrix(4, (3, 3, 1)), np.array([0.0, 0.0, 0.0, 0.0, 1.5, 0.0]))
    return Transformer(
        "limit", ("$", "a", "b"), np.vstack([np.zeros((1, 4)), np.eye(4)[:2]]),
        np.array([[0, 0, 1.0, 0], [0, 0, 0, 0]]), (layer([head, other], 4), layer([other, head], 4)),
        np.eye(4)[3:], precision=4,
    )  # fmt: skip


MODELS = {"counting": counting, "bigrams": bigrams, "matching": matching}


def agree(model: Transformer, first: str, second: str) -> None:
    """Bob's activations are exactly those of the direct computation in the same number format."""
    done = run_protocol(model, first, second)
    machine = Machine(model, len(first + second) + 1, None, None)
    bits = [[head.key_bits for head in made.heads] for made in machine.layers]
    expected = evaluate(model, first + second, machine.fraction_bits, bits)
    for found, direct, whole in zip(done.activations, expected, machine.direct(first + second), strict=True):
        assert found.tolist() == [[float(x) for x in row] for row in direct[len(first) + 1 :]]
        assert machine.numbers(whole).tolist() == [[float(x) for x in row] for row in direct]
    assert done.keys_exact == machine.keys_exact


@pytest.mark.parametrize("name", MODELS)
def test_bob_gets_the_activations_of_the_direct_computation(name: str) -> None:
    for n in range(3):
        for word in product("ab", repeat=2 * n):
            agree(MODELS[name](), "".join(word[:n]), "".join(word[n:]))


@pytest.mark.parametrize("name", MODELS)
def test_any_split_of_a_longer_word(name: str) -> None:
    word = "abbabaaabbba"
    for border in (0, 1, 5, 6, 11, 12):
        agree(MODELS[name](), word[:border], word[border:])


@pytest.mark.parametrize("name", ["counting", "bigrams"])
def test_rounding_of_activations_is_negligible(name: str) -> None:
    """Against the transformer itself, which rounds logits and exponentials alone."""
    for word in ("aabbabba", "bbbabbba", "bbbbaaaa"):
        done = run_protocol(MODELS[name](), word[:4], word[4:])
        assert done.keys_exact
        for found, direct in zip(done.activations, evaluate(MODELS[name](), word), strict=True):
            expected = np.array([[float(x) for x in row] for row in direct[5:]])
            assert np.abs(found - expected).max() < 2.0**-18


def test_outputs_are_those_of_the_task() -> None:
    for word in product("ab", repeat=6):
        text = "".join(word)
        majority = run_protocol(counting(), text[:3], text[3:]).outputs[:, 0]
        assert majority.tolist() == [float(2 * text[:k].count("a") >= k) for k in (4, 5, 6)]
        found = run_protocol(bigrams(), text[:3], text[3:]).outputs[:, 0]
        assert found.tolist() == [float("ab" in text[:k]) for k in (4, 5, 6)]


@st.composite
def transformers(draw: st.DrawFn) -> Transformer:
    size, layers, heads, period, locality = 3, 2, draw(st.integers(1, 2)), draw(st.integers(1, 3)), 3
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def dyadic(*shape: int) -> Array:
        return rng.integers(-4, 5, size=shape) / 4

    def one() -> Layer:
        made = [
            Head(
                dyadic(size, size) * rng.integers(0, 2), dyadic(size, size), dyadic(rng.integers(0, locality))
            )
            for _ in range(heads)
        ]
        units = int(rng.integers(0, 3))
        return Layer(
            tuple(made), dyadic(units, size), dyadic(units), dyadic(size, units), rng.random(units) < 0.5
        )

    return Transformer(
        "limit", ("$", "a", "b"), dyadic(3, size), dyadic(period, size), tuple(one() for _ in range(layers)),
        np.eye(size)[:1], precision=draw(st.integers(1, 4)),
    )  # fmt: skip


@settings(max_examples=at_most(60))
@given(transformers(), st.text("ab", max_size=6), st.text("ab", max_size=5))
def test_random_transformers(model: Transformer, first: str, second: str) -> None:
    try:
        agree(model, first, second)
    except InputError as error:
        assert "rounded to zero" in error.message  # noqa: PT017


def test_bits_grow_logarithmically_and_classes_do_not() -> None:
    lengths = [8, 16, 32, 64, 128, 256]
    rng = np.random.default_rng(0)
    words = {n: "".join(rng.choice(["a", "b"], size=2 * n)) for n in lengths}
    for model in (counting(), bigrams()):
        done = [run_protocol(model, words[n][:n], words[n][n:]) for n in lengths]
        logarithmic, linear = (
            np.polyfit(x, [d.bits for d in done], 1, full=True)[1][0] for x in (np.log2(lengths), lengths)
        )
        assert logarithmic < 0.01 * linear
        assert len({d.classes for d in done}) == 1
    assert done[-1].classes == ((2,), (1,))


def test_bits_of_a_message_by_hand() -> None:
    """One layer, one head, N = 4 and length 9: 3 bits of classes, 3 of the count, two sums."""
    done = run_protocol(counting(), "abab", "bbbb", fraction_bits=10)
    value_bound = 2**10 + 1
    assert done.bits == 3 + 3 + 2 * ((5 * value_bound).bit_length() + 1)
    assert set(done.message) <= {"0", "1"}


def test_the_message_does_not_depend_on_bobs_half() -> None:
    messages = {run_protocol(bigrams(), "abba", "".join(y)).message for y in product("ab", repeat=4)}
    assert len(messages) == 1


def test_only_the_share_matters_to_a_counting_head() -> None:
    messages = {run_protocol(counting(), first, "bb").message for first in ("aabb", "abab", "bbaa")}
    assert len(messages) == 1


def test_keys_that_need_rounding_are_reported() -> None:
    """A second layer whose keys read shares of a, which take more values the longer the input."""
    model = counting()
    reading = Head(matrix(5, (2, 0, 1)), matrix(5, (4, 0, 1)))
    model = replace(model, layers=(*model.layers, layer([reading], 5)))
    word = "abbabaaabbbababa"
    done = run_protocol(model, word[:8], word[8:])
    assert not done.keys_exact
    agree(model, word[:8], word[8:])
    coarse = run_protocol(model, word[:8], word[8:], key_bits=1)
    assert coarse.classes[1][0] < done.classes[1][0]


@pytest.mark.parametrize("precision", [0, 1, 5])
def test_powers(precision: int) -> None:
    for length in (2, 3, 16, 100):
        for logit in range(-3 << precision, (3 << precision) + 1):
            value = length ** (logit / 2**precision) * 2**precision
            if abs(value + 0.5 - round(value + 0.5)) > 1e-6:  # floats cannot tell at a border
                assert _power(length, logit, precision) == floor(value + 0.5)
    assert _power(16, -1, 1) == 1  # ¼ · 2 = ½ is rounded up
    assert _power(10, 3 << 8, 8) == 1000 << 8
    assert log(_power(7, 1, 1), 2) == pytest.approx(log(5, 2))  # √7 · 2 = 5.29


MODEL = counting()
(ONLY,) = MODEL.layers


def _with_head(**changed: object) -> Transformer:
    head = replace(ONLY.heads[0], **changed)  # type: ignore[arg-type]
    return replace(MODEL, layers=(replace(ONLY, heads=(head,)),))


@pytest.mark.parametrize(
    ("model", "words", "message"),
    [
        (replace(MODEL, precision=None), "ab", "precision is not set"),
        (replace(MODEL, kind="finite", positions=np.zeros((9, 5))), "ab", "finite"),
        (MODEL, "ac", "'c' is not in the vocabulary"),
        (_with_head(phi=lambda j, i: 1.0), "ab", "not local"),
        (
            replace(_with_head(kq=-40 * np.ones((5, 5))), embedding=np.ones((3, 5))),
            ("ab", "ab"),
            r"layer\.0\.head\.0: .* rounded to zero",
        ),
    ],
)
def test_models_and_words_that_are_refused(model: Transformer, words: Sequence[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_protocol(model, *words)


@pytest.mark.parametrize(("more", "message"), [(-1, "more are expected"), (1, "of which")])
def test_messages_of_another_length_are_refused(more: int, message: str) -> None:
    machine = Machine(MODEL, 3, None, None)
    sent, _ = machine.alice("a")
    with pytest.raises(InputError, match=message):
        machine.bob((sent + "0")[: len(sent) + more], 1, "b")
