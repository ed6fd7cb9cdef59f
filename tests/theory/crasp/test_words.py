"""Words on the command line and in files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.crasp import words
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Stream
from longreach.theory.crasp.program import parse
from longreach.theory.crasp.words import Encoder, encode, read_words

OPEN = parse('P = # "a" >= # "b"').core
CLOSED = parse('#alphabet a b\nP = # "a" >= # "b"').core
LONG = parse('#alphabet SOS a left\nP = exists "left"').core
EMPTY = parse("P = true").core


def _decoded(core: Core, codes: words.Codes) -> list[str]:
    return [[*core.alphabet, "?"][code] for code in codes.tolist()]


@pytest.mark.parametrize(
    ("core", "text", "tokens"),
    [
        (OPEN, "abba", "abba"),
        (OPEN, "a b b a", "abba"),
        (OPEN, "  a\tb  b a \n", "abba"),
        (OPEN, "aXb", "a?b"),
        (OPEN, "a XX b", "a?b"),
        (OPEN, "ab ba", "??"),
        (OPEN, "日a本", "?a?"),
        (OPEN, "ε", ""),
        (OPEN, " ε ", ""),
        (OPEN, "", ""),
        (OPEN, "aεb", "a?b"),
        (CLOSED, "abba", "abba"),
        (CLOSED, "ab\r\n", "ab"),
        (CLOSED, "b", "b"),
        (LONG, "SOS a left", ["SOS", "a", "left"]),
        (LONG, "a", ["a"]),
        (LONG, "ε", []),
        (EMPTY, "xy", "??"),
    ],
)
def test_spellings(core: Core, text: str, tokens: str | list[str]) -> None:
    assert _decoded(core, encode(core, text)) == list(tokens)


def test_lists_of_tokens() -> None:
    assert encode(LONG, ["left", "SOS"]).tolist() == [2, 0]
    assert encode(OPEN, ["ab", "b", "ε"]).tolist() == [2, 1, 2]
    assert encode(OPEN, []).tolist() == []
    with pytest.raises(InputError, match=r"^token 2 of the word: token 'x' is not in the alphabet"):
        encode(CLOSED, ["a", "x"])


@pytest.mark.parametrize("size", [1, 2, 150, 255, 256, 70_000])
def test_codes_are_places_in_the_alphabet(size: int) -> None:
    tokens = tuple(f"t{k}" for k in range(size))
    core = Core(OPEN.ops[:0] + EMPTY.ops, tokens, False, 0)
    assert encode(core, [tokens[-1], "other", tokens[0]]).tolist() == [size - 1, size, 0]
    single = Core(EMPTY.ops, tuple(chr(0x4E00 + k) for k in range(min(size, 20_000))), False, 0)
    assert encode(single, f"{single.alphabet[-1]}!").tolist() == [
        len(single.alphabet) - 1,
        len(single.alphabet),
    ]


@pytest.mark.parametrize(
    ("core", "text", "column", "message"),
    [
        (CLOSED, "abxa", 3, "token 'x' is not in the alphabet (a b)"),
        (CLOSED, "  abxa", 5, "token 'x' is not in the alphabet"),
        (CLOSED, "a  b c", 6, "token 'c' is not in the alphabet"),
        (CLOSED, "ab ba", 1, "tokens are separated by spaces, or all written together"),
        (CLOSED, "aεb", 2, "token 'ε' is not in the alphabet"),
        (LONG, "SOS lefd a", 5, "token 'lefd' is not in the alphabet; did you mean 'left'?"),
        (LONG, "SOSa", 1, "token 'SOSa' is not in the alphabet"),
        (LONG, "a " + "x" * 100, 3, "x…' is not in the alphabet"),
    ],
)
def test_tokens_outside_a_declared_alphabet(core: Core, text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Encoder(core).word(text, "words.txt:7")
    assert caught.value.message.startswith(f"words.txt:7:{column}: ")
    assert message in caught.value.message
    assert "\n" not in caught.value.message


FILE = """// a comment
abba

   // another
ε
a b b
  aab
