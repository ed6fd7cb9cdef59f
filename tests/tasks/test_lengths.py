""""""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from longreach.errors import InputError
from longreach.tasks.lengths import (
    LengthRange,
    name_order,
    read_name,
    read_option,
    read_options,
    write_options,
)

RANGES = st.builds(LengthRange, st.integers(0, 10**9 - 1), st.integers(0, 10**9 - 1))


@given(RANGES)
def test_what_is_written_is_read(lengths: LengthRange) -> None:
    assert read_name(lengths.name) == lengths
    assert read_option(lengths.option) == lengths
    adapter = TypeAdapter(LengthRange)
    assert adapter.validate_json(adapter.dump_json(lengths)) == lengths
    assert adapter.dump_json(lengths) == f"[{lengths.first},{lengths.last}]".encode()


@given(st.lists(RANGES, min_size=1, max_size=4))
def test_lists_of_ranges(ranges: list[LengthRange]) -> None:
    assert list(read_options(write_options(ranges))) == ranges


@given(st.lists(RANGES, max_size=6))
def test_names_are_ordered_by_their_lengths(ranges: list[LengthRange]) -> None:
    names = [lengths.name for lengths in ranges]
    assert sorted(names, key=name_order) == [lengths.name for lengths in sorted(ranges)]


@pytest.mark.parametrize("text", ["", "1-50", "1:", ":5", "1:2:3", "-1:5", "²:3", "a:b"])
def test_bad_options(text: str) -> None:
    with pytest.raises(InputError, match="is not a range of lengths, as in 1:50"):
        read_option(text)


def test_names_too_long_to_be_lengths_are_no_ranges() -> None:
    assert read_name("1-" + "9" * 10) is None
