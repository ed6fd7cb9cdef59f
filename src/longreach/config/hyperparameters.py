"""The published hyperparameters of each task and encoding (Huang et al., arXiv 2410.02140, Tables 4–7)."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

BASELINE = "mlp"
"""In the place of an encoding: the baseline of Figure 1, an MLP that sees the current token only."""
BASELINE_SHAPE: dict[str, Any] = {"layers": 2, "heads": 1, "lr": 1e-3}
"""What the baseline has for itself; all else is as for learned absolute positions (Huang et al., E.3)."""


@dataclass(frozen=True)
class Hyperparameters:
    """A model's shape and its training; the defaults are those of tasks without an entry in the tables."""

    layers: int = 2
    heads: int = 2
    width: int = 64
    lr: float = 1e-3
    max_steps: int = 30_000
    warmup: int = 0


def hyperparameters(task: str, encoding: str) -> Hyperparameters:
    """What the paper used for a task, by its name on the command line, under an encoding.

    >>> hyperparameters("copy-unique", "ape")
    Hyperparameters(layers=2, heads=1, width=64, lr=0.001, max_steps=30000, warmup=0)
    """
    if encoding == BASELINE:
        return replace(hyperparameters(task, "ape"), **BASELINE_SHAPE)
    return _table().get(encoding, {}).get(task, Hyperparameters())


@cache
def _table() -> dict[str, dict[str, Hyperparameters]]:
    content = json.loads(Path(__file__).with_name("hyperparameters.json").read_text(encoding="utf-8"))
    del content["source"]
    return {
        encoding: {task: Hyperparameters(**values) for task, values in tasks.items()}
        for encoding, tasks in content.items()
    }
