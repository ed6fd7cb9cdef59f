from __future__ import annotations

from pathlib import Path

import pytest

from longreach.advice import advise
from longreach.report.advice_page import render_advice_page
from tests.helpers.html_page import check
from tests.helpers.made_up_training import replace_training


def test_theory_then_what_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    text = render_advice_page(advise("copy-repeat", runs=tmp_path))
    words = check(text).words
    parts = [
        "copy-repeat",
        "works: 2 of 2 runs",
        "As it is",
        "What would help",
        "Tried",
        "copy-repeat with ape",
    ]
    places = [words.index(part) for part in parts]
    assert places == sorted(places)
    assert text.count('class="seed nope"') == text.count('class="seed ape"') == 2 + 1  # and the legend


def test_theory_alone() -> None:
    text = render_advice_page(advise("parity", minutes=0))
    assert "Tried" not in check(text).words
