"""The import order of ARCHITECTURE: a package imports only those above it, and theory stays light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import longreach

ROOT = Path(longreach.__file__).parent
# From first to last; a package or module may import itself and those before it.
ORDER = [
    "errors", "config", "crasp", "languages", "limit", "verdicts", "bounds", "sparsity", "synthesis",
    "tasks", "results", "forecast", "models", "training", "execution", "experiments", "comparison",
    "inspection", "advice", "answer", "studies", "report", "cli", "__main__",
]  # fmt: skip
WITH_TORCH = {"models", "training", "inspection"}
# These ask for it only inside functions, when something trains.
LATE_TORCH = {"experiments", "cli"}


def _part(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path, *, late: bool = True) -> list[str]:
    """What a file imports; with `late`, inside functions as well."""
    found: list[str] = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if late else tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found += [f"{module}.{alias.name}" for alias in node.names] if module == "longreach" else [module]
    return found


def _modules() -> list[Path]:
    return [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]


def test_every_part_has_a_place_in_the_order() -> None:
    assert {_part(path) for path in _modules()} <= set(ORDER)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_imports_only_those_above_it(path: Path) -> None:
    allowed = ORDER[: ORDER.index(_part(path)) + 1]
    for name in _imports(path):
        if name.startswith("longreach."):
            part = name.split(".")[1]
            if part.startswith("__version"):
                continue
            assert part in allowed, f"{path.name} imports {name}"
        if name.split(".")[0] == "torch":
            assert _part(path) in WITH_TORCH | LATE_TORCH, f"{path.name} imports torch"
    if _part(path) in LATE_TORCH:
        assert not any(name.split(".")[0] == "torch" for name in _imports(path, late=False))


def _loaded_by(arguments: list[str]) -> set[str]:
    """The modules that a command has loaded when it ends."""
    code = (
        "import json, sys\n"
        "from longreach.cli.main import run\n"
        f"assert run({arguments!r}) == 0\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["crasp", "--help"], ["crasp", "run", "lib:dyck-1", "()"]],
    ids=" ".join,
)
def test_commands_start_light(arguments: list[str]) -> None:
    loaded = _loaded_by(arguments)
    assert not loaded & {"torch", "matplotlib", "networkx", "automata", "z3"}
    if "run" not in arguments:
        assert not loaded & {"numpy", "lark", "jinja2"}


@pytest.mark.parametrize("task", ["copy-unique", "addition", "tomita-4", "crasp:lib:dyck-1"])
def test_forecasts_need_no_torch(task: str) -> None:
    assert not _loaded_by(["forecast", task]) & {"torch", "matplotlib"}


def _loaded_with(module: str) -> set[str]:
    code = f"import json, sys, {module}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_a_configuration_is_read_without_torch_and_numpy() -> None:
    names = ["scales", "options", "hyperparameters", "keys"]
    modules = ", ".join(f"longreach.config.{name}" for name in names)
    assert not _loaded_with(modules) & {"torch", "numpy"}


def test_experiments_are_planned_without_torch() -> None:
    assert "torch" not in _loaded_with("longreach.experiments")
    assert "torch" not in _loaded_with("longreach.studies.study_run")
