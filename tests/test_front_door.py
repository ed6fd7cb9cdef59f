"""What `import longreach` offers, however it is imported."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import longreach
from longreach.answers.ask import ask
from longreach.answers.trained import train
from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task
from longreach.theory.crasp.program import parse
from longreach.theory.limit.compiler import compile_source


def test_functions_are_those_of_the_packages() -> None:
    assert longreach.ask is ask
    assert longreach.train is train
    assert longreach.compile is compile_source
    assert longreach.parse is parse
    assert longreach.load_task is load_task
    assert longreach.Task is Task
    assert longreach.InputError is InputError


def test_errors_can_be_caught_by_their_name_here() -> None:
    with pytest.raises(longreach.InputError) as caught:
        longreach.forecast("PARITY")
    assert caught.value.message == "task: no task named 'PARITY'; did you mean 'parity'?"
    assert str(caught.value.place) == "task"


def test_what_is_offered_is_listed() -> None:
    assert set(longreach.__all__) <= set(dir(longreach))
    assert all(callable(getattr(longreach, name)) for name in longreach.__all__)


@pytest.mark.parametrize("name", longreach.__all__)
def test_what_is_offered_is_documented(name: str) -> None:
    """In the table of the page on Python, and in the reference, by the place that it is loaded from."""
    docs = Path(__file__).parents[1] / "docs"
    assert f"`longreach.{name}" in (docs / "python.md").read_text(encoding="utf-8")
    found = getattr(longreach, name)
    reference = (docs / "reference.md").read_text(encoding="utf-8")
    shown = re.findall(r"^::: (.+)\.(\w+)$", reference, re.MULTILINE)
    assert any(getattr(import_module(module), attribute) is found for module, attribute in shown)


def test_editors_see_the_same_names() -> None:
    """The names under TYPE_CHECKING, which never run, are those that are loaded."""
    tree = ast.parse(Path(longreach.__file__).read_text(encoding="utf-8"))
    (branch,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname: (node.module, alias.name)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(typed) == set(longreach.__all__)
    for name, (module, attribute) in typed.items():
        found = getattr(sys.modules[module or ""], attribute)
        assert getattr(longreach, name) is found


def test_other_names_are_refused_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'longreach' has no attribute 'forcast'"):
        _ = longreach.forcast  # type: ignore[attr-defined]


def test_forecasts_through_the_front_door_need_no_torch() -> None:
    code = "import sys, longreach\nlongreach.forecast('aa')\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
