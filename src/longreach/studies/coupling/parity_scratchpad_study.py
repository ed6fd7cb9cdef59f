"""Parity with a scratchpad: predictive position coupling against its ablations (Figures 2 and 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.scales import Scale
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
from longreach.studies.coupling.curves import Claim, Curve, CurveCells, Measured, above, at_least
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
        jumps=(1, 2, 3, 4), ablated=(1, 2), train=(2, 12), tests=(6, 12, 18, 24, 36, 48), positions=106,
        seeds=3, ablation_seeds=3,
        setting={
            "layers": 2, "heads": 4, "width": 64, "lr": 0.001, "batch": 64, "warmup": 100, "max_steps": 4000,
            "evaluate_every": 500, "stop_early": False, "test_size": 192,
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
LEVEL, MARGIN = 0.95, 0.1


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
    """Those of section 5.2.1 and E.2.2, at twice the longest training length and at the longest test."""
    at = SCALES[scale]
    twice, last = 2 * at.train[1], at.tests[-1]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}

    def of(panel: str, names: Sequence[str], length: int) -> list[float | None]:
        return [mean[panel, name](length) for name in names]

    first, ablated = "k = 1", [f"k = {k}" for k in at.ablated]
    found = [
        at_least(
            f"{COUPLING} with k = 1 is at {100 * LEVEL:.0f} % at twice the length ({twice})",
            of(COUPLING, [first], twice), LEVEL,
        ),
    ]  # fmt: skip
    found += [
        above(
            f"{COUPLING} is ahead of {panel} at {twice}, jump by jump",
            [min(_differences(of(COUPLING, ablated, twice), of(panel, ablated, twice)), default=None)],
            [0.0], MARGIN,
        )
        for panel in ABLATIONS
    ]  # fmt: skip
    found.append(
        above(
            f"smaller jumps go further: k = 1 is ahead of k = {at.jumps[-1]} at {last}",
            of(COUPLING, [first], last), of(COUPLING, [f"k = {at.jumps[-1]}"], last), 0.0,
        )
    )  # fmt: skip
    return found


def _differences(first: Sequence[float | None], second: Sequence[float | None]) -> list[float]:
    """Pair by pair; none where one is not measured."""
    pairs = list(zip(first, second, strict=True))
    if any(None in pair for pair in pairs):
        return []
    return [a - b for a, b in pairs if a is not None and b is not None]


STUDY = Study(
    name="parity-scratchpad",
    title="Parity with a scratchpad and predictive position coupling",
    source=f"{SOURCE}, Figures 2 and 8",
    about="prefix parities written with jumps of k: with coupled ids, with other positions, not at all",
    time="laptop: about 50 minutes on two cores (estimated)",
    own=CurveCells("parity-scratchpad", curves, claims),
)
