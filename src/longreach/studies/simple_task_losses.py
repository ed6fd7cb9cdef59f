"""Figure 1 of Izzo, Nichani and Lee: SimpleTask, and the training length that a frequency asks for."""

from __future__ import annotations

from longreach.config.regression_name import FAMILIES
from longreach.config.scales import Scale
from longreach.studies.loss_figure import loss_figure
from longreach.studies.loss_study import LossGrid, LossStudy

TESTS = (8, 16, 32, 64, 128, 256, 512)
OMEGAS: dict[Scale, tuple[int, ...]] = {
    "smoke": (1, 2),
    "laptop": (2, 4, 6, 8, 12),
    "paper": (1, 2, 4, 6, 8, 10, 12, 14, 16),
}
LENGTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (4, 8),
    "laptop": (3, 4, 6, 8, 12, 16, 24, 32),
    "paper": (3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64),
}
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 8}


def grid(scale: Scale) -> LossGrid:
    """Every frequency with every N."""
    tasks = [f"simple-task:omega={omega}" for omega in OMEGAS[scale]]
    tests = (8, 16, 32) if scale == "smoke" else TESTS
    return LossGrid(train_to=dict.fromkeys(tasks, LENGTHS[scale]), tests=tests, seeds=SEEDS[scale])


STUDY = LossStudy(
    name="simple-task",
    title="SimpleTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figure 1 of the workshop version",
    about="sin(ω (c0 − c1) / (c0 + c1)) from counts: plateaus, and the least N for a loss of 0.01 against ω",
    time="laptop: 120 runs, about five minutes on two cores",
    axes=("omega",),
    loss=FAMILIES["simple-task"].loss,
    law="linear in ω",
    grid=grid,
    figure=loss_figure,
)
