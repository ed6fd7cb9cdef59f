"""Golowich et al. (arXiv 2502.16792): sparse parity, parity with a scratchpad, variable assignment."""

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
    Curve,
    Measured,
    above,
    at_least,
    curve_config,
    curve_study,
    leads,
    lengths_at,
)
from longreach.studies.study import Claim
from longreach.tasks.catalog import self_contained
from longreach.tasks.families import BEFORE


@dataclass(frozen=True, kw_only=True)
class CurveScale:
    """What is trained at a scale."""

    values: tuple[int, ...]
    """The parameter of training: K_train, jumps or depths."""
    others: tuple[int, ...] = ()
    """A second one: k_test, or the jumps of the ablations."""
    train: tuple[int, int]
    tests: tuple[int, ...]
    """LEN: 2ℓ in sparse parity, the number of bits in parity, tokens in variable assignment."""
    positions: int
    seeds: int
    ablation_seeds: int = 0
    symbols: int = 0
    """Symbols or variables that the task has."""
    setting: dict[str, Any]

    @property
    def twice(self) -> int:
        return 2 * self.train[1]


COUPLING, SHIFT, ROTARY = "predictive position coupling", "learned positions, shifted", "RoPE with PoSE"
ABLATIONS = {SHIFT: SHIFTED, ROTARY: POSE}
LAPTOP: dict[str, Any] = {
    "layers": 2, "lr": 0.001, "warmup": 100, "evaluate_every": 500, "stop_early": False,
}  # fmt: skip
"""What the settings of the laptop have in common."""

# Sparse parity: runs generalize up to the sparsity they were trained on (Figures 1 and 7).


