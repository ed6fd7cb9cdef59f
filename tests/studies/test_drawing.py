"""Figures show a mean only where all runs do the same thing."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from longreach.answers.agreement import Place
from longreach.studies.catalog import STUDIES
from longreach.studies.cells import Outcome
from longreach.studies.drawing import legend, panel
from tests.helpers.study_members import rows

PLACE = Place("aa", "ape")
OPPOSITE, ALIKE = [(1.0, 1.0, 1.0), (1.0, 0.6, 0.0), (1.0, 0.9, 0.0)], [(1.0, 1.0, 0.9)] * 3


def _cell(shares: list[tuple[float, float, float]]) -> Outcome:
    study = STUDIES["figure1"]
    found = rows(study.members_by_place("laptop", places=[PLACE]), lambda place, seed: shares[seed - 3])
    (cell,) = [each for each in study.outcomes(found, "laptop") if each.place == PLACE]
    return cell


@pytest.mark.parametrize("shares", [OPPOSITE, ALIKE], ids=["opposite", "alike"])
def test_runs_that_do_opposite_things_have_a_line_each(shares: list[tuple[float, float, float]]) -> None:
    figure, cell = Figure(), _cell(shares)
    axis = figure.subplots()
    panel(axis, [cell], "aa")
    legend(figure, [cell])
    drawn = [[float(y) for y in line.get_ydata()] for line in axis.lines]  # type: ignore[union-attr]
    ends = [ys[-1] for ys in drawn if len(ys) == 3]
    mean = sum(share[-1] for share in shares) / 3
    names = {text.get_text() for text in figure.legends[0].get_texts()}
    if shares is OPPOSITE:
        assert all(list(share) in drawn for share in shares)
        assert mean not in [pytest.approx(end) for end in ends]
    else:
        assert pytest.approx(mean) in ends
    assert ("single runs that differ" in names) is (shares is OPPOSITE)
