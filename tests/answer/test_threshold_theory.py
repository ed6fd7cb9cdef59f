from __future__ import annotations

import pytest

from longreach.answer.threshold_theory import NO_BOUND, bound_words, length_theory, ratio
from longreach.forecast import forecast


@pytest.mark.parametrize(("task", "states"), [("tomita-3", 5), ("aa", 2), ("regex:(ab)*", 3)])
def test_the_bound_of_an_automaton(task: str, states: int) -> None:
    found = length_theory(forecast(task), "nope")
    (bound,) = (each for each in found.bounds if each.definition.name == "automaton")
    assert bound.value.number() == 2 * states - 2
    assert ratio(bound, 4) == (2 * states - 2) / 4
    assert ratio(bound, None) is None
    assert "bound / measured ≥" in bound_words(bound, 4, or_less=True)
    assert "measured" not in bound_words(bound, None)


def test_what_is_not_known_is_said() -> None:
    found = length_theory(forecast("copy-repeat"), "rope")
    assert found.answer is None
    assert found.words.startswith("not known")
    document = found.document(None)
    assert (document["verdict"], document["bounds"]) == (None, [])
    assert document["notes"] == [NO_BOUND, "the length of the inference procedure is not available yet"]


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("task", ["parity", "binary-majority", "binary-majority-interleave"])
def test_the_verdict_is_that_of_the_forecast(task: str, encoding: str) -> None:
    known = forecast(task)
    found = length_theory(known, encoding)
    assert found.answer is known.sides[encoding].trained
    assert found.words.startswith(known.sides[encoding].trained.expectation)
