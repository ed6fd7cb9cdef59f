"""The committed results of the laptop scale: complete, and what pages say of them is what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from longreach.answers.agreement import ALGORITHMIC, REGULAR, Place
from longreach.config.architectures import BASELINE
from longreach.config.encodings import ENCODINGS
from longreach.config.run import RunConfig
from longreach.runs.index import Row, read_index
from longreach.studies.catalog import load_study
from longreach.studies.cells import Outcome, agreement, cell_tables, work_by_theory
from longreach.studies.encodings import COEFFICIENTS, OTHERS
from longreach.studies.study import StudyOptions, study_members
from longreach.training.result import read_result
from tests.helpers.paths import ROOT
from tests.helpers.study_members import outcomes_of

RUNS = ROOT / "results" / "laptop"
SEEDS = 3
BIASED = ("binary-majority", "majority", "parity")
"""The algorithmic tasks that were run again with biases that the length does not scale."""
MODULAR = ("aa", "aaaa", "abab")
"""Their programs need the position modulo a number."""
COMPLETE = ("figure1", "regularizer")
"""Studies all of whose runs are there; of `encodings` the algorithmic tasks have one seed."""


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    with read_index(RUNS) as index:
        return index.rows()


@pytest.fixture(scope="module")
def outcomes(rows: list[Row]) -> list[Outcome]:
    return outcomes_of(load_study("figure1"), rows)


def test_every_member_of_the_studies_is_there_and_nothing_else() -> None:
    members = [
        *(member for name in COMPLETE for member in study_members(load_study(name), StudyOptions())),
        *_other_encodings(REGULAR, seeds=SEEDS),
        *(
            each
            for each in _other_encodings(ALGORITHMIC, seeds=1)
            if each.task in BIASED or not _is_biased(each)
        ),
    ]
    models = {member.key for member in members if member.architecture != BASELINE}
    assert len(models) == 25 * 2 * SEEDS + 8 * 2 * SEEDS + 6 * 17 * SEEDS + 3 * (8 + len(BIASED))
    there = {path.parent.name for path in RUNS.glob("*/result.json")}
    # The figure is drawn with the baselines that are there, or without.
    assert models <= there <= {member.key for member in members}
    assert all(read_result(RUNS, key).status == "done" for key in there)


def _is_biased(member: RunConfig) -> bool:
    return ENCODINGS[member.encoding].biased


def _other_encodings(tasks: Sequence[str], seeds: int) -> list[RunConfig]:
    asked = StudyOptions(tasks=tuple(tasks), encodings=OTHERS, seeds=seeds)
    return study_members(load_study("encodings"), asked)


@pytest.mark.parametrize(
    ("name", "tasks"), [("regularizer", ALGORITHMIC), ("encodings", REGULAR), ("encodings", ALGORITHMIC)]
)
def test_pages_count_the_runs_that_work(rows: list[Row], name: str, tasks: Sequence[str]) -> None:
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    outcomes = outcomes_of(load_study(name), rows)
    found = work_by_theory([each for each in outcomes if each.place.task in tasks])
    table = [line for line in found.markdown().splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(found.document["settings"])
    assert "\n".join(table) in page


def test_only_learned_positions_know_a_modulus(rows: list[Row]) -> None:
    languages = [each for each in outcomes_of(load_study("encodings"), rows) if each.place.task in REGULAR]
    working = {
        each.place.encoding for each in languages if each.place.task in MODULAR and each.tallies[-1].work
    }
    assert working == {"ape"}


def test_no_run_with_the_usual_frequencies_knows_a_modulus(rows: list[Row]) -> None:
    # `ask` says so, in longreach.answers.advice.
    found = [
        each.tallies[-1]
        for each in outcomes_of(load_study("encodings"), rows)
        if each.place.task in MODULAR and each.place.encoding in ("rope", "sinusoidal")
    ]
    assert (sum(tally.runs for tally in found), sum(tally.work for tally in found)) == (18, 0)


def test_the_page_of_the_penalty_counts_pairs_of_runs(rows: list[Row]) -> None:
    last = {
        (each.place.task, each.place.penalty, row.seed): row.accuracy[each.ranges[-1]]
        for each in outcomes_of(load_study("regularizer"), rows)
        for row in each.cell.rows
    }
    page = " ".join((ROOT / "docs/studies/regularizer.md").read_text(encoding="utf-8").split())
    for coefficient in COEFFICIENTS[1:]:
        gains = {
            (task, seed): last[task, coefficient, seed] - last[task, penalty, seed]
            for task, penalty, seed in last
            if not penalty
        }
        near = sum(abs(gain) < 0.05 for gain in gains.values())
        assert f"{near} of {len(gains)}" in page
        assert {task for (task, _), gain in gains.items() if abs(gain) >= 0.05} == {
            "binary-majority-interleave"
        }
        tasks = {task for task, _ in gains}
        assert [task for task in tasks if all(gains[task, seed] > 0 for seed in (3, 4, 5))] == ["copy-unique"]


def test_pages_say_what_the_results_say(outcomes: list[Outcome]) -> None:
    found = agreement(outcomes)
    for page in ("README.md", "docs/studies/figure1.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        said = re.search(r"agree in\s+(\d+)\s+of\s+(\d+)\s+counted\s+cells", text)
        assert said is not None
        assert (int(said[1]), int(said[2])) == (found["agrees"], found["counted"])
    by_runs = re.search(r"in\s+(\d+)\s+of\s+(\d+)\s+by\s+(?:the\s+share\s+of\s+)?runs", text)
    assert by_runs is not None
    assert (int(by_runs[1]), int(by_runs[2])) == (found["by_runs"]["agrees"], found["by_runs"]["counted"])


def test_the_page_of_the_results_has_the_tables_that_study_writes(outcomes: list[Outcome]) -> None:
    # `longreach study figure1 --runs results/laptop --out FILE.md` writes them.
    text = (RUNS / "README.md").read_text(encoding="utf-8")
    for line in cell_tables(outcomes).splitlines():
        assert line in text.splitlines(), line
    minutes = sum(row.seconds or 0.0 for each in outcomes for row in each.cell.rows) / 60
    said = re.findall(
        r"(\d+) minutes on two\s+cores", (ROOT / "docs/studies/figure1.md").read_text(encoding="utf-8")
    )
    assert str(round(minutes / 2)) in said


def test_the_caption_has_the_lengths_of_every_task(outcomes: list[Outcome]) -> None:
    text = (ROOT / "docs/studies/figure1.md").read_text(encoding="utf-8")
    caption = " ".join(text.split("](../images/figure1.png)")[-1].split())
    for each in outcomes:
        trained, tested = each.cell.config["train_lengths"][1], each.cell.config["test_lengths"][-1][1]
        if (trained, tested) != (20, 60):
            assert f"{each.place.task} to {trained} and {tested}" in caption


def test_random_offsets_tell_what_offset_0_does_not(outcomes: list[Outcome]) -> None:
    (cell,) = [each.cell for each in outcomes if each.place == Place("abab", "ape")]
    (row,) = [row for row in cell.rows if row.seed == 5]
    assert row.accuracy["21-40"] == 1
    assert row.accuracy_random_offset["21-40"] < 0.7


def test_disagreements_are_listed_with_both_numbers(outcomes: list[Outcome]) -> None:
    text = (RUNS / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for cell in outcomes:
        if cell.judgement.state == "agrees" or cell.place.is_baseline:
            continue
        row = next(
            line
            for line in lines
            if f"| {cell.place.task} |" in line and f"| {cell.place.encoding} |" in line
        )
        assert cell.accuracy[-1] is not None
        assert cell.published is not None
        # A mean only where all runs do the same thing; how many work stands there always.
        mean = f"| {100 * cell.accuracy[-1].mean:.1f} % ("
        assert (mean in row) is not cell.tallies[-1].is_mixed
        assert f"| {cell.tallies[-1].work} of {SEEDS} |" in row
        assert f"| {100 * cell.published[-1]:.1f} % at" in row
