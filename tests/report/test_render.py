"""Tests of `report.render`."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from longreach.report.collect import report_view
from longreach.report.forecast_view import BENCHMARK
from longreach.report.render import NOTHING_COUNTS, argument, build, conclusion, headline
from longreach.report.words import percent
from tests.helpers.html_page import check
from tests.helpers.report_samples import accuracies, add, damage, hostile, several


def test_the_finding_is_counted_from_the_results(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 1.0, 0.0, 0.0)  # yes, fails
    several(tmp_path, "aa", "nope", 0.1, 0.0, 0.2)  # no, fails
    several(tmp_path, "tomita-1", "nope", 1.0, 1.0, 1.0)  # yes, works
    view = report_view(tmp_path, "")
    assert headline(view) == "Forecast and measurement agree in 2 of 3 cells."
    told = argument(view)
    assert list(told) == ["asked", "theory", "runs", "to do"]
    assert told["theory"].startswith("Yes for 2 cells, no for 1 cell.")
    assert told["runs"] == "1 of the 2 expected to work on longer inputs and 1 of the 1 expected to fail do."
    assert told["to do"].startswith("Where they disagree, the likeliest reason there: ")
    assert "not as forecast: (aa)* with APE (1 of 3 runs works at 21–30)." in conclusion(view)


def test_where_nothing_disagrees_it_says_what_to_do_about_failures(tmp_path: Path) -> None:
    several(tmp_path, "tomita-1", "nope", 1.0, 1.0, 1.0)
    assert "to do" not in argument(report_view(tmp_path, ""))
    several(tmp_path, "aa", "nope", 0.1, 0.0, 0.2)
    assert "longreach ask TASK" in argument(report_view(tmp_path, ""))["to do"]


@pytest.mark.parametrize("lasts", [(), (0.1,)])
def test_without_three_runs_nothing_is_claimed(tmp_path: Path, lasts: tuple[float, ...]) -> None:
    several(tmp_path, "aa", "nope", *lasts)
    view = report_view(tmp_path, "")
    assert headline(view).startswith("No runs yet") if not lasts else headline(view) == NOTHING_COUNTS
    assert argument(view) == {}
    assert conclusion(view) == NOTHING_COUNTS


def test_nothing_and_everything_have_words(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 0.0, 0.0, 0.0)
    several(tmp_path, "aa", "nope", 0.0, 0.0, 0.0)
    several(tmp_path, "tomita-4", "nope", 0.0, 0.0, 0.0)
    told = argument(report_view(tmp_path, ""))
    assert told["runs"] == "0 of the 1 expected to work on longer inputs and 2 of the 2 expected to fail do."


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "measured"
    directory.mkdir()
    return directory


def test_without_results_there_are_the_forecasts(runs: Path) -> None:
    page = check(build(runs))
    assert "No runs yet" in page.words
    assert {f"task-{name}" for name in BENCHMARK} <= set(page.with_attribute("id"))
    assert list(runs.iterdir()) == []
    alone = check(build())
    assert "results none" in alone.words


def test_a_report_is_the_same_every_time(runs: Path) -> None:
    several(runs, "aa", "ape", 1.0, 0.9)
    assert build(runs) == build(runs)


def test_hostile_results_are_shown_as_text(runs: Path) -> None:
    hostile(runs)
    text = build(runs, title="</title><script>window.evil = 1</script>")
    page = check(text)
    assert "<script>window" not in text
    assert "regex:<script>window.evil = 1</script>" in page.words
    assert "ValueError: <script>" in page.words
    assert "\u202e" not in text


def test_damaged_unfinished_and_foreign_results_are_named(runs: Path) -> None:
    hostile(runs)
    view = report_view(runs, "report")
    assert [name for name, _ in view.damaged] == ["fedcba9876543210"]
    assert view.unfinished == ("0123456789abcdef",)
    assert view.others == 1
    page = check(build(runs))
    assert "1 result cannot be read and is left out." in page.words
    assert "1 run is not finished and is left out." in page.words
    assert "0123456789abcdef" in page.words


def test_a_result_with_impossible_numbers_is_named_and_left_out(runs: Path) -> None:
    several(runs, "aa", "ape", 0.9, 0.8)
    forged = damage(runs, add(runs, "aa", "ape", 2, accuracies(1.0, 0.5)).key)
    view = report_view(runs, "report")
    assert view.runs == 2
    assert [name for name, _ in view.damaged] == [forged]
    check(build(runs))


def test_commands_are_quoted_for_a_shell(runs: Path) -> None:
    hostile(runs)
    name = "$(touch x); `id` 'q'\""
    task = next(task for task in report_view(runs, "report").tasks if task.name == name)
    assert task.listing is not None
    assert shlex.split(task.listing) == ["longreach", "results", "list", f"--task={name}", "--all"]
    assert shlex.split(task.forecasting or "") == ["longreach", "forecast", name, "--json"]


@pytest.mark.slow
def test_of_many_runs_some_are_shown(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.report.collect.MOST_TASKS", 2)
    settings: list[dict[str, int]] = [{}, *({"width": width} for width in range(100, 115))]
    for place, changes in enumerate(settings):
        for seed in range(1 if place else 300):
            add(runs, "aa", "ape", seed, accuracies(1.0, 0.5, 0.25), started=1, **changes)
    add(runs, "aa", "ape", 300, None, error="RuntimeError: diverged", rows=(), started=1)
    for number in range(4):
        several(runs, f"regex:(a{{{number + 1}}})*", "ape", *([0.5] * (number + 1)))
    view = report_view(runs, "report")
    assert (view.runs, view.cells, view.further) == (301 + 15 + 10, 16 + 4, 2)
    assert {task.name for task in view.tasks} - set(BENCHMARK) == {"regex:(a{3})*", "regex:(a{4})*"}
    task = next(task for task in view.tasks if task.name == "aa")
    assert (len(task.cells), task.further) == (12, 4)
    (cell,) = task.chosen
    assert (cell.number, len(cell.runs), len(cell.curves)) == (301, 30, 19)
    assert "failed" in {run.status for run in cell.runs}
    text = build(runs)
    page = check(text)
    assert "30 of 301 runs (all: longreach results list --task=aa --all )" in page.words
    assert "4 further configurations of fewer runs are left out" in page.words
    assert "2 further tasks of fewer runs are left out." in page.words
    assert len(text.encode()) < 1_000_000


def test_no_path_of_this_machine_is_shown(runs: Path) -> None:
    hostile(runs)
    text = build(runs)
    assert str(runs.parent) not in text
    assert "results measured" in check(text).words


def test_nothing_that_a_file_names_is_imported(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "longreach_probe.py").write_text("task = None\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    hostile(runs)
    page = check(build(runs))
    assert "longreach_probe" not in sys.modules
    assert "files and Python objects that a result names are not loaded" in page.words


def test_failed_runs_stand_in_the_table_and_do_not_count_as_accuracy(runs: Path) -> None:
    several(runs, "parity", "ape", 0.5)
    add(runs, "parity", "ape", 1, None, error="RuntimeError: diverged at step 17")
    view = report_view(runs, "report")
    (cell,) = next(task for task in view.tasks if task.name == "parity").cells
    assert [run.status for run in cell.runs] == ["done", "failed"]
    assert cell.cell.last == 0.5
    assert view.failed == 1
    assert "RuntimeError: diverged at step 17" in check(build(runs)).words


def test_the_matrix_counts_the_runs_that_work_and_shows_no_mean_of_opposites(runs: Path) -> None:
    several(runs, "tomita-1", "nope", 0.91, 0.84, 0.0)
    add(runs, "tomita-1", "nope", 7, accuracies(0.5, 0.1, 0.0))
    page = check(build(runs))
    row = re.search(r"Tomita 1 1\* (.*?) Tomita 2", page.words)
    assert row is not None
    assert "2 of 4 work 91.0, 84.0, 0, 0 %" in row[1]
    assert percent((0.91 + 0.84) / 3).replace("\u00a0", " ") not in page.words
    assert "Learned means 100 % on the training range: 3 of 4 runs." in page.words


def test_it_reads_like_an_article(runs: Path) -> None:
    """The finding and the figure, the disagreements, all tasks, and bookkeeping last."""
    several(runs, "aa", "ape", 1.0, 0.0, 0.0)
    several(runs, "aa", "nope", 0.1, 0.0, 0.2)
    several(runs, "regex:(ab)*", "ape", 1.0, 1.0, 1.0, alphabet=["a", "b"])
    text = build(runs)
    page = check(text)
    parts = ["finding", "by-length", "disagreements", "matrix", "bookkeeping", "title-aa"]
    assert sorted(parts, key=page.with_attribute("id").index) == parts
    words = page.words
    assert "Forecast and measurement agree in 2 of 3 cells." in words
    told = words[words.index("Where forecast and measurement disagree") :]
    for part in (
        "(aa)* with learned positions (APE)",
        "expected to work because",
        "1 of 3 runs works at lengths 21–30 (100, 0, 0 %, chance 0 %)",
        "3 of 3 runs are right on the whole training range, 1–10",
        "published 100 % at lengths 101–150* (* from the axis of the figure)",
        "train on longer inputs",
    ):
        assert part in told[: told.index("All tasks")], part
    assert "33.3" not in words
    figures = [attrs["data-task"] for tag, attrs in page.elements if tag == "figure" and "data-task" in attrs]
    assert figures[:2] == ["regex:(ab)* (ab)*", "aa (aa)*"]


def test_cells_are_judged_by_their_mean_and_by_their_runs(runs: Path) -> None:
    several(runs, "tomita-1", "ape", 1.0, 0.4, 0.4)  # yes; the mean works, fewer than half of the runs do
    several(runs, "aa", "ape", 1.0, 0.0, 0.0)  # yes; neither
    view = report_view(runs, "report")
    assert (view.agreeing, view.counted) == (1, 2)
    assert (view.agreeing_by_runs, view.counted_by_runs) == (0, 2)
    assert [task.name for task, _ in view.only_by_runs] == ["tomita-1"]
    words = check(build(runs)).words
    assert "not by the share of runs that work: Tomita 1 with APE (1 of 3 runs works)." in words
    assert "by the share of runs that work 0 of 2" in words


def test_a_task_of_ones_own_is_loaded_when_asked_for(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["from longreach.tasks.counting import Parity", "task = Parity()"]
    (tmp_path / "longreach_asked.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    several(runs, "longreach_asked:task", "nope", 0.5, 0.6, 0.9)
    several(runs, "no.such.module:task", "nope", 0.5)
    known, unknown = (
        next(
            task for task in report_view(runs, "report", load=load).tasks if task.name.startswith("longreach")
        )
        for load in (True, False)
    )
    assert known.verdict("nope") is not None
    (cell,) = known.chosen
    assert cell.tally is not None
    assert (cell.tally.work, cell.tally.runs) == (1, 3)
    assert unknown.known.note.startswith("There is no forecast")


@pytest.mark.slow
def test_ones_own_tasks_come_first_under_their_own_names(runs: Path) -> None:
    for name in ("dyck-1", "my.tasks:reverse", "sort", "regex:(ab)*", "crasp:mine.cr"):
        add(runs, name, "ape", 0, accuracies(1.0, 1.0, 1.0))
    view = report_view(runs, "report")
    assert [kind for kind, _ in view.groups] == [
        "Your tasks", "Algorithmic tasks", "Formal languages", "Further tasks",
    ]  # fmt: skip
    own, *_, further = (tasks for _, tasks in view.groups)
    assert {task.title for task in own} == {"my.tasks:reverse", "(ab)*", "crasp:mine.cr"}
    assert [task.title for task in further] == ["dyck-1"]
    page = check(build(runs))
    assert page.words.index("my.tasks:reverse") < page.words.index("binary-majority")


def test_the_top_of_a_task_says_the_verdict_in_plain_words(runs: Path) -> None:
    several(runs, "aa", "nope", 0.0, 0.0, 0.0)
    words = check(build(runs)).words
    page = words[words.index("(aa)* aa Without positions (NoPE)") :]
    top = page[: page.index("Why")]
    assert "✗ expected to fail Counts alone cannot tell" in top
    assert "Proved." in top
    assert "Measured: 0 of 3 runs work at lengths 21–30 (0 % each, chance 0 %) as expected" in top
    assert "C-RASP" not in top
    assert "C-RASP[∅]" in page


def test_agreement_is_counted_by_the_rule(runs: Path) -> None:
    several(runs, "aa", "ape", 0.9, 0.8, 0.7)  # yes, works
    several(runs, "aa", "nope", 0.1, 0.0, 0.2)  # no, fails, learned
    several(runs, "tomita-1", "ape", 0.1, 0.0, 0.2)  # yes, fails
    several(runs, "tomita-3", "ape", 0.9, 0.9, 0.9)  # no, works
    several(runs, "tomita-2", "ape", 0.9, 0.9)  # too few runs
    several(runs, "binary-majority-interleave", "nope", 0.9, 0.9, 0.9)  # undecided
    several(runs, "aa", "rope", 0.9, 0.9, 0.9)  # no forecast
    view = report_view(runs, "report")
    assert (view.agreeing, view.counted) == (2, 4)
    assert {(task.name, cell.encoding) for task, cell in view.disagreements} == {
        ("tomita-1", "ape"),
        ("tomita-3", "ape"),
    }
    assert {(task.name, cell.encoding) for task, cell in view.uncounted} == {
        ("tomita-2", "ape"),
        ("binary-majority-interleave", "nope"),
        ("aa", "rope"),
    }
    words = check(build(runs)).words
    assert "2 of 4 counted" in words
    assert "in 2 of 4 cells" in words


def test_other_encodings_and_penalties_have_columns_of_their_own(runs: Path) -> None:
    several(runs, "sort", "ape", 0.9, 0.9, 0.9)
    several(runs, "sort", "ape", 0.7, 0.7, 0.7, penalty=1e-4)
    several(runs, "sort", "rope", 0.6)
    view = report_view(runs, "report")
    assert view.encodings == ("nope", "ape", "reach", "ape + 0.0001", "rope")
    sort = next(task for task in view.tasks if task.name == "sort")
    assert [(cell.encoding, round(cell.cell.last or 0, 3)) for cell in sort.chosen] == [
        ("ape", 0.9),
        ("ape + 0.0001", 0.7),
        ("rope", 0.6),
    ]
    heads = [verdict.answer for verdict in sort.verdicts]
    assert heads == ["yes", "yes", "undecided", "yes", "unknown"]
    assert view.more_encodings == sort.more_encodings == ["ape + 0.0001", "rope"]
    page = check(build(runs))
    assert [attrs["type"] for tag, attrs in page.elements if tag == "input"].count("checkbox") == 2
    assert "show 2 more : APE, penalty 0.0001, RoPE" in page.words


def test_of_several_configurations_the_one_with_most_runs_stands_in_the_matrix(runs: Path) -> None:
    several(runs, "aa", "ape", 0.2, 0.2, 0.2, width=32)
    several(runs, "aa", "ape", 0.9, 0.9, 0.9, 0.9, width=64)
    several(runs, "aa", "ape", 0.4, width=128)
    view = report_view(runs, "report")
    task = next(task for task in view.tasks if task.name == "aa")
    assert len(task.cells) == 3
    (chosen,) = task.chosen
    assert len(chosen.runs) == 4
    assert dict(task.common)["layers"] == "2"
    assert "width" not in dict(task.common)
    check(build(runs))


@pytest.mark.slow
def test_every_result_of_a_task_is_on_its_page_once(runs: Path) -> None:
    hostile(runs)
    view = report_view(runs, "report")
    keys = [run.key for task in view.tasks for cell in task.cells for run in cell.runs]
    assert len(keys) == len(set(keys)) == view.runs
    on_disk = {path.parent.name for path in runs.glob("*/result.json")} - {name for name, _ in view.damaged}
    assert len(on_disk - set(keys)) == view.others
    assert check(build(runs)).words.count(keys[0]) == 1


def test_a_whole_benchmark_stays_small(runs: Path) -> None:
    for task in BENCHMARK:
        for encoding in ("ape", "nope"):
            several(runs, task, encoding, 0.9, 0.8, 0.7)
    text = build(runs)
    view = report_view(runs, "report")
    assert (view.cells, view.runs) == (50, 150)
    assert len(text.encode()) < 3_000_000
    page = check(text)
    assert page.words.count("Attention of the compiled program") > 10
    assert sum(attrs.get("class") == "automaton" for _, attrs in page.elements) > 15


def test_programs_and_certificates_stand_on_the_pages() -> None:
    page = check(build())
    assert "L = i % 2 == 0" in page.words  # (aa)*, with positions
    assert "no count that a program can keep separates them" in page.words
    assert "The program for NoPE uses no positions, and serves here as well." in page.words
    assert "bits needed" in page.words


def test_one_cell_that_counts_is_counted_in_the_singular(tmp_path: Path) -> None:
    several(tmp_path, "aa", "ape", 1.0, 1.0, 1.0)
    page = " ".join(build(tmp_path).split())
    assert "Nowhere: the only cell that counts agrees with the forecast." in page
    several(tmp_path, "sort", "ape", 1.0, 1.0, 1.0)
    page = " ".join(build(tmp_path).split())
    assert "Nowhere: all 2 cells that count agree with the forecast." in page
