"""In-context k-grams against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.limit.compile.hand_built import bigram_frequencies, induction_head
from longreach.limit.compile.kgram_head import kgram_frequencies, kgram_head
from longreach.limit.run.float_evaluator import run


def _counted(word: str, tokens: str, k: int) -> list[float]:
    """At the end of the word, literally."""
    if len(word) < k:
        return [0.0] * len(tokens)
    after = [word[j] for j in range(k, len(word)) if word[j - k : j] == word[len(word) - k :]]
    return [after.count(token) / max(len(after), 1) for token in tokens]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_frequencies_are_counted(k: int) -> None:
    rng = np.random.default_rng(k)
    for size in (0, 1, 2, 5, 30):
        word = "".join(rng.choice(list("abc"), size))
        found = kgram_frequencies(word, "abc", k)
        for end in range(size + 1):
            assert found[end].tolist() == _counted(word[:end], "abc", k)
        if k == 1:
            np.testing.assert_array_equal(found, bigram_frequencies(word, "abc"))


@pytest.mark.parametrize(("k", "tokens"), [(1, "abcd"), (2, "ab"), (2, "abc"), (3, "ab")])
def test_the_head_errs_by_one_over_the_length_at_most(k: int, tokens: str) -> None:
    model = kgram_head(tokens, k)
    rng = np.random.default_rng(0)
    for size in (16 * k, 64, 300):
        words = ["".join(rng.choice(list(tokens), size)) for _ in range(3)]
        words += [tokens[0] * size, (tokens * size)[:size], tokens[1] * (size - 1) + tokens[0]]
        for word, outputs in zip(words, run(model, words), strict=True):
            assert np.abs(outputs - kgram_frequencies(word, tokens, k)).max() <= 1 / (size + 1)


def test_one_token_of_memory_is_the_induction_head() -> None:
    one, other = kgram_head("abc", 1), induction_head("abc")
    np.testing.assert_array_equal(run(one, ["abcacbabc"])[0], run(other, ["abcacbabc"])[0])


def test_a_larger_match_makes_infinite_precision_sharper() -> None:
    word = "abaabbab" * 40
    wanted = kgram_frequencies(word, "ab", 2)[-1]
    errors = [
        float(
            np.abs(run(kgram_head("ab", 2, match=match), [word], precision="infinite")[0][-1] - wanted).max()
        )
        for match in (4.0, 8.0, 16.0)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02


def test_impossible_memories_are_refused() -> None:
    with pytest.raises(InputError, match="k 0: a number from 1 to 16"):
        kgram_head("ab", 0)
    with pytest.raises(InputError, match="tokens: distinct tokens are needed"):
        kgram_head("aa", 2)
