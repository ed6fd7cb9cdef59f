"""The odds that one run works on longer inputs, from a model fitted on the census.

Odds hold for tasks like those of the census: predicting what may follow in the words of a regular language of
few states and letters. Outside what was fitted none are given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Field, TypeAdapter

from longreach.answers.odds_features import (
    KNOWN,
    ODDS_NODES,
    OddsCase,
    language_features,
    odds_features,
    range_at,
    summaries_needed,
)
from longreach.config.encodings import ENCODINGS
from longreach.files import read_document
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.shares.words import word_measure
from longreach.theory.verdicts.verdict import Answer, Verdict

FloatArray = npt.NDArray[np.float64]


def logistic(values: FloatArray) -> FloatArray:
    """The probabilities that belong to logarithms of odds.

    >>> logistic(np.array([0.0, 1000.0])).tolist()
    [0.5, 1.0]
    """
    positive = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, positive) / (1 + positive), dtype=np.float64)


_SHOWN = {"chance": "share of words that the position alone gets right"}
"""Numbers of the fit that are called otherwise: the chance of a task is that of one answer for all inputs."""
FITTED = Path(__file__).with_name("odds.json")
"""The model that the package has; made by `longreach study census --fit`."""
INTERVAL_LEVEL = 0.95
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


@dataclass(frozen=True, kw_only=True)
class OddsModel:
    """A frozen logistic model with what it was fitted on."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    version: Literal[1] = 1
    command: str
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
        low, high = np.quantile(spread, [(1 - INTERVAL_LEVEL) / 2, (1 + INTERVAL_LEVEL) / 2])
        best = float(self.probabilities([row])[0])
        return Odds(probability=best, low=min(best, float(low)), high=max(best, float(high)))

    def outside(self, numbers: Mapping[str, float]) -> str | None:
        """In words, the first of the numbers that lies outside what was fitted; None if none does."""
        for name, value in numbers.items():
            low, high = self.ranges.get(name, (value, value))
            # Numbers of the table are rounded.
            if not low - 1e-3 <= value <= high + 1e-3:
                here, least, most = (
                    f"{each:.0f}" if abs(each) >= 100 else f"{each:.3g}" for each in (value, low, high)
                )
                shown = _SHOWN.get(name, name)
                return f"{shown}: {here} here, {least} to {most} in the census"
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
    return read_document(path, _ADAPTER.validate_json)


@cache
def fitted_odds() -> OddsModel | None:
    """The model of the package; None if it has none."""
    return read_odds(FITTED) if FITTED.is_file() else None


# The odds of a task, or the reason why there are none


USUAL_LENGTH = 20
"""The training length for which odds are shown unless another is asked for."""
NO_MODEL = "this copy has no odds that were fitted on the census"
OTHER_KIND = "odds are calibrated on next-token prediction in regular languages only"
WORKING_LEVEL = "half way from the best guess by the position alone to 1"


