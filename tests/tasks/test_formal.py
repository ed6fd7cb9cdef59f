"""Tests of `tasks.formal`."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np

from longreach.tasks import formal as shuffle_dyck
from longreach.tasks.formal import ShuffleDyck
from tests.helpers.enumeration import chi_square_is_usual
from tests.helpers.task_oracles import balanced


def _words(length: int) -> list[tuple[str, ...]]:
    return [word for word in product("()[]", repeat=length) if balanced(word)]


def test_the_number_of_words_is_counted() -> None:
    for pairs in range(5):
        by_kind = Counter(word.count("(") for word in _words(2 * pairs))
        assert shuffle_dyck._numbers(pairs) == tuple(by_kind[k] for k in range(pairs + 1))


def test_words_of_length_four_are_equally_frequent() -> None:
    words = _words(4)
    batch = ShuffleDyck().sample([4] * 200 * len(words), np.random.default_rng(1))
    rows, counts = np.unique(batch.tokens[:, 1:], axis=0, return_counts=True)
    assert {tuple(ShuffleDyck().decode(row.tolist())) for row in rows} == set(words)
    assert chi_square_is_usual(counts.tolist(), 200)
