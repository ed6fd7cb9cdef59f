"""Quantities of models and programs that bounds take as inputs.

The names are those of Izzo, Nichani and Lee (arXiv 2510.27015): L, Δ, τ, |Σ|, p and two margins that both are
called γ there. Margins are exact, for the parameters as they are stored; norms are square roots.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import ceil, inf, lcm, log, log2, prod, sqrt
from typing import Any

import numpy as np

from longreach.errors import InputError
from longreach.theory.bounds.definition import LARGEST, BoundInputs, Number
from longreach.theory.bounds.inputs import ONE_LAYER, TWO_LAYERS
from longreach.theory.limit.finite import least_period
from longreach.theory.limit.margins import Dyadic, first_inputs, first_layer_gap
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer


class Regime(StrEnum):
    """Which part of a head's logits wins at long lengths: the largest φ against 1."""

    TOKENS = "token-dominated"
    BALANCED = "balanced"
    POSITIONS = "position-dominated"


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadQuantities:
    """One head of the first layer."""

    logit_margin: Fraction | None
    """The least positive difference of two logits that one query can see; None: all are equal."""
    positional_margin: Fraction | None
    """max P_h less its runner-up, P_h = the values of φ together with 1; None: P_h has one element."""
    regime: Regime
    key_query: float
    """‖KᵀQ‖, the operator norm."""
    value: float
    """The largest ‖V (E_s + p_r)‖ over tokens s and residues r."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelQuantities:
    """The quantities of a limit transformer of one or two layers, or of a pair (`combined`)."""

    layers: int
    L_squared: Fraction
    """L², exact for one head: L = ‖A‖_F ‖B‖_F times the largest Σ_h ‖V_h (E_s + p_r)‖, of the first layer."""
    period: int
    """Δ, the least."""
    locality: int
    """τ: beyond this distance φ is zero."""
    alphabet: int
    """|Σ|, without the start symbol."""
    precision: int | None
    """p of finite-precision attention, given from outside: not the rounding that a model's file names."""
    heads: tuple[HeadQuantities, ...]
    """Of the first layer."""
    steps: int
    """Heaviside units, of which no Lipschitz constant is known."""
    units: int
    """Units of the MLPs in all; without any L is zero and says nothing."""
    output: float
    """‖U‖ Π (1 + ‖A‖_F ‖B‖_F): how much outputs can change per change of the first layer's attention."""
    complexity_log2: float
    """log₂ C(f), by the documented choice of `complexity_log2`."""

    @property
    def L(self) -> float:
        return _root(self.L_squared)

    @property
    def logit_margin(self) -> Fraction | None:
        """γ of one layer; None: each head sees equal logits only, and attention is uniform at any length."""
        return min((head.logit_margin for head in self.heads if head.logit_margin is not None), default=None)

    @property
    def positional_margin(self) -> Fraction | None:
        """γ of two layers; None: no head limits the bound."""
        known = (head.positional_margin for head in self.heads)
        return min((margin for margin in known if margin is not None), default=None)

    def document(self) -> dict[str, Any]:
        """As `longreach bound --json` prints it; a margin of null limits nothing."""
        return {
            "kind": "limit",
            "layers": self.layers,
            "L": self.L,
            "period": self.period,
            "locality": self.locality,
            "alphabet": self.alphabet,
            "precision": self.precision,
            "gamma": _plain(self.logit_margin),
            "positional_margin": _plain(self.positional_margin),
            "heads": [
                {
                    "logit_margin": _plain(head.logit_margin),
                    "positional_margin": _plain(head.positional_margin),
                    "regime": head.regime.value,
                    "key_query_norm": head.key_query,
                    "value_norm": head.value,
                }
                for head in self.heads
            ],
            "units": self.units,
            "heaviside_units": self.steps,
            "output_norm": self.output,
            "log2_complexity": self.complexity_log2,
        }

    @property
    def hard_from(self) -> float:
        """log₂ of the length from which attention is hard, p/γ; 0 where all logits are equal."""
        if self.logit_margin is None:
            return 0.0
        if self.precision is None:
            raise InputError("no precision is given: attention need not become hard")
        return float(self.precision / self.logit_margin)


