"""The odds that one run works on longer inputs, from a model fitted on the census.

Odds hold for tasks like those of the census: predicting what may follow in the words of a regular language of
few states and letters. Outside what was fitted none are given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, Field, TypeAdapter

from longreach.answers.odds_features import (
    KNOWN,
    ODDS_NODES,
    Group,
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
from longreach.theory.program_class import PROGRAM_SIDES
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


_COVERED = {"training length": "training to {}", "chance": "a share of {} right by position alone"}
"""How numbers of the fit are said; the chance of a task is that of one answer for all inputs."""
FITTED = Path(__file__).with_name("odds.json")
"""The model that the package has; made by `longreach study census --fit`."""
INTERVAL_LEVEL = 0.95
NEARLY_RIGHT = 0.05
"""A Brier score up to this is good enough where nearly all runs end alike, and no skill can be told."""
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
class StratumSkill:
    """How good the odds are on held-out languages of one stratum under one encoding."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    encoding: str
    group: Group
    kind: Literal["drawn", "typed"]
    """Languages drawn at random, or expressions as people type them."""
    languages: int
    runs: int
    work: float
    """The share of runs that work."""
    brier: float
    skill: float | None
    """Over always giving that share; None where all runs end alike."""

    @property
    def told(self) -> bool:
        """Whether the odds say more than the share of runs that work, or that share says nearly all.

        >>> given = {"encoding": "ape", "group": "no/yes", "kind": "typed", "languages": 9, "runs": 27}
        >>> StratumSkill(**given, work=0.5, brier=0.2, skill=0.2).told
        True
        >>> StratumSkill(**given, work=0.5, brier=0.3, skill=-0.2).told
        False
        >>> StratumSkill(**given, work=0.99, brier=0.02, skill=-0.1).told
        True
        """
        return (self.skill is not None and self.skill > 0) or self.brier <= NEARLY_RIGHT


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
    '<1 %'
    >>> odds_words(Odds(probability=0.998, low=0.995, high=1.0))
    '>99 %'
    """
    best, low, high = map(_per_cent, (odds.probability, odds.low, odds.high))
    sure = (best, high) in (("<1", "<1"), ("<1", "1")) or (best, low) in ((">99", ">99"), (">99", "99"))
    return f"{best} %" if sure else f"{best} % ({low}–{high})"


def _per_cent(share: float) -> str:
    return "<1" if share < 0.01 else ">99" if share > 0.99 else f"{100 * share:.0f}"


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
    tested: dict[str, dict[str, tuple[int, ...]]] = field(default_factory=dict)
    """By encoding and training length, the ratios that were fitted; empty: all of them for each."""
    skills: tuple[StratumSkill, ...] = ()
    """On held-out languages, which judge the odds and change nothing else of them."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.features if name not in KNOWN]
        if unknown:
            raise ValueError(f"no feature named {unknown[0]!r}")
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
                covered = _COVERED.get(name, "{} " + name).format(f"{least}–{most}")
                return f"the census covers {covered}, not {here}"
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

    def ratios_of(self, encoding: str, trained_to: int) -> tuple[int, ...]:
        """Those for which there are odds."""
        if not self.tested:
            return self.ratios
        by_length = self.tested.get(encoding, {})
        if str(trained_to) in by_length:
            return by_length[str(trained_to)]
        # Between the training lengths that were fitted, the ratios that all of them have.
        among = [set(each) for each in by_length.values()] if len(by_length) > 1 else []
        return tuple(sorted(set.intersection(*among))) if among else ()

    def skill_of(self, encoding: str, group: Group) -> StratumSkill | None:
        """Among expressions as people type them where these were measured, else among drawn languages."""
        found = {each.kind: each for each in self.skills if (each.encoding, each.group) == (encoding, group)}
        return found.get("typed") or found.get("drawn")

    def silence(self, encoding: str, group: Group) -> str | None:
        """Why no odds are shown for an encoding in a stratum; None where they are."""
        found, title = self.skill_of(encoding, group), ENCODINGS[encoding].title
        if found is None:
            return f"{title}: the odds were not judged on held-out languages like this one"
        if found.told:
            return None
        share, score = f"{100 * found.work:.0f} %", f"{found.brier:.2f}"
        reason = (
            f"on held-out languages like this one ({group}) they say no more than that {share} of runs work"
        )
        return f"{title}: {reason} (Brier score {score})"

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
NO_MODEL = "this copy has no odds fitted on the census"
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
    withheld: tuple[str, ...] = ()
    """Beside rows: why there are none of other encodings that were judged."""
    model: OddsModel | None = None

    def at(self, ratio: int) -> dict[str, OddsRow]:
        """By encoding, the odds at a ratio."""
        return {row.encoding: row for row in self.rows if row.ratio == ratio}

    def surprises(self, rows: Iterable[OddsRow], answers: Mapping[str, Answer]) -> list[str]:
        """Where odds and theory say different things, which does not mean that one of them is wrong."""
        found = []
        for row in rows:
            title, is_likely = ENCODINGS[row.encoding].title, row.odds.probability >= 0.5
            if answers.get(row.encoding) is Answer.YES and not is_likely:
                found.append(
                    f"{title} works in theory, but a run trained only to {row.trained_to} may well fail"
                )
            if answers.get(row.encoding) is Answer.NO and is_likely:
                found.append(f"{title} fails in theory, but a run may still work at these lengths")
        return found

    def basis(self, rows: Iterable[OddsRow], answers: Mapping[str, Answer]) -> str:
        """What odds rest on, and how they go together with answers of theory that say otherwise.

        How many of the most alike runs work is another number for the same, and a worse one on held-out
        languages, so it is not shown.
        """
        if self.model is None:
            return self.reason or NO_MODEL
        parts = [f"from {self.model.runs:,} runs on {self.model.languages} languages"]
        parts += self.surprises(rows, answers)
        return "; ".join([*parts, *(f"no odds for {each}" for each in self.withheld)])

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
            "withheld": [*self.withheld],
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
    there = [each for each in found if not isinstance(each, str)]
    if not there:
        return TaskOdds(reason=str(found[0]))
    withheld = dict.fromkeys(reason for each in there for reason in each.silent)
    return TaskOdds(
        rows=tuple(row for each in there for row in each.rows), withheld=tuple(withheld), model=known
    )


