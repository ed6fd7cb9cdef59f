"""The documents of `language` and `forecast`, and the explanations, stay what they were."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from longreach.cli.main import run

KEPT: dict[str, str] = json.loads((Path(__file__).parent / "documents.json").read_text(encoding="utf-8"))
"""A command → the hash of what it prints."""
MEASURED = ("odds", "odds_note")


@pytest.mark.parametrize("command", KEPT)
def test_what_is_printed_stays(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(command.split(" ")) == 0
    assert fingerprint(capsys.readouterr().out) == KEPT[command]


def fingerprint(text: str) -> str:
    """Of a document all fields in their order that are not measured; last digits may differ by machine."""
    if text.startswith("{"):
        document = {name: value for name, value in json.loads(text).items() if name not in MEASURED}
        text = json.dumps(_rounded(document), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
