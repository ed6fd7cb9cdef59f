"""Tests of `answers.kept_forecast`, and of reports that read it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from longreach.answers.forecast import forecast
from longreach.answers.kept_forecast import ENDING, keep_forecast, kept_forecasts
from longreach.report.collect import report_view
from longreach.report.render import build
from longreach.tasks.task import Task
from tests.helpers.report_samples import several

NAME = "kept_task_of_tests:ends"
MODULE = """
from longreach.tasks.task import Task

def draw(length, rng):
    return ["ab"[k] for k in rng.integers(0, 2, length)]

ends = Task.from_function(draw, lambda x: x[-1], name="ends", about="the <last> letter")
"""


def test_reports_show_the_forecast_of_tasks_that_they_do_not_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept_task_of_tests.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    runs = tmp_path / "runs"
    keep_forecast(runs, "ask-ends", forecast(NAME))
    several(runs, NAME, "nope", 0.5, 0.5, 0.5)
    several(runs, NAME, "ape", 1.0, 1.0, 1.0)
    monkeypatch.delitem(sys.modules, "kept_task_of_tests")
    (tmp_path / "kept_task_of_tests.py").unlink()
    view = report_view(runs, "")
    task = next(each for each in view.tasks if each.task == NAME)
    assert "kept_task_of_tests" not in sys.modules
    assert (task.known.answer("nope"), task.known.answer("ape")) == ("no", "yes")
    assert {cell.encoding: cell.judgement for cell in task.chosen} == {"nope": "agrees", "ape": "agrees"}
    page = build(runs)
    assert "expected to fail" in page
    assert "the &lt;last&gt; letter" in page
    assert "longreach report --load-tasks" in page


def test_only_tasks_that_a_report_cannot_load_are_kept(tmp_path: Path) -> None:
    keep_forecast(tmp_path, "ask-aa", forecast("aa"))
    assert list(tmp_path.iterdir()) == []
    task = Task.from_function(
        lambda length, rng: ["ab"[k] for k in np.asarray(rng.integers(0, 2, length))], lambda x: x[0]
    )
    known = forecast(task)
    keep_forecast(tmp_path, "ask-it", known)
    assert [*kept_forecasts(tmp_path)] == [known.stored]


@pytest.mark.parametrize(
    "change",
    [{"version": 2}, {"run": "os.system"}, {"chance": 2.0}, {"sides": {"nope": {"answer": "perhaps"}}}, None],
)
def test_damaged_documents_are_left_out(tmp_path: Path, change: dict[str, object] | None) -> None:
    document = {
        "version": 1, "task": "some:thing", "about": "", "kind": "algorithmic", "chance": 0.5,
        "sides": {"nope": {"answer": "no", "clause": "", "basis": ""}},
    }  # fmt: skip
    path = tmp_path / f"ask-it{ENDING}"
    path.write_text(json.dumps(document))
    assert [*kept_forecasts(tmp_path)] == ["some:thing"]
    path.write_text("[" * 100_000 if change is None else json.dumps(document | change))
    assert kept_forecasts(tmp_path) == {}
