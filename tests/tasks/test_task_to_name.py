from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.parity import Parity
from longreach.tasks.sort import Sort
from longreach.tasks.task import Task
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
        RegularLanguage("aa", from_expression("(ab)*")),
        RegularLanguage("mine", from_expression("(aa)*")),
        RegularLanguage("regex:(aa)*", from_expression("(ab)*")),
        RegularLanguage("os:path", from_expression("(ab)*")),
    ],
    ids=lambda task: task.name,
)
def test_languages_are_named_by_their_automaton(task: RegularLanguage) -> None:
    name, alphabet = name_of_task(task)
    assert (name[:4], alphabet) == ("dfa:", None)
    found = load_task(name)
    assert isinstance(found, RegularLanguage)
    assert found.automaton == task.automaton


def test_other_objects_belong_to_the_session() -> None:
    def word(length: int, rng: np.random.Generator) -> list[str]:
        return ["ab"[k] for k in rng.integers(0, 2, length)]

    first = Task.from_function(word, lambda x: x[0], name="end")
    last = Task.from_function(word, lambda x: x[-1], name="end")
    names = [name_of_task(task)[0] for task in (first, last, Sort(9))]
    assert [name.split("@")[0] for name in names] == ["object:end", "object:end", "object:sort"]
    assert len(set(names)) == 3
    assert [load_task(name) for name in names] == [first, last, Sort(9)]


def test_an_object_of_a_module_is_named_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("my_session_tasks")
    module.mine = Sort(10)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_session_tasks", module)
    assert name_of_task(module.mine) == ("my_session_tasks:mine", None)
    assert name_of_task(Sort(10))[0].startswith("object:")


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
