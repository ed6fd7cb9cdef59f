"""Tests of `inspection.texts`."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError, MissingExtra
from longreach.inspection import texts as module
from longreach.inspection.texts import (
    CITATION,
    BytePairs,
    Bytes,
    Corpus,
    TokenFile,
    default_corpus,
    files_of,
    from_files,
    read_tokenizer,
    rows_of,
    write_tokenizer,
    write_tokens,
)
from tests.helpers.extras import needs
from tests.helpers.text_samples import SENTENCE


def joined(corpus: Corpus, held_out: bool) -> list[str]:
    return ["".join(pieces) for pieces in corpus.pieces(held_out)]


def test_few_texts_are_cut_and_many_are_divided(tmp_path: Path) -> None:
    words = " ".join(str(k) for k in range(200))
    files = []
    for number in range(40):
        files.append(tmp_path / f"{number:02}.txt")
        files[-1].write_text(f"{number} {words}", encoding="utf-8")
    one = Corpus((files[0],), "here")
    assert joined(one, False)[0] + joined(one, True)[0] == f"0 {words}"
    assert 0 < len(joined(one, True)[0]) <= len(words) // 20 + 4
    many = Corpus(tuple(files), "here")
    assert [text.split()[0] for text in joined(many, True)] == ["19", "39"]
    assert len(joined(many, False)) == 38


def test_rows_of_a_dataset_are_texts(tmp_path: Path) -> None:
    rows = [f"row {number} of them" for number in range(45)]
    for name, part in (("b.jsonl", rows[30:]), ("a.jsonl", rows[:30])):
        lines = "".join(json.dumps({"text": row}) + "\n" for row in part)
        (tmp_path / name).write_text(lines, encoding="utf-8")
    corpus = from_files([tmp_path])
    assert joined(corpus, True) == [rows[19], rows[39]]
    assert joined(corpus, False) == [row for row in rows if row not in (rows[19], rows[39])]
    assert "".join(corpus.whole_texts()) == "".join(f"{row}\n\n" for row in rows)
    few = from_files([tmp_path / "b.jsonl"])
    pairs = zip(joined(few, False), [*joined(few, True), *[""] * 15], strict=False)
    assert "".join(one for one, _ in pairs) == "".join(rows[30:])  # too short for a twentieth


@pytest.mark.parametrize("piece", [7, 16, 1 << 20])
def test_the_cut_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """However the text is read, a training part and the last twentieth of it, at white space."""
    monkeypatch.setattr(module, "PIECE", piece)
    text = "\n".join(f"line {number} has words" for number in range(60))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    corpus = from_files([tmp_path / "a.txt"])
    (train,), (test,) = joined(corpus, False), joined(corpus, True)
    assert train + test == text
    assert test[0] in " \n"
    assert len(text) // 20 <= len(test) <= len(text) // 20 + 8


def test_pieces_end_before_white_space_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE", 16)
    path = tmp_path / "a.txt"
    text = "some words\nof several lengths averylongwordwithoutanyspaces and the end"
    path.write_text(text, encoding="utf-8")
    pieces = list(Corpus((path,), "here").whole_texts())
    assert "".join(pieces) == text
    assert len(pieces) > 2
    assert all(piece[0] in " \n" for piece in pieces[1:])


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        from_files([tmp_path / "missing"])
    with pytest.raises(InputError, match="no text files"):
        from_files([tmp_path])
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        list(from_files([tmp_path / "binary"]).whole_texts())
    with pytest.raises(InputError, match="no text"):
        Corpus((), "nowhere")


def test_the_package_is_read_without_running_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speeches = tmp_path / "fake_speeches" / "data" / "speeches"
    speeches.mkdir(parents=True)
    (tmp_path / "fake_speeches" / "__init__.py").write_text("raise SystemExit", encoding="utf-8")
    (speeches / "1790-b.txt").write_text("second", encoding="utf-8")
    (speeches / "1790-a.txt").write_text("first", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "PACKAGE", "fake_speeches")
    found = default_corpus()
    assert (list(found.whole_texts()), found.source) == (["first", "second"], CITATION)
    assert "fake_speeches" not in sys.modules
    for path in speeches.iterdir():
        path.unlink()
    with pytest.raises(InputError, match="no speeches"):
        default_corpus()
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    with pytest.raises(MissingExtra, match="--text"):
        default_corpus()


def test_the_standard_library_is_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = from_files([Path("python")])
    assert {"ast.py", "textwrap.py"} <= {path.name for path in found.files}
    assert not any("test" in path.parts or "site-packages" in path.parts for path in found.files)
    (tmp_path / "notes.txt").write_text("words", encoding="utf-8")
    both = from_files([Path("notes.txt"), Path("python")])
    assert [path.name for path in both.files[:1]] == ["notes.txt"]
    assert (both.files[1:], both.source) == (found.files, f"notes.txt, {found.source}")
    (tmp_path / "python").write_text("a file of this name", encoding="utf-8")
    assert from_files([Path("python")]).files == (Path("python"),)


ROWS = ["one row", "", "two\nlines", "ünd so fort"]
KEPT = [row for row in ROWS if row]


def _lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _arrow(path: Path, columns: dict[str, list[Any]]) -> Path:
    """As `save_to_disk` writes it: a stream; `.ipc.arrow` is the format with an index."""
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table(columns)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
        return path
    make = arrow.ipc.new_file if path.name.endswith(".ipc.arrow") else arrow.ipc.new_stream
    with arrow.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.ipc.arrow"])
def test_tables(tmp_path: Path, name: str) -> None:
    numbers = list(range(len(ROWS)))
    assert list(rows_of(_arrow(tmp_path / name, {"id": numbers, "text": ROWS}))) == KEPT
    assert list(rows_of(_arrow(tmp_path / name, {"id": numbers, "content": [*ROWS[:3], None]}))) == KEPT[:2]
    with pytest.raises(InputError, match=r"no column 'text'; there are title, body$"):
        list(rows_of(_arrow(tmp_path / name, {"title": ROWS, "body": ROWS})))
    with pytest.raises(InputError, match="the column text holds no text"):
        list(rows_of(_arrow(tmp_path / name, {"text": numbers})))
    (tmp_path / name).write_bytes(b"this is none of it" * 9)
    with pytest.raises(InputError, match="damaged"):
        list(rows_of(tmp_path / name))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.json.gz", "a.jsonl.gz"])
def test_lines(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def write(text: str) -> Path:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    assert list(rows_of(write(_lines([{"text": row, "n": 1} for row in ROWS]) + "\n"))) == KEPT
    assert list(rows_of(write(_lines([{"body": row, "n": 1} for row in ROWS])))) == KEPT
    assert list(rows_of(write(_lines([{"text": None}])))) == []
    for text, said in (("{", ":1: is not a line of JSON"), ('{"text": "a"}\n[1]', ":2: is not a JSON object"),
                       ('{"n": 1}', "no column 'text'; there are n")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            list(rows_of(write(text)))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json.gz").write_bytes(b"not zipped")
    with pytest.raises(InputError, match=r"a\.json\.gz: cannot be read"):
        list(rows_of(tmp_path / "a.json.gz"))
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        list(rows_of(tmp_path / "a.jsonl"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="parquet"):
        list(rows_of(tmp_path / "a.parquet"))


def test_directories(tmp_path: Path) -> None:
    """Tables of all splits and nothing of what stands beside them; texts where there is no table."""
    with pytest.raises(InputError, match="no text files"):
        files_of(tmp_path)
    (tmp_path / "b.txt").write_text("a text", encoding="utf-8")
    (tmp_path / "README.md").write_text("about", encoding="utf-8")
    assert [path.name for path in files_of(tmp_path)] == ["b.txt"]
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "data-00000-of-00001.arrow").touch()
        (tmp_path / split / "state.json").write_text("{}", encoding="utf-8")
    (tmp_path / "dataset_dict.json").write_text("{}", encoding="utf-8")
    assert [path.parent.name for path in files_of(tmp_path)] == ["test", "train"]


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


def test_files_that_hold_no_tokens(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_tokens(tmp_path / "nowhere" / "t.bin", [], Bytes())
    (tmp_path / "odd.bin").write_bytes(b"abc")
    with pytest.raises(InputError, match="is not a file of tokens"):
        TokenFile(tmp_path / "odd.bin")
