""""""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import pytest
from matplotlib.figure import Figure

from longreach.errors import InputError
from longreach.runs.collected import plot_by_length
from longreach.runs.index import Row


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
    matplotlib.use(before)


def _row(task: str = "aa", encoding: str = "ape", **changes: Any) -> Row:
    numbers = {"1-10": 1.0, "11-20": 0.5, "21-30": 0.25}
    config = {"train_lengths": [1, 10]}
    fields = {"accuracy": numbers, "reached": True, "config": config} | changes
    return Row(key="0", status="done", task=task, encoding=encoding, **fields)


def _runs(axes: Any) -> list[Any]:
    return [line for line in axes.lines if line.get_marker() == "o"]


def test_every_run_is_a_line_at_its_lengths() -> None:
    axes: Any = plot_by_length([_row(), _row(), _row(encoding="nope")])
    assert len(_runs(axes)) == 3
    assert list(_runs(axes)[0].get_xdata()) == [10, 20, 30]
    assert list(_runs(axes)[0].get_ydata()) == [1.0, 0.5, 0.25]
    assert list(axes.get_xticks()) == [10, 20, 30]
    assert axes.get_title() == "aa"


def test_encodings_differ_in_colour_and_dashes_and_stand_once_in_the_legend() -> None:
    names = ["ape", "nope", "rope", "alibi"]
    axes: Any = plot_by_length([_row(encoding=name) for name in names for _ in range(2)])
    looks = {(line.get_color(), line.get_linestyle()) for line in _runs(axes)}
    assert len(looks) == 4
    assert len({colour for colour, _ in looks}) == 4
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["APE", "NoPE", "RoPE", "ALiBi"]


def test_a_run_that_did_not_learn_is_hollow() -> None:
    axes: Any = plot_by_length([_row(reached=False), _row()])
    hollow, filled = _runs(axes)
    assert hollow.get_markerfacecolor() == "white"
    assert filled.get_markerfacecolor() == filled.get_color()


def test_several_tasks_have_a_panel_each() -> None:
    panels: Any = plot_by_length([_row("aa"), _row("regex:(ab)*"), _row("sort"), _row("parity"), _row("d-2")])
    assert [panel.get_title() for panel in panels] == ["aa", "(ab)*", "sort", "parity", "d-2"]
    assert [bool(panel.get_ylabel()) for panel in panels] == [True, False, False, False, True]


def test_axes_may_be_given_for_one_task() -> None:
    axes = Figure().subplots()
    assert plot_by_length([_row()], axes) is axes
    with pytest.raises(InputError, match="the runs are of 2: choose with task="):
        plot_by_length([_row(), _row("sort")], axes)


def test_runs_without_numbers_are_left_out() -> None:
    failed = _row(accuracy={})
    assert len(_runs(plot_by_length([failed, _row()]))) == 1
    with pytest.raises(InputError, match="nothing to plot"):
        plot_by_length([failed])
