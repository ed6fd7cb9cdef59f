"""Logit margins of a limit transformer: how far apart two attention logits of one query are at least.

Logits are computed without rounding: equal ones must not look different by a last digit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from longreach.limit.model import START, Array, Head, Transformer
from longreach.limit.run.dyadic import Dyadic


@dataclass(frozen=True, slots=True)
class HeadMargin:
    """The least positive difference of two logits that one query can see; None: all are equal, or unknown."""

    layer: int
    head: int
    margin: float | None
    known: bool
    """False where the logits read activations of earlier layers, whose values are not enumerated here."""


def logit_margins(model: Transformer) -> list[HeadMargin]:
    """The margin of every head: over all distinct pairs of logits, since the largest one may be absent.

    >>> from longreach.crasp.library import load
    >>> from longreach.limit.compile.program_to_limit import compile_program
    >>> [found.margin for found in logit_margins(compile_program(load("contains-bb").core))]
    [None, 2.0, None]
    """
    _ = model.locality  # refuses relations that are not local
    return [
        _margin(model, number, h, head)
        for number, layer in enumerate(model.layers)
        for h, head in enumerate(layer.heads)
    ]


def _margin(model: Transformer, layer: int, h: int, head: Head) -> HeadMargin:
    if not head.kq.any():
        gap = _least_gap({Fraction(0), *(Fraction(value) for value in _phi(head).tolist())})
    elif layer == 0:
        gap = first_layer_gap(model, head)
    else:
        return HeadMargin(layer, h, None, False)
    return HeadMargin(layer, h, None if gap is None else float(gap), True)


def first_layer_gap(model: Transformer, head: Head) -> Fraction | None:
    """The least positive difference of two logits of one query, exactly; None: all are equal."""
    gaps = (_least_gap(logits) for logits in attainable_logits(model, head).values())
    return min((gap for gap in gaps if gap is not None), default=None)


def attainable_logits(model: Transformer, head: Head) -> dict[tuple[str, int], frozenset[Fraction]]:
    """For each query token and residue of its position, every logit a + φ of a key in some input.

    The head is one of the first layer. Beyond τ a key is any token at any residue; at a distance d ≤ τ the
    residue is the query's less d, and at distance 0 the key is the query. The start symbol is at position 0.

    >>> from longreach.limit.compile.hand_built import induction_head
    >>> model = induction_head("ab")
    >>> logits = attainable_logits(model, model.layers[0].heads[0])
    >>> [str(logit) for logit in sorted(logits["a", 0])]
    ['0', '2']
    """
    period, phi = model.period, [Fraction(value) for value in _phi(head).tolist()]
    start = model.vocabulary.index(START)
    tokens = [row for row in range(len(model.vocabulary)) if row != start]
    inputs = first_inputs(model)
    scores = inputs @ Dyadic.of(head.kq) @ inputs.T  # (key, query), each (token, residue)
    table = scores.whole.reshape(len(model.vocabulary), period, len(model.vocabulary), period)
    found: dict[tuple[str, int], frozenset[Fraction]] = {}
    for token in tokens:
        for residue in range(period):
            whole = table[:, :, token, residue]
            logits = {Fraction(value, scores.unit) for value in {*whole[tokens].flat, whole[start, 0]}}
            logits |= {Fraction(whole[token, residue], scores.unit) + value for value in phi[:1]}
            for distance, value in enumerate(phi[1:], 1):
                near = set(whole[tokens, (residue - distance) % period].flat)
                if (residue - distance) % period == 0:  # then the key may be the start symbol
                    near.add(whole[start, 0])
                logits |= {Fraction(key, scores.unit) + value for key in near}
            found[model.vocabulary[token], residue] = frozenset(logits)
    return found


def first_inputs(model: Transformer) -> Dyadic:
    """E_s + p_r, what the first layer can read: one row for each token s and, within it, residue r."""
    both = Dyadic.of(np.concatenate([model.embedding, model.positions]))
    tokens = len(model.vocabulary)
    sums = both.whole[:tokens, None, :] + both.whole[None, tokens:, :]
    return Dyadic(sums.reshape(-1, model.width), both.unit)


def _phi(head: Head) -> Array:
    """φ at the distances 0 … τ of this head."""
    phi = head.phi if isinstance(head.phi, np.ndarray) else np.zeros(0)
    return np.trim_zeros(phi, "b")


def _least_gap(values: Iterable[Fraction]) -> Fraction | None:
    ordered = sorted(values)
    return min((b - a for a, b in pairwise(ordered)), default=None)
