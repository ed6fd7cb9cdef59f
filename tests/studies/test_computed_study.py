from __future__ import annotations

import json
from fractions import Fraction
from functools import cache

import pytest

from longreach.studies.all_studies import COMPUTED_STUDIES, load_study
from longreach.studies.computed_study import ComputedReport, ComputedStudy


@cache
def _smoke(name: str) -> ComputedReport:
    return COMPUTED_STUDIES[name].compute("smoke")


def test_they_are_studies() -> None:
    assert list(COMPUTED_STUDIES) == ["planted", "counter-examples", "coupling-operator"]
    for name, study in COMPUTED_STUDIES.items():
        assert load_study(name) is study
        assert isinstance(study, ComputedStudy)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(COMPUTED_STUDIES))
def test_reports_are_whole(name: str) -> None:
    study, report = COMPUTED_STUDIES[name], _smoke(name)
    assert all(len(line) == len(report.columns) for line in report.lines)
    assert len(report.document["rows"]) >= len(report.lines) - 1
    json.dumps(report.document, allow_nan=False)
    assert study.content(report, "smoke", ".md").decode().count("\n| ") == len(report.lines)
    drawn = study.content(report, "smoke", ".svg")
    assert drawn.startswith(b"<?xml")
    assert drawn == study.content(report, "smoke", ".svg")
    assert study.heading("smoke").endswith("(smoke scale)")


def test_the_bound_holds() -> None:
    for row in _smoke("planted").document["rows"]:
        assert row["error"]["value"] <= row["bound"]
        assert row["bound"] == pytest.approx(
            row["eta_train"] * row["eta_test"] * row["train_length"] * row["test_length"] ** 2 * row["delta"]
        )


def test_each_assumption_is_dropped_alone() -> None:
    document = _smoke("counter-examples").document
    for row in document["rows"]:
        assert row["missing"] == ([row["dropped"]] if row["version"] == "broken" else [])
        assert (row["error"]["value"] > 0.8) == (row["version"] == "broken")
        assert Fraction(row["error"]["fraction"]) >= 0
    assert document["defeat"]["error"]["value"] > 0.5


def test_coupling_turns_failure_into_success() -> None:
    rows = _smoke("coupling-operator").document["rows"]
    assert {row["class"] for row in rows} == {"as it is", "windowed", "neighbours", "one id"}
    for row in rows:
        if row["class"] in ("as it is", "windowed"):
            assert row["error"]["value"] > 0.3
            assert row["span"] >= row["train_length"]
        else:
            assert row["error"]["value"] == 0
            assert row["span"] <= 3
            assert row["eta_test"] is not None


def test_tables_as_text() -> None:
    report = ComputedReport(
        columns=("a", "b"),
        lines=(("1", "2"),),
        remarks=("So.",),
        document={},
        figure=lambda title: pytest.fail("not asked for"),
    )
    assert report.markdown() == "| a | b |\n|---|---|\n| 1 | 2 |\n\nSo.\n"
