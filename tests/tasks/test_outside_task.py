"""Tasks from outside: programs and Python objects by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.tasks.catalog import load_argument, load_task, self_contained

MODULE = """
from longreach.tasks.sort import Sort
small = Sort(9)
def made():
    return Sort(7)
def asks(size):
    return Sort(size)
def fails():
    raise KeyError("x")
class Box:
    inside = small
number = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("outside_tasks", "outside_broken", "outside_needs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "outside_tasks.py").write_text(MODULE)
    (tmp_path / "outside_broken.py").write_text("1 / 0")
    (tmp_path / "outside_needs.py").write_text("import no_such_package")
    return tmp_path


def test_python_objects(here: Path) -> None:
    assert len(load_task("outside_tasks:small").tokens) == 4 + 9
    assert len(load_task("outside_tasks:made").tokens) == 4 + 7
    assert load_task("outside_tasks:Box.inside").name == "sort"
    assert load_task("longreach.tasks.parity:Parity").name == "parity"
    assert self_contained("outside_tasks:small") == "outside_tasks:small"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("outside_tasks:smal", "task: module 'outside_tasks' has no attribute 'smal'; did you mean 'small'"),
        ("outside_tasks:number", "task: outside_tasks:number: is a int, not a Task"),
        ("outside_tasks:Box", "task: outside_tasks:Box: is a Box, not a Task"),
        ("outside_tasks:asks", "task: outside_tasks:asks: calling it without arguments fails: TypeError"),
        ("outside_tasks:fails", "task: outside_tasks:fails: calling it without arguments fails: KeyError"),
        ("outside_broken:x", "task: module 'outside_broken' cannot be imported: ZeroDivisionError"),
        ("outside_needs:x", "task: module 'outside_needs' cannot be imported: ModuleNotFoundError"),
        ("no_such_module:x", "task: no module is named 'no_such_module'"),
        ("longreach.nothing:x", "task: no module is named 'longreach.nothing'"),
        ("no such module:x", "task: no task is named 'no such module:x'"),
    ],
)
def test_bad_python_objects(here: Path, name: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_argument(name)
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message


def test_files_of_the_current_directory_hide_nothing(here: Path) -> None:
    (here / "json.py").write_text("raise RuntimeError('the wrong module')")
    monkey = sys.modules.pop("json")
    try:
        load_task("outside_tasks:small")
        import json

        assert json.loads("1") == 1
    finally:
        sys.modules["json"] = monkey


def test_programs(here: Path) -> None:
    file = here / "mine.cr"
    file.write_text('// mine\nL = # "a" >= # "b"')
    task = load_task("crasp:mine.cr")
    assert (task.name, task.tokens[2:4]) == ("crasp:mine.cr", ("a", "b"))
    name = self_contained("crasp:mine.cr")
    file.unlink()
    assert load_task(name).tokens == task.tokens
    assert self_contained(name) == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("L = ", "mine.cr:1:"),
        ("L = i % 2 == 0", "mine.cr: the program names no token; declare its letters"),
        ("", "mine.cr:1:1: the file holds no statement"),
    ],
)
def test_bad_programs(here: Path, text: str, message: str) -> None:
    (here / "mine.cr").write_text(text)
    with pytest.raises(InputError) as caught:
        load_argument("crasp:mine.cr")
    assert caught.value.message.startswith(message)


def test_names_of_other_kinds() -> None:
    assert not any(
        TaskName(name).is_attribute for name in ["sort", "regex:ab", "crasp:ab", "a:b:c", "1a:b", ":b", "a:"]
    )
    with pytest.raises(InputError, match="an alphabet goes with regex:"):
        load_task("crasp:lib:dyck-1", ["a"])
