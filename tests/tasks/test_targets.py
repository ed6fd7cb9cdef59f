"""Names of targets: languages, acceptors, functions and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.tasks.targets import target_named
from longreach.theory.search.targets import ExamplesTarget, PredicateTarget, ProgramTarget, RegularTarget


@pytest.mark.parametrize(
    ("name", "kind", "alphabet"),
    [
        ("tomita-4", RegularTarget, ("0", "1")),
        ("parity-language", RegularTarget, ("a", "b")),
        ("regex:(ab)*", RegularTarget, ("a", "b")),
        ("dyck-1", ProgramTarget, ("(", ")")),
        ("lib:count-3", ProgramTarget, ("0", "1")),
        ("crasp:lib:contains-bb", ProgramTarget, ("a", "b")),
    ],
)
def test_what_is_meant(name: str, kind: type, alphabet: tuple[str, ...]) -> None:
    found = target_named(name)
    assert isinstance(found, kind)
    assert found.alphabet == alphabet


def starts_with_a(word: tuple[str, ...]) -> bool:
    return word[:1] == ("a",)


def test_functions_and_files(tmp_path: Path) -> None:
    found = target_named("tests.tasks.test_targets:starts_with_a", "ab", length=4)
    assert isinstance(found, PredicateTarget)
    assert found.ask(("a", "b"))
    file = tmp_path / "some.jsonl"
    file.write_text('{"input": "ab", "output": 1}\n{"input": ["b"], "output": false}\n')
    read = target_named(f"data:{file}")
    assert isinstance(read, ExamplesTarget)
    assert dict(read.examples) == {("a", "b"): True, ("b",): False}
