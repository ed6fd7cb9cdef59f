"""Families of programs, and trees of words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.crasp.core import Core
from longreach.theory.search.space import FAMILIES, Family, WordTree, accepted_on
from longreach.theory.search.synthesize import synthesize
from tests.helpers.all_programs import all_programs
from tests.helpers.crasp_oracle import all_words, core_values


def test_relations_up_to_a_modulus_and_a_distance() -> None:
    family = Family(modulus=3, distance=1)
    assert family.guards == (None, (1,), (0, 1))
    assert [test.residues for test in family.position_tests] == [
        (0,),
        (1,),
        (0,),
        (1,),
        (2,),
        (0, 1),
        (0, 2),
        (1, 2),
    ]
    assert {test.modulus for test in family.position_tests} == {2, 3}


@pytest.mark.parametrize("name", FAMILIES)
def test_names_come_back(name: str) -> None:
    assert Family.named(name).name == name


PROGRAMS = all_programs("a", Family(modulus=2, distance=2), 4)


@settings(max_examples=60)
@given(st.sampled_from(PROGRAMS), st.lists(st.text("ab", max_size=8), max_size=3))
def test_it_says_what_the_definition_says(core: Core, words: list[str]) -> None:
    tree = WordTree.of("ab", length=2, words=words)
    assert core.accept is not None
    wanted = [core_values(core, word)[core.accept][-1] for word in tree.words]
    assert accepted_on(core, tree).tolist() == wanted


def test_all_words_stand_in_order() -> None:
    tree = WordTree.of("ab", length=3)
    assert list(tree.words) == list(all_words("ab", 3))
    assert tree.longest == 3


@given(st.lists(st.text("abc", max_size=7), max_size=5), st.integers(0, 2))
def test_a_tree_has_the_words_and_their_beginnings(words: list[str], length: int) -> None:
    tree = WordTree.of("abc", length=length, words=words)
    wanted = set(all_words("abc", length)) | {tuple(w[:k]) for w in words for k in range(len(w) + 1)}
    assert set(tree.words) == wanted
    assert len(tree.words) == len(wanted)
    assert [len(word) for word in tree.words] == tree.lengths.tolist()


@given(st.integers(0, 2**31), st.sampled_from([None, (1,), (0, 2), (0, 1, 3)]))
def test_counts_are_those_along_the_word(seed: int, distances: tuple[int, ...] | None) -> None:
    tree = WordTree.of("ab", length=3, words=["abbab"])
    truth = np.random.default_rng(seed).random((2, len(tree))) < 0.5
    counts = tree.count(truth, distances, np.int16)
    assert np.array_equal(tree.unpack(tree.pack(truth)), truth)
    for row, single in zip(truth, counts, strict=True):
        wanted = []
        for word in tree.words:
            before = range(1, len(word) + 1)
            chosen = [j for j in before if distances is None or len(word) - j in distances]
            wanted.append(sum(bool(row[tree.words.index(word[:j])]) for j in chosen))
        assert single.tolist() == wanted
        assert tree.count(row, distances).tolist() == wanted


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Family.named("locl"), "class: no class named 'locl'; did you mean 'local'"),
        (lambda: Family(modulus=9), "modulus: must be 1 to 8"),
        (lambda: Family(distance=7), "distance: must be 0 to 6"),
        (lambda: WordTree.of("ab", words=["ac"]), "token 'c' is not in the alphabet a b"),
        (lambda: WordTree.of("ab", length=40), "more than"),
        (lambda: WordTree.of("aa"), "distinct"),
        (lambda: synthesize([("ab", True), ("ab", False)]), "a b has two labels"),
        (lambda: synthesize(lambda word: True), "needs its letters"),
        (lambda: synthesize(lambda word: 1 // len(word), alphabet="a"), "fails on ε: ZeroDivisionError"),
        (lambda: synthesize({"ab": True}, alphabet="a"), "'b' stands in an example, and not among a"),
        (
            lambda: synthesize({"a" * 2001: True}),
            "an example has 2,001 letters; a search takes at most 2,000",
        ),
        (lambda: synthesize({}), "no examples"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
