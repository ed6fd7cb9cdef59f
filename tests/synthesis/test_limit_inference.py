"""The procedure on limit transformers. The oracle: every hypothesis of a shape tried one by one."""

from __future__ import annotations

from itertools import product

import pytest

from longreach.synthesis.limit_inference import infer_limit
from longreach.synthesis.search_target import Target, target_of
from longreach.synthesis.small_limit import CountedWords, SmallLimit, shapes
from longreach.synthesis.training_lengths import SCHEDULES
from longreach.synthesis.word_tree import WordTree
from longreach.tasks.task_to_target import target_named


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
    for step, model in zip(run.steps, run.models, strict=True):
        assert model is not None
        assert step.complexity == model.shape.complexity(len(model.alphabet))


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
