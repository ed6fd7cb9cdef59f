""""""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.cli.options import Changes
from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]


def test_names() -> None:
    assert Changes(scratchpad=True).of("regex:a+") == "regex:a++scratchpad"


def test_options_are_names(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("forecast", "parity", "--scratchpad", "--json")
    assert json.loads(done.out)["task"] == "parity+scratchpad"
    assert json.loads(longreach("forecast", "parity+scratchpad", "--json").out)["task"] == "parity+scratchpad"
    planned = json.loads(longreach("train", "addition", "--reversed", "--dry-run", "--json").out)
    assert planned["config"]["task"] == "addition+reversed"
    asked = json.loads(longreach("ask", "parity", "--scratchpad", "--minutes", 0, "--json").out)
    assert asked["task"] == "parity+scratchpad"
    wrong = longreach("forecast", "sort", "--scratchpad")
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.first_error == "TASK: sort+scratchpad: no steps are known that could be written down"
