"""Where things stand: tests mirror the source, names mean one thing, helpers are in one place."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import longreach

SOURCE = Path(longreach.__file__).parent
TESTS = Path(__file__).parent

# Tests of what several modules do together; every other test stands where the module that it tests does.
ACROSS = {
    "test_contributing.py": "the examples of additions",
    "test_demo.py": "the recorded demonstration",
    "test_docs.py": "the examples of the documents",
    "test_examples.py": "the scripts and notebooks of examples/",
    "test_front_door.py": "what `import longreach` offers",
    "test_benchmarks.py": "benchmarks load and compare the same work",
    "test_imports.py": "the order of packages",
    "test_layout.py": "this",
    "cli/test_stacking.py": "members side by side, from the command line to the results",
    "cli/test_terminal.py": "what no command may print",
    "forecast/test_trained.py": "forecasts of tasks as they are trained",
    "languages/test_alike.py": "letters that act alike, from the decision to the program",
    "languages/test_prediction_on_prefixes.py": "prediction, from the decision to the program",
    "limit/test_pipeline.py": "from a program to all that is made of it",
    "report/test_browser.py": "the report in a browser",
    "report/live/test_playground_browser.py": "the playground in a browser",
    "studies/test_laptop_results.py": "the committed results",
    "synthesis/test_languages_from_examples.py": "from labelled words to programs that are proved",
    "tasks/test_algorithmic.py": "the tasks of one file each, by the same means",
    "verdicts/test_documents.py": "the documents of commands, pinned",
    "training/test_faults.py": "kills, interruptions and damaged files",
    "training/test_prediction_forecast.py": "training meets its forecast",
}
# What package docstrings name that stands elsewhere, by package.
NAMED_ELSEWHERE = {
    "limit/translate": {"norms"},
    "models": {"train"},  # an extra
    "verdicts": {"certificate_kinds"},
}
# Names that several modules may share, with the reason; today none need it.
SHARED: dict[str, str] = {}


def test_tests_mirror_the_source() -> None:
    found = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    astray = {
        path.as_posix()
        for path in found
        if not (SOURCE / path.with_name(path.name.removeprefix("test_"))).is_file()
    }
    assert astray - ACROSS.keys() == set(), "no module of that name there: rename the test, or list it"
    assert ACROSS.keys() - astray == set(), "listed, but it has a module or is gone"


def test_no_two_modules_share_a_name() -> None:
    names = Counter(path.stem for path in SOURCE.rglob("*.py") if path.stem != "__init__")
    assert {name for name, times in names.items() if times > 1} == SHARED.keys()


def test_packages_name_modules_that_they_have() -> None:
    for path in SOURCE.rglob("__init__.py"):
        package = path.parent.relative_to(SOURCE).as_posix()
        named = set(
            re.findall(r"`([a-z_0-9]+)`", ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
        )
        there = {each.stem for each in path.parent.rglob("*") if each.suffix == ".py" or each.is_dir()}
        assert named - there == NAMED_ELSEWHERE.get(package, set()), package


def test_helpers_stand_together() -> None:
    """Beside tests, `__init__` and what pytest collects there are only the modules of tests/helpers."""
    plain = {"__init__.py", "conftest.py"}
    elsewhere = [
        path.relative_to(TESTS).as_posix()
        for path in TESTS.rglob("*.py")
        if not path.name.startswith("test_") and path.name not in plain and path.parent != TESTS / "helpers"
    ]
    assert elsewhere == []
