"""Published numbers beside forecasts: the file, the rule by which they agree, and what is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longreach.answers.forecast import forecast
from longreach.studies.study import StudyOptions
from longreach.studies.suites import LOOKS, STUDY, Reported, content, counts, states, tabled
from longreach.tasks.catalog import load_task


def test_the_numbers_are_whole() -> None:
    for suite in content()["suites"]:
        assert all(suite[name] for name in ("paper", "read", "setting"))
        size = len(suite["tasks"])
        assert len(suite["chance"]) == size
        for row in suite["rows"]:
            assert len(row["accuracy"]) == size
            assert all(0 <= share <= 1 for share in row["accuracy"])
            if "average" in row:  # printed beside them: a slip of the pen would show
                assert sum(row["accuracy"]) / size == pytest.approx(row["average"], abs=0.0006)
        assert len({row["model"] for row in suite["rows"]}) == len(suite["rows"])
    assert all("average" in row for row in content()["suites"][0]["rows"])


def test_two_papers_print_the_same_numbers_of_one_task() -> None:
    """LSTMs of both groups are perfect on parity; transformers of both guess."""
    found = {(each.suite, each.model, each.task): each.accuracy for each in tabled()}
    suites = {suite for suite, _, _ in found}
    for model, low, high in (("LSTM", 1.0, 1.0), ("Transformer", 0.5, 0.53)):
        assert all(low <= found[suite, model, "parity"] <= high for suite in suites)


def test_chance_is_that_of_the_tasks() -> None:
    for suite in content()["suites"]:
        for task, chance in zip(suite["tasks"], suite["chance"], strict=True):
            if task in ("parity", "even-pairs", "cycle-navigation", "modular-arithmetic"):
                assert load_task(task).chance == pytest.approx(chance, abs=0.12)


def test_forecasts_are_those_of_forecast() -> None:
    rows = {row["model"]: row for suite in content()["suites"] for row in suite["rows"]}
    for each in tabled():
        row = rows[each.model]
        if row["theory"] in (None, "decoder") or each.said == "not known":
            continue
        found = forecast(each.task, model=row["theory"], model_options=row.get("options")).model
        assert found is not None
        assert each.said == found.answer


def test_a_transformer_of_unknown_positions_is_judged_where_they_make_no_difference() -> None:
    said = {each.task: each.said for each in tabled() if each.model == "Transformer"}
    assert (said["even-pairs"], said["cycle-navigation"]) == ("not known", "no")


@pytest.mark.parametrize(
    ("said", "accuracy", "weights", "kind", "contradicts"),
    [
        ("yes", 0.75, False, "yes, works", False),
        ("yes", 0.74, False, "yes, fails", True),
        ("yes", 0.74, True, "yes, fails", False),
        ("no", 0.75, True, "no, works", True),
        ("no", 0.74, False, "no, fails", False),
        ("not known", 0.9, False, None, False),
    ],
)
def test_what_agrees(said: Any, accuracy: float, weights: bool, kind: str | None, contradicts: bool) -> None:
    each = Reported(
        suite="s", task="t", model="m", accuracy=accuracy, level=0.75, said=said, is_about_weights=weights
    )
    assert (each.kind, each.contradicts) == (kind, contradicts)
    assert sum(counts([each]).values()) == 1


def test_the_report_counts_every_number_once() -> None:
    report = STUDY.report(StudyOptions(scale="smoke"), ())
    assert report is not None
    found = list(tabled())
    for name, by_kind in report.document["suites"].items():
        assert sum(by_kind.values()) == sum(each.suite == name for each in found)
        assert [*by_kind] == [*LOOKS, "not judged"]
    against, left = report.tables[1], report.tables[2]
    assert len(against.rows) == sum(each.contradicts for each in found)
    assert all(each.why for each in found if each.contradicts)
    assert len(left.rows) == sum(each.kind == "yes, fails" and each.is_about_weights for each in found)
    names = [each["name"] for each in content()["missing"]]
    assert [text.split(" (")[0] for text in report.remarks] == names
    assert json.loads(json.dumps(report.document))["missing"] == content()["missing"]


def test_states_are_those_of_the_other_study() -> None:
    by_kind = counts(states())
    assert (by_kind["yes, works"] + by_kind["no, fails"], sum(by_kind.values())) == (169, 175)
    assert by_kind["no, works"] == 0
    assert all(each.why for each in states() if each.contradicts)
