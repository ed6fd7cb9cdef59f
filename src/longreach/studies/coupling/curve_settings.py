"""What the studies of sparsity and coupling share: the published setting, the smallest one, the encodings."""

from __future__ import annotations

from typing import Any

from longreach.config.training import TrainConfig
from longreach.tasks.catalog import self_contained

SOURCE = "Golowich et al., arXiv 2502.16792"
PAPER: dict[str, Any] = {
    "layers": 12, "heads": 16, "width": 1024, "lr": 5e-5, "weight_decay": 0.1, "schedule": "linear",
    "warmup": 300, "max_steps": 50_000, "evaluate_every": 1000, "stop_early": False, "tied": False,
}  # fmt: skip
"""Appendix E. GPT-NeoX, the paper's model, has an output matrix of its own."""
SMOKE: dict[str, Any] = {
    "layers": 1, "heads": 1, "width": 8, "lr": 1e-3, "batch": 8, "warmup": 0, "max_steps": 5,
    "evaluate_every": 5, "stop_early": False, "test_size": 4,
}  # fmt: skip

COUPLED: dict[str, Any] = {"encoding": "ape", "position_ids": "coupled", "predict_ids": True}
"""Predictive position coupling: learned positions under the task's ids, of which the next is predicted."""
SHIFTED: dict[str, Any] = {"encoding": "ape", "position_ids": "shift"}
"""Learned positions with a random shift."""
POSE: dict[str, Any] = {"encoding": "rope", "position_ids": "pose"}
"""Rotary positions under PoSE."""


def curve_config(task: str, *settings: dict[str, Any], **given: Any) -> TrainConfig:
    """The member of a curve with the seed 0, from settings of which the later ones prevail.

    >>> config = curve_config(
    ...     "sparse-parity:8", PAPER, POSE,
    ...     train_lengths=(20, 50), test_lengths=((100, 100),), max_position=510,
    ... )
    >>> config.width, config.position_ids, config.max_position
    (1024, 'pose', 510)
    """
    fields: dict[str, Any] = {"task": self_contained(task)}
    for each in settings:
        fields |= each
    return TrainConfig.read(fields | given)


def lengths_at(*lengths: int) -> tuple[tuple[int, int], ...]:
    """Test ranges of one length each, every one once.

    >>> lengths_at(20, 40, 40)
    ((20, 20), (40, 40))
    """
    return tuple((length, length) for length in dict.fromkeys(lengths))
