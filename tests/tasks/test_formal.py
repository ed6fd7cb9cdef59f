"""Tests of `tasks.formal`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np

from longreach.tasks import formal as shuffle_dyck
from longreach.tasks.formal import AnBn, ShuffleDyck
from tests.helpers.enumeration import chi_square_is_usual
from tests.helpers.task_checks import assert_program_predicts, assert_samples_are_right, statuses


def _literal(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    assert word == "a" * (len(word) // 2) + "b" * (len(word) // 2)
    found = ["{a,EOS}"]
    for end in range(1, len(word) + 1):
        left = word[:end].count("a") - word[:end].count("b")
        found.append("{a,b}" if word[end - 1] == "a" else "{b}" if left else "{EOS}")
    return found


def test_samples() -> None:
    assert_samples_are_right(AnBn(), _literal)


def test_program_on_all_short_prefixes() -> None:
    assert_program_predicts("anbn", ["a" * n + "b" * n for n in range(20)])


def test_forecast() -> None:
    assert statuses("anbn") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}


def _balanced(word: Sequence[str]) -> bool:
    """Each kind alone, by taking pairs away."""
    for kind in ("()", "[]"):
        text = "".join(letter for letter in word if letter in kind)
        while kind in text:
            text = text.replace(kind, "")
        if text:
            return False
    return True


def _words(length: int) -> list[tuple[str, ...]]:
    return [word for word in product("()[]", repeat=length) if _balanced(word)]


def _literal_shuffle_dyck(x: Sequence[str]) -> list[str]:
    assert _balanced(x)
    found, open_now = [], {"(": 0, "[": 0}
    for letter in ("", *x):
        if letter in open_now:
            open_now[letter] += 1
        elif letter:
            open_now["(" if letter == ")" else "["] -= 1
        legal = ["(", *([")"] if open_now["("] else []), "[", *(["]"] if open_now["["] else [])]
        found.append("{" + ",".join([*legal, *([] if any(open_now.values()) else ["EOS"])]) + "}")
    return found


def test_samples_shuffle_dyck() -> None:
    assert_samples_are_right(ShuffleDyck(), _literal_shuffle_dyck)


def test_program_on_all_short_prefixes_shuffle_dyck() -> None:
    assert_program_predicts("shuffle-dyck", [word for n in (0, 2, 4, 6, 8) for word in _words(n)])


def test_forecast_shuffle_dyck() -> None:
    assert statuses("shuffle-dyck") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}


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
