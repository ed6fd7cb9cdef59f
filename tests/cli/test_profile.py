"""`longreach profile` and `longreach board`: the document, the screen, files, refusals."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.board import add_profile, keep, kept_profiles, read_board, read_profile
from longreach.answers.profile_runs import profile
from longreach.answers.profile_suite import suite
from longreach.cli import board as command
from longreach.cli.screen import Screen
from longreach.config.architectures import HUGGING_FACE
from tests.answers.test_profile import Trainer, reach, trained
from tests.cli.conftest import Call
from tests.helpers.html_page import check
from tools import board_runs


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainer]:
    with trained(monkeypatch, reach) as found:
        yield found


LSTM = ("--model", "lstm", "--minutes", 10)
NEEDS = (*LSTM, "--needs", "depth,whole answers")
FIELDS = [
    "suite", "part", "model", "encoding", "parameters", "state_size", "budget", "seconds", "headline",
    "needs", "runs",
]  # fmt: skip
OF_NEED = [
    "need", "tasks", "runs", "fitted", "trained_to", "effective", "interval", "sure", "curve"
]  # fmt: skip


def test_the_document(longreach: Call, tmp_path: Path, trainer: Trainer) -> None:
    """The fields of the manual, to the letter, and some more."""
    done = longreach("profile", *NEEDS, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = done.document
    assert [name for name in document if name in FIELDS] == FIELDS
    for need in document["needs"]:
        assert [name for name in need if name in OF_NEED] == OF_NEED
    assert (document["suite"], document["part"], document["model"]) == ("1", "development", "lstm")
    assert document["encoding"] is None
    assert document["state_size"] == 256
    depth, answers = document["needs"]
    assert (depth["effective"], depth["runs"], depth["fitted"]) == (40, 12, 12)
    assert depth["curve"]["40"] == 1.0
    assert depth["curve"]["57"] == round(4 / 12, 4)
    assert (answers["effective"], answers["runs"], answers["fitted"]) == (40, 18, 9)
    assert document["headline"] == "LSTM, trained to 20, is effective to 40 on depth and whole answers."
    command = "longreach profile --model lstm --part development --needs 'depth,whole answers' --minutes 10"
    assert document["command"] == command


def test_the_screen_and_files(longreach: Call, tmp_path: Path, trainer: Trainer) -> None:
    for ending in ("json", "html", "csv"):
        out = tmp_path / f"card.{ending}"
        done = longreach("profile", *NEEDS, "--runs", tmp_path / "runs", "--out", out)
        assert done.code == 0
        assert done.err.endswith(f"wrote {out}\n")
        lines = done.out.splitlines()
        assert lines[0] == "LSTM, trained to 20, is effective to 40 on depth and whole answers."
        assert "a part of the suite: 10 tasks, 30 runs" in done.out
    assert json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))["title"] == "LSTM"
    head, *rows = (tmp_path / "card.csv").read_text(encoding="utf-8").splitlines()
    assert head.split(",")[:5] == ["model", "encoding", "part", "run", "need"]
    assert len({row.split(",")[3] for row in rows}) == 30
    page = check((tmp_path / "card.html").read_text(encoding="utf-8"))
    for words in ("is effective to 40 on depth", "copy-unique+reversed", "longreach profile --model lstm"):
        assert words in page.words


def test_how_long_is_said_before_anything_trains(longreach: Call, tmp_path: Path, trainer: Trainer) -> None:
    done = longreach("profile", "--encoding", "nope", "--needs", "depth", "--runs", tmp_path)
    assert done.first_error.startswith("all of suite 1: 14 runs to train, about ")  # 12, and 2 other rates


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--needs", "deep"], "--needs: suite 1 has no need 'deep'; it has counting, "),
        (
            ["--quick", "--minutes", "10"],
            "--quick: has one seed and no limit of time; give neither seeds nor",
        ),
        (["--minutes", "0"], "--minutes: must be more than 0, not 0"),
        (["--model-option", "x"], "--model-option: 'x' is not KEY=VALUE"),
        (["--out", "card.pdf"], "--out: card.pdf: must end in .json, .html or .csv"),
        (["--model", "lsmt"], "--model: unknown model 'lsmt'; did you mean 'lstm' or 'ssm'?"),
        (["--encoding", "coupled"], "--encoding: regex:a*b(ab)*b* has no position ids of its own"),
        (["--model", "lstm", "--model-option", "loops=2"], "--model-option: lstm has no option 'loops'; "),
    ],
)
def test_refusals(given: list[str], message: str, longreach: Call, tmp_path: Path) -> None:
    done = longreach("profile", *given, "--runs", tmp_path / "runs")
    assert done.code == 2
    assert done.err.startswith(message)
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def test_failed_runs_end_with_1(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with trained(monkeypatch, lambda config: None):
        done = longreach("profile", *LSTM, "--needs", "depth", "--runs", tmp_path)
    assert done.code == 1
    assert done.out.startswith("LSTM, trained to 20, fits the training range of nothing.")


# The board


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of all of the suite, as a file."""
    place = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patched, trained(patched, reach):
        found = profile("lstm", runs=place / "runs")
    path = place / "lstm.json"
    path.write_text(json.dumps(found.document()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A quick profile of the same model, as a file."""
    place = tmp_path_factory.mktemp("quick")
    with pytest.MonkeyPatch.context() as patched, trained(patched, reach):
        found = profile("lstm", quick=True, runs=place / "runs")
    path = place / "lstm.json"
    path.write_text(json.dumps(found.document()), encoding="utf-8")
    return path


def test_a_profile_is_added_shown_and_replaced(longreach: Call, tmp_path: Path, whole: Path) -> None:
    board = tmp_path / "board"
    assert "no profile in" in longreach("board", "--board", board).out
    done = longreach("board", "add", whole, "--board", board)
    assert done.code == 0
    assert done.err.startswith("LSTM: added, ")
    (path,) = board.iterdir()
    assert path.name.startswith("lstm-development-")
    assert longreach("board", "add", whole, "--board", board).err.startswith("LSTM: replaced, ")
    form, head, row = longreach("board", "--board", board).out.splitlines()
    assert form == "All of the suite"
    assert head.split()[:4] == ["model", "part", "parameters", "counting"]
    assert row.split()[:4] == ["LSTM", "development", "67,592", "500"]
    (only,) = longreach("board", "--board", board, "--json").document["profiles"]
    assert only["headline"].startswith(
        "LSTM, trained to 20, is effective to 500 (the longest tested) on counting"
    )
    assert "runs" not in only
    out = tmp_path / "board.html"
    longreach("board", "--board", board, "--out", out)
    page = check(out.read_text(encoding="utf-8"))
    assert "longreach profile --model lstm --part development" in page.words


def test_quick_profiles_have_a_table_of_their_own(
    longreach: Call, tmp_path: Path, whole: Path, quick: Path
) -> None:
    """On the screen, on the page, in the document and as CSV; neither takes the place of the other."""
    board, page, lines = tmp_path / "board", tmp_path / "board.html", tmp_path / "board.csv"
    for path in (quick, whole):
        assert longreach("board", "add", path, "--board", board).err.startswith("LSTM: added, ")
    assert len([*board.iterdir()]) == 2
    first, _, full, _, second, _, once = longreach("board", "--board", board).out.splitlines()
    assert (first, second) == ("All of the suite", "Quick: one task of each need, one seed")
    assert full.split()[:4] == ["LSTM", "development", "67,592", "500"]
    assert once.split()[:4] == ["LSTM", "development", "67,592", "40"]
    found = longreach("board", "--board", board, "--out", page, "--json").document["profiles"]
    assert [(each["whole"], each["quick"], each["run_count"]) for each in found] == [
        (True, False, 120), (False, True, 9)
    ]  # fmt: skip
    shown = check(page.read_text(encoding="utf-8"))
    for words in (first, second, "longreach profile --model lstm --part development --quick"):
        assert words in shown.words
    longreach("board", "--board", board, "--out", lines)
    rows = list(csv.DictReader(lines.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 18
    assert {(row["quick"], row["runs"]) for row in rows if row["need"] == "depth"} == {
        ("False", "12"), ("True", "1")
    }  # fmt: skip
    assert {row["low"] for row in rows if row["quick"] == "True"} == {""}  # one task tells nothing of others


def _why_not_added(profile: Path, alter: Any, longreach: Call, tmp_path: Path) -> str:
    """The line with which a profile is refused once it is altered."""
    document = json.loads(profile.read_text(encoding="utf-8"))
    alter(document)
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(document), encoding="utf-8")
    done = longreach("board", "add", bad, "--board", tmp_path / "board")
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert str(bad) in done.err
    assert not (tmp_path / "board").exists()
    return done.err


def _second_tasks(document: dict[str, Any]) -> None:
    """Another task of a need, which may suit the model better."""
    (run,) = (run for run in document["runs"] if run["need"] == "depth")
    (need,) = (need for need in document["needs"] if need["need"] == "depth")
    run["task"], need["tasks"], document["theory"]["d-2"] = "d-2", ["d-2"], "yes"


def _other_lengths(document: dict[str, Any]) -> None:
    """All of a need's numbers say the same of another longest length."""
    run, need = document["runs"][0], document["needs"][0]
    run["lengths"][-1] = 600
    need["curve"]["600"] = need["curve"].pop("500")


OF_QUICK: dict[str, tuple[Any, str]] = {
    "task": (_second_tasks, "not all of the quick form: dyck-1: 0 of 1 seed"),
    "called full": (
        lambda document: document.update(quick=False),
        "the learning rate was not chosen among 0.001, 0.003 and 0.01 on development tasks",
    ),
    "called whole": (lambda document: document.update(whole=True), "whole: true, and it has 9 runs"),
    "rate": (
        lambda document: document["budget"].update(rate=0.01),
        "the learning rate of the quick form is 0.003, and none is tried",
    ),
    "batch": (
        lambda document: document["budget"].update(batch=128),
        "trained with another budget than that of the suite",
    ),
    "examples": (
        lambda document: document["budget"].update(examples=1),
        "budget.examples: 1, and by its runs 896,000",
    ),
    "steps": (
        lambda document: document["runs"][-1].update(steps=5000),
        "5000 steps, and recall has 3000",
    ),
    "seed": (lambda document: document["runs"][0].update(seed=1), ": 0 of 1 seed"),
    "lengths": (_other_lengths, "tested at 28, 40, 57, 80, 113, 160, 226, 320, 453 and 600, not at 28, "),
}  # fmt: skip


@pytest.mark.parametrize("change", OF_QUICK)
def test_what_is_not_the_quick_form_is_refused(
    change: str, longreach: Call, tmp_path: Path, quick: Path
) -> None:
    alter, message = OF_QUICK[change]
    assert message in _why_not_added(quick, alter, longreach, tmp_path)


def test_the_models_of_the_board_are_profiled_once(
    tmp_path: Path, quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands on the board is left out, and every model is one that can be trained."""
    monkeypatch.setattr(board_runs, "BOARD", tmp_path)
    monkeypatch.syspath_prepend(str(board_runs.EXAMPLES))
    names = [entry.words for entry in board_runs.MODELS]
    assert len({*names}) == len(names)
    for entry, asked in board_runs.waiting(True, ["development"], []):
        if not entry.model.startswith(HUGGING_FACE):  # its configuration is named from its directory
            assert len(asked.places(0.003)) == len(suite().needs)
    add_profile(quick, tmp_path)
    left = [entry.words for entry, _ in board_runs.waiting(True, ["development"], [])]
    assert left == [name for name in names if name != "lstm"]
    assert "lstm" in [entry.words for entry, _ in board_runs.waiting(True, ["held-out"], [])]
    assert [entry.words for entry, _ in board_runs.waiting(False, ["development"], ["lstm"])] == ["lstm"]


def test_an_empty_board_has_a_page(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "board.html"
    assert longreach("board", "--board", tmp_path / "none", "--out", out).code == 0
    assert "No profile stands on this board yet." in check(out.read_text(encoding="utf-8")).words


def test_what_theory_expects_is_derived_anew(longreach: Call, tmp_path: Path, quick: Path) -> None:
    """The file says yes of everything."""
    given, board = read_profile(quick), tmp_path / "board"
    done = longreach("board", "add", quick, "--board", board)
    assert "what theory expects was put right for copy-unique, mqar\n" in done.err
    (path,) = board.iterdir()
    found = read_profile(path)
    assert found.theory == given.theory | {"copy-unique": "not known", "mqar": "not known"}
    assert found.runs == given.runs
    (recall,) = (need for need in found.needs if need.need == "recall")
    assert [*recall.by_theory] == ["not known"]
    assert "put right" not in longreach("board", "add", path, "--board", board).err


def _without_a_seed(document: dict[str, Any]) -> None:
    gone = document["runs"].pop(max(k for k, run in enumerate(document["runs"]) if run["task"] == "addition"))
    own = [run for run in document["runs"] if run["need"] == gone["need"]]
    (need,) = (each for each in document["needs"] if each["need"] == gone["need"])
    need["runs"] = len(own)
    for length in need["curve"]:
        reached = sum(run["effective"] >= min(int(length), run["lengths"][-1]) for run in own)
        need["curve"][length] = round(reached / len(own), 4)
    need["fitted"] = sum(run["fitted"] for run in own)


CHANGES: dict[str, tuple[Any, str]] = {
    "suite": (lambda document: document.update(suite="2"), "suite '2', and the board is of suite '1'"),
    "hash": (lambda document: document.update(hash="0" * 16), "the hash of the tasks is 0000000000000000, "),
    "seed": (_without_a_seed, "not all of the suite: addition: 2 of 3 seeds"),
    "steps": (
        lambda document: document["runs"][0].update(steps=5000),
        "run {key}: 5000 steps, and counting has 1000",
    ),
    "budget": (
        lambda document: document["budget"].update(suite=False),
        "trained with another budget than that of the suite",
    ),
    "no rates": (
        lambda document: document["budget"].update(rates={}),
        "the learning rate was not chosen among 0.001, 0.003 and 0.01 on development tasks",
    ),
    "rate": (
        lambda document: document["budget"].update(rate=0.01),
        "the learning rate 0.01 is not the best on development tasks",
    ),
    "tried": (
        lambda document: document["tried"].pop(),
        "learning rate 0.01: no run of mqar with seed 0 at its place",
    ),
    "tried twice": (
        lambda document: document["tried"].append(document["tried"][0] | {"run": "f" * 16}),
        "run ffffffffffffffff: tried at no learning rate",
    ),
    "tried lengths": (
        lambda document: document["budget"]["rates"]["0.01"].__setitem__(0, 1),
        "learning rate 0.01, regex:a*b(ab)*b*: effective to 1, and its run {tried} to ",
    ),
    "tried order": (lambda document: document["tried"].reverse(), "with seed 0 at its place"),
    "label": (lambda document: document.update(label="ssm"), "label: 'ssm' is no label of lstm"),
    "seeds": (lambda document: document["budget"].update(seeds=5), "budget.seeds: 5, and by its runs 3"),
    "seconds": (lambda document: document.update(seconds=1.0), "seconds: 1.0, and by its runs "),
    "parameters": (
        lambda document: document["runs"][0].update(parameters=1),
        "and by its runs 1",
    ),
    "task": (
        lambda document: document["runs"][0].update(task="parity"),
        "theory: not of the tasks of its runs",
    ),
    "claim": (lambda document: document["needs"][0].update(effective=320), "counting: the numbers are not"),
    "field": (lambda document: document.update(extra=1), "extra: "),
    "missing": (lambda document: document.pop("runs"), "runs: "),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_a_whole_profile_is_refused(
    change: str, longreach: Call, tmp_path: Path, whole: Path
) -> None:
    alter, message = CHANGES[change]
    document = json.loads(whole.read_text(encoding="utf-8"))
    key, tried = document["runs"][0]["run"], document["tried"][-len(document["needs"])]["run"]
    assert message.format(key=key, tried=tried) in _why_not_added(whole, alter, longreach, tmp_path)


def test_a_narrow_terminal_gets_a_column_for_each_model(
    longreach: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The board of the project: all needs beside each other take more than 80 columns."""
    monkeypatch.setattr(command, "console", partial(Screen, width=80, highlight=False))
    board = Path(__file__).parents[2] / "results/board"
    lines = longreach("board", "--board", board).out.splitlines()
    assert max(map(len, lines)) <= 80
    titles = {profile.title for profile in read_board(board)}
    assert all(any(title in line for line in lines) for title in titles)
    assert any(line.startswith("window and modulus ") for line in lines)


def test_words_that_do_not_go_together(longreach: Call, tmp_path: Path) -> None:
    assert longreach("board", "add").err == "PROFILE: missing\n"
    assert longreach("board", "remove", "x").code == 2
    done = longreach("board", "add", tmp_path / "none.json", "--board", tmp_path / "board")
    assert done.code == 2
    assert "none.json" in done.err


# The report


def test_the_report_shows_the_profiles_of_its_directory(
    longreach: Call, tmp_path: Path, trainer: Trainer
) -> None:
    """Those that were made of its runs; of a damaged one what is wrong is said."""
    runs, out = tmp_path / "runs", tmp_path / "report.html"
    longreach("profile", *NEEDS, "--runs", runs)
    (kept,) = (path for path in (runs / "profiles").iterdir() if not path.name.endswith(".plan.json"))
    document = json.loads(kept.read_text(encoding="utf-8"))
    document["needs"][0]["effective"] = 500
    kept.with_name("another.json").write_text(json.dumps(document), encoding="utf-8")
    assert longreach("report", "--runs", runs, "--out", out).code == 0
    page = check(out.read_text(encoding="utf-8"))
    for words in (
        "How far models generalize",
        "is effective to 40 on depth and whole answers",
        "--minutes 10",
        "profiles/another.json",
        "the numbers are not those of its runs",
    ):
        assert words in page.words


def test_a_whole_profile_is_not_replaced_by_a_part(tmp_path: Path, whole: Path, trainer: Trainer) -> None:
    all_of_it, part = read_profile(whole), profile("lstm", needs=["depth"], minutes=10, runs=tmp_path)
    for found in (all_of_it, part):
        keep(found, tmp_path)
    assert kept_profiles(tmp_path) == ((all_of_it,), ())
    keep(part, tmp_path / "other")
    assert kept_profiles(tmp_path / "other") == ((part,), ())
