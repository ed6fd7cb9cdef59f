"""Parameters in the names of tasks."""

from __future__ import annotations

import pytest

from longreach.config.name_parameters import named_parameters
from longreach.errors import InputError


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
