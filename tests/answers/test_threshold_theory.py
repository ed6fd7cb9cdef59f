"""Tests of `answers.threshold_theory`."""

from __future__ import annotations

import pytest

from longreach.answers.bounds import ratio_of
from longreach.answers.forecast import forecast
from longreach.answers.threshold_theory import (
    NO_BOUND,
    NOT_INFERRED,
    bound_words,
    family_for,
    inferred_length,
    inferred_words,
    length_theory,
)
from longreach.theory.automata.named import named_automaton
from longreach.theory.search.space import Family


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


@pytest.mark.parametrize(("task", "states"), [("tomita-3", 5), ("aa", 2), ("regex:(ab)*", 3)])
def test_the_bound_of_an_automaton(task: str, states: int) -> None:
    found = length_theory(forecast(task), "nope")
    (bound,) = (each for each in found.bounds if each.definition.name == "automaton")
    assert bound.value.number() == 2 * states - 2
    assert ratio_of(bound.value, 4) == (2 * states - 2) / 4
    assert ratio_of(bound.value, None) is None
    assert "bound / measured ≥" in bound_words(bound, 4, or_less=True)
    assert "measured" not in bound_words(bound, None)


def test_what_is_not_known_is_said() -> None:
    found = length_theory(forecast("copy-repeat"), "rope")
    assert found.answer is None
    assert found.words.startswith("not known")
    document = found.document(None)
    assert (document["verdict"], document["bounds"]) == (None, [])
    assert document["notes"] == [NO_BOUND, NOT_INFERRED]
    assert document["inference"] is None


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("task", ["parity", "binary-majority", "binary-majority-interleave"])
def test_the_verdict_is_that_of_the_forecast(task: str, encoding: str) -> None:
    known = forecast(task)
    found = length_theory(known, encoding)
    assert found.answer is known.sides[encoding].trained
    assert found.words.startswith(known.sides[encoding].trained.expectation)


def test_the_inference_procedure_stands_beside_it() -> None:
    found = length_theory(forecast("aa"), "ape")
    assert found.inference is not None
    assert (found.inference.n0, found.inference.n0_trained_to) == (1, 1)
    assert found.document(8)["inference"]["n0"] == 1
    assert found.notes[-1].startswith("N₀ = 1 of the inference procedure")
    without = length_theory(forecast("aa"), "nope")
    assert without.notes[-1].startswith(
        "N₀ of the inference procedure is not known: a program for words up to 8"
    )
