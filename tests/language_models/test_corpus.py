"""Texts from files and from a package, divided into training and tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.language_models import corpus as module
from longreach.language_models.corpus import CITATION, Corpus, default_corpus, from_files


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
    with pytest.raises(InputError, match="no text in it"):
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
