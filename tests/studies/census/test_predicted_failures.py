"""Where a "no" ends, predicted and measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.studies.census.census_cell import cells
from longreach.studies.census.census_run import bins
from longreach.studies.census.predicted_failures import failure_document, failures, spearman
from tests.helpers.census_samples import census_languages, synthetic_runs


def test_every_no_is_there_once_with_its_first_failure() -> None:
    found = cells(synthetic_runs("development"), census_languages())
    ends = failures(found)
    wanted = {(c.language.key, c.encoding, c.trained_to) for c in found if not c.says_yes}
    assert {(e.language.key, e.encoding, e.trained_to) for e in ends} == wanted
    assert len(ends) == len(wanted)
    for each in ends:
        mine = [
            c
            for c in found
            if (c.language.key, c.encoding, c.trained_to)
            == (each.language.key, each.encoding, each.trained_to)
        ]
        bad = [cell.ratio for cell in mine if not cell.worked()]
        assert each.measured == (min(bad) if bad else None)
        length, summary = each.predicted()
        ratio = each.predicted_ratio()
        if length is None:
            assert (ratio, summary is None) == (None, False)
        else:
            assert length > each.trained_to
            assert ratio is not None
            assert length <= bins(each.trained_to)[ratio].last
        assert "modulo" not in (summary or "") or each.encoding == "ape"


def test_the_document_counts_all() -> None:
    ends = failures(cells(synthetic_runs("development"), census_languages()))
    found = failure_document(ends, samples=20)
    assert found["cells"] == len(found["each"]) == len(ends)
    assert found["predicted to fail"]["cells"] + found["predicted to last"]["cells"] == found["learned"]
    assert failure_document([], samples=5)["rank correlation"]["16 letters"]["value"] is None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=12))
def test_ranks_in_the_middle_of_ties(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))

    def slow(values: np.ndarray) -> np.ndarray:
        return np.array([(values < each).sum() + ((values == each).sum() + 1) / 2 for each in values])

    found = spearman(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(slow(one), slow(other))[0, 1])
