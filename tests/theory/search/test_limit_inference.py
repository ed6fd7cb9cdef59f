"""Inference on small limit transformers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.tasks.targets import target_named
from longreach.theory.limit.model import START, Head, Layer, Transformer
from longreach.theory.limit.norms import limit_regularizer
from longreach.theory.search.inference import SCHEDULES
from longreach.theory.search.limit_inference import (
    CountedWords,
    LimitShape,
    SmallLimit,
    infer_limit,
    shapes,
    sums_of,
)
from longreach.theory.search.space import WordTree
from longreach.theory.search.targets import Target, target_of
from tests.helpers.exact_evaluator import accepts


def transformer_of(model: SmallLimit) -> Transformer:
    """The same in the form of the theory."""
    tokens = len(model.alphabet) + 1
    width, read = model.shape.width(tokens - 1), tokens
    kq, v = np.zeros((width, width)), np.zeros((width, width))
    kq[:tokens, :tokens] = np.array(model.logits, float)[:, None]
    v[read, :tokens] = model.values
    embedding = np.zeros((tokens, width))
    embedding[:, :tokens] = np.eye(tokens)
    positions = np.zeros((model.shape.period, width))
    out = np.zeros((1, width))
    out[0, :tokens], out[0, read] = model.outputs, 1.0
    if model.shape.period > 1:
        positions[:, read + 1 :] = np.eye(model.shape.period)
        out[0, read + 1 :] = model.places
    return Transformer(
        kind="limit",
        vocabulary=(START, *model.alphabet),
        embedding=embedding,
        positions=positions,
        layers=(
            Layer.attention_only(Head(kq, v, np.array(model.shape.phi, float) if model.shape.phi else None)),
        ),
        unembedding=out,
    )


def one_by_one(target: Target, length: int, most: int) -> tuple[int, int] | None:
    """The least R_∞ of what fits all words up to a length, and how many of the first such shape fit."""
    letters = len(target.alphabet)
    words = CountedWords(WordTree.of(target.alphabet, length=length))
    wanted = target.labels(words.tree)[0].tolist()
    for shape in shapes(letters, most):
        numbers = range(-shape.largest, shape.largest + 1)
        rows = list(product(numbers, repeat=letters + 1))
        places = [(0,)] if shape.period == 1 else list(product(numbers, repeat=shape.period))
        fitting = sum(
            SmallLimit(
                alphabet=target.alphabet, shape=shape, logits=g, values=w, outputs=u, places=v
            ).accepted(words).tolist()
            == wanted
            for g, w, u, v in product(rows, rows, rows, places)
        )  # fmt: skip
        if fitting:
            return shape.complexity(letters), fitting
    return None


@pytest.mark.parametrize(
    "accepts",
    [
        lambda word: len(word) % 2 == 0,
        lambda word: len(word) >= 2,
        lambda word: len(word) == 0,
        lambda word: True,
    ],
)
def test_the_least_is_found_and_all_are_counted(accepts: object) -> None:
    target = target_of(accepts, "a")  # type: ignore[arg-type]
    run = infer_limit(target, to=3, schedule=SCHEDULES["full"], most=8)
    for step in run.steps:
        found = one_by_one(target, step.trained_to, 8)
        assert (step.complexity, step.choices) == (found or (None, 0))


@pytest.mark.parametrize("name", ["lib:majority", "aa", "regex:(a|b)*ab", "regex:(a|b)*a(a|b)*"])
def test_targets_of_the_class_are_found_and_stay(name: str) -> None:
    run = infer_limit(target_named(name), to=20 if name == "aa" else 12)
    assert run.n0 is not None
    assert run.bounded
    assert run.stopped == ""
    for found in run.hypotheses:
        assert found.model is not None
        assert found.complexity == found.model.shape.complexity(len(found.model.alphabet))


@pytest.mark.parametrize("name", ["parity-language", "sigma-be"])
def test_targets_outside_grow_until_the_search_ends(name: str) -> None:
    run = infer_limit(target_named(name), to=8, most=10)
    sizes = [step.at_least for step in run.steps]
    assert sizes == sorted(sizes)
    assert sizes[-1] > sizes[0]
    assert run.steps[-1].complexity is None
    assert run.n0 is None
    assert run.stopped


def test_numbers_that_do_not_fit_end_the_search() -> None:
    """Every fifth length: no period up to 4 does it, and the parameters grow until their powers are large."""
    run = infer_limit(target_named("regex:(aaaaa)*"), to=40, most=16)
    assert run.stopped.startswith("words of length 40 give numbers of more than 64 bits, at R_∞ = ")
    assert run.n0 is None


def test_the_document() -> None:
    document = infer_limit(target_named("aa"), to=10).document()
    assert document["n0"] == 9
    assert document["steps"][-1]["errors"] == 0
    assert len(document["model"]["places"]) == 2
    late = infer_limit(target_named("parity-language"), to=10, seconds=0.0).document()
    assert "budget" in late["stopped"]


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
    transformer = transformer_of(model)
    expected = [accepts(transformer, word) for word in WORDS.tree.words]
    assert model.accepted(WORDS).tolist() == expected


@given(models())
def test_the_complexity_is_that_of_the_regularizer(model: SmallLimit) -> None:
    total = limit_regularizer(transformer_of(model)).total
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
    node = WORDS.tree.words.index(tuple("abba"))
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
    assert np.array_equal(transformer_of(model).layers[0].heads[0].phi, [0.0, 1.0])  # type: ignore[arg-type]
