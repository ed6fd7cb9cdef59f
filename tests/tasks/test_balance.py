"""Tests of `tasks.balance`, and of what own functions are tested on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from longreach.runs.resolve import resolve
from longreach.runs.train import train
from longreach.tasks.balance import MOST_ANSWERS, REJECTED, balanced, drawing_of
from longreach.tasks.own import remember
from longreach.tasks.task import Batch, Task
from longreach.training.result import range_number


def drawer(letters: str, shares: Sequence[float] | None = None):  # type: ignore[no-untyped-def]
    def draw(length: int, rng: np.random.Generator) -> list[str]:
        return [letters[k] for k in rng.choice(len(letters), length, p=shares)]

    return draw


CONTAINS = Task.from_function(drawer("ab"), lambda x: "aba" in "".join(x), name="contains")
SKEWED = Task.from_function(drawer("ab", [0.95, 0.05]), lambda x: x.count("b") % 2 == 0, name="rare")
COPY = Task.from_function(drawer("ab"), lambda x: x, name="copy")
PAIRS = Task.from_function(
    lambda length, rng: [*"k0k1"] * (length // 4), lambda x: x[-1], has=lambda n: n % 4 == 0, name="pairs"
)
MEMBER = Task.from_predicate(lambda word: "aba" in word, "ab", name="member")


def answers_of(batch: Batch) -> list[tuple[int, ...]]:
    rows = zip(batch.targets, batch.mask, strict=True)
    return [tuple(targets[supervised].tolist()) for targets, supervised in rows]


def test_each_answer_is_tested_as_often_where_it_is_found() -> None:
    rng = np.random.default_rng(0)
    lengths = np.repeat(np.array([8, 12, 16]), 40)
    drawn, tested = CONTAINS.sample(lengths, rng), CONTAINS.test_sample(lengths, rng)
    assert max(Counter(answers_of(drawn)).values()) > 70
    assert set(Counter(answers_of(tested)).values()) == {60}
    assert sorted(tested.sizes.tolist()) == sorted(drawn.sizes.tolist())
    assert CONTAINS.constant_share(tested) == 0.5
    # Nearly all long words contain it: what cannot be found is not there, and chance says so.
    rare = CONTAINS.test_sample(np.full(40, 100), rng)
    assert CONTAINS.constant_share(rare) == 1.0


def test_words_of_predicates_are_half_of_the_language() -> None:
    rng = np.random.default_rng(0)
    batch = MEMBER.test_sample(np.full(40, 16), rng)
    ends = batch.targets[np.arange(40), batch.sizes - 1]
    assert sorted(Counter(ends.tolist()).values()) == [20, 20]
    assert MEMBER.constant_share(batch) == pytest.approx(0.5)  # those that never accept
    assert MEMBER.uniform_sample(np.full(4, 9), rng) is None  # they are drawn so


def test_draws_are_bounded() -> None:
    calls = 0

    def draw(length: int) -> int:
        nonlocal calls
        calls += 1
        return calls

    assert balanced([3] * 10, draw, lambda number: "always") == list(range(1, 11))
    assert calls == 10 * (1 + REJECTED)
    calls = 0
    balanced([3] * (MOST_ANSWERS + 1), draw, lambda number: number)
    assert calls == MOST_ANSWERS + 1  # nothing to balance


@pytest.mark.parametrize(
    ("task", "kind"), [(CONTAINS, "uniform"), (SKEWED, "free"), (PAIRS, "formed"), (COPY, "uniform")]
)
def test_only_skewed_draws_of_any_words_are_tested_uniformly(task: Task, kind: str) -> None:
    rng = np.random.default_rng(0)
    batch = task.sample([12] * 300, rng)
    words = [task.decode(row[1:13]) for row in batch.tokens.tolist()]
    assert drawing_of(words) == kind
    uniform = task.uniform_sample(np.full(50, 12), rng)
    assert (uniform is not None) is (kind == "free")
    if uniform is not None:
        letters = Counter(letter for row in uniform.tokens.tolist() for letter in task.decode(row[1:13]))
        assert letters["b"] > 200  # of 600


def test_permutations_are_no_words_like_others() -> None:
    rng = np.random.default_rng(0)
    assert drawing_of([rng.permutation(list("abcdef")).tolist() for _ in range(300)]) == "formed"


def test_runs_keep_chance_and_uniform_accuracy(tmp_path) -> None:  # type: ignore[no-untyped-def]
    given = {"train_lengths": (1, 4), "max_steps": 3, "test_size": 40, "width": 16}
    for task, has_uniform in ((SKEWED, True), (CONTAINS, False)):
        config = resolve(remember(task), "nope", **given)
        (result,) = train([config], tmp_path)
        assert result.final is not None
        names = [lengths.name for lengths in config.ranges]
        assert {range_number("chance", name) for name in names} <= result.final.other.keys()
        assert {range_number("uniform", name) in result.final.other for name in names} == {has_uniform}
    (result,) = train([resolve("parity", "nope", **given)], tmp_path)
    assert result.final is not None
    names = [lengths.name for lengths in config.ranges]
    assert not {range_number("chance", name) for name in names} & result.final.other.keys()  # it is known
    assert not {range_number("uniform", name) for name in names} & result.final.other.keys()
