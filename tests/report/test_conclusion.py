from __future__ import annotations

from pathlib import Path

import pytest

from longreach.report.conclusion import NOTHING_COUNTS, conclusion, detail, headline
from longreach.report.results_to_view import report_view
from tests.helpers.report_samples import several


def test_the_finding_is_counted_from_the_results(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 1.0, 0.0, 0.0)  # yes, fails
    several(tmp_path, "aa", "nope", 0.1, 0.0, 0.2)  # no, fails
    several(tmp_path, "tomita-1", "nope", 1.0, 1.0, 1.0)  # yes, works
    view = report_view(tmp_path, "")
    assert headline(view) == "In 2 of 3 cells the forecast and the measurement agree."
    assert detail(view) == (
        "A cell is a task under one positional encoding: of 2 expected to work on longer inputs 1 does, "
        "of 1 expected to fail 1 does."
    )
    assert "not as forecast: (aa)* with APE (1 of 3 runs works at 21–30)." in conclusion(view)


@pytest.mark.parametrize("lasts", [(), (0.1,)])
def test_without_three_runs_nothing_is_claimed(tmp_path: Path, lasts: tuple[float, ...]) -> None:
    several(tmp_path, "aa", "nope", *lasts)
    view = report_view(tmp_path, "")
    assert headline(view).startswith("No runs yet") if not lasts else headline(view) == NOTHING_COUNTS
    assert detail(view) == ""
    assert conclusion(view) == NOTHING_COUNTS


def test_nothing_and_everything_have_words(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 0.0, 0.0, 0.0)
    several(tmp_path, "aa", "nope", 0.0, 0.0, 0.0)
    several(tmp_path, "tomita-4", "nope", 0.0, 0.0, 0.0)
    told = detail(report_view(tmp_path, ""))
    assert told.endswith("of 1 expected to work on longer inputs none does, of 2 expected to fail all do.")
