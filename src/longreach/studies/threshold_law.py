"""The law of thresholds: from which training length on regular languages work, against what they need.

Languages of the census that are expected to work with positions, as many of each stratum. The bound 2n − 2 is
linear in the number of states; whether trained transformers follow it is what the study measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.answer.threshold_answer import ThresholdAnswer, threshold
from longreach.answer.threshold_question import ThresholdQuestion
from longreach.bounds.length_complexity import AUTOMATON
from longreach.config.any_member import AnyMember
from longreach.config.scales import Scale
from longreach.config.task_name import TaskName
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher, longest_first, train_pending
from longreach.forecast import Forecast
from longreach.results.schema import Result
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_draw import CensusLanguage, draw_census
from longreach.studies.census.census_settings import commit_of, settings
from longreach.studies.growth_law import GrowthLaw, growth_law

ENCODING = "ape"
EXPECTED = ("yes/yes", "no/yes")
"""Verdicts without and with positions: with positions they are expected to work."""


@dataclass(frozen=True, kw_only=True)
class LawScale:
    """How much is measured."""

    per_stratum: int
    sizes: tuple[str, ...]
    lengths: tuple[int, ...]
    to: int
    seeds: int
    scale: Scale
    """Of the settings."""

    @property
    def settings(self) -> dict[str, Any]:
        """Of training, where they are not those of the scale."""
        return {} if self.scale == "smoke" else settings().setting.given


ALL_SIZES = ("2-3", "4-5", "6-8")
SCALES: dict[Scale, LawScale] = {
    "smoke": LawScale(per_stratum=1, sizes=("2-3",), lengths=(3, 5), to=15, seeds=1, scale="smoke"),
    "laptop": LawScale(
        per_stratum=3, sizes=ALL_SIZES, lengths=(5, 10, 20, 40), to=120, seeds=2, scale="laptop",
    ),
    "paper": LawScale(
        per_stratum=14, sizes=ALL_SIZES, lengths=(5, 10, 15, 20, 30, 40, 60, 80), to=240, seeds=5,
        scale="laptop",
    ),
}  # fmt: skip
"""But for `smoke`, models are those of the census, whose setting was chosen on development languages."""


@dataclass(frozen=True, kw_only=True)
class LawRow:
    """One language: what it needs, and from which training length on it works."""

    language: CensusLanguage
    answer: ThresholdAnswer

    @property
    def states(self) -> int:
        """Of the minimal complete automaton."""
        return len(self.language.automaton)

    @property
    def forecast(self) -> Forecast:
        """What is expected of it."""
        assert self.answer.forecast is not None, self.name
        return self.answer.forecast

    @property
    def window(self) -> int:
        """How many symbols a program looks at, the present one included."""
        window, _ = self.forecast.ape.trained_needs
        return 1 + (window or 0)

    @property
    def modulus(self) -> int:
        """Of positions in a program; 1 where it needs none."""
        _, modulus = self.forecast.ape.trained_needs
        return modulus or 1

    @property
    def bound(self) -> int:
        """2n − 2."""
        bounds = self.forecast.bounds.bounds
        (value,) = (each.value.number() for each in bounds if each.definition.name == AUTOMATON.name)
        assert isinstance(value, int), value
        return value

    @property
    def ratio(self) -> float | None:
        """Bound / measured."""
        return None if self.answer.threshold is None else self.bound / self.answer.threshold

    @property
    def name(self) -> str:
        """The expression."""
        return TaskName(self.language.task).expression

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "language": self.language.key,
            "stratum": self.language.stratum.name,
            "part": self.language.part,
            "states": self.states,
            "window": self.window,
            "modulus": self.modulus,
            "bound": self.bound,
            "bound_by_measured": self.ratio,
            **self.answer.document(),
        }


QUANTITIES = ("states", "window", "modulus")


@dataclass(frozen=True, kw_only=True)
class ThresholdLaw:
    """All languages, and the laws that they follow."""

    rows: tuple[LawRow, ...]
    setting: LawScale
    failed: tuple[Result, ...] = ()

    @property
    def measured(self) -> tuple[LawRow, ...]:
        """The languages of which every training length is decided."""
        return tuple(row for row in self.rows if row.answer.stopped is None)

    @property
    def laws(self) -> tuple[GrowthLaw, ...]:
        """One for each quantity."""
        rows = self.measured
        lengths = [row.answer.threshold for row in rows]
        return tuple(growth_law(name, [getattr(row, name) for row in rows], lengths) for name in QUANTITIES)

    @property
    def bound_slope(self) -> float | None:
        """How the bound 2n − 2 itself grows with the states, over the languages with a length."""
        rows = [row for row in self.measured if row.answer.threshold is not None]
        return growth_law("states", [row.states for row in rows], [row.bound for row in rows]).slope.value

    @property
    def follows_bound(self) -> bool | None:
        """Whether lengths may grow with the states as the bound does; None where that cannot be told."""
        slope, bound = self.laws[0].slope, self.bound_slope
        if bound is None or slope.low is None or slope.high is None:
            return None
        return slope.low <= bound <= slope.high

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "target": self.setting.to,
            "training_lengths": list(self.setting.lengths),
            "languages": [row.document() for row in self.rows],
            "laws": [law.document() for law in self.laws],
            "bound": {"formula": "2n − 2", "slope": self.bound_slope, "inside": self.follows_bound},
        }

    def text(self) -> str:
        """A table, and a line for each law."""
        from longreach.studies.threshold_law_tables import law_text

        return law_text(self)

    def content(self, suffix: str, title: str) -> bytes:
        """The figure, or the table with `.md`."""
        from longreach.studies.threshold_law_tables import law_content

        return law_content(self, suffix, title)


@cache
def law_languages(
    part: Part, per_stratum: int, sizes: tuple[str, ...] = ALL_SIZES
) -> tuple[CensusLanguage, ...]:
    """Languages of the census that are expected to work with positions, so many of each stratum.

    >>> [each.stratum.name for each in law_languages("development", 1, ("2-3",))]
    ['yes/yes, 2-3 states', 'no/yes, 2-3 states']
    """
    if part == "held-out":
        commit_of()  # what is looked at must no longer change what is asked
    wanted: dict[Part, int] = {"development": 0, "held-out": 0, part: per_stratum}
    found = draw_census(wanted["development"], wanted["held-out"]).of(part)
    chosen = [each for each in found if each.stratum.verdict in EXPECTED and each.stratum.size in sizes]
    return tuple(sorted(chosen, key=lambda each: (len(each.automaton), each.drawn)))


@dataclass(frozen=True)
class LawCells:
    """The study of one part of the census."""

    part: Part

    def members(self, scale: Scale, seeds: int | None = None) -> list[AnyMember]:
        """What is trained at most: all seeds of all training lengths."""
        setting = SCALES[scale]
        numbers = range(setting.seeds if seeds is None else seeds)
        questions = [_question(each, setting, len(numbers)) for each in self._languages(setting)]
        return longest_first(
            question.member(length, seed)
            for question in questions
            for length in question.lengths or ()
            for seed in numbers
        )

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> ThresholdLaw:
        """All languages side by side: the seeds that may decide, then those that are left to decide."""
        setting = SCALES[scale]
        count = setting.seeds if seeds is None else seeds
        failed: dict[str, Result] = {}
        while True:
            rows = self._rows(setting, count, runs)
            waiting = longest_first(member for row in rows for member in row.answer.waiting)
            if not train or not waiting or failed:
                return ThresholdLaw(rows=rows, setting=setting, failed=tuple(failed.values()))
            found = train_pending(waiting, runs, engine=engine, progress=progress)
            failed = {key: result for key, result in found.items() if result.status == "failed"}

    def _languages(self, setting: LawScale) -> Sequence[CensusLanguage]:
        return law_languages(self.part, setting.per_stratum, setting.sizes)

    def _rows(self, setting: LawScale, seeds: int, runs: str | Path) -> tuple[LawRow, ...]:
        found = []
        for language in self._languages(setting):
            asked = _question(language, setting, seeds)
            answer = threshold(
                asked.task, ENCODING,
                to=asked.to, seeds=seeds, lengths=asked.lengths, minutes=0, alphabet=asked.alphabet,
                scale=asked.scale, runs=runs, **asked.settings,
            )  # fmt: skip
            found.append(LawRow(language=language, answer=answer))
        return tuple(found)


def _question(language: CensusLanguage, setting: LawScale, seeds: int) -> ThresholdQuestion:
    given: dict[str, Any] = {
        "task": language.task, "alphabet": language.automaton.alphabet, "encoding": ENCODING,
        "to": setting.to, "seeds": seeds, "scale": setting.scale, "settings": setting.settings,
    }  # fmt: skip
    shortest = ThresholdQuestion(**given).shortest
    lengths = tuple(length for length in setting.lengths if length >= shortest)
    return ThresholdQuestion(**given, lengths=lengths)
