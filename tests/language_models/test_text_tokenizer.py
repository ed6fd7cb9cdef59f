"""Bytes and byte pairs: text to numbers, stored and read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError, MissingExtra
from longreach.language_models import text_tokenizer as module
from longreach.language_models.text_tokenizer import BytePairs, Bytes, read_tokenizer, write_tokenizer
from tests.helpers.extras import needs
from tests.helpers.text_samples import SENTENCE


@settings(max_examples=20)
@given(st.text())
def test_bytes_are_those_of_the_text(text: str) -> None:
    found = Bytes().encode(text)
    assert bytes(found).decode(errors="replace") == text.encode("utf-8", "replace").decode()
    assert all(token < Bytes.end < Bytes.size for token in found)


@needs("tokenizers")
def test_byte_pairs_write_any_text() -> None:
    tokenizer = BytePairs.learned([SENTENCE] * 3, 300)
    text = "a tab\t, a line\n, é, 漢字 and 🎈; <|end|>  two spaces"
    assert tokenizer._inner.decode(tokenizer.encode(text)) == text.encode("utf-8", "replace").decode()


@needs("tokenizers")
def test_byte_pairs_are_learned_and_kept(tmp_path: Path) -> None:
    tokenizer = BytePairs.learned([SENTENCE] * 3, 300)
    assert len(tokenizer.encode(SENTENCE)) < len(SENTENCE) // 2
    assert max(tokenizer.encode(SENTENCE)) < tokenizer.size <= 300
    assert tokenizer.end not in tokenizer.encode(SENTENCE)
    write_tokenizer(tmp_path / "t.json", tokenizer)
    again = read_tokenizer(tmp_path / "t.json")
    assert (again.encode(SENTENCE), again.size, again.end) == (
        tokenizer.encode(SENTENCE), tokenizer.size, tokenizer.end,
    )  # fmt: skip


def test_bytes_are_kept_and_damage_is_said(tmp_path: Path) -> None:
    write_tokenizer(tmp_path / "t.json", Bytes())
    assert isinstance(read_tokenizer(tmp_path / "t.json"), Bytes)
    (tmp_path / "t.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(InputError, match="not a stored tokenizer"):
        read_tokenizer(tmp_path / "t.json")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "has_byte_pairs", lambda: False)
    with pytest.raises(MissingExtra, match="text"):
        BytePairs.learned(["a"], 300)
