"""How far runs of ours are from the published ones, by reading and encoding, and which encoding is nearer.

The rule was fixed before anything was trained. Per language the best of our runs, chosen as the published one
was, is compared with it: the mean difference of accuracy over the test ranges. An encoding reproduces the
published numbers if its mean over languages is smaller, and an exact test that exchanges the two encodings
language by language finds a difference as large in at most one case of twenty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.comparison.outcome import Outcome
from longreach.comparison.state_languages import StateLanguage
from longreach.config.length_range import name_order
from longreach.config.task_name import STATES_AFTER, TaskName
from longreach.results.cells import Cell
from longreach.studies.states.state_cells import sample

LIKELY = 0.05
MOST = 20
"""Languages up to which all exchanges are counted."""


@dataclass(frozen=True, kw_only=True)
class LanguageDistance:
    """One cell of ours beside the published run."""

    name: str
    expression: str
    after: bool
    encoding: str
    ours: dict[str, float]
    """By test range."""
    published: dict[str, float]
    perfect: bool
    """Whether our run is right on the whole training range."""

    @property
    def distance(self) -> float:
        """The mean absolute difference over the ranges."""
        return sum(abs(self.ours[name] - share) for name, share in self.published.items()) / len(self.ours)

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "distance": self.distance}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Both encodings on the languages that have runs of both, read after the letter."""

    languages: tuple[str, ...]
    nope: float
    """The mean distance."""
    ape: float
    chance: float
    """How often exchanging the encodings at random makes a difference as large."""

    @property
    def nearer(self) -> str | None:
        """The encoding that reproduces the published numbers; None: not settled."""
        if self.chance > LIKELY or self.nope == self.ape:
            return None
        return "nope" if self.nope < self.ape else "ape"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "languages": list(self.languages), "nearer": self.nearer}


def best_run(cell: Cell) -> dict[str, float] | None:
    """The accuracies of the run that is best on the longest range, among those that are perfect in
    distribution (among all where none is). That is how the published runs were chosen."""
    rows = [row for row in cell.counted if row.accuracy]
    if not rows:
        return None
    longest = max((name for row in rows for name in row.accuracy), key=name_order)
    return max(rows, key=lambda row: row.accuracy.get(longest, 0.0)).accuracy


def language_distances(found: Sequence[Outcome]) -> tuple[LanguageDistance, ...]:
    """Every cell that has run on ranges that are published as well."""
    known: Mapping[str, StateLanguage] = {each.expression: each for each in sample().values()}
    distances = []
    for each in found:
        name = TaskName(each.place.task)
        best = None if each.cell is None else best_run(each.cell)
        if each.cell is None or best is None:
            continue
        language = known[name.source]
        shared = [test for test in each.ranges[1:] if test in language.accuracy and test in best]
        if shared:
            distances.append(
                LanguageDistance(
                    name=language.name,
                    expression=language.expression,
                    after=name.prefix == STATES_AFTER,
                    encoding=each.place.encoding,
                    ours={test: best[test] for test in shared},
                    published={test: language.accuracy[test] for test in shared},
                    perfect=each.cell.learned,
                )
            )
    return tuple(distances)


def compare(distances: Sequence[LanguageDistance]) -> Comparison | None:
    """The two encodings; None if no language has runs of both."""
    by_name: dict[str, dict[str, float]] = {}
    for each in distances:
        if each.after:
            by_name.setdefault(each.name, {})[each.encoding] = each.distance
    pairs = {name: both for name, both in by_name.items() if {"nope", "ape"} <= both.keys()}
    if not pairs:
        return None
    differences = [both["nope"] - both["ape"] for both in pairs.values()]
    return Comparison(
        languages=tuple(pairs),
        nope=sum(both["nope"] for both in pairs.values()) / len(pairs),
        ape=sum(both["ape"] for both in pairs.values()) / len(pairs),
        chance=exchange_test(differences),
    )


def exchange_test(differences: Sequence[float]) -> float:
    """The share of all changes of signs whose sum is at least as far from zero (two-sided, exact).

    >>> exchange_test([1.0, 2.0, 3.0]), exchange_test([1.0, -1.0])
    (0.25, 1.0)
    """
    if len(differences) > MOST:
        raise ValueError(f"more than {MOST} differences")
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums + each, sums - each])
    return float((np.abs(sums) >= abs(sum(differences)) - 1e-12).mean())
