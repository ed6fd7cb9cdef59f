""""""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.cli.options import Changes
from tests.cli.conftest import Call


def test_names() -> None:
    assert Changes(scratchpad=True).of("regex:a+") == "regex:a++scratchpad"


def test_options_are_names(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("forecast", "parity", "--scratchpad", "--json")
    assert done.document["task"] == "parity+scratchpad"
    assert longreach("forecast", "parity+scratchpad", "--json").document["task"] == "parity+scratchpad"
    planned = longreach("train", "addition", "--reversed", "--dry-run", "--json").document
    assert planned["config"]["task"] == "addition+reversed"
    asked = longreach("ask", "parity", "--scratchpad", "--minutes", 0, "--json").document
    assert asked["task"] == "parity+scratchpad"
    wrong = longreach("forecast", "sort", "--scratchpad")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.first_error == "TASK: sort+scratchpad: no steps are known that could be written down"
