"""The length of the inference procedure beside measured ones."""

from __future__ import annotations

from longreach.answer.inferred_length import family_for, inferred_length, inferred_words
from longreach.languages.regular.named_languages import named_automaton
from longreach.synthesis.program_family import Family


def test_large_alphabets_and_relations_are_not_tried() -> None:
    assert inferred_length(named_automaton("aa-bb-cc-dd-ee"), Family()) is None
    assert inferred_length(named_automaton("aa"), Family(modulus=8)) is None


def test_families_are_those_that_are_needed() -> None:
    assert family_for("nope", None, None) == Family()
    assert family_for("ape", 3, 1) == Family(modulus=3, distance=1)
    assert family_for("ape", None, None) == Family(modulus=2, distance=1)
    assert family_for("ape", 1, 30) is None
    assert family_for("rope", 1, 1) is None


def test_what_is_not_found_is_said() -> None:
    run = inferred_length(named_automaton("aa"), Family())
    assert run is not None
    assert inferred_words(run).endswith("a program for words up to 8 letters needs 8 operations or more")
