"""Small limit transformers. The oracle: the exact evaluator of limit transformers, and their R_∞."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longreach.limit.measure.norms import limit_regularizer
from longreach.limit.run.exact_evaluator import accepts
from longreach.synthesis.small_limit import CountedWords, LimitShape, SmallLimit, shapes, sums_of
from longreach.synthesis.word_tree import WordTree

NOT_ZERO = [x for x in range(-9, 10) if x]
WORDS = CountedWords(WordTree.of("ab", length=5))


@st.composite
def models(draw: st.DrawFn) -> SmallLimit:
    largest, period = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    phi = draw(st.lists(st.integers(-2, 2), max_size=3))
    while phi and not phi[-1]:
        phi.pop()
    numbers = st.integers(-largest, largest)
    three = st.tuples(numbers, numbers, numbers)
    places = draw(st.tuples(*[numbers] * period)) if period > 1 else (0,)
    return SmallLimit(
        alphabet=("a", "b"),
        shape=LimitShape(largest=largest, period=period, phi=tuple(phi)),
        logits=draw(three),
        values=draw(three),
        outputs=draw(three),
        places=places,
    )


@given(models())
def test_integers_say_what_the_limit_transformer_says(model: SmallLimit) -> None:
    transformer = model.transformer()
    expected = [accepts(transformer, word) for word in WORDS.tree.words]
    assert model.accepted(WORDS).tolist() == expected


@given(models())
def test_the_complexity_is_that_of_the_regularizer(model: SmallLimit) -> None:
    total = limit_regularizer(model.transformer()).total
    used = max(map(abs, (*model.logits, *model.values, *model.outputs, *model.places)))
    whole = model.shape.largest - max(1, used)
    assert total == model.shape.complexity(2) - whole


@given(models())
def test_no_sum_is_larger_than_is_said(model: SmallLimit) -> None:
    sums, totals = sums_of(model.shape, WORDS, np.array([model.logits]), np.array([model.values]))
    bias = np.abs(model.outputs).max() + np.abs(model.places).max()
    most = [model.shape.largest_sum(int(size)) for size in WORDS.sizes]
    assert (np.abs(sums[:, 0, 0]) + bias * totals[:, 0] <= most).all()


def test_counts_and_tokens() -> None:
    node = WORDS.tree.node("abba")
    assert WORDS.counts[node].tolist() == [1, 2, 2]
    assert [int(WORDS.back(distance)[node]) for distance in range(6)] == [1, 2, 2, 1, 0, -1]
    assert WORDS.sizes[node] == 5


def test_shapes_are_all_there_in_order() -> None:
    found = shapes(1, 17, distance=1, periods=2)
    complexities = [shape.complexity(1) for shape in found]
    assert complexities == sorted(complexities)
    expected = {
        (largest, period, phi)
        for largest in range(1, 17)
        for period in (1, 2)
        for phi in [(), *((x,) for x in NOT_ZERO), *product(range(-9, 10), NOT_ZERO)]
        if 2 + (3 + (period if period > 1 else 0)) + largest + period + sum(x * x for x in phi) <= 17
    }
    assert {(shape.largest, shape.period, shape.phi) for shape in found} == expected
    assert len(found) == len(expected)


def test_lines() -> None:
    shape = LimitShape(largest=1, period=2, phi=(0, 1))
    model = SmallLimit(
        alphabet=("a",), shape=shape, logits=(0, 1), values=(0, -1), outputs=(1, 1), places=(0, -1)
    )
    assert model.lines() == [
        "logits   $ 0, a 1",
        "values   $ 0, a -1",
        "outputs  $ 1, a 1",
        "places   0 0, 1 -1",
        "φ        0 0, 1 1",
    ]
    assert np.array_equal(model.transformer().layers[0].heads[0].phi, [0.0, 1.0])  # type: ignore[arg-type]
