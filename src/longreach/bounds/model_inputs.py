"""A model's quantities as the inputs of bounds, with the reason where one is missing."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, inf

from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.bound_size import LARGEST, Number
from longreach.bounds.model_quantities import ModelQuantities

ONE_LAYER = ("L", "gamma", "period", "alphabet", "locality")
TWO_LAYERS = ("C_f", "C_g", "gamma_f", "gamma_g")
NO_WORSE = (
    "the trained model g is no worse than this one: no larger norms, no smaller margins, no other period"
)
CHOSEN = (
    "C(f) = exp(max_h ‖K₁ₕᵀQ₁ₕ‖) (τ + 1) Π (1 + norm) is our choice, and Definition 5.1 of the paper is not"
)


def model_inputs(found: ModelQuantities, against: ModelQuantities | None = None) -> BoundInputs:
    """What the bounds can use of a model, or with `against` of two: f, and g if that is known.

    >>> from longreach.bounds.model_quantities import quantities
    >>> from longreach.limit.compile.hand_built import induction_head
    >>> inputs = model_inputs(quantities(induction_head("ab")))
    >>> str(inputs.values["gamma_f"]), inputs.absent["L"]
    ('1', 'the model has 2 layers')
    """
    if found.layers == 1:
        return _one_layer(found, pair=against is not None)
    return _two_layers(found, found if against is None else against, pair=against is not None)


def depth_reason(layers: int) -> str | None:
    """Why no theorem speaks of so many layers, if none does."""
    if layers in (1, 2):
        return None
    what = f"{layers} layers" if layers else "no layer, it counts nothing"
    return f"the model has {what}; the theorems are about one and two layers"


def without_model(reason: str) -> BoundInputs:
    """What is said where no model is measured, and why: no theorem speaks of it, or there is none."""
    return BoundInputs(absent=dict.fromkeys((*ONE_LAYER, *TWO_LAYERS), reason))


def _one_layer(found: ModelQuantities, *, pair: bool) -> BoundInputs:
    values: dict[str, Number] = {
        "period": Fraction(found.period),
        "alphabet": Fraction(found.alphabet),
        "locality": Fraction(found.locality),
        "gamma": inf if found.logit_margin is None else found.logit_margin,
    }
    absent = dict.fromkeys(TWO_LAYERS, "the model has one layer")
    if found.precision is not None:
        values["precision"] = Fraction(found.precision)
    else:
        absent["precision"] = "--precision gives the bits of the attention weights"
    if found.steps:
        absent["L"] = (
            f"{found.steps} of {found.units} units of the MLP are Heaviside steps, which have no Lipschitz "
            f"constant; --set L={found.L:.4g} takes the formula's value all the same"
        )
    elif not found.L_squared:
        absent["L"] = "L is 0, because there is no MLP or nothing to attend to: the formula says nothing then"
    else:
        values["L"] = Fraction(found.L)
    assumed = {} if pair else dict.fromkeys(ONE_LAYER, NO_WORSE)
    return BoundInputs(values=values, absent=absent, assumed=assumed)


def _two_layers(f: ModelQuantities, g: ModelQuantities, *, pair: bool) -> BoundInputs:
    values: dict[str, Number] = {}
    absent = dict.fromkeys((*ONE_LAYER, "precision"), "the model has 2 layers")
    for name, model in (("f", f), ("g", g)):
        if model.steps:
            reason = f"{model.steps} of {model.units} units are Heaviside steps: no Lipschitz constant"
            absent[f"C_{name}"] = reason
        else:
            values[f"C_{name}"] = _power_of_two(model.complexity_log2)
        margin = model.positional_margin
        values[f"gamma_{name}"] = inf if margin is None else margin
    assumed = dict.fromkeys(("C_f", "C_g"), CHOSEN) | ({} if pair else dict.fromkeys(("gamma_g",), NO_WORSE))
    return BoundInputs(values=values, absent=absent, assumed=assumed)


def _power_of_two(exponent: float) -> Fraction:
    """Rounded up to a power of two where floating point ends."""
    return Fraction(2.0**exponent) if exponent < LARGEST else Fraction(2 ** ceil(exponent))
