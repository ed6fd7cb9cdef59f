"""Fitted predictors against literal functions, on words that the fit never saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, product

import numpy as np
import pytest

from longreach.theory.crasp.program import Program
from longreach.theory.search.predictors import ACCEPT, REJECT, Found, fit_predictor

Answer = Callable[[Sequence[str]], Sequence[str]]


def most_frequent(x: Sequence[str]) -> list[str]:
    counts = Counter(x)
    return [min("abc", key=lambda letter: (-counts[letter], letter))]


def running_maximum(x: Sequence[str]) -> list[str]:
    return [max(x[:size]) for size in range(1, len(x) + 1)]


def without_repeats(x: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(x))


def after_a(x: Sequence[str]) -> list[str]:
    counts = Counter(v for u, v in pairwise(x) if u == "a")
    return [min("abc", key=lambda letter: (-counts[letter], letter))]


def above_average(x: Sequence[str]) -> list[str]:
    return ["yes" if 2 * sum(map(int, x)) > 3 * len(x) else "no"]


def odd_places(x: Sequence[str]) -> list[str]:
    return ["more" if x[::2].count("a") > x[1::2].count("a") else "less"]


def examples(answer: Answer, letters: str, length: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    words = [word for size in range(1, length + 1) for word in product(letters, repeat=size)]
    return [asked(word, answer) for word in words]


def asked(word: Sequence[str], answer: Answer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    y = tuple(answer(word))
    return ("SOS", *word, "SEP", *y), (*y, "EOS")


def fitted(answer: Answer, letters: str, length: int, *, relations: bool) -> Found | None:
    known = examples(answer, letters, length)
    written = sorted({token for _, right in known for token in right} - {"EOS"})
    return fit_predictor(known, letters, written, relations=relations, left=lambda: 1.0)


def right_on(program: Program, word: Sequence[str], answer: Answer) -> bool:
    read, right = asked(word, answer)
    return program.predicts(list(read))[-len(right) :] == [[token] for token in right]


@pytest.mark.parametrize(
    ("answer", "letters", "length", "relations"),
    [
        (most_frequent, "abc", 6, False),
        (sorted, "0123", 5, False),
        (running_maximum, "0123", 5, False),
        (without_repeats, "abcd", 5, False),
        (above_average, "0123", 5, False),
        (after_a, "abc", 6, True),
        (odd_places, "ab", 9, True),
    ],
)
def test_what_is_found_is_right_on_longer_words(
    answer: Answer, letters: str, length: int, relations: bool
) -> None:
    found = fitted(answer, letters, length, relations=relations)
    assert found is not None
    assert relations or not found.program.core.relations
    rng = np.random.default_rng(1)
    for size in (length + 1, 20, 45):
        for _ in range(20):
            word = [letters[k] for k in rng.integers(0, len(letters), size)]
            assert right_on(found.program, word, answer), word


@pytest.mark.parametrize("relations", [False, True])
def test_nothing_is_found_for_parity(relations: bool) -> None:
    def parity(x: Sequence[str]) -> list[str]:
        return ["odd" if x.count("a") % 2 else "even"]

    found = fitted(parity, "ab", 9, relations=relations)
    assert found is None


def test_relations_are_taken_only_where_they_are_allowed() -> None:
    assert fitted(after_a, "abc", 6, relations=False) is None


@pytest.mark.parametrize(
    "belongs",
    [
        lambda word: 3 * word.count("a") > 2 * word.count("b") + 1,
        lambda word: word.count("a") == word.count("b"),
        lambda word: word.count("a") > 2 or "b" not in word,
        lambda word: word[0] == "a" and word.count("b") < 4,
    ],
)
def test_languages(belongs: Callable[[Sequence[str]], bool]) -> None:
    words = [word for size in range(1, 11) for word in product("ab", repeat=size)]
    known = [(word, (ACCEPT if belongs(word) else REJECT,)) for word in words]
    found = fit_predictor(known, "ab", relations=False, left=lambda: 1.0)
    assert found is not None
    rng = np.random.default_rng(2)
    for size in rng.integers(11, 60, 50).tolist():
        word = ["ab"[k] for k in rng.integers(0, 2, size)]
        assert found.program.accepts(word) == belongs(word)
