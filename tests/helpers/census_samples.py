"""Runs of the census that nobody trained: outcomes drawn from known odds, on its real languages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from longreach.studies.census.draw import RATIOS, Part
from longreach.studies.census.tables import CensusRun, Kind, LanguageFacts, language_table


def true_odds(facts: LanguageFacts, encoding: str, trained_to: int, ratio: int) -> float:
    """What the outcomes are drawn from: the verdict counts, more states and longer tests are harder."""
    yes = facts.sides[encoding].verdict == "yes"
    line = (
        1.5 + (3.0 if yes else -1.0) - 0.5 * facts.states - 0.8 * np.log2(ratio) + 0.2 * np.log2(trained_to)
    )
    return float(1 / (1 + np.exp(-line)))


def synthetic_runs(
    part: Part,
    *,
    lengths: Iterable[int] = (10, 20),
    seeds: int = 3,
    failed: int = 0,
    encodings: Sequence[str] = ("nope", "ape"),
    kinds: Sequence[Kind] = ("drawn",),
) -> tuple[CensusRun, ...]:
    """Runs on all languages of a part; accuracies never rise with the length. The first few may fail."""
    random = np.random.default_rng(0)
    runs: list[CensusRun] = []
    for facts in sorted(language_table().values(), key=lambda each: each.key):
        if facts.part != part or facts.kind not in kinds:
            continue
        for encoding in encodings:
            for trained_to in lengths:
                for seed in range(seeds):
                    luck = random.random()
                    works = [luck < true_odds(facts, encoding, trained_to, ratio) for ratio in RATIOS]
                    levels = [(1 + facts.chance(trained_to, ratio)) / 2 for ratio in RATIOS]
                    within = random.random()
                    shares = [
                        level + within * (1 - level) if good else within * level
                        for good, level in zip(works, levels, strict=True)
                    ]
                    number = len(runs)
                    runs.append(
                        CensusRun(
                            run=f"{number:016x}",
                            language=facts.key,
                            encoding=encoding,
                            trained_to=trained_to,
                            seed=seed,
                            accuracy=() if number < failed else tuple(shares),
                            error="diverged" if number < failed else None,
                            code="test",
                            seconds=1.0,
                            settings="made up",
                        )
                    )
    return tuple(runs)
