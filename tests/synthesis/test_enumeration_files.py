"""Enumerations in a directory: they go on as if nothing had happened, and damage is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.synthesis.enumeration import Enumeration
from longreach.synthesis.enumeration_files import load_enumeration, save_enumeration
from longreach.synthesis.program_family import Family
from longreach.synthesis.set_to_program import core_of
from longreach.synthesis.word_tree import WordTree


@pytest.mark.parametrize("family", [Family(), Family(modulus=2, distance=1)], ids=str)
def test_it_goes_on_as_if_it_had_not_stopped(family: Family, tmp_path: Path) -> None:
    whole, first = (Enumeration(WordTree.of("ab", length=3), family) for _ in range(2))
    wanted = whole.of_size(5)
    first.of_size(3)
    save_enumeration(first, tmp_path / "state")
    again = load_enumeration(tmp_path / "state")
    assert again.found == first.found
    assert [core_of(each, again.behaviours) for each in again.of_size(5)] == [
        core_of(each, whole.behaviours) for each in wanted
    ]
    assert again.of_size(5) == wanted
    assert again.candidates == whole.candidates


def test_damage_is_refused(tmp_path: Path) -> None:
    known = Enumeration(WordTree.of("ab", length=2), Family())
    known.of_size(3)
    save_enumeration(known, tmp_path)
    arrays, state = tmp_path / "arrays.npz", tmp_path / "state.json"
    good = json.loads(state.read_text())
    state.write_text(json.dumps(good | {"alphabet": ["a", "b", "c"], "level": "x"}))
    with pytest.raises(InputError, match="is damaged"):
        load_enumeration(tmp_path)
    state.write_text(json.dumps(good | {"version": 99}))
    with pytest.raises(InputError, match="of this version"):
        load_enumeration(tmp_path)
    state.write_text(json.dumps(good))
    arrays.write_bytes(arrays.read_bytes() + b" ")
    with pytest.raises(InputError, match="does not belong"):
        load_enumeration(tmp_path)
    state.write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        load_enumeration(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        load_enumeration(tmp_path / "nowhere")
