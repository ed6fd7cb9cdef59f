"""The documents of `language` and `forecast`, and the explanations, stay what they were."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from longreach.cli.main import run
from longreach.theory.program_class import SIDES

KEPT: dict[str, str] = json.loads((Path(__file__).parent / "documents.json").read_text(encoding="utf-8"))
"""A command → the hash of what it prints."""
MEASURED = ("odds", "odds_note")
ADDED = ("end_of_sequence_certificate", "last_letter_certificate", "prediction_everywhere_certificate")


OF_REACH = re.compile(r"^  with last matches.*\n(    .*\n)+|\nWhy not regular languages in AC⁰.*\n.+\n", re.M)
"""Its row, and its explanation."""


@pytest.mark.parametrize("command", KEPT)
def test_what_is_printed_stays(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert run(command.split(" ")) == 0
    assert fingerprint(capsys.readouterr().out) == KEPT[command]


def fingerprint(text: str) -> str:
    """Of a document all fields in their order that are not measured; last digits may differ by machine.

    Certificates of the further answers were added later, and so was the side `reach`.
    """
    if text.startswith("{"):
        document = {name: value for name, value in json.loads(text).items() if name not in MEASURED}
        for sides in (document, document.get("trained", {})):
            sides.pop("reach", None)
        for side in (document[key] for key in SIDES if key in document):
            for name in ADDED:
                side.pop(name, None)
            if side.get("prediction") == side["verdict"]:
                side.pop("prediction_certificate", None)
            if "task" in side["certificate"]:
                side["certificate"].pop("convention", None)
        text = json.dumps(_rounded(document), ensure_ascii=False)
    text = OF_REACH.sub("", text)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
