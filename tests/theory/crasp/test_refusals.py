"""What programs, their transformations and formulas refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longreach.errors import InputError
from longreach.theory.crasp.compare import equal
from longreach.theory.crasp.core import Not, Top
from longreach.theory.crasp.evaluate import accepts, predictions
from longreach.theory.crasp.majority import (
    Formula,
    FormulaBuilder,
    Majority,
    Mod,
    satisfies,
    to_majority_logic,
)
from longreach.theory.crasp.morphisms import Padding, inverse_image, remove_relations
from longreach.theory.crasp.program import Builder, parse
from longreach.theory.crasp.syntax import SortMismatch, conditional, count, position, token
from longreach.theory.crasp.transform import (
    complement,
    difference,
    left_quotient,
    right_quotient,
    strict_masks,
    union,
    with_empty_word,
)

P, Q, A, B = token("p"), token("q"), count("a"), count("b")
PREDICTOR = parse('output "a" = "b"').core
CLOSED = parse('#alphabet a b\nP = # "a" >= 1').core
WIDER = parse('#alphabet a b c\nP = # "a" >= 1').core
EVEN = parse("#alphabet a b\nP = i % 2 == 0").core
NESTED = parse('#alphabet a b\nP = #[i-1] "a" >= 1\nQ = #[i-1] P >= 1\nR = # Q >= 1').core
LOGIC = FormulaBuilder()

SORTS: list[tuple[Callable[[], object], str]] = [
    (lambda: A & P, "'&&' takes a Boolean on its left, not a count"),
    (lambda: P + 1, "'+' takes a count on its left, not a Boolean"),
    (lambda: P == Q, "to compare Booleans write p <=> q"),
    (lambda: A + True, "'+' takes a count on its right, not a Boolean"),
    (lambda: ~A, "'!' takes a Boolean, not a count"),
    (lambda: count(3), "'#' takes a Boolean, not a count"),
    (lambda: A * B, "'*' takes an integer and a count"),
    (lambda: conditional(P, Q, 1), "the first value must be a count, not a Boolean"),
]
REFUSALS: list[tuple[Callable[[], object], str]] = [
    # Expressions and programs built in Python
    (lambda: token(""), "non-empty"),
    (lambda: count("a", -1), "looks back"),
    (lambda: count("a", 10**7), "at most 1000000"),
    (lambda: count("a", 1, before=True), "not both"),
    (lambda: position(0, 0), "at least 1"),
    (lambda: position(3, 3), "0 … 2"),
    (lambda: position(3), "0 … 2"),
    (lambda: Builder().let("1x", P), "'1x' is not a name"),
    (lambda: Builder().let("in", P), "'in' is not a name"),
    (lambda: Builder().let("a b", P), "'a b' is not a name"),
    (lambda: Builder().let("", P), "'' is not a name"),
    (lambda: Builder().output("a", A), "must be a Boolean, not a count"),
    (lambda: Builder().program(), "no Boolean statement"),
    # What acceptors and predictors are not asked for
    (lambda: parse('P = "a"').predicts("a"), "accepts or rejects words and predicts nothing"),
    (lambda: equal(PREDICTOR, CLOSED, 3), "predictor"),
    (lambda: complement(PREDICTOR), "predictor"),
    (lambda: to_majority_logic(PREDICTOR), "predictor"),
    (lambda: strict_masks(PREDICTOR), "predictor"),
    (lambda: with_empty_word(PREDICTOR, True), "predictor"),
    (lambda: union(PREDICTOR, PREDICTOR), "predictor"),
    (lambda: left_quotient(PREDICTOR, "a"), "predictor"),
    (lambda: right_quotient(PREDICTOR, "a"), "predictor"),
    (lambda: inverse_image(PREDICTOR, {"x": "a"}), "predictor"),
    (lambda: remove_relations(PREDICTOR, "b"), "predictor"),
    # Alphabets that do not agree
    (lambda: equal(CLOSED, WIDER, 3), "'c'"),
    (lambda: equal(WIDER, CLOSED, 3), "'c'"),
    (lambda: union(CLOSED, parse('P = # "c" >= 1').core), "'c'"),
    (lambda: difference(CLOSED, WIDER), "'c'"),
    (lambda: left_quotient(CLOSED, "ac"), "'c'"),
    (lambda: right_quotient(CLOSED, "ac"), "'c'"),
    # Morphisms and paddings
    (lambda: inverse_image(CLOSED, {"x": "a", "y": "ab"}), "one length"),
    (lambda: inverse_image(CLOSED, {"x": "c"}), "'c'"),
    (lambda: inverse_image(CLOSED, {}), "at least one"),
    (lambda: remove_relations(EVEN, "b", padding=Padding("b", 1, 1)), "multiple of the modulus 2"),
    (lambda: remove_relations(EVEN, "c"), "not in the alphabet"),
    (lambda: remove_relations(EVEN, "b", padding=Padding("a", 1, 0)), "made of"),
    (lambda: remove_relations(NESTED, "b", padding=Padding("b", 1, 1)), "reach 2 positions back"),
    (lambda: Padding("b", -1, 0), "at least 0"),
    (lambda: Padding("", 1, 0), "non-empty"),
    # Formulas
    (lambda: LOGIC.sentence(LOGIC.letter("a", "x")), "x is free"),
    (lambda: satisfies("a", LOGIC.formula(LOGIC.letter("a", "x"))), "free variable"),
    (lambda: Formula((Mod(2, 2, "x"),), 0), "residue"),
    (lambda: Formula((Not(0),), 0), "before"),
    (lambda: Formula((Top(), Majority("x", ((0, 0),))), 1), "at least once"),
    (lambda: Formula((Top(),), 1), "no node"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in caught.value.message


@pytest.mark.parametrize(("call", "message"), SORTS)
def test_sorts_are_checked(call: Callable[[], object], message: str) -> None:
    with pytest.raises(SortMismatch) as caught:
        call()
    assert message in caught.value.message


def test_asking_an_acceptor_to_predict() -> None:
    with pytest.raises(ValueError, match="accepts"):
        predictions(CLOSED, [])
    with pytest.raises(ValueError, match="predictions"):
        accepts(PREDICTOR, [])