"""


def _all(core: Core, path: Path | str) -> list[tuple[str, list[int]]]:
    found = []
    for word in read_words(core, path):
        pieces = word.codes if isinstance(word.codes, Iterator) else [word.codes]
        found.append((word.text, [code for piece in pieces for code in piece.tolist()]))
    return found


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_of_words(tmp_path: Path, end: str, mark: str) -> None:
    file = tmp_path / "words.txt"
    expected = [("abba", [0, 1, 1, 0]), ("ε", []), ("a b b", [0, 1, 1]), ("aab", [0, 0, 1])]
    file.write_bytes((mark + FILE.replace("\n", end)).encode())
    assert _all(CLOSED, file) == expected
    file.write_bytes((mark + FILE.rstrip().replace("\n", end)).encode())
    assert _all(CLOSED, file) == expected


def test_errors_in_files_name_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text(FILE + "ab c\n")
    with pytest.raises(InputError) as caught:
        _all(CLOSED, file)
    assert caught.value.message.startswith(f"{file}:8:1: token 'ab' is not in the alphabet")
    file.write_text(FILE + "aabbc\n")
    with pytest.raises(InputError) as caught:
        _all(CLOSED, file)
    assert caught.value.message.startswith(f"{file}:8:5: token 'c' is not in the alphabet")


def test_files_that_hold_no_words(tmp_path: Path) -> None:
    binary, nul, empty = tmp_path / "binary", tmp_path / "nul", tmp_path / "empty"
    binary.write_bytes(b"ab\n\xff\xfe")
    nul.write_bytes(b"ab\n\0")
    empty.write_text("\n// none\n")
    for path, message in (
        (binary, "is not a text file (it is not UTF-8)"),
        (nul, "is not a text file (it holds a NUL byte)"),
        (tmp_path / "missing", "no such file"),
        (tmp_path, "is a directory, not a file"),
    ):
        with pytest.raises(InputError) as caught:
            _all(CLOSED, path)
        assert caught.value.message == f"{path}: {message}"
    assert _all(CLOSED, empty) == []


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("ab\nba\n"))
    assert _all(CLOSED, "-") == [("ab", [0, 1]), ("ba", [1, 0])]
    monkeypatch.setattr("sys.stdin", io.StringIO("ab\nbx\n"))
    with pytest.raises(InputError, match=r"^<stdin>:2:2: token 'x'"):
        _all(CLOSED, "-")


# Long lines, read in pieces


@pytest.mark.parametrize("piece", [7, 8, 9, 16, 50])
@pytest.mark.parametrize(
    ("core", "line"),
    [
        (CLOSED, "ab" * 40),
        (CLOSED, "a b " * 30),
        (CLOSED, "   " + "ab" * 40 + "    "),
        (CLOSED, "a    b     " * 9),
        (LONG, "SOS left a left " * 12),
        (LONG, " left" * 17),
        (OPEN, "axb" * 20),
        (OPEN, "日本a" * 20),
        (CLOSED, "ε"),
        (CLOSED, "     ε      "),
        (CLOSED, "ab"),
    ],
)
def test_pieces_are_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, core: Core, line: str, piece: int
) -> None:
    file = tmp_path / "words.txt"
    file.write_text(
        f"{line}\n//{line}\n\n{line}\nab\n" if core is not LONG else f"{line}\n//{line}\n\n{line}\na\n"
    )
    whole = encode(core, line).tolist()
    last = encode(core, "a" if core is LONG else "ab").tolist()
    monkeypatch.setattr(words, "PIECE", piece)
    assert [codes for _, codes in _all(core, file)] == [whole, whole, last]


@given(st.data(), st.integers(6, 40))
def test_random_lines_in_pieces(data: st.DataObject, piece: int) -> None:
    core = data.draw(st.sampled_from([CLOSED, LONG, OPEN]))
    tokens = data.draw(st.lists(st.sampled_from(core.alphabet), min_size=1, max_size=60))
    spaced = core is LONG or data.draw(st.booleans())
    spaces = data.draw(st.lists(st.sampled_from([" ", "  ", "\t"]), min_size=60, max_size=60))
    line = "".join(t + (s if spaced else "") for t, s in zip(tokens, spaces, strict=False))
    pieces = [line[k : k + piece] for k in range(0, len(line), piece)]
    encoder = Encoder(core)
    found = [code for codes in encoder.pieces(pieces, "w:1") for code in codes.tolist()]
    assert found == encode(core, tokens).tolist()
    assert encoder.word(line).tolist() == found


@pytest.mark.parametrize(
    ("core", "line", "column", "message"),
    [
        (CLOSED, "ab" * 30 + "x" + "ab" * 30, 61, "token 'x' is not in the alphabet"),
        (CLOSED, "a b " * 20 + "x a b", 81, "token 'x' is not in the alphabet"),
        (LONG, "  SOS " + "left " * 20 + "lefd a", 107, "did you mean 'left'?"),
        (CLOSED, "ab" * 30 + " ab", 61, "a space inside a word whose beginning is written together"),
    ],
)
def test_errors_in_long_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, core: Core, line: str, column: int, message: str
) -> None:
    monkeypatch.setattr(words, "PIECE", 16)
    file = tmp_path / "words.txt"
    file.write_text(f"\n{line}\n")
    with pytest.raises(InputError) as caught:
        _all(core, file)
    assert caught.value.message.startswith(f"{file}:2:{column}: ")
    assert message in caught.value.message


def test_a_token_longer_than_memory_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "PIECE", 16)
    file = tmp_path / "words.txt"
    file.write_text("SOS " + "x" * 100)
    with pytest.raises(InputError, match=r":1:5: a token of more than 16 characters"):
        _all(LONG, file)


def test_a_long_token() -> None:
    core = parse('P = exists "left"').core
    assert encode(core, "x" * 2_000_000 + " left " + "y" * 2_000_000).tolist() == [1, 0, 1]


def test_streamed_files_give_the_result_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "PIECE", 1000)
    file = tmp_path / "words.txt"
    rng = np.random.default_rng(3)
    lines = ["".join("ab"[k] for k in rng.integers(0, 2, 7919)) for _ in range(6)]
    file.write_text("\n".join(lines))
    accepted = []
    for word in read_words(CLOSED, file):
        assert isinstance(word.codes, Iterator)
        assert word.text.endswith("…")
        stream = Stream(CLOSED)
        for piece in word.codes:
            assert len(piece) <= 1000
            stream.feed(piece)
        assert stream.position == 7919
        accepted.append(stream.accepted)
    assert accepted == [line.count("a") >= line.count("b") for line in lines]
    assert len(set(accepted)) == 2
