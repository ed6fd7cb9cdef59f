"""Odds as they were fitted on the census: few numbers, read from a file that says where they come from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from longreach.errors import File, InputError
from longreach.forecast.logistic_model import FloatArray, logistic
from longreach.forecast.odds_features import KNOWN
from longreach.results.line_table import refusal_in_words

FITTED = Path(__file__).with_name("odds.json")
"""The model that the package has; made by `longreach study census --fit`."""
LEVEL = 0.95
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class Comparable:
    """Cells of the census with one encoding, verdict and ratio, and languages of one size."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    encoding: str
    verdict: str
    states: tuple[int, int]
    """The least and the greatest number."""
    ratio: int
    languages: int
    cells: int
    runs: int
    work: int
    """Runs that work."""


@dataclass(frozen=True, kw_only=True)
class Odds:
    """The probability that one run works, and between what it lies in samples of languages drawn anew."""

    probability: float
    low: float
    high: float


def odds_words(odds: Odds) -> str:
    """In per cent; never 0 or 100, which no fit can know.

    >>> odds_words(Odds(probability=0.61, low=0.437, high=0.76))
    '61 % (44–76)'
    >>> odds_words(Odds(probability=0.007, low=0.002, high=0.014))
    'under 1 % (under 1–1)'
    >>> odds_words(Odds(probability=0.998, low=0.995, high=1.0))
    'over 99 %'
    """
    best, low, high = map(_per_cent, (odds.probability, odds.low, odds.high))
    sure = best == low == high and not best.isdigit()
    return f"{best} %" if sure else f"{best} % ({low}–{high})"


def _per_cent(share: float) -> str:
    return "under 1" if share < 0.01 else "over 99" if share > 0.99 else f"{100 * share:.0f}"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


@dataclass(frozen=True, kw_only=True)
class OddsModel:
    """A frozen logistic model with what it was fitted on."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    version: Literal[1] = 1
    command: str
    """The command that made it."""
    settings: tuple[str, ...]
    """The hashes of the settings files of the runs."""
    setting: str
    """In words: what was trained."""
    languages: int
    cells: int
    runs: int
    penalty: Annotated[float, Field(ge=0)]
    features: tuple[str, ...]
    constant: float
    coefficients: tuple[float, ...]
    replicates: tuple[tuple[float, ...], ...]
    """Constant and coefficients, fitted to languages drawn anew with replacement."""
    verdict_alone: tuple[float, ...]
    """The same for a rival that knows the verdict alone, beside what is asked."""
    ranges: dict[str, tuple[float, float]]
    """Between which values of each number languages were fitted; outside there are no odds."""
    encodings: tuple[str, ...]
    ratios: tuple[int, ...]
    trained_to: tuple[int, ...]
    comparable: tuple[Comparable, ...]

    def __post_init__(self) -> None:
        unknown = [name for name in self.features if name not in KNOWN]
        if unknown:
            raise ValueError(f"no feature is named {unknown[0]!r}")
        width = len(self.features)
        if len(self.coefficients) != width or any(len(each) != width + 1 for each in self.replicates):
            raise ValueError(f"{width} features need as many coefficients, and one more in each replicate")
        if not self.replicates or not self.trained_to or not self.encodings or not self.ratios:
            raise ValueError("replicates, training lengths, encodings and ratios may not be empty")

    def probabilities(self, rows: npt.ArrayLike) -> FloatArray:
        """The probability of success for each row of features."""
        values = np.asarray(rows, dtype=np.float64)
        return logistic(self.constant + values @ np.array(self.coefficients))

    def odds(self, row: list[float]) -> Odds:
        """For one row: the probability, and the middle 95 % of the replicates."""
        lines = np.array(self.replicates)
        spread = logistic(lines[:, 0] + lines[:, 1:] @ np.array(row))
        low, high = np.quantile(spread, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        best = float(self.probabilities([row])[0])
        return Odds(probability=best, low=min(best, float(low)), high=max(best, float(high)))

    def outside(self, numbers: Mapping[str, float]) -> str | None:
        """In words, the first of the numbers that lies outside what was fitted; None if none does."""
        for name, value in numbers.items():
            low, high = self.ranges.get(name, (value, value))
            # Numbers of the table are rounded.
            if not low - 1e-3 <= value <= high + 1e-3:
                return f"{name}: {_number(value)} here, {_number(low)} to {_number(high)} in the census"
        return None

    def comparable_to(self, encoding: str, verdict: str, states: int, ratio: int) -> Comparable | None:
        """The cells of the census that are most alike."""
        return next(
            (
                each
                for each in self.comparable
                if (each.encoding, each.verdict, each.ratio) == (encoding, verdict, ratio)
                and each.states[0] <= states <= each.states[1]
            ),
            None,
        )

    def text(self) -> str:
        """As its file has it: a line for each replicate, numbers with six digits."""
        document: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        replicates = document.pop("replicates")
        head = json.dumps(document, ensure_ascii=False, indent=1)[:-2]
        lines = ",\n".join("  " + json.dumps(each) for each in replicates)
        return f'{head},\n "replicates": [\n{lines}\n ]\n}}\n'


_ADAPTER = TypeAdapter(OddsModel)


def read_odds(path: Path) -> OddsModel:
    """A model from its file."""
    try:
        return _ADAPTER.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", place=File(str(path))) from None
    except ValidationError as error:
        raise InputError(refusal_in_words(error), place=File(str(path))) from None


@cache
def fitted_odds() -> OddsModel | None:
    """The model of the package; None if it has none."""
    return read_odds(FITTED) if FITTED.is_file() else None