def quantities(model: Transformer, *, precision: int | None = None) -> ModelQuantities:
    """Measure a limit transformer of one or two layers; `precision` is p of finite-precision attention.

    >>> from longreach.theory.limit.hand_built import induction_head
    >>> found = quantities(induction_head("ab"), precision=8)
    >>> found.locality, found.alphabet, str(found.logit_margin), found.hard_from
    (1, 2, '2', 4.0)
    """
    if model.kind != "limit":
        raise InputError("the bounds are about limit transformers, and this one is finite")
    if len(model.layers) not in (1, 2):
        raise InputError(
            f"a model of {len(model.layers)} layers: the bounds are about one or two"
            if model.layers
            else "a model without layers: the bounds are about one or two"
        )
    if precision is not None and precision < 0:
        raise InputError(f"precision {precision}: a number of bits is not negative")
    first = model.layers[0]
    locality = model.locality
    values = [_value_squares(model, head) for head in first.heads]
    return ModelQuantities(
        layers=len(model.layers),
        L_squared=_mlp_squares(first) * _largest_sum(values),
        period=least_period(model.positions),
        locality=locality,
        alphabet=len(model.vocabulary) - 1,
        precision=precision,
        heads=tuple(
            HeadQuantities(
                logit_margin=first_layer_gap(model, head),
                positional_margin=_positional_margin(head, locality),
                regime=_regime(head),
                key_query=_operator_norm(head.kq),
                value=_root(max(squares)),
            )
            for head, squares in zip(first.heads, values, strict=True)
        ),
        steps=sum(int(layer.heaviside.sum()) for layer in model.layers),
        units=sum(len(layer.b) for layer in model.layers),
        output=_operator_norm(model.unembedding) * prod(1 + _mlp_norm(layer) for layer in model.layers),
        complexity_log2=complexity_log2(model),
    )


def combined(f: ModelQuantities, g: ModelQuantities) -> ModelQuantities:
    """The quantities of a pair: the larger L, the smaller margins, a common period, the larger locality.

    >>> from longreach.theory.limit.hand_built import induction_head
    >>> f = quantities(induction_head("ab"))
    >>> str(combined(f, quantities(induction_head("ab", phi=1.5))).logit_margin)
    '3/2'
    """
    if f.alphabet != g.alphabet:
        raise InputError(f"a pair reads one alphabet, and these have {f.alphabet} and {g.alphabet} tokens")
    if f.layers != g.layers:
        raise InputError(f"a pair has one depth, and these have {f.layers} and {g.layers} layers")
    if f.precision is not None and g.precision is not None and f.precision != g.precision:
        raise InputError(f"a pair has one precision, and these have {f.precision} and {g.precision}")
    return replace(
        f,
        L_squared=max(f.L_squared, g.L_squared),
        period=lcm(f.period, g.period),
        locality=max(f.locality, g.locality),
        precision=g.precision if f.precision is None else f.precision,
        heads=f.heads + g.heads,
        steps=f.steps + g.steps,
        units=f.units + g.units,
        output=max(f.output, g.output),
        complexity_log2=max(f.complexity_log2, g.complexity_log2),
    )


def complexity_log2(model: Transformer) -> float:
    """log₂ C(f) of two layers: C(f) = exp(max_h ‖K₁ₕᵀQ₁ₕ‖) (τ + 1) Π (1 + norm) over the other norms.

    Definition 5.1 of arXiv 2510.27015: C(f) grows exponentially with the first layer's operator norms and
    polynomially with the rest. Which polynomial is our choice, degree 1 in each: the largest ‖E_s + p_r‖
    of a token, Σ_h ‖V‖ of every layer, Σ_h ‖KᵀQ‖ from the second layer on, ‖A‖_F ‖B‖_F of each, and ‖U‖.
    """
    tokens = np.array([token != START for token in model.vocabulary])
    inputs = model.embedding[tokens][:, None, :] + model.positions[None, :, :]
    first, *later = model.layers
    sharpest = max((_operator_norm(head.kq) for head in first.heads), default=0.0)
    rest = [float(np.linalg.norm(inputs, axis=-1).max()), _operator_norm(model.unembedding)]
    rest += [sum(_operator_norm(head.v) for head in layer.heads) for layer in model.layers]
    rest += [sum(_operator_norm(head.kq) for head in layer.heads) for layer in later]
    rest += [_mlp_norm(layer) for layer in model.layers]
    return sharpest / log(2) + log2(model.locality + 1) + sum(log2(1 + norm) for norm in rest)


