"""Every figure of an inspection can be drawn, and shows what it should."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.inspection.figures import figure_files, figures_of, heat_maps, histogram, title_of
from longreach.inspection.positions import invariant_version
from longreach.inspection.report import Inspection, chosen_heads, inspect_subject
from tests.helpers.inspected_models import small_subject


@pytest.fixture(scope="module")
def found() -> Inspection:
    return inspect_subject(small_subject("ape", task="regex:(a|b)*bb(a|b)*"), rows=4, inputs=3)


def test_all_figures(found: Inspection) -> None:
    made = figures_of(found)
    assert set(made) == {"histogram", "heatmaps", "profiles", "hardness", "lengths", "construction"}
    for name in ("histogram", "lengths", "construction"):
        files = figure_files(made[name], name, (".svg", ".png"))
        assert files[".svg"].startswith(b"<?xml")
        assert files[".png"].startswith(b"\x89PNG")
    for name in ("profiles", "hardness", "heatmaps"):
        assert made[name]().axes
    assert title_of(found) == "small, regex:(a|b)*bb(a|b)*"


def test_a_histogram_counts_heads(found: Inspection) -> None:
    axis = histogram(found.heads, "x").axes[0]
    assert sum(bar.get_height() for bar in axis.patches) == len(found.heads) == 4  # type: ignore[attr-defined]


def test_heat_maps_stand_beside_their_invariant_version(found: Inspection) -> None:
    heads = chosen_heads(found.heads, 2)
    assert heads[0].offset_variance == max(each.offset_variance for each in found.heads)
    assert heads[1].offset_variance == min(each.offset_variance for each in found.heads)
    assert heads[0].matrix is not None
    figure = heat_maps(heads[:1], found.products_from)
    shown = [axis for axis in figure.axes if axis.images and axis.get_visible()]
    images = [axis.images[0].get_array() for axis in shown]
    lower = np.tril_indices(len(heads[0].matrix))
    assert images[0] is not None
    assert images[1] is not None
    assert np.asarray(images[0])[lower] == pytest.approx(heads[0].matrix[lower])
    assert np.asarray(images[1])[lower] == pytest.approx(invariant_version(heads[0].matrix)[lower])
    assert len(images) == 2 + len(heads[0].shift.offsets)
