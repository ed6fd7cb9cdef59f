"""Golowich et al. (arXiv 2502.16792): sparse parity, scratchpads and variable assignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.scales import Scale
from longreach.studies.curves import (
    COUPLED,
    PAPER,
    POSE,
    SHIFTED,
    SMOKE,
    SOURCE,
    Claim,
    Curve,
    CurveCells,
    Measured,
    above,
    at_least,
    curve_config,
    leads,
    lengths_at,
)
from longreach.studies.study import Study
from longreach.tasks.catalog import self_contained
from longreach.tasks.families import BEFORE

# Sparse parity: lengths generalize up to the sparsity of training, not beyond (Figures 1 and 7).


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


SPARSE_PARITY_SCALES: dict[Scale, SparseScale] = {
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
SPARSE_PARITY_LEVEL, SPARSE_PARITY_MARGIN = 0.9, 0.1
"""What counts as working, and by how much a test sparsity above that of training must fall behind."""


def sparse_parity_curves(scale: Scale) -> list[Curve]:
    """A panel for each K_train, a curve for each k_test.

    >>> [(each.panel, each.name) for each in curves("smoke")]
    [('K_train = 2', 'k_test = 2'), ('K_train = 2', 'k_test = 3')]
    """
    at = SPARSE_PARITY_SCALES[scale]
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


def sparse_parity_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """That of section 5.1, for each K_train, at twice the longest training length or the longest test."""
    at = SPARSE_PARITY_SCALES[scale]
    twice = min(2 * at.train[1], at.tests[-1])
    found = []
    for most in at.trained:
        mine = [each for each in measured if each.curve.panel == f"K_train = {most}"]
        inside, outside = (
            [each.mean(twice) for each, k in zip(mine, at.tested, strict=True) if (k <= most) == within]
            for within in (True, False)
        )
        where = f"K_train = {most}, length {twice}"
        found.append(
            at_least(
                f"{where}: k_test up to {most} is at {100 * SPARSE_PARITY_LEVEL:.0f} %",
                inside,
                SPARSE_PARITY_LEVEL,
            )
        )
        found.append(
            above(f"{where}: k_test above {most} falls behind", inside, outside, SPARSE_PARITY_MARGIN)
        )
    return found


SPARSE_PARITY = Study(
    name="sparse-parity",
    title="Sparse parity under rotary positions and PoSE",
    source=f"{SOURCE}, Figures 1 and 7",
    about="trained on at most K special symbols, tested on more lengths and other numbers of them",
    time="laptop: about five minutes on two cores",
    own=CurveCells("sparse-parity", sparse_parity_curves, sparse_parity_claims),
)


# Parity with a scratchpad: predictive position coupling against its ablations (Figures 2 and 8).


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


SCRATCHPAD_SCALES: dict[Scale, JumpScale] = {
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
SCRATCHPAD_COUPLING, SCRATCHPAD_SHIFT, SCRATCHPAD_ROTARY = (
    "predictive position coupling",
    "learned positions, shifted",
    "RoPE with PoSE",
)
ABLATIONS = {SCRATCHPAD_SHIFT: SHIFTED, SCRATCHPAD_ROTARY: POSE}
WITHOUT_SCRATCHPAD = "no scratchpad"
SCRATCHPAD_LEVEL, SCRATCHPAD_MARGIN, FURTHER = 0.95, 0.1, 0.05
"""What counts as working; by how much coupling must be ahead of an ablation, and a jump of 1 of others."""


def scratchpad_curves(scale: Scale) -> list[Curve]:
    """Four panels: coupling, two ablations, and parity without a scratchpad.

    >>> [(each.panel, each.name) for each in curves("smoke")][-1]
    ('no scratchpad', 'RoPE with PoSE')
    """
    at = SCRATCHPAD_SCALES[scale]
    given = {"train_lengths": at.train, "test_lengths": lengths_at(*at.tests), "max_position": at.positions}
    found = [
        Curve(
            panel=SCRATCHPAD_COUPLING, name=f"k = {k}", seeds=at.seeds,
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
            panel=WITHOUT_SCRATCHPAD, name=name, seeds=at.ablation_seeds,
            config=curve_config(bare, at.setting, encoding, given),
        )
        for name, encoding in ABLATIONS.items()
    ]  # fmt: skip
    return found


def scratchpad_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.1 and E.2.2, the first ones at twice the longest training length."""
    at = SCRATCHPAD_SCALES[scale]
    twice = 2 * at.train[1]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}

    def of(panel: str, names: Sequence[str], length: int) -> list[float | None]:
        return [mean[panel, name](length) for name in names]

    def beyond(name: str) -> float | None:
        """The mean over the lengths behind those of training."""
        values = [mean[SCRATCHPAD_COUPLING, name](length) for length in at.tests if length > at.train[1]]
        known = [value for value in values if value is not None]
        return sum(known) / len(values) if len(known) == len(values) else None

    first, ablated = "k = 1", [f"k = {k}" for k in at.ablated]
    found = [
        at_least(
            f"{SCRATCHPAD_COUPLING} with k = 1 is at {100 * SCRATCHPAD_LEVEL:.0f} % "
            f"at twice the length ({twice})",
            of(SCRATCHPAD_COUPLING, [first], twice), SCRATCHPAD_LEVEL,
        ),
    ]  # fmt: skip
    found += [
        leads(
            f"{SCRATCHPAD_COUPLING} is ahead of {panel} at {twice}",
            of(SCRATCHPAD_COUPLING, ablated, twice), of(panel, ablated, twice), SCRATCHPAD_MARGIN,
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


PARITY_SCRATCHPAD = Study(
    name="parity-scratchpad",
    title="Parity with a scratchpad and predictive position coupling",
    source=f"{SOURCE}, Figures 2 and 8",
    about="prefix parities written with jumps of k: with coupled ids, with other positions, not at all",
    time="laptop: about 32 minutes on two cores",
    own=CurveCells("parity-scratchpad", scratchpad_curves, scratchpad_claims),
)


# Variable assignment: predictive position coupling against its ablations (Figures 3a to 3d).


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


ASSIGNMENT_SCALES: dict[Scale, ChainScale] = {
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
ASSIGNMENT_COUPLING, ASSIGNMENT_SHIFT, ASSIGNMENT_ROTARY, ASSIGNMENT_BARE = (
    "predictive position coupling", "learned positions, shifted", "RoPE with PoSE",
    "RoPE with PoSE, no scratchpad",
)  # fmt: skip
PANELS = {
    ASSIGNMENT_COUPLING: COUPLED,
    ASSIGNMENT_SHIFT: SHIFTED,
    ASSIGNMENT_ROTARY: POSE,
    ASSIGNMENT_BARE: POSE,
}
ASSIGNMENT_MARGIN = 0.1


def whole_chains(tokens: int, depth: int) -> int:
    """LEN with as many chains as have at most so many tokens, but at least one.

    >>> whole_chains(20, 2), whole_chains(20, 5)
    (20, 17)
    """
    return BEFORE + 3 * depth * max(1, tokens // (3 * depth))


def assignment_curves(scale: Scale) -> list[Curve]:
    """A panel for each way to give positions, a curve for each depth.

    >>> curves("smoke")[-1].config.task
    'variable-assignment:variables=20,scratchpad=no'
    """
    at = ASSIGNMENT_SCALES[scale]
    found = []
    for panel, encoding in PANELS.items():
        for depth in at.depths:
            steps = "no" if panel == ASSIGNMENT_BARE else "yes"
            config = curve_config(
                f"variable-assignment:{depth},variables={at.variables},scratchpad={steps}", at.setting,
                encoding, max_position=at.positions,
                train_lengths=tuple(whole_chains(each, depth) for each in at.train),
                test_lengths=lengths_at(*(whole_chains(each, depth) for each in at.tests)),
            )  # fmt: skip
            seeds = at.bare_seeds if panel == ASSIGNMENT_BARE else at.seeds
            found.append(Curve(panel=panel, name=f"d = {depth}", config=config, seeds=seeds))
    return found


def assignment_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.2, for each depth at twice the longest training length."""
    at = ASSIGNMENT_SCALES[scale]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}
    found = []
    for depth in at.depths:
        length, name = whole_chains(2 * at.train[1], depth), f"d = {depth}"
        coupled = mean[ASSIGNMENT_COUPLING, name](length)
        for panel in (ASSIGNMENT_SHIFT, ASSIGNMENT_ROTARY, ASSIGNMENT_BARE):
            text = f"{name}: {ASSIGNMENT_COUPLING} is ahead of {panel} at {length}"
            found.append(above(text, [coupled], [mean[panel, name](length)], ASSIGNMENT_MARGIN))
    return found


VARIABLE_ASSIGNMENT = Study(
    name="variable-assignment",
    title="Variable assignment with predictive position coupling",
    source=f"{SOURCE}, Figure 3",
    about="chains of assignments, followed with coupled ids, with other positions, without a scratchpad",
    time="laptop: about 30 minutes on two cores",
    own=CurveCells("variable-assignment", assignment_curves, assignment_claims),
)
