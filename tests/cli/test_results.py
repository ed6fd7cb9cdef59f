"""`results remove` says what it removes, asks, and removes that."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import typer

from longreach.training.result import write_result
from tests.cli.conftest import Call
from tests.helpers.result_samples import sample, sample_failure, scan


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two done, one failed, one damaged, one unfinished."""
    runs = tmp_path / "runs"
    write_result(runs, sample(0))
    write_result(runs, sample(1, config={"task": "sort", "encoding": "nope"}))
    write_result(runs, sample_failure(2))
    write_result(runs, sample(3)).write_text("{", encoding="utf-8")
    (runs / ("0" * 16)).mkdir()
    return runs


def _left(runs: Path) -> set[str]:
    return {entry.name for entry in scan(runs)}


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        ([sample(0).key], {sample(0).key}),
        ([sample(0).key[:9], sample_failure(2).key], {sample(0).key, sample_failure(2).key}),
        (["--task", "parity"], {sample(0).key, sample_failure(2).key}),
        (["--task", "parity", "--status", "failed"], {sample_failure(2).key}),
        (["--encoding", "nope"], {sample(1, config={"task": "sort", "encoding": "nope"}).key}),
        (["--status", "damaged"], {sample(3).key}),
        (["--status", "unfinished"], {"0" * 16}),
        (["--task", "sort", "--encoding", "ape"], set()),
    ],
)
def test_what_is_chosen_goes(longreach: Call, runs: Path, arguments: list[str], gone: set[str]) -> None:
    before = _left(runs)
    done = longreach("results", "remove", *arguments, "--yes", "--runs", runs, "--json")
    assert done.code == 0
    assert {each["key"] for each in done.document["removed"]} == gone
    assert _left(runs) == before - gone


def test_for_people(longreach: Call, runs: Path) -> None:
    done = longreach("results", "remove", "--task", "sort", "--yes", "--runs", runs)
    (line,) = done.err.splitlines()
    assert line.split()[1:] == ["sort", "nope", "1", "done"]
    assert done.out.startswith("removed 1 run, ")


@pytest.mark.parametrize("answer", [True, False])
def test_in_a_terminal_it_asks(
    longreach: Call, runs: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked: list[str] = []

    def confirm(question: str, err: bool) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    done = longreach("results", "remove", "--task", "parity", "--runs", runs)
    assert done.code == 0
    assert asked[0].startswith("remove 2 runs, ")
    assert len(_left(runs)) == (3 if answer else 5)
    assert ("nothing is removed" in done.err) is not answer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "KEY: missing; or choose runs by --task, --encoding or --status"),
        (["fffffff"], "KEY: no run 'fffffff'"),
        ([sample(0).key + "0"], f"KEY: no run '{sample(0).key}0'; did you mean '{sample(0).key}'"),
        (["--task", "parity"], "--yes: required to remove 2 runs, "),
        (["--status", "old", "--yes"], "--status: "),
    ],
)
def test_bad_input(longreach: Call, runs: Path, arguments: list[str], message: str) -> None:
    done = longreach("results", "remove", *arguments, "--runs", runs, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
    assert len(_left(runs)) == 5
