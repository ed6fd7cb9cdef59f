"""`longreach study census` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.studies.census import census_settings
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]
SMOKE = ("study", "census", "--scale", "smoke", "--part", "development", "--encodings", "nope")


def test_it_trains_keeps_a_table_and_goes_on(longreach: Call, tmp_path: Path) -> None:
    table, runs = tmp_path / "runs.jsonl", tmp_path / "runs"
    given = (*SMOKE, "--runs", runs, "--table", table, "--json")
    document = json.loads(longreach(*given).out)
    (part,) = document["parts"]
    assert (part["part"], part["languages"], part["runs"], part["failed"]) == ("development", 9, 9, 0)
    assert (document["missing"], document["settings_commit"]) == (0, None)
    assert Path(document["figure"]).read_text(encoding="utf-8").startswith("<?xml")
    lines = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 9
    before = table.read_bytes()
    # From the table alone, without the results.
    again = longreach(*SMOKE, "--runs", tmp_path / "none", "--table", table, "--no-train", "--json")
    assert json.loads(again.out)["parts"] == document["parts"]
    assert table.read_bytes() == before
    # A table that is lost is made from the results.
    table.unlink()
    assert longreach(*given, "--no-train").code == 0
    assert table.read_bytes() == before


@pytest.mark.slow
def test_recipes(longreach: Call, tmp_path: Path) -> None:
    given = ("study", "census", "--recipes", "--scale", "smoke", "--runs", tmp_path)
    document = json.loads(longreach(*given, "--json").out)
    assert [(each["recipe"], each["runs"]) for each in document["recipes"]] == [
        ("as is", 2),
        ("log-length", 2),
    ]
    assert "log-length" in longreach(*given, "--no-train").out


def test_held_out_languages_wait_for_the_settings(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path = census_settings.SETTINGS) -> str:
        raise census_settings.InputError("not committed as it is")

    monkeypatch.setattr("longreach.studies.census.census_collection.commit_of", refuse)
    given = ("study", "census", "--dry-run", "--runs", tmp_path, "--train-to", "20")
    for part in ("held-out", "all"):
        done = longreach(*given, "--part", part)
        assert (done.code, done.out) == (2, "")
        assert "not committed" in done.err
    assert "126 jobs" in longreach(*given, "--part", "development").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--train-to", "7"], "--train-to: '7' is not a training length of the census; it has 10, 20, 50"),
        (["--train-to", "ten"], "--train-to: 'ten' is not a training length"),
        (["--tasks", "sort"], "--tasks: census draws its languages"),
        (["--recipes", "--fit"], "--fit: census --recipes tries recipes"),
        (["--out", "figure.gif"], "--out: figure.gif: must end in .svg"),
    ],
)
def test_what_is_refused(longreach: Call, words: list[str], message: str) -> None:
    done = longreach("study", "census", "--dry-run", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
    assert len(done.err.splitlines()) == 1
