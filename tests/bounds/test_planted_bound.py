"""Planted correlations: the error by hand, and the lengths of which the theorem says nothing."""

from __future__ import annotations

import pytest

from longreach.bounds.all_bounds import bounds
from longreach.bounds.bound_inputs import BoundInputs, read_settings

GIVEN = {
    "delta": "0.001",
    "L_local": "5",
    "train_length": "20",
    "test_length": "40",
    "eta_train": "20",
    "eta_test": "40",
}


def asked(**changed: str) -> tuple[float | None, str]:
    settings = [f"{name}={value}" for name, value in {**GIVEN, **changed}.items()]
    found = bounds(BoundInputs(values=read_settings(settings)))
    for each in found.bounds:
        assert each.definition.gives == "error"
        return each.value.number(), ""
    (missing,) = (each.missing for each in found.not_applicable if each.definition.name == "planted-sparse")
    return None, missing[0]


def test_by_hand() -> None:
    assert asked() == (20 * 40 * 20 * 40**2 // 1000, "")


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"train_length": "19"}, "a train_length of at least 4 · L_local = 20"),
        ({"test_length": "41"}, "a test_length that is train_length plus a multiple of L_local = 5"),
        ({"test_length": "15"}, "a test_length that is not below train_length"),
    ],
)
def test_lengths_of_which_the_theorem_says_nothing(changed: dict[str, str], missing: str) -> None:
    assert asked(**changed) == (None, missing)
