"""Variable assignment: predictive position coupling against its ablations (Figures 3a to 3d)."""

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
from longreach.studies.coupling.curves import Claim, Curve, Measured, above
from longreach.studies.study_definition import Study
from longreach.tasks.variable_assignment import BEFORE


@dataclass(frozen=True, kw_only=True)
class ChainScale:
    """What is trained at a scale."""

    depths: tuple[int, ...]
    variables: int
    train: tuple[int, int]
    tests: tuple[int, ...]
    """Tokens of the assignments at most, as the paper counts; rounded down to whole chains."""
    positions: int
    seeds: int
    bare_seeds: int
    """Of RoPE with PoSE without a scratchpad."""
    setting: dict[str, Any]


SCALES: dict[Scale, ChainScale] = {
    "smoke": ChainScale(
        depths=(2,), variables=20, train=(6, 12), tests=(12, 24), positions=40, seeds=1, bare_seeds=1,
        setting=SMOKE,
    ),
    "laptop": ChainScale(
        depths=(2, 3), variables=24, train=(6, 18), tests=(12, 18, 24, 30, 36), positions=50, seeds=3,
        bare_seeds=3,
        setting={
            "layers": 2, "heads": 4, "width": 128, "lr": 0.001, "batch": 128, "warmup": 100,
            "max_steps": 2000, "evaluate_every": 500, "stop_early": False, "test_size": 192, "tied": False,
        },
    ),
    "paper": ChainScale(
        depths=(2, 3, 4, 5), variables=200, train=(20, 60),
        tests=(20, 40, 60, 80, 100, 120, 140, 160, 180, 200), positions=230, seeds=3, bare_seeds=10,
        setting=PAPER | {"batch": 32, "test_size": 192},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 4."""
COUPLING, SHIFT, ROTARY, BARE = (
    "predictive position coupling", "learned positions, shifted", "RoPE with PoSE",
    "RoPE with PoSE, no scratchpad",
)  # fmt: skip
PANELS = {COUPLING: COUPLED, SHIFT: SHIFTED, ROTARY: POSE, BARE: POSE}
MARGIN = 0.1


def whole_chains(tokens: int, depth: int) -> int:
    """LEN with as many chains as have at most so many tokens, but at least one.

    >>> whole_chains(20, 2), whole_chains(20, 5)
    (20, 17)
    """
    return BEFORE + 3 * depth * max(1, tokens // (3 * depth))


def curves(scale: Scale) -> list[Curve]:
    """A panel for each way to give positions, a curve for each depth.

    >>> curves("smoke")[-1].config.task
    'variable-assignment:variables=20,scratchpad=no'
    """
    at = SCALES[scale]
    found = []
    for panel, encoding in PANELS.items():
        for depth in at.depths:
            steps = "no" if panel == BARE else "yes"
            config = curve_config(
                f"variable-assignment:{depth},variables={at.variables},scratchpad={steps}", at.setting,
                encoding, max_position=at.positions,
                train_lengths=tuple(whole_chains(each, depth) for each in at.train),
                test_lengths=lengths_at(*(whole_chains(each, depth) for each in at.tests)),
            )  # fmt: skip
            seeds = at.bare_seeds if panel == BARE else at.seeds
            found.append(Curve(panel=panel, name=f"d = {depth}", config=config, seeds=seeds))
    return found


def claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.2, for each depth at twice the longest training length."""
    at = SCALES[scale]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}
    found = []
    for depth in at.depths:
        length, name = whole_chains(2 * at.train[1], depth), f"d = {depth}"
        coupled = mean[COUPLING, name](length)
        for panel in (SHIFT, ROTARY, BARE):
            text = f"{name}: {COUPLING} is ahead of {panel} at {length}"
            found.append(above(text, [coupled], [mean[panel, name](length)], MARGIN))
    return found


STUDY = Study(
    name="variable-assignment",
    title="Variable assignment with predictive position coupling",
    source=f"{SOURCE}, Figure 3",
    about="chains of assignments, followed with coupled ids, with other positions, without a scratchpad",
    time="laptop: about 30 minutes on two cores",
    own=CurveCells("variable-assignment", curves, claims),
)
