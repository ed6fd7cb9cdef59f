"""The study of the inference procedure, at its smallest."""

from __future__ import annotations

import pytest

from longreach.studies.inference_report import InferenceReport
from longreach.studies.inference_study import CASES, STUDY, InferenceCase, inferred
from longreach.synthesis.threshold_functions import approaching


@pytest.fixture(scope="module")
def report() -> InferenceReport:
    cases = [case for case in CASES if case.target != "lib:dyck-1"]
    return InferenceReport(tuple(inferred(case, "smoke") for case in cases), tuple(approaching(1, 4)))


def test_targets_in_the_class_are_found_and_others_are_not(report: InferenceReport) -> None:
    found = {(row.target, row.run.family.name, row.run.schedule.name): row.run for row in report.rows}
    assert found["lib:majority", "empty", "half"].n0 == 3
    assert found["aa", "periodic", "half"].n0 == 1
    for case in [
        ("parity-language", "empty", "half"),
        ("sigma-be", "empty", "half"),
        ("aa", "empty", "half"),
    ]:
        assert found[case].n0 is None
    slow = found["parity-language", "empty", "log"]
    assert all(step.errors for step in slow.steps)


def test_rows_stand_beside_the_bound_for_automata(report: InferenceReport) -> None:
    bounds = {row.target: row.automaton_bound for row in report.rows}
    assert bounds["parity-language"] == 2
    assert bounds["lib:majority"] is None


@pytest.mark.parametrize("suffix", [".svg", ".png", ".md"])
def test_figure_and_table(report: InferenceReport, suffix: str) -> None:
    assert len(report.content(suffix, "title")) > 500


def test_documents(report: InferenceReport) -> None:
    document = report.document()
    assert len(document["targets"]) == len(report.rows)
    assert [pair["length"] for pair in document["thresholds"]] == [5, 9, 17, 33]
    assert "parity-language, C-RASP[∅], t(n) = n/2" in report.text()
    assert STUDY.members("laptop") == ()


def test_a_case_has_its_own_length() -> None:
    assert inferred(InferenceCase("aa", "periodic", longest=4), "laptop").run.to == 4
