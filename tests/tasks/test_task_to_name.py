from __future__ import annotations

from typing import Any

import pytest

from longreach.errors import InputError
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.parity import Parity
from longreach.tasks.sort import Sort
from longreach.tasks.task_to_name import name_of_task


@pytest.mark.parametrize("name", [*TASKS, "d-5"])
def test_built_in_tasks_keep_their_names(name: str) -> None:
    assert name_of_task(load_task(name)) == (name, None)


def test_a_regular_expression_keeps_its_alphabet() -> None:
    task = load_task("regex:(ab)*", "abc")
    name, alphabet = name_of_task(task)
    assert (name, alphabet) == ("regex:(ab)*", ("a", "b", "c"))
    assert load_task(name, alphabet) == task


def test_a_program_is_named_by_its_text() -> None:
    name, alphabet = name_of_task(load_task("crasp:lib:tomita-1"))
    assert (name, alphabet) == ('crasp:#alphabet 0 1\nD = # "0" == 0', None)


@pytest.mark.parametrize(
    "task",
    [
        Sort(9),
        RegularLanguage("aa", from_expression("(ab)*")),
        RegularLanguage("mine", from_expression("(aa)*")),
        RegularLanguage("regex:(aa)*", from_expression("(ab)*")),
        RegularLanguage("os:path", from_expression("(ab)*")),
    ],
    ids=lambda task: task.name,
)
def test_other_objects_belong_to_the_session(task: Any) -> None:
    name, alphabet = name_of_task(task)
    assert name.startswith("object:")
    assert alphabet is None
    assert load_task(name) == task


def test_names_pass_as_they_are() -> None:
    assert name_of_task("no-such-task") == ("no-such-task", None)
    assert name_of_task("regex:a*", ["a", "b"]) == ("regex:a*", ("a", "b"))


def test_what_is_no_task_is_refused() -> None:
    with pytest.raises(InputError, match=r"^task: expected the name of a task or a Task, not a int$"):
        name_of_task(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"not the class Parity$"):
        name_of_task(Parity)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^task: an alphabet goes with regex:…, a Task has its own$"):
        name_of_task(Parity(), "ab")
