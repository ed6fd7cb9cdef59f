from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.regression_name import RegressionName
from longreach.errors import InputError


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
