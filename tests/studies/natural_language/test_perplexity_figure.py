"""Losses by position, and a point per length."""

from __future__ import annotations

from longreach.language_models.text_perplexity import AtLength
from longreach.studies.natural_language.perplexity_figure import perplexity_figure


def test_lines_are_the_numbers() -> None:
    found = [AtLength(2, (4.0, 3.0), 5), AtLength(3, (4.0, 3.0, 2.0), 5)]
    by_position, means = perplexity_figure(found, "model").axes[0].get_lines()
    assert list(by_position.get_ydata()) == [4.0, 3.0, 2.0]
    assert (list(means.get_xdata()), list(means.get_ydata())) == ([2, 3], [3.5, 3.0])
