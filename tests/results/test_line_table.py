from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from longreach.errors import InputError
from longreach.results.line_table import read_lines


@dataclass(frozen=True)
class Run:
    run: str
    seed: int


ADAPTER = TypeAdapter(Run)


def test_lines_in_order_without_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"run": "b", "seed": 1}\n\n{"run": "a", "seed": 2}\n')
    assert read_lines(path, ADAPTER) == (Run("b", 1), Run("a", 2))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"run": "a", "seed": 1}\n{"run": "a", "seed": 2}', r"runs\.jsonl:2: the run a is there twice"),
        (b'{"run": "a", "seed": 1}\n{"run": "b"}', r"runs\.jsonl:2: seed: "),
        (b"{", r"runs\.jsonl:1: Invalid JSON"),
        (b"\xff", r"runs\.jsonl: is not UTF-8 text"),
    ],
)
def test_bad_tables_are_refused_by_the_line(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        read_lines(path, ADAPTER)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_lines(tmp_path / "none.jsonl", ADAPTER)