SPARSE_PARITY_SCALES: dict[Scale, CurveScale] = {
    "smoke": CurveScale(
        values=(2,), others=(2, 3), train=(6, 10), tests=(6, 10, 20), positions=26, seeds=1, symbols=20,
        setting=SMOKE,
    ),
    "laptop": CurveScale(
        values=(2, 4), others=(1, 2, 4, 8, 12), train=(10, 20), tests=(10, 20, 26, 30, 40, 60),
        positions=70, seeds=3, symbols=4,
        setting=LAPTOP | {"heads": 4, "width": 64, "batch": 128, "max_steps": 4000, "test_size": 256},
    ),
    "paper": CurveScale(
        values=(4, 6, 8, 10, 12), others=(4, 6, 8, 10, 12, 14, 16), train=(20, 50),
        tests=(20, 36, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500), positions=510, seeds=1, symbols=20,
        setting=PAPER | {"batch": 64, "test_size": 512},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 2. In training k is uniform in 1 … K_train."""
SPARSE_PARITY_LEVEL, SPARSE_PARITY_MARGIN = 0.9, 0.1
"""What counts as working, and by how much a test sparsity above that of training must fall behind."""


def sparse_parity_curves(scale: Scale) -> list[Curve]:
    """A panel for each K_train, a curve for each k_test.

    >>> [(each.panel, each.name) for each in sparse_parity_curves("smoke")]
    [('K_train = 2', 'k_test = 2'), ('K_train = 2', 'k_test = 3')]
    """
    at = SPARSE_PARITY_SCALES[scale]
    exactly = {k: self_contained(f"sparse-parity:{k}-{k},symbols={at.symbols}") for k in at.others}
    found = []
    for most in at.values:
        config = curve_config(
            f"sparse-parity:{most},symbols={at.symbols}", at.setting, POSE,
            train_lengths=at.train, test_lengths=lengths_at(*at.tests), max_position=at.positions,
            test_tasks=tuple(exactly.values()),
        )  # fmt: skip
        found += [
            Curve(panel=f"K_train = {most}", name=f"k_test = {k}", config=config, seeds=at.seeds, tested=task)
            for k, task in exactly.items()
        ]
    return found


def sparse_parity_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """That of section 5.1, for each K_train, at twice the longest training length or the longest test."""
    at = SPARSE_PARITY_SCALES[scale]
    length = min(at.twice, at.tests[-1])
    found = []
    for most in at.values:
        mine = [each.mean(length) for each in measured if each.curve.panel == f"K_train = {most}"]
        inside = [mean for mean, k in zip(mine, at.others, strict=True) if k <= most]
        outside = [mean for mean, k in zip(mine, at.others, strict=True) if k > most]
        where, level = f"K_train = {most}, length {length}", SPARSE_PARITY_LEVEL
        found += [
            at_least(f"{where}: k_test up to {most} is at {100 * level:.0f} %", inside, level),
            above(f"{where}: k_test above {most} falls behind", inside, outside, SPARSE_PARITY_MARGIN),
        ]
    return found


SPARSE_PARITY = curve_study(
    sparse_parity_curves,
    sparse_parity_claims,
    name="sparse-parity",
    title="Sparse parity under rotary positions and PoSE",
    source=f"{SOURCE}, Figures 1 and 7",
    about="trained on at most K special symbols, tested on more lengths and other numbers of them",
    time="laptop: about five minutes on two cores",
)


# Parity with a scratchpad: predictive position coupling against its ablations (Figures 2 and 8).


SCRATCHPAD_SCALES: dict[Scale, CurveScale] = {
    "smoke": CurveScale(
        values=(1, 2), others=(1,), train=(2, 5), tests=(5, 10), positions=26, seeds=1, ablation_seeds=1,
        setting=SMOKE,
    ),
    "laptop": CurveScale(
        values=(1, 2, 3), others=(1, 2), train=(1, 6), tests=(3, 6, 9, 12, 15, 18), positions=42,
        seeds=3, ablation_seeds=3,
        setting=LAPTOP | {
            "heads": 2, "width": 128, "batch": 256, "max_steps": 3000, "test_size": 192, "tied": False,
        },
    ),
    "paper": CurveScale(
        values=(1, 2, 3, 4), others=(1, 2, 3, 4), train=(5, 20),
        tests=(5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), positions=210, seeds=10, ablation_seeds=3,
        setting=PAPER | {"batch": 64, "test_size": 192},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 3, whose lengths are twice the number of bits."""
WITHOUT_SCRATCHPAD = "no scratchpad"
SCRATCHPAD_LEVEL, SCRATCHPAD_MARGIN, FURTHER = 0.95, 0.1, 0.05
"""What counts as working; by how much coupling must be ahead of an ablation, and a jump of 1 of others."""


def scratchpad_curves(scale: Scale) -> list[Curve]:
    """Four panels: coupling, two ablations, and parity without a scratchpad.

    >>> [(each.panel, each.name) for each in scratchpad_curves("smoke")][-1]
    ('no scratchpad', 'RoPE with PoSE')
    """
    at = SCRATCHPAD_SCALES[scale]

    def curve(panel: str, name: str, task: str, encoding: dict[str, Any], seeds: int) -> Curve:
        config = curve_config(
            f"parity-scratchpad:{task}", at.setting, encoding,
            train_lengths=at.train, test_lengths=lengths_at(*at.tests), max_position=at.positions,
        )  # fmt: skip
        return Curve(panel=panel, name=name, config=config, seeds=seeds)

    return [
        *(curve(COUPLING, f"k = {k}", str(k), COUPLED, at.seeds) for k in at.values),
        *(
            curve(panel, f"k = {k}", str(k), encoding, at.ablation_seeds)
            for panel, encoding in ABLATIONS.items()
            for k in at.others
        ),
        *(
            curve(WITHOUT_SCRATCHPAD, name, "scratchpad=no", encoding, at.ablation_seeds)
            for name, encoding in ABLATIONS.items()
        ),
    ]


def scratchpad_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.1 and E.2.2, the first ones at twice the longest training length."""
    at = SCRATCHPAD_SCALES[scale]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}

    def of(panel: str, jumps: Sequence[int]) -> list[float | None]:
        return [mean[panel, f"k = {k}"](at.twice) for k in jumps]

    def beyond(jump: int) -> float | None:
        """The mean over the lengths behind those of training."""
        values = [mean[COUPLING, f"k = {jump}"](length) for length in at.tests if length > at.train[1]]
        known = [value for value in values if value is not None]
        return sum(known) / len(values) if len(known) == len(values) else None

    level = SCRATCHPAD_LEVEL
    first = f"{COUPLING} with k = 1 is at {100 * level:.0f} % at twice the length ({at.twice})"
    found = [at_least(first, of(COUPLING, [1]), level)]
    for panel in ABLATIONS:
        text = f"{COUPLING} is ahead of {panel} at {at.twice}"
        found.append(leads(text, of(COUPLING, at.others), of(panel, at.others), SCRATCHPAD_MARGIN))
    for k in at.values[1:]:
        text = f"smaller jumps go further: k = 1 is ahead of k = {k}, over all longer lengths"
        found.append(above(text, [beyond(1)], [beyond(k)], FURTHER))
    return found


PARITY_SCRATCHPAD = curve_study(
    scratchpad_curves,
    scratchpad_claims,
    name="parity-scratchpad",
    title="Parity with a scratchpad and predictive position coupling",
    source=f"{SOURCE}, Figures 2 and 8",
    about="prefix parities written with jumps of k: with coupled ids, with other positions, not at all",
    time="laptop: about 32 minutes on two cores",
)


# Variable assignment: predictive position coupling against its ablations (Figures 3a to 3d).


ASSIGNMENT_SCALES: dict[Scale, CurveScale] = {
    "smoke": CurveScale(
        values=(2,), symbols=20, train=(6, 12), tests=(12, 24), positions=40, seeds=1, ablation_seeds=1,
        setting=SMOKE,
    ),
    "laptop": CurveScale(
        values=(2, 3), symbols=24, train=(6, 18), tests=(12, 18, 24, 30, 36), positions=50, seeds=3,
        ablation_seeds=3,
        setting=LAPTOP | {
            "heads": 4, "width": 128, "batch": 128, "max_steps": 2000, "test_size": 192, "tied": False,
        },
    ),
    "paper": CurveScale(
        values=(2, 3, 4, 5), symbols=200, train=(20, 60),
        tests=(20, 40, 60, 80, 100, 120, 140, 160, 180, 200), positions=230, seeds=3, ablation_seeds=10,
        setting=PAPER | {"batch": 32, "test_size": 192},
    ),
}  # fmt: skip
"""At the paper's scale as in Table 4, whose lengths are rounded down to whole chains.

`ablation_seeds` are those of RoPE with PoSE without a scratchpad.
"""
BARE = "RoPE with PoSE, no scratchpad"
ASSIGNMENT_MARGIN = 0.1


def whole_chains(tokens: int, depth: int) -> int:
    """LEN with as many chains as have at most so many tokens, but at least one.

    >>> whole_chains(20, 2), whole_chains(20, 5)
    (20, 17)
    """
    return BEFORE + 3 * depth * max(1, tokens // (3 * depth))


def assignment_curves(scale: Scale) -> list[Curve]:
    """A panel for each way to give positions, a curve for each depth.

    >>> assignment_curves("smoke")[-1].config.task
    'variable-assignment:variables=20,scratchpad=no'
    """
    at, found = ASSIGNMENT_SCALES[scale], list[Curve]()
    for panel, encoding in {COUPLING: COUPLED, **ABLATIONS, BARE: POSE}.items():
        steps, seeds = ("no", at.ablation_seeds) if panel == BARE else ("yes", at.seeds)
        for depth in at.values:
            config = curve_config(
                f"variable-assignment:{depth},variables={at.symbols},scratchpad={steps}", at.setting,
                encoding, max_position=at.positions,
                train_lengths=tuple(whole_chains(each, depth) for each in at.train),
                test_lengths=lengths_at(*(whole_chains(each, depth) for each in at.tests)),
            )  # fmt: skip
            found.append(Curve(panel=panel, name=f"d = {depth}", config=config, seeds=seeds))
    return found


def assignment_claims(scale: Scale, measured: Sequence[Measured]) -> list[Claim]:
    """Those of section 5.2.2, for each depth at twice the longest training length."""
    at = ASSIGNMENT_SCALES[scale]
    mean = {(each.curve.panel, each.curve.name): each.mean for each in measured}
    found = []
    for depth in at.values:
        length, name = whole_chains(at.twice, depth), f"d = {depth}"
        coupled = mean[COUPLING, name](length)
        for panel in (*ABLATIONS, BARE):
            text = f"{name}: {COUPLING} is ahead of {panel} at {length}"
            found.append(above(text, [coupled], [mean[panel, name](length)], ASSIGNMENT_MARGIN))
    return found


VARIABLE_ASSIGNMENT = curve_study(
    assignment_curves,
    assignment_claims,
    name="variable-assignment",
    title="Variable assignment with predictive position coupling",
    source=f"{SOURCE}, Figure 3",
    about="chains of assignments, followed with coupled ids, with other positions, without a scratchpad",
    time="laptop: about 30 minutes on two cores",
)
