"""Functions of positions, and fitting them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.studies.positional_functions import FUNCTIONS, SETTINGS, STUDY, chosen
from longreach.studies.study import StudyOptions, StudyReport


def _report(runs: Path) -> StudyReport:
    report = STUDY.report(StudyOptions(scale="smoke", runs=runs), ())
    assert report is not None
    return report


def test_the_functions_are_their_conditions() -> None:
    high = 2 * math.log(50)
    by_name = {each.name: each.matrix() for each in FUNCTIONS}
    conditions = {
        "one distance, c = 5": lambda j, i: j == i - 5,
        "near, c = 5": lambda j, i: j > i - 5,
        "periodic, 1 mod 3": lambda j, i: (i - j) % 3 == 1,
        "far, c = 20": lambda j, i: j < i - 20,
        "prime": lambda j, i: i - j > 1 and all((i - j) % k for k in range(2, i - j)),
    }
    for name, holds in conditions.items():
        for i in range(0, 60, 7):
            for j in range(i + 1):
                assert by_name[name][i, j] == pytest.approx(high if holds(j, i) else 0), (name, j, i)
    both = by_name["combined, c = 2"]
    assert [both[10, 10 - d] for d in (0, 1, 2, 3)] == pytest.approx([high, high, high, 0])
    assert by_name["prime"][2, 5] == 0
    assert {each.name for each in chosen(SETTINGS["laptop"])} <= set(by_name)
    assert len(chosen(SETTINGS["laptop"])) == 8


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    found = _report(tmp_path)
    (kept,) = (tmp_path / "positional-functions").iterdir()
    before = kept.stat().st_mtime_ns
    again = _report(tmp_path)
    assert kept.stat().st_mtime_ns == before
    assert again.document == found.document
    assert np.isfinite([each["mse"] for each in found.document["functions"]]).all()
    kept.write_text("{}")
    with pytest.raises(InputError, match="damaged"):
        _report(tmp_path)
