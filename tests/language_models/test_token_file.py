"""Tokens in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.language_models.text_tokenizer import Bytes
from longreach.language_models.token_file import TokenFile, write_tokens


def made(folder: Path, *texts: list[str]) -> TokenFile:
    write_tokens(folder / "tokens.bin", texts, Bytes())
    return TokenFile(folder / "tokens.bin")


def test_texts_end_and_pieces_join(tmp_path: Path) -> None:
    tokens = made(tmp_path, ["ab", "c"], ["d"])
    assert tokens.windows([0], len(tokens)).tolist() == [[97, 98, 99, 256, 100, 256]]
    assert [path.name for path in tmp_path.iterdir()] == ["tokens.bin"]


def test_windows_in_order_and_drawn(tmp_path: Path) -> None:
    tokens = made(tmp_path, ["".join(chr(97 + k % 26) for k in range(100))])
    whole = tokens.windows([0], 101)[0]
    rows = tokens.in_order(10)
    assert rows.shape == (10, 10)
    assert (rows.reshape(-1) == whole[:100]).all()
    assert (tokens.in_order(10, 3) == rows[[0, 4, 9]]).all()
    drawn = tokens.drawn(500, 99, np.random.default_rng(0))
    assert {row[0] for row in drawn.tolist()} == {97, 98, 99}
    with pytest.raises(InputError, match="the text has 101 tokens, and a window needs 102"):
        tokens.in_order(102)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_tokens(tmp_path / "nowhere" / "t.bin", [], Bytes())
    (tmp_path / "odd.bin").write_bytes(b"abc")
    with pytest.raises(InputError, match="is not a file of tokens"):
        TokenFile(tmp_path / "odd.bin")
