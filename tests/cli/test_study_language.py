"""`longreach study natural-language`: the smallest scale from text to figure, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.studies import language_network as language_settings
from tests.cli.conftest import Call
from tests.helpers.text_samples import text_file

STUDY = ("study", "natural-language", "--scale", "smoke")


@pytest.fixture(autouse=True)
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    smaller = language_settings.SETTINGS["smoke"].model_copy(
        update={"steps": 2, "long_steps": 2, "examples": 3}
    )
    monkeypatch.setitem(language_settings.SETTINGS, "smoke", smaller)


def test_from_text_to_figure_and_again(longreach: Call, tmp_path: Path) -> None:
    text = text_file(tmp_path, 100)
    options = ("--text", text, "--runs", tmp_path / "runs")
    done = longreach(*STUDY, *options, "--json")
    assert done.code == 0
    document = done.document
    assert (document["study"], document["scale"], document["corpus"]) == (
        "natural-language",
        "smoke",
        str(text),
    )
    assert [(e["model"], e["length"]) for e in document["perplexity"]] == [
        ("short", 16), ("short", 32), ("long", 16), ("long", 32),
    ]  # fmt: skip
    assert [entry["panel"] for entry in document["influence"]] == [
        "Figure 4",
        "Figure 6a",
        "Figure 6b",
        "Figure 6c",
    ]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    again = longreach(*STUDY, *options, "--no-train", "--json")
    assert again.document["influence"] == document["influence"]
    shown = longreach(*STUDY, *options, "--out", tmp_path / "tables.md")
    assert shown.out.splitlines()[0].split() == ["model", "at", "16", "at", "32"]
    assert "smoke scale: tiny models, no claim" in shown.out
    assert "| h_short |" in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_a_plan_trains_nothing(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*STUDY, "--dry-run", "--runs", tmp_path / "runs", "--json")
    document = done.document
    assert document["trainings"]["short"]["pose_steps"] == 1
    assert document["seconds"] >= 0
    assert not (tmp_path / "runs").exists()
    shown = longreach(*STUDY, "--dry-run", "--runs", tmp_path / "runs").out
    assert shown.startswith("h_short: 2 steps of 4 × 16 tokens, the last 1 with PoSE to 32\n")


def test_without_byte_pairs_tokens_are_bytes(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longreach.inspection.texts.has_byte_pairs", lambda: False)
    done = longreach("study", "natural-language", "--dry-run", "--runs", tmp_path / "runs", "--json")
    assert "tokens are bytes" in done.err
    assert done.document["scale"] == "laptop"


def test_nothing_measured_and_damaged_findings(longreach: Call, tmp_path: Path) -> None:
    options = ("--text", text_file(tmp_path, 100), "--runs", tmp_path / "runs")
    done = longreach(*STUDY, *options, "--no-train")
    assert (done.code, done.first_error.startswith("--no-train: nothing has been measured")) == (2, True)
    assert longreach(*STUDY, *options).code == 0
    kept = next((tmp_path / "runs").rglob("findings.json"))
    kept.write_text("{", encoding="utf-8")
    assert "is damaged" in longreach(*STUDY, *options).first_error
