"""Which cells stand for a task, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longreach.answers.forecast import forecast
from longreach.config.model import CellLabel
from longreach.report.collect import chosen_cells, reasons, report_view, single_task, tally_of
from longreach.report.render import render
from longreach.runs.cells import Cell, cells
from longreach.runs.imported import import_file
from longreach.runs.index import read_index
from tests.helpers.report_samples import accuracies, add, several


def found(runs: Path) -> list[Cell]:
    with read_index(runs) as index:
        return cells(index.rows())


def trained_to(runs: Path, last: int, *lasts: float, encoding: str = "ape") -> None:
    lengths: dict[str, Any] = {"train_lengths": [1, last], "test_lengths": [[last + 1, 2 * last]]}
    for seed, share in enumerate(lasts):
        shares = {f"1-{last}": 1.0, f"{last + 1}-{2 * last}": share}
        add(runs, "aa", encoding, seed, shares, **lengths)


def test_runs_are_counted_on_the_longest_range(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 1.0, 0.5, 0.4)
    add(tmp_path, "aa", "ape", 7, accuracies(0.9, 0.9, 0.9))
    add(tmp_path, "aa", "ape", 8, None, error="RuntimeError: diverged")
    (cell,) = found(tmp_path)
    tally = tally_of(cell, 0.0)
    assert tally is not None
    assert (tally.runs, tally.learned, tally.work, tally.unfit) == (4, 3, 2, 1)
    assert tally_of(cell, None) is None
    assert reasons("yes", tally)[0].startswith("1 run did not fit the training range")
    assert reasons("undecided", tally) == reasons(None, tally) == reasons("yes", None) == ()


def test_runs_that_were_not_tested_are_not_counted(tmp_path: Path) -> None:
    add(tmp_path, "aa", "ape", 0, accuracies(1.0))
    (cell,) = found(tmp_path)
    assert tally_of(cell, 0.0) is None


def test_runs_trained_on_the_longest_inputs_stand_for_an_encoding(tmp_path: Path) -> None:
    trained_to(tmp_path, 8, 0.0, 0.0, 0.0)  # a sweep has more seeds where they do not agree
    for last in (16, 12):
        trained_to(tmp_path, last, 1.0, 1.0)
    (chosen,) = chosen_cells(found(tmp_path)).values()
    assert chosen.ranges[0] == "1-16"


def test_a_sweep_of_training_lengths_has_a_chart_for_each(tmp_path: Path) -> None:
    for last in (20, 8, 12):
        trained_to(tmp_path, last, 0.0, 1.0)
        trained_to(tmp_path, last, 0.0, encoding="nope")
    several(tmp_path, "aa", "ape", 1.0, width=99, train_lengths=[1, 8])
    view = single_task(tmp_path, "aa", None)
    assert [group.trained for group in view.groups] == ["1-8", "1-12", "1-20"]
    for group in view.groups:
        assert [(cell.encoding, cell.number) for cell in group.cells] == [("nope", 1), ("ape", 2)]


def test_imported_runs_have_a_section_and_are_in_no_count(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    several(runs, "aa", "ape", 1.0, 0.5, 0.4)
    before = report_view(runs, "mine")
    table = tmp_path / "measured.csv"
    head = "task,model,encoding,seed,trained_to,length,accuracy"
    lines = ["aa,<b>LSTM</b>,,0,20,41-60,0.98", "aa,<b>LSTM</b>,,1,20,41-60,0.5"]
    table.write_text("\n".join([head, *lines, "sort,other,rope,0,20,50,0.25"]), encoding="utf-8")
    import_file(table, runs)
    view = report_view(runs, "mine")
    for name in (
        "found",
        "runs",
        "successes",
        "failed",
        "counted",
        "agreeing",
        "others",
        "encodings",
        "sentence",
    ):
        assert getattr(view, name) == getattr(before, name)
    tallies = [[[cell.tally for cell in task.cells] for task in each.tasks] for each in (view, before)]
    assert tallies[0] == tallies[1]
    first, second = view.imported
    assert (first.slug, len(first.runs), first.shares("41-60")) == ("aa", 2, [0.98, 0.5])
    assert first.own == "ape: 2 of 3 runs work"
    assert (second.task, second.own) == ("sort", "")
    page = render(view)
    assert page.count("<b>LSTM</b>") == 0
    assert "&lt;b&gt;LSTM&lt;/b&gt;" in page
    assert 'id="imported"' in page
    (runs / "imported.json").write_text("{", encoding="utf-8")
    damaged = report_view(runs, "mine")
    assert damaged.imported == ()
    assert damaged.damaged[0][0] == "imported.json"


@pytest.mark.parametrize("options", [{"theory": "no such"}, {"a=b": 1}, {"signed": 3}])
def test_options_from_elsewhere_that_mean_nothing_have_no_forecast(options: dict[str, Any]) -> None:
    label = CellLabel.of({"architecture": "deltanet", "model_options": options})
    assert forecast("parity").about(label) is None
