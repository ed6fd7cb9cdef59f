"""Tests of `tasks.names`."""

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
from longreach.tasks.names import FAMILIES, NUMBER_FAMILIES, FamilyName, Parameter, Value, has_numbers
from longreach.theory.names import Origin, TaskName


def _values(parameter: Parameter) -> st.SearchStrategy[Value]:
    if parameter.kind == "flag":
        return st.booleans()
    if parameter.kind == "word":
        return st.sampled_from(parameter.words)
    if parameter.kind == "number":
        return st.floats(parameter.least, parameter.most)
    numbers = st.integers(int(parameter.least), int(parameter.most))
    if parameter.kind == "whole":
        return numbers
    return st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair)))


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from(sorted(FAMILIES)))
    values = tuple(data.draw(_values(each)) for each in FAMILIES[family].parameters.values())
    name = FamilyName(family, values)
    try:
        read = FamilyName.read(name.text)
    except InputError:
        # Whose parameters may contradict each other.
        assert family in ("modp-task", "in-context-kgram", "mqar", "recall-then-fold")
        return
    assert read == name
    assert FamilyName.is_one(name.text)
    assert has_numbers(name.text) == (family in NUMBER_FAMILIES)
    assert TaskName(name.text).origin is Origin.BUILT_IN


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("sparse-parity", "sparse-parity"),
        ("sparse-parity:k=1-8", "sparse-parity:8"),
        ("sparse-parity:6-6", "sparse-parity:6-6"),
        ("parity-scratchpad:k=3", "parity-scratchpad:3"),
        ("parity-scratchpad:scratchpad=yes", "parity-scratchpad"),
        ("variable-assignment:scratchpad=no, d=5", "variable-assignment:5,scratchpad=no"),
        ("kgram-retrieval:1,symbols=8", "kgram-retrieval:1,symbols=8"),
        ("word-problem:group=S3", "word-problem"),
        ("word-problem:group=A5, generators=yes", "word-problem:A5,generators=yes"),
        ("flip-flop:ignore=0.980", "flip-flop:0.98"),
        ("simple-task", "simple-task:omega=1"),
        ("simple-task:omega=2.50", "simple-task:omega=2.5"),
        ("simple-task:omega=3.14159265358979", "simple-task:omega=3.14159265358979"),
        ("modp-task: k = 1 , p = 5", "modp-task:p=5,k=1"),
        ("in-context-kgram:k=2", "in-context-kgram:S=2,k=2"),
    ],
)
def test_one_way_to_write_it(said: str, text: str) -> None:
    assert FamilyName.read(said).text == text
    assert FamilyName.read(text).text == text


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


def test_names_too_long_to_be_lengths_are_no_ranges() -> None:
    assert read_name("1-" + "9" * 10) is None
