"""The rooms of longreach: a room imports only rooms above it, and theory stays light."""

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
# From top to bottom; a room imports itself and the rooms before it.
ROOMS = [
    "wording", "errors", "files", "figures", "theory", "tasks", "config", "models", "nn", "training",
    "execution", "runs", "answers", "inspection", "studies", "report", "cli", "__main__",
]  # fmt: skip
WITH_TORCH = {"models", "nn", "training", "inspection", "studies"}
# These ask for it only inside functions, when something trains.
LATE_TORCH = {"runs", "answers", "cli"}
# Nothing but the command line knows the studies.
KNOWS_STUDIES = {"studies", "cli"}


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


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


def test_every_module_is_in_a_room() -> None:
    assert {_room(path) for path in _modules()} == set(ROOMS)


def test_packages_import_nothing() -> None:
    for path in ROOT.rglob("__init__.py"):
        if path != ROOT / "__init__.py":
            (docstring,) = ast.parse(path.read_text(encoding="utf-8")).body
            assert isinstance(docstring, ast.Expr), path


def test_the_page_on_how_it_is_built_has_these_rooms_and_names_files_that_exist() -> None:
    page = (Path(__file__).parents[1] / "docs" / "how-it-is-built.md").read_text(encoding="utf-8")
    rooms, _, others = page.partition("## One answer through the code")
    assert [*re.findall(r"^\| `(\w+)` \|", rooms, re.MULTILINE), "__main__"] == ROOMS
    named = re.findall(r"`(\w+(?:/\w+)+(?:\.py)?)`", others)
    assert named
    assert all((ROOT / each).exists() for each in named if "NAME" not in each)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_above_it(room: str) -> None:
    allowed = {"__version__", *ROOMS[: ROOMS.index(room) + 1]} - ({"studies"} - {room})
    allowed |= {"studies"} if room in KNOWS_STUDIES else set()
    for path in [each for each in _modules() if _room(each) == room]:
        here = path.relative_to(ROOT)
        for name in _imports(path):
            if name.startswith("longreach."):
                parts = name.split(".")[1:]
                assert parts[0] in allowed, f"{here} imports {name}"
                private = next((k for k, part in enumerate(parts) if re.match(r"_[a-z]", part)), None)
                if private is not None:
                    assert here.parts[:private] == tuple(parts[:private]), f"{here} imports {name}"
            if name.split(".")[0] == "torch":
                assert room in WITH_TORCH | LATE_TORCH, f"{here} imports torch"
        if room in LATE_TORCH:
            assert not any(name.split(".")[0] == "torch" for name in _imports(path, late=False)), here


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


def test_a_question_about_theory_loads_little() -> None:
    loaded = _loaded_by(["ask", "regex:(aa)*", "--minutes", "0"])
    assert not loaded & {"torch", "matplotlib", "networkx", "automata", "lark", "longreach.runs.train"}
    ours = {name for name in loaded if name.split(".")[0] == "longreach"}
    assert not {name for name in ours if name.startswith(("longreach.execution", "longreach.theory.limit"))}
    assert len(ours) <= 140


def _loaded_with(module: str, then: str = "pass") -> set[str]:
    code = f"import json, sys, {module}\n{then}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(("side", "checker", "most"), [("nope", "check_no", 22), ("ape", "check_yes", 39)])
def test_a_verdict_and_its_check_load_what_they_need(side: str, checker: str, most: int) -> None:
    """From an expression to a certificate and its check; a no writes and reads no program."""
    check = {
        "check_no": "assert check_no.check_certificate(proof) is None",
        "check_yes": "assert check_yes.check_program(proof, None).status == 'valid'",
    }
    then = f"""
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates import {checker}
from longreach.theory.verdicts.judge import judge
proof = judge(from_expression("(aa)*")).{side}.certificate
{check[checker]}"""
    loaded = {name for name in _loaded_with("longreach", then) if name.startswith("longreach.theory.")}
    assert len(loaded & {_module_of(path) for path in _modules() if path.name != "__init__.py"}) <= most
    assert not loaded & {f"longreach.theory.automata.{name}" for name in ("learn", "named", "files")}


def test_a_configuration_is_read_without_torch_and_numpy() -> None:
    names = ["run", "model", "scales", "encodings"]
    modules = ", ".join(f"longreach.config.{name}" for name in names)
    assert not _loaded_with(modules) & {"torch", "numpy"}


def test_the_front_door_loads_nothing_before_it_is_used() -> None:
    loaded = _loaded_with("longreach")
    assert not loaded & {"numpy", "pydantic", "torch", "typing", "importlib.metadata", "pathlib"}
    assert {name for name in loaded if name.startswith("longreach")} == {"longreach"}


def test_experiments_are_planned_without_torch() -> None:
    assert "torch" not in _loaded_with("longreach.runs.train")
    assert "torch" not in _loaded_with("longreach.studies.study")
