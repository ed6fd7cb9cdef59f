from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.letters import read_letters, written
from longreach.errors import InputError

ALPHABETS = st.lists(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6, unique=True)


@given(ALPHABETS)
def test_what_is_written_reads_back(letters) -> None:
    assert read_letters(written(letters)) == tuple(letters)


@given(ALPHABETS, st.sampled_from([",", " ", ", ", "\t", " , "]))
def test_letters_may_be_divided(letters, divider) -> None:
    text = divider.join(written([letter]) for letter in letters)
    assert read_letters(text) == tuple(letters)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("ab", "ab"),
        ("a b", "ab"),
        ("a,b", "ab"),
        (" a, b ,c ", "abc"),
        ("a,b,", "ab"),
        (r"a\,b", "a,b"),
        (r"\ a", " a"),
        (r"\\", "\\"),
        ("()", "()"),
    ],
)
def test_ways_to_write_them(text, letters) -> None:
    assert read_letters(text) == tuple(letters)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        (",", "a comma divides letters"),
        ("aba", "the letter 'a' stands twice in 'aba'"),
        ("a b a", "the letter 'a' stands twice"),
        ("ab cd", "'ab' is no letter"),
        ("a,bc", "'bc' is no letter"),
    ],
)
def test_bad_alphabets(text, message) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_letters(text)