@dataclass(frozen=True, kw_only=True)
class OddsRow:
    """The odds under one encoding, for one training length and one range of tested lengths."""

    encoding: str
    trained_to: int
    ratio: int
    tested: LengthRange
    odds: Odds
    comparable: Comparable | None
    """Cells of the census with this encoding, verdict and ratio, and about as many states."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        found, counts = self.comparable, ("languages", "cells", "runs", "work")
        return {
            "encoding": self.encoding,
            "trained_to": self.trained_to,
            "ratio": self.ratio,
            "tested": self.tested.name,
            **{name: round(value, 3) for name, value in asdict(self.odds).items()},
            "comparable": None if found is None else {name: getattr(found, name) for name in counts},
        }


@dataclass(frozen=True, kw_only=True)
class TaskOdds:
    """The odds of a task, or why there are none."""

    rows: tuple[OddsRow, ...] = ()
    reason: str | None = None
    """Where there are no rows."""
    model: OddsModel | None = None

    def at(self, ratio: int) -> dict[str, OddsRow]:
        """By encoding, the odds at a ratio."""
        return {row.encoding: row for row in self.rows if row.ratio == ratio}

    def basis(self, rows: Iterable[OddsRow], answers: Mapping[str, Answer]) -> str:
        """What odds rest on, and how they go together with answers of theory that say otherwise.

        How many of the most alike runs work is another number for the same, and a worse one on held-out
        languages, so it is not shown.
        """
        if self.model is None:
            return self.reason or NO_MODEL
        parts = [f"from {self.model.runs} runs on {self.model.languages} languages"]
        for row in rows:
            title, is_likely = ENCODINGS[row.encoding].title, row.odds.probability >= 0.5
            if answers.get(row.encoding) is Answer.YES and not is_likely:
                short = f"a run trained only to {row.trained_to}"
                parts.append(f"{title} works in theory, but {short} may well fail")
            if answers.get(row.encoding) is Answer.NO and is_likely:
                parts.append(f"{title} fails in theory, but a run may well work at these lengths still")
        return "; ".join(parts)

    def document(self) -> dict[str, Any] | None:
        """As JSON has it; None where there are none."""
        if self.model is None or not self.rows:
            return None
        return {
            "works": WORKING_LEVEL,
            "setting": self.model.setting,
            "languages": self.model.languages,
            "runs": self.model.runs,
            "rows": [row.document() for row in self.rows],
        }


def task_odds(
    task: Task,
    sides: Mapping[str, Verdict],
    *,
    trained_to: Sequence[int] | None = None,
    model: OddsModel | None = None,
) -> TaskOdds:
    """The odds of a task for some training lengths; by default those of the census that cover it.

    `model` is by default the one that the package has.

    >>> task_odds(load_task("sort"), {}).reason
    'odds are calibrated on next-token prediction in regular languages only'
    """
    # Other tasks may have an automaton as well, but learn something else of it.
    if type(task) is not RegularLanguage:
        return TaskOdds(reason=OTHER_KIND)
    known = fitted_odds() if model is None else model
    if known is None:
        return TaskOdds(reason=NO_MODEL)
    lengths = known.trained_to if trained_to is None else tuple(trained_to)
    found = [_rows(task.automaton, sides, length, known) for length in lengths]
    rows = tuple(row for each in found if not isinstance(each, str) for row in each)
    return TaskOdds(rows=rows, model=known) if rows else TaskOdds(reason=str(found[0]))


def _rows(
    automaton: Automaton, sides: Mapping[str, Verdict], trained_to: int, model: OddsModel
) -> list[OddsRow] | str:
    live = automaton.live
    # Those that stand in some word: the census has no others.
    letters = sum(
        any(automaton.transitions[state][letter] in live for state in live)
        for letter in range(len(automaton.alphabet))
    )
    size = {"states": len(automaton), "letters": letters, "training length": trained_to}
    outside = model.outside(size)  # before anything is computed that takes time
    if outside is not None:
        return outside
    for encoding in model.encodings:
        if sides[encoding].prediction.answer.value == "undecided":
            return "the forecast is undecided, and the census has none of these"
    tested = {ratio: range_at(trained_to, ratio) for ratio in model.ratios}
    words = word_measure(automaton)
    for lengths in tested.values():
        if not any(words.count(length) for length in range(lengths.first, lengths.last + 1)):
            return f"no word has {lengths.first} to {lengths.last} letters"
    summaries, at_length = summaries_needed(model.features)
    features = language_features(
        automaton,
        trained_to,
        list(tested.values()),
        sides=sides,
        summaries=summaries,
        at_length=at_length,
        most_nodes=ODDS_NODES,
    )
    rows: list[OddsRow] = []
    for encoding in model.encodings:
        for ratio in model.ratios:
            found = _row(OddsCase(features=features, encoding=encoding, ratio=ratio), model)
            if isinstance(found, str):
                return found
            rows.append(found)
    return rows


def _row(case: OddsCase, model: OddsModel) -> OddsRow | str:
    assert case.tested is not None, "ranges without words are refused before"
    values: list[float] = []
    for name, value in zip(model.features, odds_features(case, model.features), strict=True):
        if value is None:
            return f"{name}: over the budget"
        values.append(value)
    numbers = {"chance": case.tested.chance, "entropy of answers": case.tested.entropy}
    outside = model.outside({**numbers, **dict(zip(model.features, values, strict=True))})
    if outside is not None:
        return outside
    verdict, states = case.side.verdict, case.features.states
    return OddsRow(
        encoding=case.encoding,
        trained_to=case.features.trained_to,
        ratio=case.ratio,
        tested=case.tested.lengths,
        odds=model.odds(values),
        comparable=model.comparable_to(case.encoding, verdict, states, case.ratio),
    )
