"""Smallest and larger programs."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.theory.budget import Budget
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.words import Encoder
from longreach.theory.search.enumeration import Enumeration
from longreach.theory.search.programs import (
    LocalSearch,
    core_of,
    joined,
    larger_program,
    packed_labels,
    readable,
    smallest_program,
)
from longreach.theory.search.space import Family, WordTree, accepted_on
from longreach.theory.search.targets import target_of


def _between(word: tuple[str, ...]) -> bool:
    return 1 <= word.count("a") <= 2 and word[-1:] == ("b",)


def test_tests_are_joined() -> None:
    target = target_of(_between, "ab", length=6)
    tree = WordTree.of("ab", length=5)
    known = Enumeration(tree, Family())
    known.of_size(6)
    core = joined(known, *packed_labels(tree, target), 20)
    assert core is not None
    assert accepted_on(core, tree).tolist() == target.labels(tree)[0].tolist()
    assert core.relations == ()


def test_local_search_is_right_and_repeats() -> None:
    tree = WordTree.of("01", length=4)
    said = np.array([word.count("1") >= word.count("0") for word in tree.words])
    everything = np.ones(len(tree), bool)
    runs = [LocalSearch(tree, said, everything, Family(), seed=3) for _ in range(2)]
    found = [run.run(9, Budget(seconds=60).running()) for run in runs]
    assert found[0] is not None
    assert found[0] == found[1]
    assert runs[0].tried == runs[1].tried > 0
    assert accepted_on(found[0], tree).tolist() == said.tolist()


def test_local_search_ends_with_its_time() -> None:
    tree = WordTree.of("ab", length=4)
    rng = np.random.default_rng(0)
    search = LocalSearch(tree, rng.random(len(tree)) < 0.5, np.ones(len(tree), bool), Family())
    assert search.run(5, Budget(seconds=0.3).running()) is None


def test_what_is_found_after_a_search_is_right() -> None:
    target = target_of(_between, "ab", length=7)
    search = smallest_program(target, Family(), max_size=3)
    assert search.core is None
    found = larger_program(target, Family(), search=search, max_size=20, budget=Budget(seconds=30).running())
    assert found.core is not None
    assert found.method == "join"
    assert found.check is not None
    assert found.check.witness is None
    tree = WordTree.of("ab", length=7)
    assert accepted_on(found.core, tree).tolist() == target.labels(tree)[0].tolist()


@pytest.mark.parametrize(("family", "size"), [(Family(), 6), (Family(modulus=2, distance=1), 4)], ids=str)
def test_programs_have_their_size_and_behaviour(family: Family, size: int) -> None:
    known = Enumeration(WordTree.of("ab", length=4), family)
    known.of_size(size)
    for found in known.found[::3]:
        core = core_of(found, known.behaviours)
        assert core.size == found.size
        wanted = known.tree.unpack(known.behaviours.bits[[found.behaviour]])[0]
        encoder = Encoder(core)
        assert accepts(core, [encoder.tokens(word) for word in known.tree.words]).tolist() == wanted.tolist()
        assert readable(core).core.size == core.size
