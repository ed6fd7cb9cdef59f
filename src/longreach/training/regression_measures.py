"""What is measured of a member that has learned numbers: losses by range, norms, margins, attention."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from longreach.config.regression import RegressionConfig
from longreach.models.regression_shape import RegressionShape
from longreach.results.schema import loss_number
from longreach.tasks.modp_task import ModPTask
from longreach.training.regression_batches import (
    CountModels,
    count_batch,
    draw_tests,
    models_of,
    shape_of,
    task_of,
)

ATTENTION_LENGTH = 80
"""At which the paper looks at the attention of ModPTask models (Figure 3)."""
ATTENTION_ROWS = 256


def measures(config: RegressionConfig, vector: Tensor) -> dict[str, float]:
    """All of it, by name."""
    shape = shape_of(config)
    found = {
        loss_number(lengths.name): range_loss(config, shape, vector, place)
        for place, lengths in enumerate(config.ranges)
    }
    if shape.layers == 1:
        found |= weights(shape, vector)
        found |= modp_attention(config, shape, vector)
    return found


def range_loss(config: RegressionConfig, shape: RegressionShape, vector: Tensor, place: int) -> float:
    """The mean loss on the test sequences of a range."""
    models, total = models_of(shape), 0.0
    with torch.inference_mode():
        for part in draw_tests(config, place):
            total += float(models.losses(vector[None], [part])[0]) * len(part)
    return total / config.test_size


def weights(shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """L and the logit margin of one layer (arXiv 2510.27015, section 4), read off the weights."""
    named = {name: value.double().numpy() for name, value in shape.named(vector).items()}
    kinds = named["embedding"]
    if shape.period > 1:
        kinds = (named["positions"][:, None] + kinds).reshape(-1, shape.width)
    mlp = np.linalg.norm(named["0.in"]) * np.linalg.norm(named["0.out"])
    largest = np.linalg.norm(kinds @ named["0.value"].T, axis=1).max()
    logits = np.sort((kinds @ named["0.query"].T) @ (kinds @ named["0.key"].T).T / shape.width, axis=1)
    gaps = np.diff(logits, axis=1)
    found = {"L": float(mlp * largest)}
    if (gaps > 0).any():
        found["logit margin"] = float(gaps[gaps > 0].min())
    return found


def modp_attention(config: RegressionConfig, shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """Mean and deviation of the attention on positions of the right residue and of the wrong ones."""
    task, models = task_of(config.task), models_of(shape)
    if not isinstance(task, ModPTask) or not isinstance(models, CountModels):
        return {}
    if task.period > ATTENTION_LENGTH:
        return {}
    drawn = task.draw(np.full(ATTENTION_ROWS, ATTENTION_LENGTH), np.random.default_rng(config.seed))
    each = models.model.attention(vector[None], count_batch([drawn], once=False))[0].double().numpy()
    right = np.arange(shape.kinds) // shape.symbols == task.residue
    found: dict[str, float] = {}
    for name, kinds in (("right", right), ("wrong", ~right)):
        total = drawn.counts[:, kinds].sum()
        if total:
            mean = (each * drawn.counts)[:, kinds].sum() / total
            spread = ((each - mean) ** 2 * drawn.counts)[:, kinds].sum() / total
            found[f"attention {name}"] = float(mean)
            found[f"attention {name} deviation"] = float(np.sqrt(spread))
    return found
