"""Runs from Python: rows, data frames, notebooks and plots."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib
import pytest
from matplotlib.figure import Figure

from longreach.errors import InputError
from longreach.runs.collected import SHOWN, plot_by_length, results
from longreach.runs.index import INDEX, Row
from longreach.runs.table import table_of
from longreach.training.result import write_result
from tests.helpers.result_samples import sample, sample_failure


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for seed in range(3):
        write_result(tmp_path, sample(seed))
        write_result(tmp_path, sample(seed, config={"encoding": "nope", "task": "regex:(a<b)*"}))
    write_result(tmp_path, sample_failure(7))
    return tmp_path


def test_all_runs_or_some_of_them(runs: Path) -> None:
    assert len(results(runs)) == 7
    assert {row.task for row in results(runs, task="parity")} == {"parity"}
    assert len(results(runs, task="parity", encoding="nope")) == 0
    assert not (runs / INDEX).exists()  # looking writes nothing


def test_rows_are_those_of_the_exported_table(runs: Path) -> None:
    found = results(runs)
    rows, table = found.rows(), table_of(found.found)
    assert [tuple(row) for row in rows] == [table.columns] * 7
    assert [tuple(row.values()) for row in rows] == list(table.records)
    assert {row["status"] for row in rows} == {"done", "failed"}
    assert rows[0]["accuracy 101-150"] == 0.25


def test_a_data_frame_has_the_same_rows(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = ModuleType("pandas")
    made: dict[str, Any] = {}
    pandas.DataFrame = lambda records, columns: made.update(records=records, columns=columns)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    found = results(runs)
    found.to_pandas()
    table = table_of(found.found)
    assert made == {"records": list(table.records), "columns": list(table.columns)}


def test_without_pandas_it_says_what_to_install(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"^a data frame needs pandas: pip install pandas; rows\(\)"):
        results(runs).to_pandas()


def test_two_lines_say_what_there_is(runs: Path, tmp_path: Path) -> None:
    assert repr(results(runs)) == (
        "7 runs: parity (ape), (a<b)* (nope)\n6 done, 6 of them right on the whole training range"
    )
    for number in range(8):
        write_result(tmp_path, sample(config={"task": f"d-{number + 2}"}))
    assert "and 4 more tasks" in repr(results(tmp_path))


def test_a_notebook_shows_a_table(runs: Path, tmp_path: Path) -> None:
    html = results(runs)._repr_html_()
    assert html.count("<tr>") == 8
    assert "(a&lt;b)*" in html
    assert html.index("1-50") < html.index("51-100") < html.index("101-150")
    assert "25.0 %" in html
    for seed in range(10, 60):
        write_result(tmp_path, sample(seed))
    html = results(tmp_path)._repr_html_()
    assert html.count("<tr>") == SHOWN + 1
    assert f"and {57 - SHOWN} more" in html


def test_a_directory_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such directory"):
        results(tmp_path / "none")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
    matplotlib.use(before)


def _plotted(task: str = "aa", encoding: str = "ape", **changes: Any) -> Row:
    numbers = {"1-10": 1.0, "11-20": 0.5, "21-30": 0.25}
    config = {"train_lengths": [1, 10]}
    fields = {"accuracy": numbers, "reached": True, "config": config} | changes
    return Row(key="0", status="done", task=task, encoding=encoding, **fields)


def _lines(axes: Any) -> list[Any]:
    return [line for line in axes.lines if line.get_marker() == "o"]


def test_every_run_is_a_line_at_its_lengths() -> None:
    axes: Any = plot_by_length([_plotted(), _plotted(), _plotted(encoding="nope")])
    assert len(_lines(axes)) == 3
    assert list(_lines(axes)[0].get_xdata()) == [10, 20, 30]
    assert list(_lines(axes)[0].get_ydata()) == [1.0, 0.5, 0.25]
    assert list(axes.get_xticks()) == [10, 20, 30]
    assert axes.get_title() == "aa"


def test_encodings_differ_in_colour_and_dashes_and_stand_once_in_the_legend() -> None:
    names = ["ape", "nope", "rope", "alibi"]
    axes: Any = plot_by_length([_plotted(encoding=name) for name in names for _ in range(2)])
    looks = {(line.get_color(), line.get_linestyle()) for line in _lines(axes)}
    assert len(looks) == 4
    assert len({colour for colour, _ in looks}) == 4
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["APE", "NoPE", "RoPE", "ALiBi"]


def test_a_run_that_did_not_learn_is_hollow() -> None:
    axes: Any = plot_by_length([_plotted(reached=False), _plotted()])
    hollow, filled = _lines(axes)
    assert hollow.get_markerfacecolor() == "white"
    assert filled.get_markerfacecolor() == filled.get_color()


def test_several_tasks_have_a_panel_each() -> None:
    panels: Any = plot_by_length(
        [_plotted("aa"), _plotted("regex:(ab)*"), _plotted("sort"), _plotted("parity"), _plotted("d-2")]
    )
    assert [panel.get_title() for panel in panels] == ["aa", "(ab)*", "sort", "parity", "d-2"]
    assert [bool(panel.get_ylabel()) for panel in panels] == [True, False, False, False, True]


def test_axes_may_be_given_for_one_task() -> None:
    axes = Figure().subplots()
    assert plot_by_length([_plotted()], axes) is axes
    with pytest.raises(InputError, match="the runs are of 2: choose with task="):
        plot_by_length([_plotted(), _plotted("sort")], axes)


def test_runs_without_numbers_are_left_out() -> None:
    failed = _plotted(accuracy={})
    assert len(_lines(plot_by_length([failed, _plotted()]))) == 1
    with pytest.raises(InputError, match="nothing to plot"):
        plot_by_length([failed])
