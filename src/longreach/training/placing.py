"""Batches at the position ids that a configuration asks for, in training and in tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from longreach.config.training import TrainConfig
from longreach.models.position_ids import pose_ids, randomized_ids
from longreach.tasks.offsets import coupled_offsets, no_offsets, random_offsets
from longreach.tasks.task import Batch
from longreach.training.shape import own_ids, positions_of

Occasion: TypeAlias = Literal["training", "first", "shifted"]
"""A training batch, or a test: from the first position on, or shifted by a random number that fits."""


def placed(batch: Batch, config: TrainConfig, occasion: Occasion, rng: np.random.Generator) -> Batch:
    """The batch with its position ids.

    Randomized ids are drawn in tests as in training. PoSE is for training; tests have the true ids.

    >>> from longreach.experiments import resolve
    >>> config = resolve("reverse", "coupled", train_lengths=(1, 2), test_lengths=((3, 3),))
    >>> from longreach.training.shape import task_of
    >>> rng = np.random.default_rng(0)
    >>> placed(task_of(config).sample([2], rng), config, "first", rng).position_ids.tolist()
    [[0, 1, 2, 0, 2, 1]]
    """
    positions, scheme = positions_of(config), config.id_scheme
    width = batch.tokens.shape[1]
    if scheme == "randomized":
        return replace(batch, position_ids=randomized_ids(batch.sizes, width, positions, rng))
    if scheme == "coupled":
        return _coupled(batch, config, occasion, rng)
    if scheme == "pose" and occasion == "training":
        return replace(batch, position_ids=pose_ids(batch.sizes, width, positions, rng))
    shifted = occasion == "shifted" or (occasion == "training" and scheme == "shift")
    return (random_offsets if shifted else no_offsets)(batch, positions, rng)


def _coupled(batch: Batch, config: TrainConfig, occasion: Occasion, rng: np.random.Generator) -> Batch:
    still = occasion == "first" or (occasion == "training" and config.offsets == "none")
    ids, positions = own_ids(config, batch), positions_of(config)
    made = coupled_offsets(batch, ids, positions, None if still else rng)
    return made if config.predict_ids else replace(made, next_ids=None)
