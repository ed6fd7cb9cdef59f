"""The import order of ARCHITECTURE: a package imports only those above it, and theory stays light."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import longreach

ROOT = Path(longreach.__file__).parent
# From first to last; a package or module may import itself and those before it.
ORDER = [
    "errors", "notebook", "wording", "config", "crasp", "languages", "limit", "verdicts", "bounds",
    "sparsity", "synthesis", "tasks", "results", "forecast", "models", "training", "execution",
    "language_models", "experiments", "comparison", "inspection", "advice", "answer", "studies", "report",
    "cli", "__main__",
]  # fmt: skip
WITH_TORCH = {"models", "training", "language_models", "inspection"}
# These ask for it only inside functions, when something trains.
LATE_TORCH = {"experiments", "cli"}
# What comes later and is named for its type alone.
FOR_TYPES = {"crasp/program.py": {"longreach.limit.model"}}  # what `compile` gives, by way of the front door


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


def test_the_page_on_how_it_is_built_has_this_order_and_names_files_that_exist() -> None:
    page = (Path(__file__).parents[1] / "docs" / "how-it-is-built.md").read_text(encoding="utf-8")
    packages, _, others = page.partition("## To follow")
    assert [*re.findall(r"^\| `(\w+)` \|", packages, re.MULTILINE), "__main__"] == ORDER
    light = re.search(r"Of the packages above only (.+?) do;\s+(.+?) load it", packages, re.DOTALL)
    assert light is not None
    assert set(re.findall(r"`(\w+)`", light[1])) == WITH_TORCH
    assert set(re.findall(r"`(\w+)`", light[2])) == LATE_TORCH
    named = re.findall(r"`(\w+(?:/\w+)+(?:\.py)?)`", others)
    assert named
    assert all((ROOT / each).exists() for each in named if "NAME" not in each)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_imports_only_those_above_it(path: Path) -> None:
    allowed = ORDER[: ORDER.index(_part(path)) + 1]
    for name in _imports(path):
        if name in FOR_TYPES.get(path.relative_to(ROOT).as_posix(), ()):
            continue
        if name.startswith("longreach."):
            part = name.split(".")[1]
            if part.startswith("__version"):
                continue
            assert part in allowed, f"{path.name} imports {name}"
        if name.split(".")[0] == "torch":
            assert _part(path) in WITH_TORCH | LATE_TORCH, f"{path.name} imports torch"
    if _part(path) in LATE_TORCH:
        assert not any(name.split(".")[0] == "torch" for name in _imports(path, late=False))


def _module_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _edges() -> dict[str, set[str]]:
    """Each module with those it imports, wherever in the file: an import in a function only hides a cycle.

    An import for types alone is none, and a package stands for itself, not for what its `__init__` collects.
    """
    paths = {_module_of(path): path for path in ROOT.rglob("*.py")}
    edges: dict[str, set[str]] = {}
    for module, path in paths.items():
        names: set[str] = set()
        for node in _running(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
        edges[module] = {name for name in names if name in paths and paths[name].name != "__init__.py"}
    return edges


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that ever run: not those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from _running(node)


def test_no_modules_import_each_other_in_a_circle() -> None:
    try:
        list(TopologicalSorter(_edges()).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))


def test_crasp_imports_its_own_modules_at_the_top_alone() -> None:
    for path in (ROOT / "crasp").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in _running(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("longreach"):
                assert node in tree.body, f"{path.name}:{node.lineno}: an import inside a function"


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


def test_the_front_door_loads_nothing_before_it_is_used() -> None:
    loaded = _loaded_with("longreach")
    assert not loaded & {"numpy", "pydantic", "torch", "typing", "importlib.metadata", "pathlib"}
    assert {name for name in loaded if name.startswith("longreach")} == {"longreach"}


def test_experiments_are_planned_without_torch() -> None:
    assert "torch" not in _loaded_with("longreach.experiments")
    assert "torch" not in _loaded_with("longreach.studies.study_run")
