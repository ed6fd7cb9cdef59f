"""Tests of `tasks.names`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.names import (
    FAMILIES,
    NUMBER_FAMILIES,
    FamilyName,
    Parameter,
    Value,
    has_numbers,
)
from longreach.theory.names import Origin, TaskName


def _values(parameter: Parameter) -> st.SearchStrategy[Value]:
    if parameter.kind == "flag":
        return st.booleans()
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
        assert family in ("modp-task", "in-context-kgram")  # whose parameters may contradict each other
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sparse-parity:0", "sparse-parity: k: 0 is not in 1 to 200"),
        ("sparse-parity:6-4", "sparse-parity: k: 6-4 is not in 1 to 200"),
        ("sparse-parity:few", "sparse-parity: k: 'few' is not a whole number, or a range as in 4-6"),
        ("parity-scratchpad:1-2", "parity-scratchpad: k: '1-2' is not a whole number"),
        ("parity-scratchpad:", "parity-scratchpad: k: '' is not a whole number"),
        ("parity-scratchpad:1,k=2", "parity-scratchpad:1,k=2: k stands twice"),
        ("parity-scratchpad:1,2", "parity-scratchpad:1,2: expected parameters as in parity-scratchpad:1,scr"),
        (
            "parity-scratchpad:scratchpad=maybe",
            "parity-scratchpad: scratchpad: 'maybe' is neither yes nor no",
        ),
        ("variable-assignment:depth=2", "variable-assignment has no parameter 'depth'; it has d, variables"),
        ("kgram-retrieval:99999999999", "kgram-retrieval: k: '99999999999' is not a whole number"),
        (
            "kgram-retrieval:k=1,3",
            "kgram-retrieval:k=1,3: expected parameters as in kgram-retrieval:2",
        ),
        ("kgram-retrieval:=3", "kgram-retrieval:=3: expected parameters as in"),
        ("kgram-retrieval:symbol=3", "kgram-retrieval has no parameter 'symbol'; did you mean 'symbols'?"),
        ("simple-task:", "simple-task:: expected parameters as in simple-task:omega=1"),
        ("simple-task:2", "simple-task:2: expected parameters as in simple-task:omega=1"),
        ("simple-task:omega=two", "simple-task: omega: 'two' is not a number"),
        ("simple-task:omega=nan", "simple-task: omega: nan is not in 1e-06 to 1e+06"),
        ("simple-task:omega=0", "simple-task: omega: 0 is not in"),
        ("simple-task:omega=1,omega=2", "simple-task:omega=1,omega=2: omega stands twice"),
        ("simple-task:omgea=1", "simple-task has no parameter 'omgea'; did you mean 'omega'?"),
        ("modp-task:p=2.5", "modp-task: p: '2.5' is not a whole number"),
        ("modp-task:p=3,k=3", "modp-task:p=3,k=3: k must be less than p"),
        (
            "in-context-kgram:S=10,k=3",
            "in-context-kgram:S=10,k=3: 1000 contexts of k tokens are more than 256",
        ),
    ],
)
def test_bad_names(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        FamilyName.read(text)
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message
