from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.family_name import FAMILY_TASKS, FamilyName, FamilyParameter, Value
from longreach.config.task_name import Origin, TaskName
from longreach.errors import InputError


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
