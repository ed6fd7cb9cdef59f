"""One program on a tree of words, against the literal reading."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp.core import Core
from longreach.synthesis.program_family import Family
from longreach.synthesis.tree_evaluator import accepted_on
from longreach.synthesis.word_tree import WordTree
from tests.helpers.all_programs import all_programs
from tests.helpers.crasp_oracle import core_values

PROGRAMS = all_programs("a", Family(modulus=2, distance=2), 4)


@settings(max_examples=60)
@given(st.sampled_from(PROGRAMS), st.lists(st.text("ab", max_size=8), max_size=3))
def test_it_says_what_the_definition_says(core: Core, words: list[str]) -> None:
    tree = WordTree.of("ab", length=2, words=words)
    assert core.accept is not None
    wanted = [core_values(core, word)[core.accept][-1] for word in tree.words]
    assert accepted_on(core, tree).tolist() == wanted
