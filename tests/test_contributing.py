"""A task, an encoding, a study, a command, a remedy, a certificate can be added as CONTRIBUTING shows it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S))
FILE = re.compile(r"^File `(.*?)`:\n\n```python\n(.*?)```", re.M | re.S)
LINE = re.compile(r"^In `(.*?)`, (after|before) `(.*?)`:\n\n```text\n(.*?)```", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)$", re.M)


def test_there_is_an_example_of_each_kind() -> None:
    expected = [
        "A task",
        "A positional encoding",
        "An architecture",
        "A study",
        "A command",
        "A remedy",
        "A kind of certificate",
    ]
    assert list(SECTIONS) == expected


@pytest.mark.slow
@pytest.mark.parametrize("title", SECTIONS)
def test_an_addition_is_one_file_and_one_line(title: str, tmp_path: Path) -> None:
    text = SECTIONS[title]
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    ((name, code),) = FILE.findall(text)
    assert not (tmp_path / name).exists()
    (tmp_path / name).write_text(code, encoding="utf-8")
    ((table, where, anchor, line),) = LINE.findall(text)
    assert len(line.splitlines()) == 1
    _insert(tmp_path / table, where, anchor, line)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "OMP_NUM_THREADS": "1"}
    commands = COMMAND.findall(text)
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        call = [sys.executable, "-m", "longreach"] if program == "longreach" else [sys.executable]
        done = subprocess.run(
            [*call, *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr


def _insert(path: Path, where: str, anchor: str, line: str) -> None:
    text = path.read_text(encoding="utf-8")
    whole = f"{anchor}\n"
    place = text.rindex(whole) if where == "before" else text.index(whole) + len(whole)
    path.write_text(text[:place] + line + text[place:], encoding="utf-8")
