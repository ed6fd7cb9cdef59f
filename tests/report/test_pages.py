"""Tests of `report.pages`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.answers.advice import advise
from longreach.answers.ask import Block, Line
from longreach.inspection.figures import figure_files, figures_of
from longreach.inspection.report import inspect_subject
from longreach.report.pages import render_advice_page, render_answer_page, render_inspection_page
from tests.helpers.html_page import check
from tests.helpers.inspected_models import small_subject
from tests.helpers.made_up_training import replace_training
from tests.helpers.report_samples import accuracies, add, hostile, several


def test_theory_then_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    text = render_advice_page(advise("copy-repeat", runs=tmp_path))
    words = check(text).words
    parts = [
        "copy-repeat",
        "works: 2 of 2 runs",
        "As it is",
        "What would help",
        "Tried",
        "copy-repeat with ape",
    ]
    places = [words.index(part) for part in parts]
    assert places == sorted(places)
    assert text.count('class="seed nope"') == text.count('class="seed ape"') == 2 + 1  # and the legend


def test_theory_alone() -> None:
    text = render_advice_page(advise("parity", minutes=0))
    assert "Tried" not in check(text).words


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
        "from longreach.tasks.counting import Parity",
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


HOSTILE = '<script>alert("x")</script>'


def test_a_page_that_needs_nothing_else() -> None:
    found = inspect_subject(small_subject("ape", task="regex:(a|b)*bb(a|b)*"), rows=4, inputs=3)
    drawn = {"lengths": figure_files(figures_of(found)["lengths"], "lengths", (".svg",))[".svg"]}
    text = render_inspection_page(found, drawn, title="a run")
    page = check(text)
    parts = [
        "a run", "At longer lengths", "How it fails", "As a limit transformer", "Heads",
        "Where the task's program attends", "Products through value matrices", "Figures",
    ]  # fmt: skip
    places = [page.words.index(part) for part in parts]
    assert places == sorted(places)
    images = [attributes for tag, attributes in page.elements if tag == "img"]
    assert [str(each["src"])[:26] for each in images] == ["data:image/svg+xml;base64,"]


def test_what_comes_from_outside_is_text() -> None:
    found = inspect_subject(small_subject("rope"), rows=4, inputs=3)
    hostile = replace(found, name=HOSTILE, remarks=(HOSTILE,), facts={**found.facts, "task": HOSTILE})
    text = render_inspection_page(hostile, {}, title=HOSTILE)
    check(text)
    assert HOSTILE not in text
