"""What `import longreach` offers, however it is imported."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import longreach
from longreach.answer import ask
from longreach.answer.trained_runs import train
from longreach.crasp.program import parse
from longreach.errors import InputError
from longreach.limit.compile.source_to_transformer import compile_source
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task


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
    assert caught.value.message == "task: no task is named 'PARITY'; did you mean 'parity'?"
    assert str(caught.value.place) == "task"


def test_what_is_offered_is_listed() -> None:
    assert set(longreach.__all__) <= set(dir(longreach))
    assert all(callable(getattr(longreach, name)) for name in longreach.__all__)


@pytest.mark.parametrize("name", longreach.__all__)
def test_what_is_offered_is_documented(name: str) -> None:
    """In the table of the page on Python, and in the reference, by the place that it is loaded from."""
    docs = Path(__file__).parents[1] / "docs"
    assert f"`longreach.{name}" in (docs / "python.md").read_text(encoding="utf-8")
    offered = getattr(longreach, name)
    found = getattr(offered, name) if isinstance(offered, ModuleType) else offered
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
        offered = getattr(longreach, name)
        assert offered is found or offered is sys.modules[module or ""]


def test_other_names_are_refused_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'longreach' has no attribute 'forcast'"):
        _ = longreach.forcast  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        "import longreach",
        "import longreach.forecast",
        "import longreach.forecast.task_forecast, longreach.results.index",
        "from longreach.forecast import forecast; from longreach.results import results",
        "from longreach import forecast, results",
        "from longreach import *",
        "import longreach.experiments",
        "import longreach\nlongreach.forecast, longreach.results\nimport longreach.forecast.claims",
    ],
)
def test_packages_are_functions_in_any_order_of_imports(before: str, tmp_path: Path) -> None:
    code = (
        f"{before}\n"
        "import longreach\n"
        "assert longreach.forecast('aa').ape.answer.value == 'yes'\n"
        f"assert len(longreach.results({str(tmp_path)!r})) == 0\n"
        "from longreach.forecast import Forecast, forecast, forecast_all\n"
        "from longreach.results import results\n"
        "import longreach.forecast.task_forecast, longreach.results.index\n"
        "assert longreach.forecast.task_forecast.forecast is forecast is longreach.forecast.forecast\n"
        "assert longreach.results.index.Row and longreach.results.results is results\n"
        "assert isinstance(longreach.forecast('aa'), Forecast)\n"
        f"assert len(longreach.results(runs={str(tmp_path)!r}, task='aa', encoding='ape')) == 0\n"
        "assert longreach.forecast(task='regex:a*', alphabet='ab').alphabet == ('a', 'b')\n"
        "print('whole')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")


def test_forecasts_through_the_front_door_need_no_torch() -> None:
    code = "import sys, longreach\nlongreach.forecast('aa')\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_package_and_its_function_take_the_same_arguments() -> None:
    import inspect

    from longreach.forecast import forecast
    from longreach.results import results

    assert inspect.signature(longreach.forecast) == inspect.signature(forecast)
    assert inspect.signature(longreach.results) == inspect.signature(results)
