"""What a one-layer model attends to at the last position once attention is hard, and how much it matters."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from longreach.bounds.simulation.model_pair import ModelPair, Word
from longreach.bounds.simulation.simulation_counts import Classes, Counts
from longreach.errors import InputError, Place
from longreach.limit.model import START, Array, Head, Transformer


def check_one_layer(model: Transformer, place: Place) -> None:
    """Raises where Theorem 4.1 does not speak of the model."""
    layers = len(model.layers)
    if layers != 1:
        raise InputError(f"{layers} layers; with finite precision the theorem is about one", place=place)
    layer = model.layers[0]
    writing = len(_writing(model))
    if writing != 1:
        raise InputError(f"{writing} heads that write; the theorem is about one head", place=place)
    steps = int(layer.heaviside.sum())
    if steps:
        which = f"{steps} of {len(layer.b)} units of the MLP are Heaviside steps"
        raise InputError(f"{which}; the theorem needs a Lipschitz constant", place=place)
    try:
        _ = model.locality
    except InputError as error:
        raise error.at(place) from None


def _writing(model: Transformer) -> list[Head]:
    return [head for head in model.layers[0].heads if head.v.any()]


def class_counts(pair: ModelPair, x: Word, middle: int) -> Counts:
    """How often each token stands at each residue among the first `middle` tokens."""
    period = pair.period
    number = x[:middle] * period + np.arange(1, middle + 1) % period
    return np.bincount(number, minlength=len(pair.tokens) * period).reshape(-1, period)


def attended(
    pair: ModelPair, model: Transformer, x: Word, counts: Counts, *, margin: Fraction | None
) -> Classes:
    """The classes of the first tokens that have the largest logit for the last one.

    `counts` are those of all tokens but the last ones, which φ reaches; $ and those compete, too. `margin` is
    the logit margin; None: all logits are equal.
    """
    head = _writing(model)[0]
    middle, length = int(counts.sum()), len(x)
    rows = pair.rows(model)
    residues = np.arange(pair.period) % model.period
    query = head.kq @ (model.embedding[rows[x[-1]]] + model.positions[length % model.period])
    logits = model.embedding[rows] @ query
    logits = logits[:, None] + (model.positions @ query)[residues][None, :]
    last = np.arange(middle + 1, length + 1)
    phi = np.zeros(pair.locality + 1)
    if isinstance(head.phi, np.ndarray):
        reach = min(len(head.phi), len(phi))
        phi[:reach] = head.phi[:reach]
    near = logits[x[middle:], last % pair.period] + phi[length - last]
    start = float((model.embedding[model.vocabulary.index(START)] + model.positions[0]) @ query)
    present = counts > 0
    top = max(float(near.max()), start, float(logits[present].max(initial=-np.inf)))
    # Logits are equal or differ by the margin; half of it is far above rounding errors.
    result: Classes = present & (True if margin is None else logits >= top - float(margin) / 2)
    return result


def sensitivity(pair: ModelPair, model: Transformer) -> float:
    """Λ: the output changes by Λ at most per change of the attention weights, summed over tokens.

    Λ = max ‖U v‖ + ‖U B‖ ‖A v‖ over v = V (E_s + p_r). It is at most ‖U‖ (1 + ‖A‖ ‖B‖) max ‖v‖, the paper's L
    with the residual stream and the unembedding, which the paper leaves out.
    """
    layer, head = model.layers[0], _writing(model)[0]
    inputs = model.embedding[pair.rows(model)][:, None] + model.positions[None]
    start = model.embedding[[model.vocabulary.index(START)]] + model.positions[:1]
    values: Array = np.concatenate([inputs.reshape(-1, model.width), start]) @ head.v.T
    outer = model.unembedding @ layer.out
    factor = float(np.linalg.norm(outer, 2)) if outer.size else 0.0
    direct = np.linalg.norm(values @ model.unembedding.T, axis=1)
    return float((direct + factor * np.linalg.norm(values @ layer.a.T, axis=1)).max())
