"""Numbers of a trained run, all at its training length, that may tell whether it works at three times it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from longreach.errors import InputError
from longreach.inspection.attention_hardness import softness
from longreach.inspection.folded_norms import fold, norm_scales
from longreach.inspection.inspected_model import Subject, batch_at, nearest_length
from longreach.inspection.limit_runs import LengthRow, accuracy_by_length, correct, kept_answers
from longreach.inspection.model_inspection import limit_summary
from longreach.inspection.offset_variance import offset_variance, window_shift
from longreach.inspection.periodic_fit import fit_positions
from longreach.inspection.position_products import has_position_functions, position_products
from longreach.inspection.traced_forward import trace
from longreach.inspection.trained_to_limit import cannot_be_limit, summarize
from longreach.limit.model import Array


@dataclass(frozen=True)
class Feature:
    """A number of a run, and what the theory would expect of it."""

    about: str
    sign: int
    """+1: the larger, the more likely a run is to work on longer inputs; −1: the less."""


FEATURES = {
    "offset variance": Feature("log₁₀ of the largest Var_offset of a head", -1),
    "window shift": Feature("how attention by positions alone differs between offsets, the largest", -1),
    "fit residual": Feature("what the local and periodic fit leaves, in logits, the largest of a head", -1),
    "entropy": Feature("mean entropy of attention over that of even attention", -1),
    "largest weight": Feature("mean largest weight of a query", +1),
    "margin": Feature("mean distance of the answer's output from the next one", +1),
    "least margin": Feature("the same for the least of an input", +1),
    "unlike its limit": Feature("share of places where the approximate limit transformer says otherwise", -1),
}
"""None of them looks at a longer input, and none at a right answer."""
FROM_INSPECTION = ("offset variance", "fit residual", "entropy", "largest weight")
"""What a score from inspection alone rests on: offset variance, the periodic fit, hardness."""
LEAST = 1e-8
ROWS = 64


def run_features(found: Subject, *, rows: int = ROWS, seed: int = 0) -> dict[str, float]:
    """The features of a run; its inputs are drawn anew."""
    if found.task is None or found.trained_to is None or found.trained_size is None:
        raise InputError(f"{found.name}: features need a run with its task")
    batch = batch_at(found, found.trained_to, rows, np.random.default_rng([seed, 7]))
    tokens = torch.from_numpy(batch.tokens)
    mask = torch.from_numpy(np.arange(tokens.shape[1]) < batch.sizes[:, None])
    with torch.inference_mode():
        seen = trace(found.parameters, found.config, tokens)
    model = fold(found.parameters, found.config, norm_scales(found.config, [(seen, mask)]))
    matrices = [np.zeros((3, 3))] * found.config.heads * found.config.layers
    if has_position_functions(found.config):
        matrices = [each.matrix for each in position_products(model, found.parameters)]
    fits = [fit_positions(matrix) for matrix in matrices]
    soft = [
        softness(layer[:, head].double().numpy(), mask.numpy())
        for layer in seen.weights
        for head in range(found.config.heads)
    ]
    margins = _margins(seen.outputs, torch.from_numpy(batch.mask))
    unlike = 0.0
    if cannot_be_limit(found.config) is None:
        heads = found.config.heads
        by_layer = [matrices[start : start + heads] for start in range(0, len(matrices), heads)]
        fitted = [fits[start : start + heads] for start in range(0, len(fits), heads)]
        summary = summarize(found.parameters, model, by_layer, fits=fitted, trained_size=found.trained_size)
        _, said = correct(batch, kept_answers(found, summary))
        own = seen.outputs.argmax(dim=-1)
        unlike = float((said != own)[torch.from_numpy(batch.mask)].double().mean())
    size = found.trained_size
    return {
        "offset variance": math.log10(LEAST + max(map(offset_variance, matrices))),
        "window shift": max(_shift(matrix, size) for matrix in matrices),
        "fit residual": max(fit.residual for fit in fits),
        "entropy": float(np.mean([each.entropy for each in soft])),
        "largest weight": float(np.mean([each.largest for each in soft])),
        "margin": float(np.mean(margins)),
        "least margin": float(np.mean([row.min() for row in margins if row.size])),
        "unlike its limit": unlike,
    }


def beyond_training(found: Subject, length: int, *, rows: int = ROWS, seed: int = 0) -> LengthRow | None:
    """How a run and its approximate limit transformer do at a length that was never trained.

    No feature: this looks at longer inputs. None where there is no such limit transformer.
    """
    if found.task is None or cannot_be_limit(found.config) is not None:
        return None
    summary = limit_summary(found, seed=seed)
    near = nearest_length(found.task, length)
    return accuracy_by_length(found, [near], summary=summary, rows=rows, seed=seed)[0]


def _shift(matrix: Array, size: int) -> float:
    return 0.0 if len(matrix) <= size else window_shift(matrix, size).distance


def _margins(outputs: torch.Tensor, mask: torch.Tensor) -> list[Array]:
    """By row, at each supervised place, the largest output minus the next."""
    two = outputs.topk(2, dim=-1).values
    apart = (two[..., 0] - two[..., 1]).double()
    return [row[used].numpy() for row, used in zip(apart, mask, strict=True)]
