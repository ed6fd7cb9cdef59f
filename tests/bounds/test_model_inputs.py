"""What the bounds can use of a model, and what they are told where they cannot."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from longreach.bounds.all_bounds import bounds
from longreach.bounds.bound_definition import NotApplicable
from longreach.bounds.model_inputs import NO_WORSE, depth_reason, model_inputs, without_model
from longreach.bounds.model_quantities import quantities
from longreach.crasp.library import load
from longreach.limit.compile.hand_built import induction_head
from longreach.limit.compile.program_to_limit import compile_program
from tests.bounds.test_model_quantities import one_layer


def test_one_layer_with_everything() -> None:
    model = one_layer(phi=[0.0, 0.5], period=2)
    found = bounds(model_inputs(quantities(model, precision=3)), Fraction(1, 2))
    worst, workshop = found.bounds
    norm = Fraction(quantities(model).L)
    assert worst.terms["hard"].number() == 2**6
    assert worst.terms["resolution"].exact == norm**2 * 2**7 * 2**6 * 4
    assert workshop.terms["resolution"].exact == 2 * norm**2 * 4
    assert NO_WORSE in worst.assumes
    (two,) = (each for each in found.not_applicable if each.definition.name == "two-layer")
    assert set(two.why.values()) == {"the model has one layer"}


def test_equal_logits_limit_nothing() -> None:
    inputs = model_inputs(quantities(one_layer()))
    assert inputs.values["gamma"] == inf
    assert "one-layer-worst-case" in {each.definition.name for each in bounds(inputs, Fraction(1)).bounds}


def test_a_pair_takes_nothing_for_granted() -> None:
    f = quantities(one_layer(), precision=3)
    assert NO_WORSE not in bounds(model_inputs(f, f), Fraction(1)).bounds[0].assumes


def test_steps_have_no_lipschitz_constant() -> None:
    inputs = model_inputs(quantities(compile_program(load("majority").core), precision=8))
    assert inputs.absent["L"].startswith("1 of 1 units of the MLP are Heaviside steps")
    found = bounds(inputs, Fraction(1, 10)).not_applicable[0]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("L",)
    # Whoever gives L vouches for it.
    again = bounds(inputs.given({"L": Fraction(2)}), Fraction(1, 10)).bounds[0]
    assert again.definition.name == "one-layer-worst-case"


def test_without_an_mlp_the_formula_says_nothing() -> None:
    inputs = model_inputs(quantities(one_layer(units=0), precision=8))
    assert "L is 0" in inputs.absent["L"]


def test_two_layers() -> None:
    inputs = model_inputs(quantities(induction_head("ab")))
    (found,) = bounds(inputs, Fraction(1, 10)).bounds
    assert found.definition.name == "two-layer"
    assert found.terms["exponent"].number() == 3
    assert any("our choice" in text for text in found.assumes)
    stepping = model_inputs(quantities(compile_program(load("tomita-4").core)))
    assert "Heaviside" in stepping.absent["C_f"]
    assert not bounds(stepping, Fraction(1, 10)).bounds


@pytest.mark.parametrize("layers", [0, 3])
def test_depths_that_no_theorem_speaks_of(layers: int) -> None:
    reason = depth_reason(layers)
    assert reason is not None
    found = bounds(without_model(reason), Fraction(1, 10))
    assert not found.bounds
    assert found.not_applicable[0].why["gamma"] == reason
    assert depth_reason(1) is depth_reason(2) is None
