"""The figure has the points of the findings."""

from __future__ import annotations

from longreach.studies.natural_language.language_figure import language_figure
from tests.studies.natural_language.test_language_report import sample


def test_panels_and_points() -> None:
    figure = language_figure(sample(), "a title")
    positions, *scatters = figure.axes
    assert [list(line.get_ydata()) for line in positions.get_lines()[:2]] == [[3.0, 2.5], [3.0, 2.5]]
    assert len(scatters) == 4
    for axis in scatters:
        assert axis.collections[0].get_offsets().tolist() == [[0.5, 0.25], [1.0, 1.0]]
    assert "r = 0.50" in scatters[0].get_title()
    assert "r =" not in scatters[1].get_title()
