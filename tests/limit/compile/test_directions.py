"""Directions as values: their names in files, and the files themselves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from longreach.crasp.library import load
from longreach.limit.compile.directions import (
    INVERSE,
    ONE,
    START_BIT,
    Direction,
    looked_up,
    looked_up_bit,
    operation,
)
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.run.model_files import save

ALL = [ONE, START_BIT, INVERSE, operation(0), operation(12), looked_up(3, 12), looked_up_bit(3, 12)]


@pytest.mark.parametrize("direction", ALL, ids=lambda direction: direction.name)
def test_a_name_is_read_back(direction: Direction) -> None:
    assert Direction.read(direction.name) == direction


def test_a_name_of_the_source_is_a_direction_of_its_own() -> None:
    assert Direction.read("C_open") == Direction("C_open")


def test_directions_are_ordered_by_name() -> None:
    assert [each.name for each in sorted(ALL)] == sorted(each.name for each in ALL)


@pytest.mark.parametrize(
    ("program", "config", "tensors"),
    [
        ("dyck-1", "c5a7da3aeb039742", "0a2825fd914d6a18"),
        ("contains-bb", "ae97caccdceedd1f", "140ea5dae371b5ea"),
    ],
)
def test_files_stay_as_they_are(program: str, config: str, tensors: str, tmp_path: Path) -> None:
    """Recorded when directions were strings: the order of coordinates and units decides every byte."""
    save(compile_program(load(program).core), tmp_path / "model")
    for name, wanted in (("config.json", config), ("model.safetensors", tensors)):
        assert hashlib.sha256((tmp_path / "model" / name).read_bytes()).hexdigest().startswith(wanted)
