"""Tests of `studies.inspection_score`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.answers.odds import fitted_odds
from longreach.answers.odds_features import OddsCase, odds_features
from longreach.errors import InputError
from longreach.studies import inspection_score
from longreach.studies import run_scores as fitted_score
from longreach.studies.census.tables import language_table
from longreach.studies.inspection_score import (
    ODDS,
    STUDY,
    chosen_runs,
    frozen_odds,
    left_out_odds,
    look_into,
    spread,
)
from longreach.studies.run_scores import FEATURES, ScoredRun, read_scored, scored_text
from longreach.studies.study import StudyOptions, StudyReport
from tests.helpers.inspected_runs import small_member, write_run
from tests.helpers.paths import ROOT
from tests.helpers.scored_runs import scored_run

# Which runs of a directory can be looked into.


def test_held_out_languages_are_passed_over(tmp_path: Path) -> None:
    table = language_table().values()
    tasks = {
        part: next(each.task for each in table if each.part == part) for part in ("development", "held-out")
    }
    keys = {part: write_run(tmp_path, small_member(task)).name for part, task in tasks.items()}
    outside = write_run(tmp_path, small_member()).name
    usual = {each.key for each in chosen_runs(tmp_path, held_out=False)}
    assert usual == {keys["development"], outside}
    assert {each.key for each in chosen_runs(tmp_path, held_out=True)} == {keys["held-out"]}


def test_some_of_many_at_even_distances(tmp_path: Path) -> None:
    for seed in range(5):
        write_run(tmp_path, small_member(seed=seed))
    found = list(chosen_runs(tmp_path, held_out=False))
    assert [each.key for each in spread(found, 3)] == [found[place].key for place in (0, 2, 4)]
    assert spread(found, None) == found


def test_a_language_of_the_census_trained_otherwise(tmp_path: Path) -> None:
    """There is no verdict for such positions, and no chance for such a length: only what the run has."""
    task = next(each.task for each in language_table().values() if each.part == "development")
    write_run(tmp_path, small_member(task, "rope"), (1.0, 1.0, 0.9))
    (chosen,) = chosen_runs(tmp_path, held_out=False)
    found = look_into(chosen)
    assert found.beside.keys() == {"accuracy at the training length"}
    assert (found.trained_to, found.reached, found.learned) == (6, 0.9, True)


# Scores are fitted on development runs, kept, and judged on held-out ones as they were kept.


def _asked(runs: Path, **changes: object) -> StudyOptions:
    return replace(StudyOptions(scale="smoke", runs=runs, train=False), **changes)  # type: ignore[arg-type]


def _report(options: StudyOptions) -> StudyReport:
    report = STUDY.report(options, ())
    assert report is not None
    return report


def _census_runs(part: str, sign: int, count: int = 40) -> list[ScoredRun]:
    """Runs of a part of the census whose margin tells what comes, or the opposite."""
    table = [each for each in language_table().values() if each.part == part and "20" in each.lengths]
    return [
        scored_run(
            n, n % 3 == 0, sign * float(n % 3 == 0), steady=True, run=f"{part}-{n}",
            language=table[n // 2 % 20].task, trained_to=20, seed=n,
        )
        for n in range(count)
    ]  # fmt: skip


@pytest.fixture
def fitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "score.json"
    monkeypatch.setattr(fitted_score, "FITTED", path)
    monkeypatch.setattr(fitted_score.read_score, "__defaults__", (path,))
    monkeypatch.setattr(inspection_score, "commit_of", lambda path: f"commit of {path.name}")
    return path


def test_runs_that_cannot_be_looked_into(tmp_path: Path) -> None:
    path = write_run(tmp_path, small_member())
    (path / "model.safetensors").unlink()
    (write_run(tmp_path, small_member(seed=1)) / "result.json").write_text("{")
    with pytest.raises(InputError, match="no run with a model"):
        _report(_asked(tmp_path))
    with pytest.raises(InputError, match="no such directory"):
        _report(_asked(tmp_path / "none"))


def test_fitted_here_judged_there(tmp_path: Path, fitted: Path) -> None:
    """The margin misleads on held-out runs, and a score that was fitted before follows it there."""
    table = tmp_path / "runs.jsonl"
    both = [*_census_runs("development", 1), *_census_runs("held-out", -1)]
    table.write_text(scored_text(both), encoding="utf-8")
    held_out = _asked(tmp_path, table=table, part="held-out")
    with pytest.raises(InputError, match="no score yet"):
        _report(held_out)
    with pytest.raises(InputError, match="--fit"):
        _report(replace(held_out, fit=True))

    done = _report(_asked(tmp_path, table=table, fit=True)).document
    assert (done["score"]["runs"], done["score"]["languages"], done["score"]["best"]) == (40, 20, "margin")
    kept = json.loads(fitted.read_text(encoding="utf-8"))
    assert kept["areas"]["margin"] == 1.0

    result = _report(held_out)
    judged = result.document
    assert judged["score"]["commit"] == "commit of score.json"
    assert (judged["runs_looked_into"], judged["runs"], judged["reference"]) == (40, [], ODDS)
    rows = {row["name"]: row for row in judged["slices"][0]["scores"]}
    assert rows[fitted_score.ALL_TOGETHER]["auc"]["value"] == 0.0
    assert rows["margin"]["minus_reference"]["value"] == pytest.approx(-rows[ODDS]["auc"]["value"], abs=1e-3)
    assert fitted.read_text(encoding="utf-8") == json.dumps(kept, ensure_ascii=False, indent=1) + "\n"
    assert "fitted on 40 runs of 20 other tasks" in result.markdown()
    assert result.markdown().count("more than the odds") == len(judged["slices"])


def test_a_score_that_is_not_committed_is_not_judged(
    tmp_path: Path, fitted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> str:
        raise InputError(f"{path.name}: not committed as it is")

    table = tmp_path / "runs.jsonl"
    table.write_text(scored_text(_census_runs("development", 1)), encoding="utf-8")
    _report(_asked(tmp_path, table=table, fit=True))
    monkeypatch.setattr(inspection_score, "commit_of", refuse)
    with pytest.raises(InputError, match="not committed"):
        _report(_asked(tmp_path, table=table, part="held-out"))


def test_what_was_seen_is_kept(tmp_path: Path) -> None:
    """A run is looked into once, and judged again when its model is gone."""
    runs = tmp_path / "runs"
    paths = [
        write_run(runs, small_member(seed=seed, task="tomita-1"), (1.0, 1.0, float(seed < 2)))
        for seed in range(3)
    ]
    table = tmp_path / "runs.jsonl"
    asked = _asked(runs, table=table, train=True)
    first = _report(asked).document
    assert {each.run for each in read_scored(table)} == {path.name for path in paths}
    assert all(each.features.keys() == FEATURES.keys() for each in read_scored(table))
    for path in paths:
        (path / "model.safetensors").unlink()
    assert STUDY.plan is not None
    assert STUDY.plan(asked)[0] == {"jobs": 0, "done": 0, "runs_there": 0}
    before = table.read_bytes()
    again = _report(_asked(tmp_path / "none", table=table)).document
    assert again["slices"] == first["slices"]
    assert table.read_bytes() == before
    table.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"runs.jsonl: no run"):
        _report(_asked(runs, table=table))


COMMITTED = ROOT / "results" / "inspection"


def test_the_committed_judgement_is_that_of_the_committed_runs(tmp_path: Path) -> None:
    """By the score of the package, which had no held-out run."""
    kept = json.loads((COMMITTED / "held-out.json").read_text(encoding="utf-8"))
    asked = _asked(tmp_path, part="held-out", table=COMMITTED / "runs.jsonl", scale="laptop")
    found = json.loads(json.dumps(_report(asked).document))
    assert found["slices"] == kept["slices"]
    assert found["limit"] == kept["limit"]
    assert found["score"]["runs"] == kept["score"]["runs"] > 0
    held_out = {each.task for each in language_table().values() if each.part == "held-out"}
    assert kept["runs_looked_into"] == sum(
        each.language in held_out for each in read_scored(COMMITTED / "runs.jsonl")
    )


# Odds for runs: of those that differ in their seed alone the same, of other tasks none.


def _runs(part: str, count: int) -> list[ScoredRun]:
    table = [each for each in language_table().values() if each.part == part and "20" in each.lengths]
    return [
        scored_run(
            n, table[n // 2].sides["nope"].verdict == "yes", 0.0, run=f"r{n}", language=table[n // 2].task,
            encoding="nope", trained_to=20, seed=n % 2,
        )
        for n in range(count)
    ]  # fmt: skip


def test_frozen_odds_are_those_of_the_model() -> None:
    model = fitted_odds()
    assert model is not None
    runs = _runs("held-out", 20)
    said = frozen_odds(model, [*runs, scored_run(99, True, 0.0)])
    assert set(said) <= {run.run for run in runs}
    assert len(said) > 10
    facts = {each.task: each for each in language_table().values()}
    for run in runs:
        if run.run in said:
            case = OddsCase(features=facts[run.language].features(20), encoding="nope", ratio=3)
            row = odds_features(case, model.features)
            assert said[run.run] == pytest.approx(model.probabilities([row])[0])  # type: ignore[list-item]
    assert all(said[f"r{n}"] == said[f"r{n + 1}"] for n in range(0, 20, 2) if f"r{n}" in said)


def test_odds_with_the_language_left_out() -> None:
    runs = _runs("development", 40)
    said = left_out_odds(runs)
    assert set(said) == {run.run for run in runs}
    assert all(said[f"r{n}"] == said[f"r{n + 1}"] for n in range(0, 40, 2))
    assert left_out_odds(runs[:2]) == {}
    assert left_out_odds([scored_run(1, True, 0.0), scored_run(2, False, 0.0)]) == {}
