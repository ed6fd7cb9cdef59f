"""What all studies have in common: members that can be trained, and a report that is whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies import study as runner
from longreach.studies import thresholds
from longreach.studies.catalog import STUDIES, every_study, load_study
from longreach.studies.study import (
    Claim,
    Study,
    StudyOptions,
    StudyReport,
    run_study,
    study_members,
    table_of,
)
from longreach.training.result import Result
from tests.helpers.asked_results import result_of

SMOKE = StudyOptions(scale="smoke", train=False)
NOTHING_YET = {
    "inspection-score": "no such directory",
    "natural-language": "nothing has been measured yet|needs the extra 'text'",
}
"""Studies that refuse to report on nothing."""
SLOW = (
    "figure2", "figure3", "figure4", "encodings", "regularizer", "state-tracking", "thresholds-held-out",
    "advice", "inference", "planted", "coupling-operator",
)  # fmt: skip
EVERY = [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in STUDIES]


@pytest.fixture(autouse=True)
def committed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.studies.census.members.commit_of", lambda path=None: "committed")
    monkeypatch.setattr(thresholds, "commit_of", lambda: "committed")


@pytest.mark.parametrize("name", EVERY)
def test_a_report_is_whole(name: str, tmp_path: Path) -> None:
    study, options = load_study(name), replace(SMOKE, runs=tmp_path / "runs")
    if name in NOTHING_YET:
        with pytest.raises(InputError, match=NOTHING_YET[name]):
            run_study(study, options)
        return
    done = run_study(study, options)
    report = done.report
    assert report is not None
    assert (done.failed, report.claims) == ((), ())  # the smallest models claim nothing
    json.dumps(report.document, allow_nan=False)
    text = study.content(report, "smoke", ".md").decode()
    for table in report.tables:
        assert all(len(row) == len(table.columns) for row in table.rows), table.title
        assert table.terminal(40)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    with pytest.raises(InputError, match="out: the name must end in"):
        study.content(report, "smoke", ".txt")
    if report.figure is not None:
        drawn = study.content(report, "smoke", ".svg")
        assert drawn.startswith(b"<?xml")
        assert drawn == study.content(report, "smoke", ".svg")
    elif name != "census":  # which has none without runs
        assert json.loads(study.content(report, "smoke", ".json")) == report.document


@pytest.mark.parametrize("name", EVERY)
def test_members_can_be_trained(name: str) -> None:
    study = load_study(name)
    for cell, members in study.members(SMOKE).items():
        assert len({member.key for member in members}) == len(members), cell
        for member in members:
            assert type(member).read(member.document()) == member
    members = study_members(study, SMOKE)
    assert len({member.key for member in members}) == len(members)
    if "--seeds" in study.options and members and name != "census":
        assert {len(each) for each in study.members(replace(SMOKE, seeds=2)).values()} == {2}


def test_what_a_study_is() -> None:
    for study in every_study():
        assert STUDIES[study.name]
        assert all((study.title, study.source, study.about, study.time))
        assert study.options <= {
            "--tasks", "--encodings", "--seeds", "--part", "--train-to", "--table", "--recipes", "--fit",
            "--source", "--strata", "--layers",
            "--text",
        }  # fmt: skip
    with pytest.raises(InputError, match="name: no study named 'figure9'; did you mean"):
        load_study("figure9")


# The runner.


def _row(member: RunConfig) -> Result:
    return result_of(member, [1.0] * len(member.ranges))


def _report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    return StudyReport(
        document={"runs": [row.key for row in rows]},
        tables=[table_of(("a", "b"), [("1", "2")])],
        remarks=["So."],
        claims=[Claim(text="it holds", holds=True, detail="1"), Claim(text="it is so", holds=None)],
        figure=lambda title: Figure(),
    )


def _study(**given: object) -> Study:
    fields = {
        "name": "made-up",
        "title": "T",
        "source": "S",
        "about": "A",
        "time": "no time",
        "report": _report,
    }
    return Study(**{**fields, **given})  # type: ignore[arg-type]


def test_a_report_as_text_and_as_a_file() -> None:
    report, study = _report(StudyOptions(), ()), _study()
    assert report.markdown() == (
        "| a | b |\n|---|---|\n| 1 | 2 |\n\nSo.\n\n- holds: it holds (1)\n- not measured: it is so\n"
    )
    assert study.content(report, "laptop", ".png").startswith(b"\x89PNG")
    assert study.heading("smoke") == "T (smoke scale)"
    trains = _study(members=lambda options: {})
    assert trains.heading("smoke") == "T (smoke scale: tiny models and 20 steps: no claim)"
    assert trains.heading("paper") == "T (paper scale)"


def test_options_that_a_study_does_not_take_are_refused() -> None:
    study = _study(options=frozenset({"--seeds", "--tasks"}))
    study.check(StudyOptions(seeds=1, tasks=("a",)))
    with pytest.raises(InputError, match=r"^--fit: not an option of made-up; it takes --seeds, --tasks$"):
        study.check(StudyOptions(fit=True))
    assert study.less == "--scale smoke, some --tasks, fewer --seeds"


@pytest.mark.parametrize("in_rounds", [False, True])
def test_training_in_rounds_ends_when_nothing_waits_or_a_run_fails(
    in_rounds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = next(iter(load_study("figure1").members(StudyOptions(scale="smoke", seeds=3)).values()))
    trained: list[list[str]] = []

    def train(wanted: Sequence[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        trained.append([each.key for each in wanted])
        last = [each for each in wanted if each is members[-1]]
        return {each.key: _row(each).model_copy(update={"status": "failed", "error": "no"}) for each in last}

    def waiting(options: StudyOptions) -> list[RunConfig]:
        return list(members[len(trained) : len(trained) + 1])

    monkeypatch.setattr(runner, "train_pending", train)
    study = _study(members=lambda options: {"cell": members}, waiting=waiting if in_rounds else None)
    done = run_study(study, StudyOptions(runs=tmp_path))
    assert sorted(key for each in trained for key in each) == sorted(each.key for each in members)
    assert len(trained) == (3 if in_rounds else 1)
    assert [each.key for each in done.failed] == [members[-1].key]
    trained.clear()
    run_study(study, StudyOptions(runs=tmp_path, train=False))
    assert trained == []
