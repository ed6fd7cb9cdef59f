"""Parity with a scratchpad: predictive position coupling against its ablations (Figures 2 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.scales import Scale
from longreach.studies.coupling.curve_cells import CurveCells
from longreach.studies.coupling.curve_settings import (
    COUPLED,
    PAPER,
    POSE,
    SHIFTED,
    SMOKE,
    SOURCE,
    curve_config,
    lengths_at,
)
from longreach.studies.coupling.curves import Claim, Curve, Measured, above, at_least, leads
from longreach.studies.study_definition import Study


@dataclass(frozen=True, kw_only=True)
class JumpScale:
    """What is trained at a scale."""

    jumps: tuple[int, ...]
    ablated: tuple[int, ...]
    """The jumps of the ablations."""
    train: tuple[int, int]
    tests: tuple[int, ...]
    """LEN, the number of bits."""
    positions: int
    seeds: int
    ablation_seeds: int
    setting: dict[str, Any]


SCALES: dict[Scale, JumpScale] = {
    "smoke": JumpScale(
        jumps=(1, 2), ablated=(1,), train=(2, 5), tests=(5, 10), positions=26, seeds=1, ablation_seeds=1,
        setting=SMOKE,
    ),
    "laptop": JumpScale(
        jumps=(1, 2, 3), ablated=(1, 2), train=(1, 6), tests=(3, 6, 9, 12, 15, 18), positions=42,
        seeds=3, ablation_seeds=3,
        setting={
            "layers": 2, "heads": 2, "width": 128, "lr": 0.001, "batch": 256, "warmup": 100,
            "max_steps": 3000, "evaluate_every": 500, "stop_early": False, "test_size": 192, "tied": False,
        },
    ),
    "paper": JumpScale(
        jumps=(1, 2, 3, 4), ablated=(1, 2, 3, 4), train=(5, 20),
        tests=(5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), positions=210, seeds=10, ablation_seeds=3,
        setting=PAPER | {"batch": 64, "test_size": 192},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 3, whose lengths are twice the number of bits."""
COUPLING, SHIFT, ROTARY = "predictive position coupling", "learned positions, shifted", "RoPE with PoSE"
ABLATIONS = {SHIFT: SHIFTED, ROTARY: POSE}
BARE = "no scratchpad"
LEVEL, MARGIN, FURTHER = 0.95, 0.1, 0.05
"""What counts as working; by how much coupling must be ahead of an ablation, and a jump of 1 of others."""


def curves(scale: Scale) -> list[Curve]:
    """Four panels: coupling, two ablations, and parity without a scratchpad.

    >>> [(each.panel, each.name) for each in curves("smoke")][-1]
    ('no scratchpad', 'RoPE with PoSE')
    """
    at = SCALES[scale]
    given = {"train_lengths": at.train, "test_lengths": lengths_at(*at.tests), "max_position": at.positions}
    found = [
        Curve(
            panel=COUPLING, name=f"k = {k}", seeds=at.seeds,
            config=curve_config(f"parity-scratchpad:{k}", at.setting, COUPLED, given),
        )
        for k in at.jumps
    ]  # fmt: skip
    for panel, encoding in ABLATIONS.items():
        found += [
            Curve(
                panel=panel, name=f"k = {k}", seeds=at.ablation_seeds,
                config=curve_config(f"parity-scratchpad:{k}", at.setting, encoding, given),
            )
            for k in at.ablated
        ]  # fmt: skip
    bare = "parity-scratchpad:scratchpad=no"
    found += [
        Curve(
            panel=BARE, name=name, seeds=at.ablation_seeds,
            config=curve_config(bare, at.setting, encoding, given),
        )
        for name, encoding in ABLATIONS.items()
    ]  # fmt: skip
    return found


def claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.1 and E.2.2, the first ones at twice the longest training length."""
    at = SCALES[scale]
    twice = 2 * at.train[1]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}

    def of(panel: str, names: Sequence[str], length: int) -> list[float | None]:
        return [mean[panel, name](length) for name in names]

    def beyond(name: str) -> float | None:
        """The mean over the lengths behind those of training."""
        values = [mean[COUPLING, name](length) for length in at.tests if length > at.train[1]]
        known = [value for value in values if value is not None]
        return sum(known) / len(values) if len(known) == len(values) else None

    first, ablated = "k = 1", [f"k = {k}" for k in at.ablated]
    found = [
        at_least(
            f"{COUPLING} with k = 1 is at {100 * LEVEL:.0f} % at twice the length ({twice})",
            of(COUPLING, [first], twice), LEVEL,
        ),
    ]  # fmt: skip
    found += [
        leads(
            f"{COUPLING} is ahead of {panel} at {twice}",
            of(COUPLING, ablated, twice), of(panel, ablated, twice), MARGIN,
        )
        for panel in ABLATIONS
    ]  # fmt: skip
    found += [
        above(
            f"smaller jumps go further: k = 1 is ahead of k = {k}, over all longer lengths",
            [beyond(first)], [beyond(f"k = {k}")], FURTHER,
        )
        for k in at.jumps[1:]
    ]  # fmt: skip
    return found


STUDY = Study(
    name="parity-scratchpad",
    title="Parity with a scratchpad and predictive position coupling",
    source=f"{SOURCE}, Figures 2 and 8",
    about="prefix parities written with jumps of k: with coupled ids, with other positions, not at all",
    time="laptop: about 32 minutes on two cores",
    own=CurveCells("parity-scratchpad", curves, claims),
)
