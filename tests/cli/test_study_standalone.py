from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from tests.helpers.inspected_runs import small_member, write_run

Call = Callable[..., Outcome]
SMOKE = ("study", "positional-functions", "--scale", "smoke")


def test_functions_of_positions(longreach: Call, tmp_path: Path) -> None:
    planned = longreach(*SMOKE, "--runs", tmp_path, "--dry-run", "--json")
    assert {"jobs": 1, "done": 0}.items() <= json.loads(planned.out).items()
    done = longreach(*SMOKE, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert [len(each["mse"][0]) for each in document["functions"]] == [3, 3]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert "1 of them done" in longreach(*SMOKE, "--runs", tmp_path, "--dry-run").out
    again = longreach(*SMOKE, "--runs", tmp_path, "--no-train", "--out", tmp_path / "t.md")
    assert "no claim" in again.out
    assert (tmp_path / "t.md").read_text(encoding="utf-8").count("\n") == 4
    assert "missing" in longreach(*SMOKE, "--runs", tmp_path / "other", "--no-train").out


def test_the_score(longreach: Call, tmp_path: Path) -> None:
    for seed in range(4):
        member = small_member("regex:(ab)*" if seed % 2 else "tomita-1", seed=seed)
        write_run(tmp_path, member, (1.0, 1.0, float(seed < 2)))
    score = ("study", "inspection-score", "--scale", "smoke", "--runs", tmp_path, "--no-train")
    done = longreach(*score, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert (document["runs_there"], document["runs_looked_into"]) == (4, 4)
    assert {each["works"] for each in document["runs"]} == {True, False}
    assert "margin" in longreach(*score).out


@pytest.mark.parametrize("option", ["--tasks", "--encodings", "--part", "--train-to"])
def test_options_that_are_no_use(longreach: Call, tmp_path: Path, option: str) -> None:
    value = "development" if option == "--part" else "x"
    done = longreach(*SMOKE, "--runs", tmp_path, option, value)
    assert done.code == 2
    assert option in done.first_error
