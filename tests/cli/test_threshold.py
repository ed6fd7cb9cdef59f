""""""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.cli.threshold import STRIP, strip
from longreach.config.run import RunConfig
from tests.cli.conftest import Call
from tests.helpers.made_up_training import replace_training


def _from_8(member: RunConfig) -> bool:
    return member.train_lengths.last >= 8


def test_the_document(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fields of the manual, to the letter, and some more."""
    replace_training(monkeypatch, _from_8)
    done = longreach("threshold", "aa", "--to", 60, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = done.document
    assert (document["task"], document["encoding"], document["target"]) == ("aa", "ape", 60)
    assert document["threshold"] == 8
    points = [(p["train_to"], p["runs"], p["work"], p["accuracy"]) for p in document["points"]]
    assert points == [
        (5, 2, 0, [0.0, 0.0]),
        (7, 2, 0, [0.0, 0.0]),
        (8, 2, 2, [1.0, 1.0]),
        (10, 2, 2, [1.0, 1.0]),
        (20, 2, 2, [1.0, 1.0]),
        (40, 2, 2, [1.0, 1.0]),
    ]
    assert {point["tested"] for point in document["points"]} == {"41-60"}
    assert document["right_from"] == {"0.5": 8, "0.95": 8}
    bound = document["theory"]["bounds"][0]
    assert (bound["name"], bound["value"], bound["bound_by_measured"]) == ("automaton", 2, 0.25)
    assert document["theory"]["verdict"] == "yes"
    assert Path(document["figure"]) == tmp_path / "figures" / "threshold-aa-ape-60.svg"
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")


def test_what_does_not_go_on_working_is_not_called_working(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trained to 10 or less it works, trained to 20 or 40 not: the search and given lengths say the same."""
    replace_training(monkeypatch, lambda member: member.train_lengths.last <= 10)
    searched = longreach("threshold", "aa", "--runs", tmp_path, "--out", tmp_path / "a.svg")
    assert "measured: does not work from any length up to 40 on" in searched.out
    assert "not monotone: 5, 10 work, 40 does not" in searched.out
    given = longreach("threshold", "aa", "--lengths", "20,40", "--runs", tmp_path)
    assert "measured: does not work from any length up to 40 on" in given.out


def test_without_a_length_it_is_three_times(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_training(monkeypatch, lambda member: False)
    done = longreach("threshold", "parity", "--encoding", "nope", "--runs", tmp_path, "--json")
    document = done.document
    assert (document["target"], document["threshold"], document["encoding"]) == ("3N", None, "nope")
    assert [point["tested"] for point in document["points"]] == ["11-15", "21-30", "41-60", "81-120"]
    assert document["theory"]["verdict"] == "no"


def test_for_people(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from_8)
    out = tmp_path / "curve.png"
    done = longreach("threshold", "regex:(ab)*", "--runs", tmp_path, "--out", out, "--within", 3)
    assert done.code == 0
    assert done.out.startswith("(ab)* with learned positions (APE), tested on two to three times")
    assert "measured: works from about 10 on: half right from 10, 95 % right from 10" in done.out
    assert "  4 = 2n − 2, bound / measured = 0.4: two different complete automata" in done.out
    assert "of the inference procedure" in done.out
    assert out.read_bytes()[1:4] == b"PNG"


def test_nothing_measured_writes_nothing(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("threshold", "aa", "--minutes", 0, "--json")
    document = done.document
    assert (done.code, document["points"], document["threshold"], document["figure"]) == (0, [], None, None)
    assert (
        longreach("threshold", "aa", "--minutes", 0).out.splitlines()[2] == "not known: no run has finished"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_shows_what_there_is(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_training(monkeypatch, _from_8, interrupt=True)
    done = longreach("threshold", "aa", "--runs", tmp_path)
    assert done.code == 130
    assert "0 of 2" in done.out
    assert "run the same command again to resume" in done.out
    again = longreach("threshold", "aa", "--runs", tmp_path, "--json")
    assert (again.code, again.document["stopped"]) == (130, "interrupted")
    assert "run the same command again to resume" in again.err


def test_it_trains(longreach: Call, tmp_path: Path) -> None:
    """A few steps of real training, and again without any."""
    tiny = ("--max-steps", 5, "--test-size", 10, "--lengths", "3,4", "--seeds", 1, "--runs", tmp_path)
    command = ("threshold", "binary-majority", "--encoding", "nope", *tiny, "--json")
    first = longreach(*command).document
    assert [(point["train_to"], point["runs"]) for point in first["points"]] == [(3, 1), (4, 1)]
    again = longreach(*command, "--minutes", 0).document
    assert again["points"] == first["points"]


def test_runs_on_a_line() -> None:
    assert strip((), 0.5).count("|") == 1
    assert strip((0.0, 0.0, 1.0), 0.75).startswith("2")
    assert strip((1.0,), 1.0).endswith("o")
    assert all(len(strip((share / 7,), 0.5)) == STRIP for share in range(8))
