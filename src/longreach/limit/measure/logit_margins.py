"""Logit margins of a limit transformer: how far apart two attention logits of one query are at least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.limit.model import START, Array, Head, Transformer


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
    phi = head.phi if isinstance(head.phi, np.ndarray) else np.zeros(0)
    if not head.kq.any():
        return HeadMargin(layer, h, _least_gap(np.append(phi, 0.0)), True)
    if layer > 0:
        return HeadMargin(layer, h, None, False)
    period = model.period
    tokens = [row for row, token in enumerate(model.vocabulary) if token != START]
    # Rows: the start symbol stands at position 0 only; other tokens at every residue.
    keys = model.embedding[:, None, :] + model.positions[None, :, :]
    gaps: list[float] = []
    for token in tokens:
        for residue in range(period):
            query = head.kq @ keys[token, residue]
            scores = keys @ query
            far = [scores[tokens].ravel(), scores[model.vocabulary.index(START), :1]]
            near = [scores[tokens, (residue - d) % period] + phi[d] for d in range(len(phi))]
            gap = _least_gap(np.concatenate([*far, *near]))
            gaps += [] if gap is None else [gap]
    return HeadMargin(layer, h, min(gaps, default=None), True)


def _least_gap(values: Array) -> float | None:
    gaps = np.diff(np.unique(values))
    return float(gaps.min()) if len(gaps) else None
