from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longreach.answer.answers_to_words import Block, Line
from longreach.report.answer_page import render_answer_page
from tests.helpers.html_page import check
from tests.helpers.report_samples import accuracies, add, hostile, several

BLOCKS = (
    Block(
        "Will it work?",
        (
            Line("without positions (NoPE)", "expected to fail", "proved"),
            Line("", "not known: <nobody> asked", measured="measured: 1 of 3 runs works"),
        ),
    ),
    Block("What would help?", (Line("learned positions", ""),)),
)


def page(task: str, runs: Path | None, alphabet: tuple[str, ...] | None = None, title: str = "mine") -> str:
    return render_answer_page(
        title, "what it is", blocks=BLOCKS, judgement="They agree.", task=task, runs=runs, alphabet=alphabet
    )


def test_answers_then_measured_then_why(tmp_path: Path) -> None:
    several(tmp_path, "regex:(aa)*", "ape", 1.0, 0.0, 0.0, alphabet=["a"])
    several(tmp_path, "regex:(aa)*", "nope", 0.0, 0.0, 0.0, alphabet=["a"])
    several(tmp_path, "sort", "ape", 0.123)
    text = page("regex:(aa)*", tmp_path, ("a",))
    words = check(text).words
    parts = [
        "mine", "what it is", "They agree.", "Will it work?", "without positions (NoPE)", "expected to fail",
        "proved", "not known: <nobody> asked", "measured: 1 of 3 runs works", "What would help?",
        "learned positions", "trained on lengths 1–10", "Why",
        "L = i % 2 == 0", "Automaton", "Runs: NoPE", "Runs: APE",
    ]  # fmt: skip
    places = [words.index(part) for part in parts]
    assert places == sorted(places)
    assert text.count('class="seed nope"') == text.count('class="seed ape"') == 3 + 1  # and the legend
    assert "12.3" not in words


def test_without_runs_there_is_the_forecast(tmp_path: Path) -> None:
    for runs in (None, tmp_path, tmp_path / "none"):
        words = check(page("parity", runs)).words
        assert "No runs yet. longreach train parity" in words
        assert "no program exists" in words


def test_a_task_of_ones_own_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "from longreach.tasks.parity import Parity",
        "class Mine(Parity):",
        "    name = 'mine'",
        "task = Mine()",
    ]
    (tmp_path / "longreach_own.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    runs = tmp_path / "runs"
    runs.mkdir()
    add(runs, "longreach_own:task", "ape", 0, accuracies(1.0, 0.6, 0.5))
    words = check(page("longreach_own:task", runs)).words
    assert "longreach_own" in sys.modules
    assert "trained on lengths 1–10" in words


def test_what_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    words = check(page("no.such.module:task", tmp_path)).words
    assert "There is no forecast" in words


def test_text_stays_text(tmp_path: Path) -> None:
    hostile(tmp_path)
    text = page("regex:<script>window.evil = 1</script>", tmp_path, title="</title><script>evil()</script>")
    assert "<script>window" not in text
    assert "<script>evil" not in text
    check(text)
