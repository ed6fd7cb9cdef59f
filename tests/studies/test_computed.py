"""Studies that compute: the bound holds, each assumption is needed, coupling helps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from longreach.studies.catalog import load_study
from longreach.studies.study import StudyOptions


def _rows(name: str) -> list[dict[str, Any]]:
    report = load_study(name).report(StudyOptions(scale="smoke"), ())
    assert report is not None
    found: list[dict[str, Any]] = report.document["rows"]
    return found


def test_the_bound_holds() -> None:
    for row in _rows("planted"):
        assert row["error"]["value"] <= row["bound"]
        assert row["bound"] == pytest.approx(
            row["eta_train"] * row["eta_test"] * row["train_length"] * row["test_length"] ** 2 * row["delta"]
        )


def test_each_assumption_is_dropped_alone() -> None:
    for row in _rows("counter-examples"):
        assert row["missing"] == ([row["dropped"]] if row["version"] == "broken" else [])
        assert (row["error"]["value"] > 0.8) == (row["version"] == "broken")
        assert Fraction(row["error"]["fraction"]) >= 0


def test_coupling_turns_failure_into_success() -> None:
    rows = _rows("coupling-operator")
    assert {row["class"] for row in rows} == {"as it is", "windowed", "neighbours", "one id"}
    for row in rows:
        if row["class"] in ("as it is", "windowed"):
            assert row["error"]["value"] > 0.3
            assert row["span"] >= row["train_length"]
        else:
            assert row["error"]["value"] == 0
            assert row["span"] <= 3
            assert row["eta_test"] is not None
