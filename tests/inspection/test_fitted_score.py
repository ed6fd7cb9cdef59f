"""Scores that are fitted, kept and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.forecast.logistic_model import PENALTY, fit_logistic
from longreach.inspection.fitted_score import ALL_TOGETHER, JOINT, fit_scores, left_out, read_score
from tests.helpers.scored_runs import scored_run


def test_a_language_is_judged_by_others() -> None:
    """A feature that only names the language says nothing once that language is left out."""
    runs = [scored_run(n, n % 10 < 5, float(n % 10 == 0)) for n in range(40)]
    said = left_out(runs, ["margin"])
    # The only rows with 1 are of one language: the others give its coefficient no data, so it stays small.
    here = said[[n for n in range(40) if n % 10 == 0]]
    assert np.ptp(here) == pytest.approx(0)
    assert here[0] == pytest.approx(16 / 36, abs=0.05)


def test_a_score_goes_through_its_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    works = rng.random(30) < 0.5
    runs = [scored_run(n, bool(w), float(w + rng.normal())) for n, w in enumerate(works)]
    made = fit_scores(runs, {"margin": 0.75, "entropy": 0.51})
    assert (made.best, made.runs, made.languages, made.work) == ("margin", 30, 10, int(works.sum()))
    (tmp_path / "score.json").write_text(made.text(), encoding="utf-8")
    again = read_score(tmp_path / "score.json")
    assert again == made
    joint = {each.name: each for each in again.scores}
    names = JOINT[ALL_TOGETHER]
    values = [[run.features[name] for name in names] for run in runs]
    expected = fit_logistic(names, values, works, penalty=PENALTY).probabilities(values)
    assert joint[ALL_TOGETHER].probabilities(runs) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"margin"', '"height"'), "height"),
        (('"version": 1', '"version": 2'), "version"),
        (("{", "["), "JSON"),
    ],
)
def test_files_that_are_no_scores(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = tmp_path / "score.json"
    made = fit_scores([scored_run(n, n % 2 == 0, float(n)) for n in range(6)], {"entropy": 0.5})
    path.write_text(made.text().replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_score(path)
    with pytest.raises(InputError, match="there is no score yet"):
        read_score(tmp_path / "none.json")
