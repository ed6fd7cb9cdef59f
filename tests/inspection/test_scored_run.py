"""Tables of runs that were looked into."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.inspection.limit_runs import LengthRow
from longreach.inspection.scored_run import read_scored, scored_text
from tests.helpers.scored_runs import scored_run


def test_a_table_and_back(tmp_path: Path) -> None:
    beyond = LengthRow(length=30, model=0.5, kept=None, strict=0.25)
    runs = [scored_run(2, True, 1 / 3, beyond=beyond), scored_run(1, False, 2.0, beside={"odds": 0.25})]
    path = tmp_path / "runs.jsonl"
    path.write_text(scored_text(runs), encoding="utf-8")
    second, first = read_scored(path)  # by language
    assert first == replace(runs[0], features={**runs[0].features, "margin": 0.333333})
    assert second == runs[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"works": true', '"works": 1'), ":1: works"),
        (('"margin"', '"height"'), "not those of this version"),
        (('"run": "2"', '"run": "1"'), ":2: the run 1 is there twice"),
        (("{", "", 1), ":1: "),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    path = tmp_path / "runs.jsonl"
    text = scored_text([scored_run(1, True, 0.0, language="a"), scored_run(2, True, 0.0, language="b")])
    path.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_scored(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_scored(tmp_path / "none")
