"""Hypothesis class and regularizers (Huang et al., arXiv 2410.02140, Definitions 4, 5, 16, 46, 50; G.1, G.3).

R(T) measures finite transformers, R_∞ limit transformers; both are reported term by term and as the sum. Two
readings are fixed here: a number has p bits of precision if p fractional bits write it exactly, and no
rounding of logits and exponentials (precision None) counts as 0 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.finite import least_period, to_finite
from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.products import Invariance, invariance, term_8


@dataclass(frozen=True)
class Regularizer:
    """R(T): the six groups of Definition 5, each a sum of named terms."""

    size: dict[str, float]
    """(1) layers and heads"""
    precision: dict[str, float]
    """(2) of parameters; of logits and exponentials"""
    rank: dict[str, float]
    """(3) the largest rank of a value matrix"""
    matrices: dict[str, float]
    """(4) the largest norms: KᵀQ, V and U spectral, A and B Frobenius"""
    vectors: dict[str, float]
    """(5) the largest norms of positional encodings, embeddings and biases"""
    positions: dict[str, float]
    """(6) term (8)"""

    @property
    def groups(self) -> dict[str, float]:
        """The value of each group."""
        return {name: sum(terms.values()) for name, terms in vars(self).items()}

    @property
    def total(self) -> float:
        """R(T)."""
        return sum(self.groups.values())


@dataclass(frozen=True)
class LimitRegularizer:
    """R_∞ (Definition 50): its five parts."""

    size: float
    """1. layers, heads and width"""
    precision: float
    """2. of parameters and φ; of logits and exponentials"""
    largest: float
    """3. the largest absolute value of a parameter other than φ"""
    period: float
    """4. the least period of the positional encodings"""
    relations: float
    """5. the largest ‖φ‖₂² of a head, distance 0 included"""

    @property
    def total(self) -> float:
        """R_∞(T)."""
        return self.size + self.precision + self.largest + self.period + self.relations


@dataclass(frozen=True)
class Membership:
    """Whether a transformer is in Θ_n (Definition 46), and what is missing."""

    context: int
    bits: int
    """The precision of the parameters."""
    invariance: Invariance
    member: bool


def regularizer(model: Transformer) -> Regularizer:
    """R(T) of a finite transformer.

    >>> model = Transformer("finite", ("$", "a"), np.eye(2), 0.5 * np.eye(2), (), np.ones((1, 2)))
    >>> regularizer(model).groups["size"], regularizer(model).precision["parameters"]
    (0, 1)
    """
    if model.kind != "finite":
        raise InputError(
            "R is defined for finite transformers; use limit_regularizer for a limit transformer"
        )
    heads = [head for _, _, head in model.heads()]
    return Regularizer(
        size={"layers": len(model.layers), "heads": _heads(model)},
        precision={"parameters": bits(model), "rounding": model.precision or 0},
        rank={"V": max((_rank(head.v) for head in heads), default=0)},
        matrices={
            "KQ": max((spectral_norm(head.kq) for head in heads), default=0.0),
            "V": max((spectral_norm(head.v) for head in heads), default=0.0),
            "A": max((float(np.linalg.norm(layer.a)) for layer in model.layers), default=0.0),
            "B": max((float(np.linalg.norm(layer.out)) for layer in model.layers), default=0.0),
            "U": spectral_norm(model.unembedding),
        },
        vectors={
            "p": _longest(model.positions),
            "E": _longest(model.embedding),
            "b": max((float(np.linalg.norm(layer.b)) for layer in model.layers), default=0.0),
        },
        positions={"first key (8)": term_8(model)},
    )


def limit_regularizer(model: Transformer) -> LimitRegularizer:
    """R_∞ of a limit transformer with local φ.

    >>> even = Transformer(
    ...     "limit", ("$", "a"), np.zeros((2, 1)), np.array([[1.0], [-1.0]]), (), np.eye(1))
    >>> limit_regularizer(even).period, limit_regularizer(even).total
    (2, 4.0)
    """
    if model.kind != "limit":
        raise InputError("R_∞ is defined for limit transformers; use regularizer for a finite one")
    _ = model.locality  # raises where φ is not local
    others = [array for name, array in _numbers(model).items() if not name.endswith(".phi")]
    return LimitRegularizer(
        size=len(model.layers) + _heads(model) + model.width,
        precision=bits(model) + (model.precision or 0),
        largest=max(float(np.abs(array).max(initial=0.0)) for array in others),
        period=least_period(model.positions),
        relations=max((float(np.sum(head.local**2)) for _, _, head in model.heads()), default=0.0),
    )


def bits(model: Transformer) -> int:
    """The least p such that p fractional bits write every parameter (and value of φ) exactly."""
    return max(map(_fraction_bits, _numbers(model).values()))


def membership(model: Transformer) -> Membership:
    """Membership in Θ_n: the precision of the parameters and the worst violation of translation invariance.

    >>> model = Transformer("finite", ("$", "a"), np.eye(2), np.eye(2), (), np.ones((1, 2)))
    >>> membership(model).member
    True
    """
    found = invariance(model)
    return Membership(len(model.positions), bits(model), found, member=found.worst == 0)


def growth(model: Transformer, contexts: Iterable[int]) -> Iterator[tuple[int, Regularizer]]:
    """R(T_n) of a limit transformer for each n: it stays bounded (Lemma 47)."""
    for context in contexts:
        yield context, regularizer(to_finite(model, context))


def _heads(model: Transformer) -> int:
    return max((len(layer.heads) for layer in model.layers), default=0)


def _numbers(model: Transformer) -> dict[str, Array]:
    """The parameters and values of φ, without the kinds of units."""
    return {name: array for name, array in model.tensors().items() if not name.endswith(".heaviside")}


def _fraction_bits(array: Array) -> int:
    """How many fractional bits the entries need."""
    mantissa, exponent = np.frexp(array[array != 0])
    whole = (mantissa * 2.0**53).astype(np.int64)
    # The lowest set bit of the 53-bit mantissa has weight 2^(exponent − 53 + its place).
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int(np.max(53 - exponent - trailing, initial=0))


def _core(matrix: Array) -> Array:
    """Without zero rows and columns, which change neither norm nor rank; T_n's matrices are mostly zero."""
    return matrix[np.ix_(matrix.any(axis=1), matrix.any(axis=0))]


def spectral_norm(matrix: Array) -> float:
    core = _core(matrix)
    return float(np.linalg.norm(core, 2)) if core.size else 0.0


def _rank(matrix: Array) -> int:
    core = _core(matrix)
    return int(np.linalg.matrix_rank(core)) if core.size else 0


def _longest(rows: Array) -> float:
    return float(np.linalg.norm(rows, axis=1).max(initial=0.0))
