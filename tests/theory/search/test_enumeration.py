"""Programs in order of size, against all programs of a size one by one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.budget import Budget
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.words import Encoder
from longreach.theory.search.behaviours import KeyTable
from longreach.theory.search.enumeration import Enumeration, Finisher, MemoryLimit
from longreach.theory.search.files import load_enumeration, save_enumeration
from longreach.theory.search.programs import core_of
from longreach.theory.search.space import Family, WordTree
from tests.helpers.all_programs import all_programs
from tests.helpers.crasp_oracle import core_values

Behaviour = tuple[bool, ...]


def naive(alphabet: str, family: Family, tree: WordTree, sizes: int) -> list[set[Behaviour]]:
    """The behaviours of each size that no smaller program has, by crasp's own evaluator."""
    found: list[set[Behaviour]] = []
    for size in range(1, sizes + 1):
        here: set[Behaviour] = set()
        for core in all_programs(alphabet, family, size):
            encoder = Encoder(core)
            here.add(tuple(accepts(core, [encoder.tokens(word) for word in tree.words]).tolist()))
        found.append(here - set().union(*found))
    return found


def listed(enumeration: Enumeration, size: int) -> set[Behaviour]:
    rows = [each.behaviour for each in enumeration.of_size(size)]
    assert len(rows) == len(set(rows))
    return {tuple(row) for row in enumeration.tree.unpack(enumeration.behaviours.bits[rows]).tolist()}


@pytest.mark.parametrize(
    ("alphabet", "family", "sizes"),
    [
        ("ab", Family(), 4),
        ("a", Family(), 4),
        pytest.param("a", Family(), 5, marks=pytest.mark.slow),
        ("a", Family(modulus=2, distance=1), 4),
        ("a", Family(distance=2), 4),
        ("a", Family(modulus=3), 3),
        ("abc", Family(), 3),
    ],
    ids=str,
)
def test_the_behaviours_of_each_size_are_those_of_all_programs(
    alphabet: str, family: Family, sizes: int
) -> None:
    tree = WordTree.of(alphabet, length=3, words=[alphabet[-1] * 5])
    enumeration = Enumeration(tree, family)
    for size, wanted in enumerate(naive(alphabet, family, tree, sizes), 1):
        assert listed(enumeration, size) == wanted, size


def test_the_evaluator_of_the_oracle_reads_the_definition() -> None:
    """A sample of the programs, read literally."""
    tree = WordTree.of("a", length=4)
    for core in all_programs("a", Family(modulus=2, distance=1), 4)[::40]:
        encoder = Encoder(core)
        for word in tree.words:
            assert accepts(core, [encoder.tokens(word)])[0] == core_values(core, word)[core.accept or 0][-1]


@pytest.mark.parametrize("family", [Family(), Family(modulus=2, distance=1)], ids=str)
def test_the_last_two_operations_need_no_sets(family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    """With too little memory for the last sets the same behaviours are found."""
    tree = WordTree.of("ab", length=3)
    whole, narrow = Enumeration(tree, family), Enumeration(tree, family)
    for size in range(1, 6):
        wanted = listed(whole, size)
        if size == 5:
            monkeypatch.setattr(narrow, "grow", _out_of_memory)
        assert listed(narrow, size) == wanted
    assert narrow.level == 3
    assert whole.level == 4


def _out_of_memory() -> None:
    raise MemoryLimit("as if")


@pytest.mark.parametrize("family", [Family(), Family(modulus=2, distance=1)], ids=str)
def test_a_search_for_labels_finds_every_behaviour_at_its_size(family: Family) -> None:
    tree = WordTree.of("ab", length=3)
    whole, searched = Enumeration(tree, family), Enumeration(tree, family)
    sizes = 6 if family == Family() else 5
    for size in (sizes - 1, sizes):
        some = whole.of_size(size)
        for each in some[:: max(1, len(some) // 12)]:
            said = whole.behaviours.bits[each.behaviour]
            finisher = Finisher(searched.behaviours, said, tree.everywhere)
            assert not list(searched.matching(size - 1, finisher))
            (found,) = searched.matching(size, finisher)
            assert np.array_equal(searched.behaviours.bits[found.behaviour], said)
    assert searched.known_to == sizes - 2


def test_a_search_with_some_labels_finds_every_behaviour_that_has_them() -> None:
    tree = WordTree.of("ab", length=4)
    whole, searched = Enumeration(tree, Family()), Enumeration(tree, Family())
    known = tree.pack((tree.lengths <= 2)[None])[0]
    for each in whole.of_size(5)[::4]:
        said = whole.behaviours.bits[each.behaviour] & known
        right = [
            other.behaviour
            for other in whole.of_size(6)
            if not ((whole.behaviours.bits[other.behaviour] ^ said) & known).any()
        ]
        wanted = {whole.behaviours.bits[number].tobytes() for number in right}
        finisher = Finisher(searched.behaviours, said, known)
        found = {searched.behaviours.bits[f.behaviour].tobytes() for f in searched.matching(6, finisher)}
        assert wanted <= found


def test_it_ends_at_the_memory_limit_and_keeps_what_it_has() -> None:
    enumeration = Enumeration(WordTree.of("ab", length=3), Family(), Budget(seconds=60, bytes=1_000_000))
    with pytest.raises(MemoryLimit, match="the memory limit of 1 MB"):
        enumeration.of_size(12)
    assert enumeration.known_to >= 3
    assert len(enumeration.of_size(2)) == 3


def test_two_runs_are_the_same() -> None:
    runs = [Enumeration(WordTree.of("ab", length=3), Family()) for _ in range(2)]
    assert runs[0].of_size(6) == runs[1].of_size(6)
    assert runs[0].candidates == runs[1].candidates


def test_counts_never_overflow() -> None:
    enumeration = Enumeration(WordTree.of("a", words=["a" * 60]), Family())
    enumeration.of_size(5)
    said = enumeration.tree.everywhere
    with pytest.raises(MemoryLimit, match="too large for small integers"):
        next(enumeration.matching(13, Finisher(enumeration.behaviours, said, said)))


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
    with pytest.raises(InputError, match="not JSON"):
        load_enumeration(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        load_enumeration(tmp_path / "nowhere")


KEYS = st.integers(1, 2**64 - 1) | st.integers(1, 40)


@given(st.lists(st.lists(KEYS, unique=True, max_size=60), max_size=6), st.lists(KEYS, max_size=40))
def test_it_finds_what_was_put_in(parts: list[list[int]], asked: list[int]) -> None:
    table, wanted = KeyTable(2), dict[int, int]()
    for part in parts:
        fresh = [key for key in part if key not in wanted]
        values = list(range(len(wanted), len(wanted) + len(fresh)))
        table.insert(np.array(fresh, np.uint64), np.array(values, np.int32))
        wanted.update(zip(fresh, values, strict=True))
    keys = [*wanted, *asked]
    assert table.find(np.array(keys, np.uint64)).tolist() == [wanted.get(key, -1) for key in keys]
    assert len(table) == len(wanted)
