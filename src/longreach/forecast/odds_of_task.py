"""TASK → the odds that one run works on longer inputs, or the reason why there are none.

Odds hold for tasks like those of the census: predicting what may follow in the words of a regular language of
few states and letters. Outside what was fitted none are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longreach.config.encoding_table import ENCODINGS
from longreach.config.length_range import LengthRange
from longreach.forecast.language_features import LanguageFeatures, range_features, side_features
from longreach.forecast.odds_features import (
    ODDS_NODES,
    OddsCase,
    odds_features,
    range_at,
    summaries_needed,
)
from longreach.forecast.odds_model import Comparable, Odds, OddsModel, fitted_odds
from longreach.languages.profile.word_measure import word_measure
from longreach.languages.regular.automaton import Automaton, live_states
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Verdict

USUAL_LENGTH = 20
"""The training length for which odds are shown unless another is asked for."""
NO_MODEL = "this copy has no odds that were fitted on the census"
OTHER_KIND = "the census asks only what may follow in words of a regular language"
LEVEL = "half way from the best guess by the position alone to 1"


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
        found = self.comparable
        return {
            "encoding": self.encoding,
            "trained_to": self.trained_to,
            "ratio": self.ratio,
            "tested": self.tested.name,
            "probability": round(self.odds.probability, 3),
            "low": round(self.odds.low, 3),
            "high": round(self.odds.high, 3),
            "comparable": None
            if found is None
            else {
                "languages": found.languages,
                "cells": found.cells,
                "runs": found.runs,
                "work": found.work,
            },
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

    def basis(self, rows: Iterable[OddsRow]) -> str:
        """What odds rest on: all runs of the fit, and how many work of those most alike, by encoding."""
        if self.model is None:
            return self.reason or NO_MODEL
        alike = [
            f"{ENCODINGS[row.encoding].title} {row.comparable.work} of {row.comparable.runs}"
            for row in rows
            if row.comparable is not None
        ]
        counts = f"; of the most alike {' and '.join(alike)} work" if alike else ""
        return f"fitted on {self.model.runs} runs of {self.model.languages} languages{counts}"

    def document(self) -> dict[str, Any] | None:
        """As JSON has it; None where there are none."""
        if self.model is None or not self.rows:
            return None
        return {
            "works": LEVEL,
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

    >>> from longreach.tasks.catalog import load_task
    >>> task_odds(load_task("sort"), {}).reason
    'the census asks only what may follow in words of a regular language'
    """
    # Other tasks may have an automaton as well, but learn something else of it.
    if type(task) is not RegularLanguage:
        return TaskOdds(reason=OTHER_KIND)
    known = fitted_odds() if model is None else model
    if known is None:
        return TaskOdds(reason=NO_MODEL)
    lengths = known.trained_to if trained_to is None else tuple(trained_to)
    rows: list[OddsRow] = []
    reasons: list[str] = []
    for length in lengths:
        found = _rows(task.automaton, sides, length, known)
        if isinstance(found, str):
            reasons.append(found)
        else:
            rows += found
    return TaskOdds(rows=tuple(rows), model=known) if rows else TaskOdds(reason=reasons[0])


def _rows(
    automaton: Automaton, sides: Mapping[str, Verdict], trained_to: int, model: OddsModel
) -> list[OddsRow] | str:
    size = {
        "states": float(len(automaton)),
        "letters": float(_letters(automaton)),
        "training length": float(trained_to),
    }
    outside = model.outside(size)  # before anything is computed that takes time
    if outside is not None:
        return outside
    for encoding in model.encodings:
        if sides[encoding].prediction.value == "undecided":
            return "the forecast is undecided, and the census has none of these"
    tested = {ratio: range_at(trained_to, ratio) for ratio in model.ratios}
    words = word_measure(automaton)
    for lengths in tested.values():
        if not any(words.count(length) for length in range(lengths.first, lengths.last + 1)):
            return f"no word has {lengths.first} to {lengths.last} letters"
    summaries, at_length = summaries_needed(model.features)
    features = LanguageFeatures(
        states=len(automaton),
        letters=int(size["letters"]),
        trained_to=trained_to,
        sides={encoding: side_features(sides[encoding]) for encoding in model.encodings},
        ranges=range_features(
            automaton,
            trained_to,
            list(tested.values()),
            summaries=summaries,
            at_length=at_length,
            most_nodes=ODDS_NODES,
        ),
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


def _letters(automaton: Automaton) -> int:
    """Those that stand in some word: the census has no others."""
    live = live_states(automaton)
    return sum(
        any(automaton.transitions[state][letter] in live for state in live)
        for letter in range(len(automaton.alphabet))
    )
