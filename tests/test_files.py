"""Files from outside: one line for each thing that can be wrong with them, and nothing half written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel
from safetensors.numpy import save_file

from longreach import files
from longreach.errors import InputError


def _text(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _sparse(size: int) -> Callable[[Path], object]:
    """A file that looks so large and takes no room on disk."""
    return lambda path: (path.touch(), os.truncate(path, size))


class Point(BaseModel, extra="forbid"):
    height: float


def _point(path: Path) -> Point:
    return files.read_document(path, Point.model_validate_json, Point.model_fields)


REFUSALS: list[tuple[Callable[[Path], object], Callable[[Path], object], str]] = [
    (lambda path: None, files.read_bytes, "no such file"),
    (lambda path: path.mkdir(), files.read_bytes, "is a directory, not a file"),
    (os.mkfifo, files.read_bytes, "is a pipe, not a file"),
    (os.mkfifo, files.read_text, "is a pipe, not a file"),
    (lambda path: path.symlink_to("/dev/zero"), files.read_bytes, "is a device, not a file"),
    (_text(b"123456"), lambda path: files.read_bytes(path, most=5), "larger than 5 bytes"),
    (_sparse(files.DATA_BYTES + 1), files.read_text, "larger than 1 GiB"),
    (_sparse(files.DOCUMENT_BYTES + 1), lambda path: _point(path), "larger than 256 MiB"),
    (lambda path: None, files.read_text, "no such file"),
    (_text(b"a\xff"), files.read_text, "is not a text file (byte 1 is not UTF-8)"),
    (_text(b"a\0"), files.read_text, "is not a text file (it holds a NUL byte)"),
    (_text(b'{"height": "x"}'), _point, "height: expected a number, not 'x'"),
    (_text(b'{"heigth": 1}'), _point, "height: missing"),
    (_text(b'{"height": 1, "hight": 1}'), _point, "hight: no such field; did you mean 'height'?"),
    (_text(b"{"), _point, "Invalid JSON: EOF while parsing an object at line 1 column 1"),
]


@pytest.mark.parametrize(("make", "read", "reason"), REFUSALS)
def test_what_cannot_be_read_is_named_in_one_line(
    tmp_path: Path, make: Callable[[Path], object], read: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "file"
    make(path)
    with pytest.raises(InputError) as refused:
        read(path)
    assert refused.value.message == f"{path}: {reason}"


def test_names_with_a_nul_are_refused() -> None:
    with pytest.raises(InputError, match="cannot be read: embedded null byte"):
        files.read_text("a\0b")


def test_a_pipe_that_somebody_writes_to_is_refused_and_the_mark_of_a_text_is_no_part_of_it(
    tmp_path: Path,
) -> None:
    reader, writer = os.pipe()
    with pytest.raises(InputError, match="is a pipe, not a file"):
        files.read_text(f"/dev/fd/{reader}")
    os.close(writer)
    os.close(reader)
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfword\n")
    assert files.read_text(tmp_path / "marked") == "word\n"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_null(value: float) -> None:
    assert json.loads(files.json_text({"a": [value, 1.5], "b": ("é", value)})) == {
        "a": [None, 1.5],
        "b": ["é", None],
    }


def test_links_stay_links_and_pipes_are_written_to(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    files.write_file(link, "é")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "é"
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        files.write_file(tmp_path / "none" / "file", b"")


TENSORS = {"a": np.zeros((2, 3), dtype=np.float32), "b": np.ones(4, dtype=np.float32)}
SHAPES = {"a": (2, 3), "b": (4,)}


@pytest.fixture
def tensors(tmp_path: Path) -> Path:
    save_file(TENSORS, tmp_path / "model", {"about": "mine"})
    return tmp_path / "model"


def test_the_header_may_say_which_tensors_to_read(tensors: Path) -> None:
    found, header = files.read_tensors(tensors, lambda header: {header["about"][-1:].replace("e", "b"): (4,)})
    assert header == {"about": "mine"}
    assert list(found) == ["b"]
    assert found["b"].tolist() == [1.0] * 4
    assert set(files.read_tensors(tensors, SHAPES, dtype="F32", exactly=True)[0]) == {"a", "b"}


@pytest.mark.parametrize(
    ("shapes", "options", "reason"),
    [
        ({"a": (3, 2)}, {}, "a has the shape (2, 3), expected (3, 2)"),
        (SHAPES, {"dtype": "F16"}, "a is F32, expected F16"),
        ({"c": (1,)}, {}, "not the tensors that belong there: 'c'"),
        ({"a": (2, 3)}, {"exactly": True}, "not the tensors that belong there: 'b'"),
    ],
)
def test_tensors_of_another_shape_are_refused(
    tensors: Path, shapes: files.Shapes, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(InputError) as refused:
        files.read_tensors(tensors, shapes, **options)
    assert refused.value.message == f"{tensors}: {reason}"


@pytest.mark.parametrize("content", [b"", b"\xff" * 20, b"\x02\0\0\0\0\0\0\0{}", None])
def test_damaged_tensors_are_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        InputError, match=r"not a model, or damaged|not the tensors that belong there|no such file"
    ):
        files.read_tensors(path, SHAPES)
