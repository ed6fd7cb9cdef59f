"""Tests of `cli.inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from longreach.cli.inspect import failure_words
from longreach.models import huggingface
from longreach.runs.resolve import resolve
from longreach.training.checkpoint import save_model
from longreach.training.result import write_result
from longreach.training.setup import model_of, network_of
from tests.cli.conftest import Call
from tests.helpers.inspected_models import lively, small_config
from tests.helpers.inspected_runs import small_member, write_run
from tests.helpers.result_samples import sample

ONLY = "of each answer only the first token is asked for"


def _run(runs: Path, task: str, **given: Any) -> Path:
    """Of a model that has learned nothing."""
    few = {"train_lengths": (1, 6), "test_lengths": [(7, 9)], "test_size": 10, "max_steps": 2}
    config = resolve(task, layers=1, heads=1, width=8, **few, **given)
    save_model(runs / config.key, network_of(config).initial(0), model_of(config))
    write_result(runs, sample().model_copy(update={"key": config.key, "config": config.document()}))
    return runs / config.key


def test_document_and_words(longreach: Call, tmp_path: Path) -> None:
    run = _run(tmp_path, "regex:(a|b)*b", alphabet=("a", "b"))
    done = longreach("extract", run, "--json")
    assert done.code == 0
    document = done.document
    assert [each["lengths"] for each in document["agreement"]] == ["1-6", "7-9"]
    assert document["automaton"] is not None or document["reason"] is not None
    assert bool(document["programs"]) == (document["no_programs"] is None)
    shown = longreach("extract", run)
    assert shown.code == 0
    assert "1–6: of 100 inputs the model is right on " in shown.out
    assert ("where this program accepts (" in shown.out) == any(
        each["program"] for each in document["programs"]
    )
    assert ("  no program: it says " in shown.out) == (document["programs"] == [])


@pytest.mark.parametrize(
    ("task", "asked"), [("parity", "all"), ("regex:(aa)*", "all"), ("copy-repeat", "first token")]
)
def test_says_where_only_the_first_token_is_asked_for(
    longreach: Call, tmp_path: Path, task: str, asked: str
) -> None:
    run = _run(tmp_path, task)
    few = ("--seconds", 0.5)
    assert longreach("extract", run, *few, "--json").document["asked"] == asked
    assert (ONLY in longreach("extract", run, *few).out) == (asked == "first token")


def test_no_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach("extract", tmp_path / "none")
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[0].endswith("no model.safetensors and result.json there")
    assert longreach("extract", tmp_path, "--seconds", "-1").code == 2


def test_a_run_on_one_screen_and_as_files(longreach: Call, tmp_path: Path) -> None:
    run = write_run(tmp_path / "runs", small_member())
    out = tmp_path / "seen"
    done = longreach("inspect", run, "--out", out, "--inputs", 3)
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) < 30
    assert lines[0].startswith(f"{run.name}   regex:(ab)*, ape, 2 layers of 2 heads")
    assert lines[-1] == str(out / "inspection.html")
    names = {path.name for path in out.iterdir()}
    assert {"inspection.json", "inspection.html", "histogram.png", "heatmaps.svg", "lengths.png"} <= names
    assert json.loads((out / "inspection.json").read_text(encoding="utf-8"))["trained_to"] == 6


def test_one_document(longreach: Call, tmp_path: Path) -> None:
    run = write_run(tmp_path, small_member(encoding="nope"))
    done = longreach("inspect", run, "--json", "--inputs", 3)
    document = done.document
    assert document["encoding"] == "nope"
    assert document["out"] == []
    assert [row["length"] for row in document["accuracy_by_length"]] == [6, 12, 18, 30, 48]
    same = longreach("inspect", run, "--json", "--inputs", 3)
    assert same.out == done.out


def test_a_gpt2_directory_with_tokens(longreach: Call, tmp_path: Path) -> None:
    config = small_config("ape")
    huggingface.save(tmp_path / "gpt2", lively(config), config)
    (tmp_path / "ids.txt").write_text("1 2 3 4 5\n5 4 3 2 1\n")
    done = longreach("inspect", tmp_path / "gpt2", "--tokens", tmp_path / "ids.txt", "--json")
    assert done.code == 0
    document = done.document
    assert (document["kind"], len(document["heads"])) == ("gpt2", 4)
    assert document["remarks"] == []
    plain = longreach("inspect", tmp_path / "gpt2")
    assert "random tokens" in plain.err


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["none"], "none: no such file or directory"),
        (["run", "--task", "sort"], "--task: sort has"),
        (["run", "--tokens", "ids.txt"], "--tokens: the task has inputs of its own"),
        (["run", "--out", "no/such/place"], "--out: no/such/place"),
        (["run", "--out", "ids.txt"], "--out: ids.txt: not a directory"),
        (["run", "--alphabet", "ab"], "--alphabet: only for a TASK"),
    ],
)
def test_bad_input(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run = write_run(tmp_path, small_member())
    (tmp_path / "ids.txt").write_text("1 2\n")
    done = longreach("inspect", *[str(run) if each == "run" else each for each in options])
    assert done.code == 2
    assert error in done.first_error
    assert done.out == ""


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.0, 0.1, 0.0), "it has not learned the training lengths; it fails at every measured length"),
        ((1.0, 1.0, 0.0), "it fails from length 30 on"),
    ],
)
def test_where_it_fails_in_words(shares: tuple[float, ...], words: str) -> None:
    measured = zip((4, 20, 30), shares, strict=True)
    rows = [SimpleNamespace(length=length, model=share) for length, share in measured]
    fails_at = next(row.length for row in rows if row.length > 10 and row.model < 0.5)
    failure = SimpleNamespace(
        learned=shares[0] == 1.0, fails_at=fails_at, level=0.5, first_errors=None, beyond=()
    )
    assert failure_words(cast(Any, SimpleNamespace(lengths=rows, failure=failure))) == words
