from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.config.training import TrainConfig
from longreach.results.schema import Result
from longreach.studies import threshold_law
from tests.cli.conftest import Outcome
from tests.helpers.asked_results import result_of, write_results

Call = Callable[..., Outcome]
SMOKE = ("study", "thresholds", "--scale", "smoke")


def _trained(members: list[TrainConfig], runs: Path, **_: object) -> dict[str, Result]:
    write_results(runs, members, lambda member: member.train_lengths.last >= 5)
    return {}


@pytest.mark.slow
def test_the_law_from_the_command_line(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threshold_law, "train_pending", _trained)
    done = longreach(*SMOKE, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert (document["study"], document["scale"], document["target"]) == ("thresholds", "smoke", 15)
    assert [language["threshold"] for language in document["languages"]] == [5, 5]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    out = tmp_path / "law.md"
    again = longreach(*SMOKE, "--runs", tmp_path, "--no-train", "--out", out)
    assert again.out.startswith(out.read_text(encoding="utf-8"))
    assert "smoke scale: tiny models, no claim" in again.out


def test_what_would_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE, "--runs", tmp_path, "--dry-run", "--json")
    assert json.loads(done.out)["jobs"] == 4
    assert list(tmp_path.iterdir()) == []


def test_a_member_that_fails_gives_exit_code_1(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(members: list[TrainConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [result_of(member, [1.0] * len(member.ranges)) for member in members]
        return {each.key: each.model_copy(update={"status": "failed", "error": "no"}) for each in made}

    monkeypatch.setattr(threshold_law, "train_pending", fail)
    done = longreach(*SMOKE, "--runs", tmp_path)
    assert done.code == 1
    assert "not measured" in done.out


@pytest.mark.parametrize("option", ["--tasks", "--encodings"])
def test_it_has_cells_of_its_own(longreach: Call, tmp_path: Path, option: str) -> None:
    done = longreach(*SMOKE, option, "ape", "--runs", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error == f"{option}: thresholds has cells of its own"


@pytest.mark.slow
def test_curves_from_the_command_line(longreach: Call, tmp_path: Path) -> None:
    """Trains one small model; the second time nothing is left to train."""
    command = ("study", "sparse-parity", "--scale", "smoke", "--runs", tmp_path)
    done = longreach(*command, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert [(each["curve"], len(each["runs"])) for each in document["curves"]] == [
        ("k_test = 2", 1),
        ("k_test = 3", 1),
    ]
    assert document["claims"] == []
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert json.loads(longreach(*command, "--dry-run", "--json").out)["pending"] == 0
    again = longreach(*command, "--no-train")
    assert "| k_test = 2 | 1/1 " in again.out
