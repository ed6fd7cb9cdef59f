"""Tests of `studies.run_scores`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from longreach.errors import InputError
from longreach.inspection.limit import LengthRow
from longreach.inspection.models import batch_at
from longreach.inspection.trace import trace
from longreach.studies.run_scores import (
    ALL_TOGETHER,
    FEATURES,
    JOINT,
    TOGETHER,
    beyond_training,
    compare_limits,
    fit_scores,
    judge_scores,
    read_score,
    read_scored,
    run_features,
    scored_text,
)
from longreach.studies.statistics import PENALTY, fit_logistic, left_out, rounded
from tests.helpers.inspected_models import small_subject
from tests.helpers.scored_runs import scored_run as _run
from tests.helpers.scores import roc_auc

# Scores that are fitted, kept and read again.


def test_a_language_is_judged_by_others() -> None:
    """A feature that only names the language says nothing once that language is left out."""
    numbers = np.arange(40) % 10
    languages = [f"l{each}" for each in numbers]
    said = left_out(["margin"], (numbers == 0).astype(float)[:, None], (numbers < 5).astype(float), languages)
    # The only rows with 1 are of one language: the others give its coefficient no data, so it stays small.
    here = said[[n for n in range(40) if n % 10 == 0]]
    assert np.ptp(here) == pytest.approx(0)
    assert here[0] == pytest.approx(16 / 36, abs=0.05)


def test_a_score_goes_through_its_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    works = rng.random(30) < 0.5
    runs = [_run(n, bool(w), float(w + rng.normal())) for n, w in enumerate(works)]
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
    made = fit_scores([_run(n, n % 2 == 0, float(n)) for n in range(6)], {"entropy": 0.5})
    path.write_text(made.text().replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_score(path)
    with pytest.raises(InputError, match="no score yet"):
        read_score(tmp_path / "none.json")


# Features of a run, one by one.


def test_they_are_what_they_say() -> None:
    found = small_subject("ape")
    said = run_features(found, rows=5, seed=2)
    assert set(said) == set(FEATURES)
    assert all(np.isfinite(value) for value in said.values())
    batch = batch_at(found, 10, 5, np.random.default_rng([2, 7]))
    outputs = trace(found.parameters, found.config, torch.from_numpy(batch.tokens)).outputs.double().numpy()
    two = np.sort(outputs, axis=-1)[..., -2:]
    margins = two[..., 1] - two[..., 0]
    assert said["margin"] == pytest.approx(margins.mean(), abs=1e-5)
    assert said["least margin"] == pytest.approx(margins.min(axis=1).mean(), abs=1e-5)


def test_without_positions_their_features_are_nothing() -> None:
    said = run_features(small_subject("nope"), rows=3)
    assert (said["window shift"], said["fit residual"], said["unlike its limit"]) == (0, 0, 0)
    assert said["offset variance"] == pytest.approx(-8)


def test_what_comes_beyond_training() -> None:
    row = beyond_training(small_subject("ape"), 30, rows=3)
    assert row is not None
    assert row.length == 30
    assert row.model is not None
    assert beyond_training(small_subject("rope"), 30) is None
    with pytest.raises(InputError, match="with its task"):
        run_features(replace(small_subject("ape"), task=None))


# Scores on made-up runs of which it is known what they are worth.


def test_areas_with_their_signs() -> None:
    rng = np.random.default_rng(0)
    works = rng.random(40) < 0.5
    margins = works + rng.normal(size=40)
    runs = [
        _run(n, bool(w), float(m), beside={"verdict": float(w)})
        for n, (w, m) in enumerate(zip(works, margins, strict=True))
    ]
    slices = {each.name: each for each in judge_scores(runs, samples=20)}
    assert set(slices) == {"all runs", "ape", "nope", "runs that learned"}
    rows = {row.name: row for row in slices["all runs"].rows}
    assert rows["margin"].auc.value == pytest.approx(roc_auc(margins, works))
    assert rows["offset variance"].auc.value == 0.0  # the larger, the better: the theory has it the other way
    assert rows["verdict"].auc.value == 1.0
    assert rows["verdict"].kind == "beside"
    assert rows["entropy"].auc.value == 0.5
    joint = rows[ALL_TOGETHER].auc.value
    assert joint is not None
    assert joint > 0.9  # a model may turn a sign around
    wrong, right = slices["all runs"].curves["margin"]
    assert (wrong[-1], right[-1]) == (1, 1)
    assert slices["ape"].runs + slices["nope"].runs == 40
    assert slices["all runs"].document()["work"] == int(works.sum())


def test_what_was_fitted_before_is_judged_as_it_is() -> None:
    """A score that was fitted where the margin helps says the opposite where it does not."""
    fitted = fit_scores([_run(n, n % 2 == 0, float(n % 2 == 0)) for n in range(20)], {"margin": 1.0})
    there = [_run(n, n % 2 == 0, float(n % 2 == 1), steady=True) for n in range(20)]
    (judged, *_) = judge_scores(there, fitted, samples=5)
    rows = {row.name: row for row in judged.rows}
    assert rows[ALL_TOGETHER].auc.value == 0.0
    assert rows[TOGETHER].auc.value == 0.5  # what it knows does not vary here
    (anew, *_) = judge_scores(there, samples=5)
    assert {row.name: row for row in anew.rows}[ALL_TOGETHER].auc.value == 1.0
    with pytest.raises(InputError, match="runs that work and runs that do not"):
        judge_scores([run for run in there if run.works], samples=5)


def test_more_than_a_reference() -> None:
    """Differences of areas on the runs that have both."""
    ends = [True, True, False, False, True, False]
    odds = [0.9, 0.2, 0.5, 0.1, None, None]
    runs = [
        _run(n, works, float(n), beside={} if said is None else {"odds": said})
        for n, (works, said) in enumerate(zip(ends, odds, strict=True))
    ]
    (judged, *_) = judge_scores(runs, reference="odds", samples=20)
    rows = {row.name: row for row in judged.rows}
    assert rows["odds"].runs == 4
    assert rows["odds"].minus_reference is None
    first = roc_auc([0, 1, 2, 3], ends[:4]) - roc_auc([0.9, 0.2, 0.5, 0.1], ends[:4])
    found = rows["margin"].minus_reference
    assert found is not None
    assert found.value == pytest.approx(first)
    assert rounded(rows["margin"])["minus_reference"]["value"] == pytest.approx(first, abs=1e-4)


def test_runs_beside_their_limits() -> None:
    rows = [
        LengthRow(length=30, model=0.2, kept=0.9, strict=0.5),
        LengthRow(length=30, model=0.8, kept=0.6, strict=0.1),
        LengthRow(length=30, model=1.0, kept=1.0, strict=0.9),
    ]
    runs = [_run(1 + 2 * n, True, 0.0, beyond=row, learned=n != 1) for n, row in enumerate(rows)]
    every, learned = compare_limits([*runs, _run(2, True, 0.0)])
    assert (every.name, every.runs, every.better, every.worse) == ("ape, all", 3, 1, 1)
    assert (every.model, every.kept, every.strict) == pytest.approx((2 / 3, 2.5 / 3, 0.5))
    assert (learned.name, learned.runs, learned.worse) == ("ape, learned", 2, 0)


# Tables of runs that were looked into.


def test_a_table_and_back(tmp_path: Path) -> None:
    beyond = LengthRow(length=30, model=0.5, kept=None, strict=0.25)
    runs = [_run(2, True, 1 / 3, beyond=beyond), _run(1, False, 2.0, beside={"odds": 0.25})]
    path = tmp_path / "runs.jsonl"
    path.write_text(scored_text(runs), encoding="utf-8")
    second, first = read_scored(path)  # by language
    assert first == replace(runs[0], features={**runs[0].features, "margin": 0.333333})
    assert second == runs[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"works": true', '"works": 1'), ":1: works"),
        (('"margin"', '"height"'), "not those of this version"),
        (('"run": "2"', '"run": "1"'), ":2: the run 1 appears twice"),
        (("{", "", 1), ":1: "),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = tmp_path / "runs.jsonl"
    text = scored_text([_run(1, True, 0.0, language="a"), _run(2, True, 0.0, language="b")])
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_scored(path)
    with pytest.raises(InputError, match="no such file"):
        read_scored(tmp_path / "none")
