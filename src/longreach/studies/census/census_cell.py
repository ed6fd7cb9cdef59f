"""Cells of the census: the runs of one language, encoding and training length at one test ratio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from longreach.errors import InputError
from longreach.forecast.odds_features import ODDS_ENCODINGS, OddsCase
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_run import RATIOS, CensusRun

Criterion: TypeAlias = Literal["half way", "0.9", "mean"]
"""When a cell works: most runs half way from chance to 1, most at 0.9, or the mean half way."""
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
NINE_TENTHS = 0.9


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Runs that differ in their seed alone, at one ratio; those that failed are only counted."""

    language: LanguageFacts
    case: OddsCase
    """Encoding, training length and ratio with the exact numbers that belong to them."""
    accuracies: tuple[float, ...]
    failed: int = 0

    @property
    def encoding(self) -> str:
        """The encoding of all its runs."""
        return self.case.encoding

    @property
    def trained_to(self) -> int:
        """The training length."""
        return self.case.features.trained_to

    @property
    def ratio(self) -> int:
        """The tested lengths end at so many times the training length."""
        return self.case.ratio

    @property
    def chance(self) -> float:
        """Of a predictor that sees only the position."""
        return self.language.chance(self.trained_to, self.ratio)

    @property
    def level(self) -> float:
        """Half way from chance to 1: a run works from here on."""
        return (1 + self.chance) / 2

    @property
    def works(self) -> tuple[bool, ...]:
        """Which runs work."""
        return tuple(accuracy >= self.level for accuracy in self.accuracies)

    def worked(self, criterion: Criterion = "half way") -> bool:
        """Whether the cell works; of an even number of runs, half are not most."""
        if criterion == "mean":
            return sum(self.accuracies) / len(self.accuracies) >= self.level
        level = self.level if criterion == "half way" else NINE_TENTHS
        return 2 * sum(accuracy >= level for accuracy in self.accuracies) > len(self.accuracies)

    @property
    def says_yes(self) -> bool:
        """Whether the verdict for the encoding is that it works."""
        return self.language.sides[self.encoding].verdict == "yes"


def cells(runs: Iterable[CensusRun], languages: Mapping[str, LanguageFacts]) -> tuple[Cell, ...]:
    """All cells of the census, in order; those whose runs all failed are left out.

    Runs of other recipes, and of encodings for which there are no verdicts, are none of it.
    """
    groups: dict[tuple[str, str, int], list[CensusRun]] = {}
    for run in runs:
        if run.language not in languages:
            raise InputError(f"the run {run.run} is of a language that is not in the table: {run.language}")
        if run.encoding in ODDS_ENCODINGS and run.recipe is None:
            groups.setdefault((run.language, run.encoding, run.trained_to), []).append(run)
    found: list[Cell] = []
    for (key, encoding, trained_to), members in sorted(groups.items()):
        done = [run for run in members if not run.failed]
        if not done:
            continue
        features = languages[key].features(trained_to)
        for ratio in RATIOS:
            found.append(
                Cell(
                    language=languages[key],
                    case=OddsCase(features=features, encoding=encoding, ratio=ratio),
                    accuracies=tuple(run.at(ratio) for run in done),
                    failed=len(members) - len(done),
                )
            )
    return tuple(found)
