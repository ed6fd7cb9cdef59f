from __future__ import annotations

from pathlib import Path

import pytest

from longreach.answer.threshold_answer import threshold
from longreach.answer.threshold_figure import FORMATS, figure_content, plot_threshold
from longreach.errors import InputError
from tests.helpers.made_up_training import replace_training


def test_every_run_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    replace_training(monkeypatch, lambda member: member.train_lengths.last >= 8)
    found = threshold("aa", to=60, runs=tmp_path)
    axes = plot_threshold(found, Figure().subplots())
    marks = [line for line in axes.lines if line.get_marker() in ("o", "X")]
    assert len(marks) == sum(cell.tally.runs for cell in found.cells) == 10
    text = figure_content(found, ".svg")
    assert text == figure_content(found, ".svg")
    assert b"works from 8 on" in text
    assert b"bound / measured = 0.25" in text
    assert {suffix: figure_content(found, suffix)[:4] for suffix in FORMATS[1:]} == {
        ".png": b"\x89PNG",
        ".pdf": b"%PDF",
    }
    with pytest.raises(InputError, match=r"out: the name must end in .svg, .png, .pdf, not in '.txt'"):
        figure_content(found, ".txt")


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to plot"):
        plot_threshold(threshold("aa", minutes=0, runs=tmp_path))
