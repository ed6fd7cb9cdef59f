"""Two layers at infinite precision (Izzo, Nichani and Lee, arXiv 2510.27015, Theorem 5.2)."""

from __future__ import annotations

from fractions import Fraction

from longreach.bounds.bound_definition import ERROR, Definition, Term, Values
from longreach.bounds.bound_size import Number, Size
from longreach.bounds.finite_precision import PAPER


def base(values: Values) -> Size:
    """max(C(f), C(g)) / ε."""
    error = Fraction(values[ERROR])
    return Size.of(max(Fraction(values["C_f"]), Fraction(values["C_g"])) / error)


def exponent(values: Values) -> Size:
    """max(1/γ_f, 1/γ_g, 3); a margin that limits nothing is infinite."""
    return Size.of(max(Fraction(3), *(_inverse(values[name]) for name in ("gamma_f", "gamma_g"))))


def grams(values: Values) -> Size:
    """ε^{−k²}."""
    error, k = Fraction(values[ERROR]), Fraction(values["k"])
    return Size.of(1 / error).power(k * k)


def _inverse(margin: Number) -> Fraction:
    return 1 / margin if isinstance(margin, Fraction) else Fraction(0)


def _power(terms: dict[str, Size]) -> Size:
    assert terms["exponent"].exact is not None
    return terms["base"].power(terms["exponent"].exact)


TWO_LAYER = Definition(
    name="two-layer",
    terms={
        "base": Term(needs=("C_f", "C_g", ERROR), compute=base),
        "exponent": Term(needs=("gamma_f", "gamma_g"), compute=exponent),
    },
    combine=lambda terms: _power(dict(terms)),
    formula="(max(C(f), C(g)) / ε)^{max(1/γ_f, 1/γ_g, 3)}",
    says="two models of two layers that agree up to this length agree everywhere, up to an error of order ε",
    source=f"{PAPER} (arXiv 2510.27015), Theorem 5.2",
    assumes=(
        "f and g are limit transformers of two layers whose local logits alone are scaled, by log i",
        "nothing is rounded, and the MLPs are Lipschitz: no Heaviside units",
    ),
    constants="the factor is unknown and taken as 1; C(f) is known by its growth only",
    up_to_constants=True,
)
IN_CONTEXT_GRAMS = Definition(
    name="in-context-kgram",
    terms={"length": Term(needs=("k", ERROR), compute=grams)},
    combine=lambda terms: terms["length"],
    formula="ε^{−Θ(k²)}",
    says="for the in-context k-gram task some model of two layers has a bound of this growth",
    source=f"{PAPER} (arXiv 2510.27015), section 5",
    assumes=("the exponent is taken as k², its unknown factor as 1",),
    constants="the factor in the exponent is unknown: the number shows the growth and nothing else",
    up_to_constants=True,
    extra=True,
)
