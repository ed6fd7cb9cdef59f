"""Tests of `tasks.names`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.names import (
    FAMILY_TASKS,
    FamilyName,
    FamilyParameter,
    RegressionName,
    Value,
    named_parameters,
)
from longreach.theory.names import Origin, TaskName


def _values(parameter: FamilyParameter) -> st.SearchStrategy[Value]:
    if parameter.kind == "flag":
        return st.booleans()
    numbers = st.integers(parameter.least, parameter.most)
    if parameter.kind == "number":
        return numbers
    return st.tuples(numbers, numbers).map(lambda pair: (min(pair), max(pair)))


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from(sorted(FAMILY_TASKS)))
    values = tuple(data.draw(_values(each)) for each in FAMILY_TASKS[family].values())
    name = FamilyName(family, values)
    assert FamilyName.read(name.text) == name
    assert FamilyName.is_one(name.text)
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
    ],
)
def test_one_way_to_write_it(said: str, text: str) -> None:
    assert FamilyName.read(said).text == text


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
    ],
)
def test_bad_names(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        FamilyName.read(text)
    assert caught.value.message.startswith(message)


# Parameters in the names of tasks.


def read(text: str, *, bare_first: bool = False) -> dict[str, str]:
    return named_parameters(text, ["k", "width"], example="task:k=1", bare_first=bare_first)


def test_names_without_parameters_say_nothing() -> None:
    assert read("task") == {}


@pytest.mark.parametrize(
    ("text", "bare", "message"),
    [
        ("task:", False, "task:: expected parameters as in task:k=1"),
        ("task:3", False, "task:3: expected parameters as in task:k=1"),
        ("task:k=1,3", True, "task:k=1,3: expected parameters as in task:k=1"),
        ("task:=3", True, "task:=3: expected parameters as in task:k=1"),
        ("task:k=1,k=2", False, "task:k=1,k=2: k stands twice"),
        ("task:3,k=2", True, "task:3,k=2: k stands twice"),
        ("task:widht=3", False, "task has no parameter 'widht'; did you mean 'width'?"),
    ],
)
def test_what_is_wrong_is_said(text: str, bare: bool, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text, bare_first=bare)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("simple-task", "simple-task:omega=1"),
        ("simple-task:omega=2.50", "simple-task:omega=2.5"),
        ("simple-task:omega=3.14159265358979", "simple-task:omega=3.14159265358979"),
        ("modp-task: k = 1 , p = 5", "modp-task:p=5,k=1"),
        ("in-context-kgram:k=2", "in-context-kgram:S=2,k=2"),
    ],
)
def test_one_way_to_write_a_name(text: str, shown: str) -> None:
    assert RegressionName.read(text).text == shown
    assert RegressionName.read(shown).text == shown


@given(st.floats(1e-6, 1e6))
def test_any_frequency_is_read_back(omega: float) -> None:
    name = RegressionName("simple-task", (omega,))
    assert name.parameters["omega"] == omega
    assert RegressionName.read(name.text) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("simple", "no task with numbers as answers is named 'simple'; there are simple-task:omega=1, "),
        ("simple-task:", "simple-task:: expected parameters as in simple-task:omega=1"),
        ("simple-task:2", "simple-task:2: expected parameters as in simple-task:omega=1"),
        ("simple-task:omega=two", "simple-task: omega: 'two' is not a number"),
        ("simple-task:omega=nan", "simple-task: omega: nan is not in 1e-06 to 1e+06"),
        ("simple-task:omega=0", "simple-task: omega: 0 is not in"),
        ("simple-task:omega=1,omega=2", "simple-task:omega=1,omega=2: omega stands twice"),
        ("simple-task:omgea=1", "simple-task has no parameter 'omgea'; did you mean 'omega'?"),
        ("modp-task:p=2.5", "modp-task: p: 2.5 is not a whole number"),
        ("modp-task:p=3,k=3", "modp-task:p=3,k=3: k must be less than p"),
        (
            "in-context-kgram:S=10,k=3",
            "in-context-kgram:S=10,k=3: 1000 contexts of k tokens are more than 256",
        ),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        RegressionName.read(text)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