def _value_squares(model: Transformer, head: Head) -> list[Fraction]:
    """‖V (E_s + p_r)‖² for every token and residue; the start symbol at position 0 alone."""
    inputs = first_inputs(model)
    start = model.vocabulary.index(START)
    unread = set(range(start * model.period + 1, (start + 1) * model.period))
    read = Dyadic(inputs.whole[[row for row in range(len(inputs.whole)) if row not in unread]], inputs.unit)
    products = read @ Dyadic.of(head.v).T
    return [Dyadic(row, products.unit).squares() for row in products.whole]


def _largest_sum(squares: list[list[Fraction]]) -> Fraction:
    """The largest (Σ_h ‖·‖)² over tokens and residues; exact for one head."""
    if len(squares) == 1:
        return max(squares[0])
    sums = [sum(_root(square) for square in row) for row in zip(*squares, strict=True)]
    largest = max(sums, default=0.0)
    if largest == inf:
        raise InputError("a norm is beyond the range of floating point")
    return Fraction(largest) ** 2


def _mlp_squares(layer: Layer) -> Fraction:
    """‖A‖_F² ‖B‖_F²."""
    return Dyadic.of(layer.a).squares() * Dyadic.of(layer.out).squares()


def _mlp_norm(layer: Layer) -> float:
    return _root(_mlp_squares(layer))


def _positional_margin(head: Head, locality: int) -> Fraction | None:
    values = _values_of_phi(head)
    if not any(values):
        return None  # P_h = {1}
    beyond = {Fraction(0)} if len(values) <= locality else set()
    best, *others = sorted({Fraction(1), *values} | beyond, reverse=True)
    return best - others[0] if others else None


def _regime(head: Head) -> Regime:
    largest = max(_values_of_phi(head), default=Fraction(0))
    if largest == 1:
        return Regime.BALANCED
    return Regime.POSITIONS if largest > 1 else Regime.TOKENS


def _values_of_phi(head: Head) -> list[Fraction]:
    """φ at the distances 0 … τ of this head; beyond it is zero."""
    return [Fraction(value) for value in head.local.tolist()]


def _operator_norm(matrix: Array) -> float:
    return float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0


def _plain(margin: Fraction | None) -> float | None:
    return None if margin is None else float(margin)


def _root(square: Fraction) -> float:
    """The square root; infinity beyond the range of floating point."""
    try:
        return sqrt(square)
    except OverflowError:
        return inf


NO_WORSE = (
    "the trained model g is no worse than this one: no larger norms, no smaller margins, no other period"
)
CHOSEN = (
    "C(f) = exp(max_h ‖K₁ₕᵀQ₁ₕ‖) (τ + 1) Π (1 + norm) is our choice, and Definition 5.1 of the paper is not"
)


def model_inputs(found: ModelQuantities, against: ModelQuantities | None = None) -> BoundInputs:
    """What the bounds can use of a model, or with `against` of two: f, and g if that is known.

    >>> from longreach.theory.bounds.quantities import quantities
    >>> from longreach.theory.limit.hand_built import induction_head
    >>> inputs = model_inputs(quantities(induction_head("ab")))
    >>> str(inputs.values["gamma_f"]), inputs.absent["L"]
    ('1', 'the model has 2 layers')
    """
    if found.layers == 1:
        return _one_layer(found, pair=against is not None)
    return _two_layers(found, found if against is None else against, pair=against is not None)


def depth_reason(layers: int) -> str | None:
    """Why no theorem covers this number of layers; None if one does."""
    if layers in (1, 2):
        return None
    what = f"{layers} layers" if layers else "no layer, it counts nothing"
    return f"the model has {what}; the theorems are about one and two layers"


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
