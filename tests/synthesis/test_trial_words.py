"""The words on which learned automata are tried."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longreach.synthesis.trial_words import long_words, short_words, state_words


@given(letters=st.integers(1, 4), most=st.integers(1, 300), longest=st.integers(0, 9))
def test_short_words_are_all_of_them(letters: int, most: int, longest: int) -> None:
    alphabet = "abcd"[:letters]
    length, words = short_words(alphabet, most, longest=longest)
    found = list(words)
    assert found == [word for size in range(length + 1) for word in product(alphabet, repeat=size)]
    assert len(found) <= most
    assert length <= longest
    assert length == longest or len(found) + letters ** (length + 1) > most


def test_state_words_join_state_middle_and_suffix() -> None:
    access, suffixes = [(), ("a",)], [(), ("b",)]
    found = set(state_words(access, "ab", suffixes, 1))
    middles = [middle for size in range(3) for middle in product("ab", repeat=size)]
    assert found == {(*s, *m, *e) for s in access for m in middles for e in suffixes}


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 5))
def test_long_words_keep_to_letters_and_length(longest: int, count: int, start: int) -> None:
    words = list(long_words("abc", longest, count, np.random.default_rng(start)))
    assert len(words) == count
    assert all(1 <= len(word) <= longest and set(word) <= set("abc") for word in words)


def test_some_long_words_repeat_a_letter_many_times() -> None:
    words = list(long_words("ab", 60, 400, np.random.default_rng(0)))
    assert any("a" * 30 in "".join(word) for word in words)
    assert any("ab" * 12 in "".join(word) for word in words)
