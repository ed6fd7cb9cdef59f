"""Where a "no" ends: the length of failure that is predicted beside the one that is measured.

Predicted is the length at which the summary that lasts longest, of those that training shows whole, is wrong
on most words. Measured is the first tested range at which most runs do not work.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.comparison.calibration import bootstrap
from longreach.comparison.resampling import Estimate, estimate
from longreach.forecast.logistic_model import FloatArray
from longreach.studies.census.census_cell import Cell
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_run import RATIOS, bins
from longreach.studies.census.failure_length import longest_lasting

LETTERS = (4, 8, 16)
"""The longest window that a model may rest on; the last is the usual one."""
BEYOND = RATIOS[-1] + 1
"""The rank of a length beyond all that are tested."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One "no": a language, an encoding and a training length."""

    language: LanguageFacts
    encoding: str
    trained_to: int
    measured: int | None
    """The first ratio at which most runs do not work, 1 if the training lengths were not learned; None: they
    work at all."""

    def predicted(self, most_letters: int = LETTERS[-1]) -> tuple[int | None, str | None]:
        """The length, None if it lies beyond all that are tested, and the summary that lasts so long."""
        found = longest_lasting(
            self.language.fails(self.trained_to),
            self.trained_to,
            positions=self.encoding == "ape",
            most_letters=most_letters,
        )
        return found.length, None if found.summary is None else str(found.summary)

    def predicted_ratio(self, most_letters: int = LETTERS[-1]) -> int | None:
        """The first tested range that ends at or after the predicted length; None: beyond all."""
        length, _ = self.predicted(most_letters)
        ends = bins(self.trained_to).items()
        return None if length is None else next((r for r, lengths in ends if lengths.last >= length), None)

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        length, summary = self.predicted()
        return {
            "language": self.language.key,
            "source": self.language.source,
            "encoding": self.encoding,
            "trained_to": self.trained_to,
            "predicted": length,
            "by": summary,
            "measured": None if self.measured is None else bins(self.trained_to)[self.measured].name,
        }


def failures(found: Iterable[Cell]) -> tuple[Failure, ...]:
    """All cells with the verdict "no", the ratios of each together."""
    groups: dict[tuple[str, str, int], list[Cell]] = {}
    for cell in found:
        if cell.case.side.verdict == "no":
            groups.setdefault((cell.language.key, cell.encoding, cell.trained_to), []).append(cell)
    return tuple(
        Failure(
            language=members[0].language,
            encoding=encoding,
            trained_to=trained_to,
            measured=next(
                (c.ratio for c in sorted(members, key=lambda each: each.ratio) if not c.worked()), None
            ),
        )
        for (_, encoding, trained_to), members in groups.items()
    )


def failure_document(found: Sequence[Failure], *, samples: int = 1000) -> dict[str, Any]:
    """How well lengths of failure are predicted: rank correlation over those that learned, and the cells."""
    learned = [each for each in found if each.measured != 1]
    return {
        "cells": len(found),
        "learned": len(learned),
        "work at all lengths": sum(each.measured is None for each in found),
        "rank correlation": {
            f"{letters} letters": rank_correlation(learned, letters, samples=samples).rounded()
            for letters in LETTERS
        },
        "predicted to fail": _shares([each for each in learned if each.predicted_ratio() is not None]),
        "predicted to last": _shares([each for each in learned if each.predicted_ratio() is None]),
        "each": [each.document() for each in found],
    }


def _shares(found: Sequence[Failure]) -> dict[str, int]:
    """Of so many cells, how many fail somewhere among the tested lengths."""
    return {"cells": len(found), "fail": sum(each.measured is not None for each in found)}


def rank_correlation(found: Sequence[Failure], most_letters: int, *, samples: int = 1000) -> Estimate:
    """Between predicted and measured ratios, with an interval over languages; None if one never varies."""
    if not found:
        return Estimate(value=None, low=None, high=None)
    said = np.array([each.predicted_ratio(most_letters) or BEYOND for each in found], dtype=np.float64)
    seen = np.array([each.measured or BEYOND for each in found], dtype=np.float64)
    every = np.arange(len(found))

    def statistic(rows: npt.NDArray[np.int64]) -> float:
        return spearman(said[rows], seen[rows])

    drawn = bootstrap([each.language.key for each in found], statistic, samples=samples)
    return estimate(np.append(statistic(every), drawn))


def spearman(one: FloatArray, other: FloatArray) -> float:
    """The correlation of ranks, ties having their middle rank; not a number if one never varies.

    >>> spearman(np.array([1.0, 2, 3]), np.array([10.0, 30, 30])).__round__(3)
    0.866
    """
    first, second = _ranks(one), _ranks(other)
    first, second = first - first.mean(), second - second.mean()
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / size) if size else float("nan")


def _ranks(values: FloatArray) -> FloatArray:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[places], dtype=np.float64)
