"""A run that has learned numbers, as far as its model is concerned: random parameters in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from longreach.models.counting import RegressionShape
from longreach.training.checkpoint import save_model


def saved_numbers(shape: RegressionShape, directory: Path, seed: int = 0) -> Path:
    """Write initial values, and give the directory back."""
    named = shape.named(shape.initial(np.random.default_rng(seed)))
    save_model(directory, {name: value.clone() for name, value in named.items()}, shape)
    return directory
