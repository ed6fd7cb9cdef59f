"""Tasks that a results directory names: whatever they are, the report goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.report.collect import report_view
from longreach.report.forecast_view import Known
from longreach.report.outside import Outside, name_problem
from tests.helpers.report_samples import accuracies, add

ENDLESS = "regex:(a|b)*a" + 11 * "(a|b)"  # takes minutes: a minimal automaton has 4096 states


@pytest.mark.slow
def test_a_task_that_takes_too_long_is_given_up_and_the_next_one_is_found() -> None:
    with Outside(1.0) as outside:
        for _ in range(2):
            found = outside.known(ENDLESS, None, "endless")
            assert found.note.startswith("The verdict is not shown: it takes more than 1 s")
            assert found.verdicts == ()
        other = outside.known("regex:(ab)*", ("a", "b"), "ab")
    assert (other.answer("nope"), other.answer("ape")) == ("yes", "yes")
    assert other.automaton is not None
    assert (other.about, other.note) != (None, "")


def test_the_answer_of_the_process_is_that_of_the_theory() -> None:
    from longreach.report.forecast_view import known_of

    with Outside(30.0) as outside:
        for name in ("regex:(aa)*", "parity", 'crasp:#alphabet a b\\nL = # "a" >= 1'.replace("\\n", "\n")):
            assert outside.known(name, None, "slug") == known_of(name, None, "slug")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("regex:" + "a" * 500, "the expression is too long"),
        ("crasp:#alphabet a\n" + "\n" * 5000, "the program is too long"),
        ("d-41", "brackets nested deeper than 40"),
        ("d-" + "9" * 5000, "brackets nested deeper than 40"),
        ("os:system", "files and Python objects"),
        ("crasp:/etc/passwd", "files and Python objects"),
        ("dfa:x.json", "files and Python objects"),
        ("data:x.jsonl", "files and Python objects"),
        ("data:x.jsonl#0123456789abcdef", "files and Python objects"),
        ("dfa:{" + " " * 5000, "the automaton is too long"),
        ('dfa:{"alphabet":["a"],"transitions":[[0]],"accepting":[0]}', None),
        ("parity", None),
        ("regex:a", None),
    ],
)
def test_names_that_are_not_looked_up(name: str, problem: str | None) -> None:
    found = name_problem(name)
    assert found is None if problem is None else found is not None and found.startswith(problem)


def test_without_a_process_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.report.outside._HERE", "no.such.module")
    with Outside() as outside:
        found = outside.known("regex:a", None, "a")
    assert found == Known(note=found.note)
    assert found.note.startswith("The verdict is not shown: ")


@pytest.mark.slow
def test_a_report_says_what_it_does_not_show(tmp_path: Path) -> None:
    add(tmp_path, ENDLESS, "nope", 0, accuracies(1.0, 0.5))
    (task,) = [task for task in report_view(tmp_path, "report").tasks if task.name == ENDLESS]
    assert task.known.note.startswith("The verdict is not shown: ")
    assert [cell.judgement for cell in task.chosen] == ["not counted"]


def test_changed_tasks_are_looked_up_like_their_bases() -> None:
    assert name_problem("parity+scratchpad") is None
    assert name_problem("regex:(ab)*+scratchpad") is None
    for name in ("my.tasks:mine+scratchpad", "data:mine.jsonl+reversed", "../parity+scratchpad"):
        assert name_problem(name) == "files and Python objects that a result names are not loaded"
    assert name_problem(f"d-{10**9}+scratchpad") is not None


def test_what_theory_says_of_other_models_comes_from_the_process_too() -> None:
    with Outside() as outside:
        known = outside.known("regex:(aa)*", None, "aa", ("lstm", "ssm", "mine:make()"))
    assert {label: view.expected for label, view in known.models.items()} == {
        "lstm": "can express it",
        "ssm": "cannot express it",
    }
