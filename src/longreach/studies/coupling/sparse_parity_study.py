"""Sparse parity: lengths generalize up to the sparsity of training, not beyond (Figures 1 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.scales import Scale
from longreach.studies.coupling.curve_cells import CurveCells
from longreach.studies.coupling.curve_settings import PAPER, POSE, SMOKE, SOURCE, curve_config, lengths_at
from longreach.studies.coupling.curves import Claim, Curve, Measured, above, at_least
from longreach.studies.study_definition import Study
from longreach.tasks.catalog import self_contained


@dataclass(frozen=True, kw_only=True)
class SparseScale:
    """What is trained at a scale."""

    trained: tuple[int, ...]
    """K_train: in training k is uniform in 1 … K_train."""
    tested: tuple[int, ...]
    """k_test."""
    train: tuple[int, int]
    tests: tuple[int, ...]
    """LEN, which is 2ℓ."""
    positions: int
    seeds: int
    symbols: int
    """N, of which half are special."""
    setting: dict[str, Any]


SCALES: dict[Scale, SparseScale] = {
    "smoke": SparseScale(
        trained=(2,), tested=(2, 3), train=(6, 10), tests=(6, 10, 20), positions=26, seeds=1, symbols=20,
        setting=SMOKE,
    ),
    "laptop": SparseScale(
        trained=(2, 4), tested=(1, 2, 4, 8, 12), train=(10, 20), tests=(10, 20, 26, 30, 40, 60),
        positions=70, seeds=3, symbols=4,
        setting={
            "layers": 2, "heads": 4, "width": 64, "lr": 0.001, "batch": 128, "warmup": 100, "max_steps": 4000,
            "evaluate_every": 500, "stop_early": False, "test_size": 256,
        },
    ),
    "paper": SparseScale(
        trained=(4, 6, 8, 10, 12), tested=(4, 6, 8, 10, 12, 14, 16), train=(20, 50),
        tests=(20, 36, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500), positions=510, seeds=1, symbols=20,
        setting=PAPER | {"batch": 64, "test_size": 512},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 2."""
LEVEL, MARGIN = 0.9, 0.1
"""What counts as working, and by how much a test sparsity above that of training must fall behind."""


def curves(scale: Scale) -> list[Curve]:
    """A panel for each K_train, a curve for each k_test.

    >>> [(each.panel, each.name) for each in curves("smoke")]
    [('K_train = 2', 'k_test = 2'), ('K_train = 2', 'k_test = 3')]
    """
    at = SCALES[scale]
    exactly = {k: self_contained(f"sparse-parity:{k}-{k},symbols={at.symbols}") for k in at.tested}
    found = []
    for most in at.trained:
        config = curve_config(
            f"sparse-parity:{most},symbols={at.symbols}", at.setting, POSE,
            train_lengths=at.train, test_lengths=lengths_at(*at.tests), max_position=at.positions,
            test_tasks=tuple(exactly.values()),
        )  # fmt: skip
        found += [
            Curve(
                panel=f"K_train = {most}", name=f"k_test = {k}", config=config, seeds=at.seeds,
                tested=task,
            )
            for k, task in exactly.items()
        ]  # fmt: skip
    return found


def claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """That of section 5.1, for each K_train, at twice the longest training length or the longest test."""
    at = SCALES[scale]
    twice = min(2 * at.train[1], at.tests[-1])
    found = []
    for most in at.trained:
        mine = [each for each in measured if each.curve.panel == f"K_train = {most}"]
        inside, outside = (
            [each.mean(twice) for each, k in zip(mine, at.tested, strict=True) if (k <= most) == within]
            for within in (True, False)
        )
        where = f"K_train = {most}, length {twice}"
        found.append(at_least(f"{where}: k_test up to {most} is at {100 * LEVEL:.0f} %", inside, LEVEL))
        found.append(above(f"{where}: k_test above {most} falls behind", inside, outside, MARGIN))
    return found


STUDY = Study(
    name="sparse-parity",
    title="Sparse parity under rotary positions and PoSE",
    source=f"{SOURCE}, Figures 1 and 7",
    about="trained on at most K special symbols, tested on more lengths and other numbers of them",
    time="laptop: about five minutes on two cores",
    own=CurveCells("sparse-parity", curves, claims),
)
