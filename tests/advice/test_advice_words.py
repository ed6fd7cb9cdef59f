from __future__ import annotations

from pathlib import Path

import pytest

from longreach.advice import advise
from longreach.advice.advice_words import (
    NOTHING_KNOWN,
    NOTHING_NEEDED,
    as_text,
    conclusion,
    shares_words,
    time_words,
    trial_ranges,
)
from tests.helpers.made_up_training import replace_training


def test_conclusions_without_trials() -> None:
    assert conclusion(advise("sort", minutes=0)) == NOTHING_NEEDED
    assert conclusion(advise("kgram-retrieval", minutes=0)) == NOTHING_KNOWN
    assert conclusion(advise("boolean-expressions", minutes=0)) == (
        "Not tried yet: no theory speaks for a change; "
        "worth a try is boolean-expressions+scratchpad with coupled."
    )
    assert "parity+scratchpad with coupled-local" in conclusion(advise("parity", minutes=0))


@pytest.mark.slow
def test_conclusions_of_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    found = advise("copy-repeat", runs=tmp_path / "works")
    said = conclusion(found)
    assert said.startswith("copy-repeat with coupled-local works: 2 of 2 runs work at lengths")
    assert "as it is, 0 of 2 runs work" in said
    assert len(trial_ranges(found)) == 3
    replace_training(monkeypatch, lambda member: False)
    failed = conclusion(advise("copy-repeat", runs=tmp_path / "fails"))
    assert failed.startswith("Tried, and not seen to work: copy-repeat with coupled-local (0 of 2 runs work)")
    assert "copy-repeat+index-hints with ape (0 of 2 runs work)" in failed


def test_text() -> None:
    text = as_text(advise("parity", minutes=0))
    assert text.splitlines()[0] == "parity   whether the number of ones is even or odd"
    assert "expected to fail; proved" in text
    assert "+scratchpad" in text


def test_numbers() -> None:
    assert shares_words((0.999, 1.0)) == "100.0 %"
    assert shares_words((0.1, 1.0)) == "10.0–100.0 %"
    assert time_words(1) == "about 15 s"
    assert time_words(90) == "about 2 min"
