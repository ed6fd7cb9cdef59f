"""Figures 2 and 3 of Izzo, Nichani and Lee: ModPTask, the training length for a period, attention."""

from __future__ import annotations

from longreach.config.regression_name import FAMILIES
from longreach.config.scales import Scale
from longreach.studies.loss_figure import loss_figure
from longreach.studies.loss_study import LossGrid, LossStudy

TESTS: dict[Scale, tuple[int, ...]] = {
    "smoke": (16, 32),
    "laptop": (16, 32, 64, 128, 256, 512),
    "paper": (16, 32, 64, 128, 256, 512, 1024),
}
PERIODS: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (2, 3, 5, 8),
    "paper": (2, 3, 4, 5, 6, 8, 10),
}
MULTIPLES: dict[Scale, tuple[int, ...]] = {
    "smoke": (2, 3),
    "laptop": (1, 2, 3, 4, 6),
    "paper": (1, 2, 3, 4, 6, 8, 12),
}
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 8}


def grid(scale: Scale) -> LossGrid:
    """Every period with multiples of it as N."""
    tasks = {
        f"modp-task:p={period},k=0": tuple(times * period for times in MULTIPLES[scale])
        for period in PERIODS[scale]
    }
    return LossGrid(train_to=tasks, tests=TESTS[scale], seeds=SEEDS[scale])


STUDY = LossStudy(
    name="modp-task",
    title="ModPTask: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, Figures 2 and 3 of the workshop version",
    about="the mean of the bits at positions 0 modulo p: plateaus, least N for a loss of 0.001, attention",
    time="laptop: 60 runs, under two minutes on two cores",
    axes=("p",),
    loss=FAMILIES["modp-task"].loss,
    law="linear in the period p",
    grid=grid,
    figure=loss_figure,
)
