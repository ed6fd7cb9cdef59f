from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import longreach
from longreach.config.encoding_table import ENCODINGS, EncodingRow, unknown_encoding


def test_names_are_those_of_their_rows() -> None:
    assert all(name == row.name for name, row in ENCODINGS.items())
    assert list(ENCODINGS)[:2] == ["nope", "ape"]


@pytest.mark.parametrize("row", ENCODINGS.values(), ids=lambda row: row.name)
def test_a_row_says_what_it_is(row: EncodingRow) -> None:
    assert row.about.endswith(".")
    assert row.source
    assert row.title.lower() == row.name


@pytest.mark.parametrize(("name", "width", "heads"), [("sinusoidal", 7, 1), ("rope", 6, 2)])
def test_shapes_that_do_not_fit(name: str, width: int, heads: int) -> None:
    refusal = ENCODINGS[name].refusal(width=width, heads=heads)
    assert refusal is not None
    assert refusal.startswith(f"{name} needs an even width")
    assert ENCODINGS[name].refusal(width=2 * width, heads=heads) is None
    assert ENCODINGS["ape"].refusal(width=width, heads=heads) is None


def test_unknown_names() -> None:
    assert unknown_encoding("ape") is None
    assert unknown_encoding("qqqq") == f"unknown encoding 'qqqq'; known are {', '.join(ENCODINGS)}"


CODE = """
import torch

from longreach.models.encoding_modules import Encoding


class NearbyOnly(Encoding):
    def bias(self, parameters, config, layer, query_ids, key_ids):
        return -(query_ids[..., :, None] - key_ids[..., None, :]).abs().float()[..., None, :, :]
"""
ROW = """        EncodingRow(
            name="nearby", title="nearby", code="nearby_only:NearbyOnly", about="Attends nearby.",
            source="nobody",
        ),
"""
CHECK = """
from longreach.experiments import resolve
from longreach.forecast import forecast
from longreach.training.engine import train

given = {"train_lengths": (1, 4), "max_steps": 2, "test_size": 4, "layers": 1, "heads": 2, "width": 8}
assert train(resolve("parity", "nearby", **given)).steps == 2
assert forecast("aa").encodings["nearby"].source == "nobody"
"""


def test_an_encoding_is_one_file_and_one_row(tmp_path: Path) -> None:
    source = Path(longreach.__file__).parent
    shutil.copytree(source, tmp_path / "longreach", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "longreach" / "models" / "nearby_only.py").write_text(CODE)
    table = tmp_path / "longreach" / "config" / "encoding_table.py"
    head, end, tail = table.read_text(encoding="utf-8").partition("    ]\n)  # fmt: skip")
    table.write_text(head + ROW + end + tail, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", CHECK]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
