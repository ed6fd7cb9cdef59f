"""In-context k-grams with two layers, as Izzo, Nichani and Lee test Theorem 5.2: against S and against k."""

from __future__ import annotations

from longreach.config.regression_name import FAMILIES
from longreach.config.scales import Scale
from longreach.studies.loss_figure import loss_figure
from longreach.studies.loss_study import LossGrid, LossStudy

TASKS: dict[Scale, tuple[tuple[int, int], ...]] = {
    "smoke": ((2, 1), (3, 1)),
    "laptop": ((2, 1), (3, 1), (4, 1), (2, 2)),
    "paper": ((2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (4, 2), (2, 3), (2, 4)),
}
"""S and k."""
LENGTHS: dict[Scale, tuple[int, ...]] = {
    "smoke": (6, 10),
    "laptop": (4, 6, 8, 12, 16, 24),
    "paper": (4, 8, 12, 16, 24, 32, 48, 64),
}
LONGER: dict[Scale, tuple[int, ...]] = {
    "smoke": (6, 10),
    "laptop": (16, 24, 32, 48, 64, 96),
    "paper": (12, 16, 24, 32, 48, 64, 96, 128),
}
"""From k = 2 on."""
TESTS: dict[Scale, tuple[int, ...]] = {
    "smoke": (16, 32),
    "laptop": (16, 32, 64, 128, 256),
    "paper": (32, 64, 128, 256, 512),
}
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 3, "paper": 8}


def grid(scale: Scale) -> LossGrid:
    """Every S and k with several N."""
    lengths = {
        f"in-context-kgram:S={symbols},k={order}": LENGTHS[scale] if order == 1 else LONGER[scale]
        for symbols, order in TASKS[scale]
    }
    return LossGrid(train_to=lengths, tests=TESTS[scale], seeds=SEEDS[scale])


STUDY = LossStudy(
    name="in-context-kgram",
    title="In-context k-grams: loss at longer lengths",
    source="Izzo, Nichani and Lee, arXiv 2510.27015, section 5 and its experiment with two layers",
    about="what followed the last k of S symbols: plateaus, the least N for a loss of 0.05 against S and k",
    time="laptop: 72 runs, about seven minutes on two cores",
    axes=("S", "k"),
    loss=FAMILIES["in-context-kgram"].loss,
    law="grows with S and with k",
    grid=grid,
    figure=loss_figure,
)