class _Rows(NamedTuple):
    """The odds for one training length, and why some encodings have none."""

    rows: tuple[OddsRow, ...]
    silent: tuple[str, ...]


def _rows(
    automaton: Automaton, sides: Mapping[str, Verdict], trained_to: int, model: OddsModel
) -> _Rows | str:
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
    for encoding in PROGRAM_SIDES:
        if encoding in model.encodings and sides[encoding].prediction.answer.value == "undecided":
            return "the forecast is undecided, and the census has no such languages"
    wanted = {encoding: model.ratios_of(encoding, trained_to) for encoding in model.encodings}
    tested = {
        ratio: range_at(trained_to, ratio) for ratio in sorted({r for each in wanted.values() for r in each})
    }
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
    beyond: str | None = None
    silent: dict[str, bool] = {}  # why, and whether that was found
    for encoding, ratios in wanted.items():
        cases = [OddsCase(features=features, encoding=encoding, ratio=ratio) for ratio in ratios]
        if not cases:
            continue
        silence = model.silence(encoding, cases[0].group)
        if silence is not None:
            silent[silence] = model.skill_of(encoding, cases[0].group) is not None
            continue
        for case in cases:
            found = _row(case, model)
            if isinstance(found, str):  # at one length alone, as a rule the farthest
                beyond = beyond or found
            else:
                rows.append(found)
    told = tuple(reason for reason, judged in silent.items() if judged)
    return _Rows(tuple(rows), told) if rows else beyond or "; ".join(silent)


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
