"""Tests of `studies.natural_language`."""

from __future__ import annotations

import json
from typing import Any

from longreach.inspection.perplexity import AtLength
from longreach.studies.natural_language import (
    PANELS,
    findings_document,
    influence_table,
    language_figure,
    perplexity_figure,
    perplexity_table,
)
from tests.helpers.paths import ROOT

# The figure has the points of the findings.


def test_panels_and_points() -> None:
    figure = language_figure(sample_language_report(), "a title")
    positions, *scatters = figure.axes
    assert [list(line.get_ydata()) for line in positions.get_lines()[:2]] == [[3.0, 2.5], [3.0, 2.5]]
    assert len(scatters) == 4
    for axis in scatters:
        assert axis.collections[0].get_offsets().tolist() == [[0.5, 0.25], [1.0, 1.0]]
    assert "r = 0.50" in scatters[0].get_title()
    assert "r =" not in scatters[1].get_title()


# Tables of the study.


# Golowich et al., arXiv 2502.16792, Table 1: other text, other tokens, 1.3 B parameters.
PUBLISHED = {"h_short": ["17.59", "14.74"], "h_long": ["17.62", "14.49"]}


class Measured:
    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def document(self) -> dict[str, Any]:
        return self._fields


def sample_language_report() -> dict[str, Any]:
    perplexity = {
        name: {
            n: Measured(length=n, perplexity=value - n / 8, loss_by_position=[3.0, 2.5], windows=2)
            for n in (64, 128)
        }
        for name, value in (("short", 30.0), ("long", 31.0))
    }
    losses = {
        pair: Measured(
            examples=2, loss_short=3.0, loss_long=2.5, loss_short_sparse=2.625, points=[[0.5, 0.25], [1, 1]],
            correlation=0.5 if pair != ("long", "long") else None,
        )
        for pair in PANELS
    }  # fmt: skip
    return findings_document(perplexity, losses)


def test_table_1() -> None:
    table = perplexity_table(sample_language_report())
    assert table.titles == ["model", "at 64", "at 128"]
    assert table.rows == [["h_short", "22.00", "14.00"], ["h_long", "23.00", "15.00"]]


def test_the_page_shows_what_was_found_beside_what_was_published() -> None:
    found = json.loads((ROOT / "results" / "natural-language" / "findings.json").read_text())
    page = (ROOT / "docs" / "natural-language.md").read_text()
    rows = perplexity_table(found).rows
    assert [model for model, *_ in rows] == list(PUBLISHED)
    for model, *ours in rows:
        assert f"| {' | '.join([model, *ours, *PUBLISHED[model]])} |" in page


def test_influence_by_panel() -> None:
    rows = influence_table(sample_language_report()).rows
    assert rows[0] == ["Figure 4", "h_short", "h_short", "3.000", "2.500", "2.625", "0.50"]
    assert [row[0] for row in rows] == ["Figure 4", "Figure 6a", "Figure 6b", "Figure 6c"]
    assert rows[1][1:3] == ["h_long", "h_long"]
    assert rows[1][-1] == "–"
    assert rows[2][1:3] == ["h_long", "h_short"]


# Losses by position, and a point per length.


def test_lines_are_the_numbers() -> None:
    found = [AtLength(2, (4.0, 3.0), 5), AtLength(3, (4.0, 3.0, 2.0), 5)]
    by_position, means = perplexity_figure(found, "model").axes[0].get_lines()
    assert list(by_position.get_ydata()) == [4.0, 3.0, 2.0]
    assert (list(means.get_xdata()), list(means.get_ydata())) == ([2, 3], [3.5, 3.0])
