"""Cells as rows of numbers: what is fitted, weighted, and told apart by language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.forecast.logistic_model import FloatArray, LogisticModel, fit_logistic
from longreach.studies.census.census_cell import Cell

FOLDS = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class OddsTable:
    """A row for each cell: features, the share of its runs that work, how many there are, the language."""

    names: tuple[str, ...]
    features: FloatArray
    shares: FloatArray
    runs: FloatArray
    languages: tuple[str, ...]

    def columns(self, names: Sequence[str]) -> FloatArray:
        """The features with these names."""
        places = [self.names.index(name) for name in names]
        return np.asarray(self.features[:, places], dtype=np.float64)

    def fit(
        self, names: Sequence[str], rows: npt.NDArray[np.int64] | None = None, *, penalty: float
    ) -> LogisticModel:
        """The model with these features, fitted to some rows, or all."""
        here = np.arange(len(self.shares)) if rows is None else rows
        return fit_logistic(
            names, self.columns(names)[here], self.shares[here], weights=self.runs[here], penalty=penalty
        )

    def out_of_sample(self, names: Sequence[str], *, penalty: float, seed: int = 0) -> FloatArray:
        """For each row the probability by a model that has not seen its language.

        Not a number where all other languages have the same outcome, so that there is nothing to fit.
        """
        found = np.full(len(self.shares), np.nan)
        folds = folds_of(self.languages, seed)
        for fold in np.unique(folds):
            others, here = np.flatnonzero(folds != fold), folds == fold
            if len(others) == 0 or not 0 < np.average(self.shares[others], weights=self.runs[others]) < 1:
                continue
            model = self.fit(names, others, penalty=penalty)
            found[here] = model.probabilities(self.columns(names)[here])
        return found

    def losses(self, probabilities: FloatArray) -> FloatArray:
        """For each row how unlikely its runs are, all together."""
        said = np.clip(probabilities, 1e-9, 1 - 1e-9)
        wins = self.shares
        return np.asarray(-self.runs * (wins * np.log(said) + (1 - wins) * np.log(1 - said)))


def odds_table(
    cells: Iterable[Cell], names: Sequence[str], numbers: Callable[[Cell], Sequence[float | None]]
) -> OddsTable:
    """The rows of cells whose numbers are all known.

    A column that is unknown somewhere costs those rows; whoever chooses columns should look first.
    """
    kept = [(cell, row) for cell in cells if None not in (row := list(numbers(cell)))]
    if not kept:
        raise InputError("no cell has all the numbers that are asked for")
    return OddsTable(
        names=tuple(names),
        features=np.array([row for _, row in kept], dtype=np.float64),
        shares=np.array([sum(cell.works) / len(cell.works) for cell, _ in kept]),
        runs=np.array([float(len(cell.works)) for cell, _ in kept]),
        languages=tuple(cell.language.key for cell, _ in kept),
    )


def folds_of(languages: Sequence[str], seed: int = 0) -> npt.NDArray[np.int64]:
    """A fold for each row, the same for all rows of a language.

    >>> folds_of(["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    known = sorted(set(languages))
    order = np.random.default_rng(seed).permutation(len(known))
    fold = {language: int(place) % FOLDS for language, place in zip(known, order, strict=True)}
    return np.array([fold[language] for language in languages], dtype=np.int64)
