"""The law of thresholds: from which training length on regular languages work.

Languages of the census that are expected to work with positions, as many of each stratum. The bound 2n − 2 is
linear in the number of states; whether trained transformers follow it is what the study measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from longreach.answers.forecast import Forecast
from longreach.answers.threshold import ThresholdAnswer, ThresholdQuestion, threshold
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.figures import BLUE, GREY, ORANGE, PALE
from longreach.runs.index import Row
from longreach.runs.train import longest_first
from longreach.studies.census.draw import SIZES, CensusLanguage, Part, draw_census
from longreach.studies.census.members import commit_of, settings
from longreach.studies.drawing import titled
from longreach.studies.laws import GrowthLaw, growth_law
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.theory.bounds.theorems import AUTOMATON
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


ALL_SIZES = tuple(SIZES)
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
        bounds = self.forecast.bounds.bounds
        (value,) = (each.value.number() for each in bounds if each.definition.name == AUTOMATON.name)
        assert isinstance(value, int), value
        return value

    @property
    def ratio(self) -> float | None:
        return None if self.answer.threshold is None else self.bound / self.answer.threshold

    @property
    def name(self) -> str:
        return TaskName(self.language.task).expression

    def document(self) -> dict[str, Any]:
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

    @property
    def measured(self) -> tuple[LawRow, ...]:
        """The languages of which every training length is decided."""
        return tuple(row for row in self.rows if row.answer.stopped is None)

    @cached_property
    def laws(self) -> tuple[GrowthLaw, ...]:
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
        return {
            "target": self.setting.to,
            "training_lengths": list(self.setting.lengths),
            "languages": [row.document() for row in self.rows],
            "laws": [law.document() for law in self.laws],
            "bound": {"formula": "2n − 2", "slope": self.bound_slope, "inside": self.follows_bound},
        }


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
    development, held_out = (per_stratum, 0) if part == "development" else (0, per_stratum)
    found = draw_census(development, held_out).languages
    chosen = [each for each in found if each.stratum.verdict in EXPECTED and each.stratum.size in sizes]
    return tuple(sorted(chosen, key=lambda each: (len(each.automaton), each.drawn)))


def law_study(part: Part, **about: Any) -> Study:
    def members(options: StudyOptions) -> dict[tuple[str, int], list[RunConfig]]:
        return {
            (asked.task, length): [asked.member(length, seed) for seed in range(asked.seeds)]
            for asked in _questions(part, options).values()
            for length in asked.lengths or ()
        }

    def waiting(options: StudyOptions) -> list[RunConfig]:
        # The seeds that may decide, of all languages side by side; then those that are left to decide.
        return longest_first(each for row in threshold_law(part, options).rows for each in row.answer.waiting)

    def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
        return law_report(threshold_law(part, options))

    taken = frozenset({"--seeds"})
    return Study(members=members, waiting=waiting, report=report, options=taken, **about)


def threshold_law(part: Part, options: StudyOptions) -> ThresholdLaw:
    """What the results of a directory say of the languages of a part."""
    found = []
    for language, asked in _questions(part, options).items():
        answer = threshold(
            asked.task, ENCODING,
            to=asked.to, seeds=asked.seeds, lengths=asked.lengths, minutes=0, alphabet=asked.alphabet,
            scale=asked.scale, runs=options.runs, **asked.settings,
        )  # fmt: skip
        found.append(LawRow(language=language, answer=answer))
    return ThresholdLaw(rows=tuple(found), setting=SCALES[options.scale])


def _questions(part: Part, options: StudyOptions) -> dict[CensusLanguage, ThresholdQuestion]:
    setting, found = SCALES[options.scale], {}
    for language in law_languages(part, setting.per_stratum, setting.sizes):
        asked = ThresholdQuestion(
            task=language.task, alphabet=language.automaton.alphabet, encoding=ENCODING, to=setting.to,
            seeds=options.seeds or setting.seeds, scale=setting.scale, settings=setting.settings,
        )  # fmt: skip
        lengths = tuple(length for length in setting.lengths if length >= asked.shortest)
        found[language] = replace(asked, lengths=lengths)
    return found


HEAD = (
    "language", "states", "window", "modulus", "works from", "bound", "bound / measured", "runs that work",
)  # fmt: skip
LOOKS = {"yes/yes": (BLUE, "o", "no positions needed"), "no/yes": (ORANGE, "s", "positions needed")}
"""Colour, marker and name by the verdicts without and with positions."""


def law_report(found: ThresholdLaw) -> StudyReport:
    """All languages, then the laws."""
    rows = []
    for row in found.rows:
        ratio, curve = "" if row.ratio is None else f"{row.ratio:.2g}", row.answer.curve
        rows.append(
            [
                f"`{row.name}`", str(row.states), str(row.window), str(row.modulus), _from(row, found),
                str(row.bound), ratio, "" if curve is None else curve.counts,
            ]
        )  # fmt: skip
    return StudyReport(
        document=found.document(),
        tables=[table_of(columns=HEAD, rows=rows, spare=("runs that work", "bound / measured"))],
        remarks=["\n".join(_laws(found))],
        figure=lambda title: law_figure(found, title),
    )


def _from(row: LawRow, found: ThresholdLaw) -> str:
    if row.answer.stopped is not None:
        return "not learned" if row.answer.stopped == "not learned" else "not measured"
    start = row.answer.threshold
    if start is None:
        return f"none up to {found.setting.lengths[-1]}"
    return f"≤ {start}" if row.answer.curve is not None and row.answer.curve.is_open_below else str(start)


def _laws(found: ThresholdLaw) -> list[str]:
    about = (
        f"tested on lengths up to {found.setting.to}, trained to {', '.join(map(str, found.setting.lengths))}"
    )
    lines = [f"{len(found.measured)} of {len(found.rows)} languages measured; {about}"]
    for law in found.laws:
        without = f", {law.missing} without a length left out" if law.missing else ""
        slope = f"slope {law.slope.words()} over {law.languages} languages{without}"
        lines.append(f"{law.quantity}: {slope}; τ = {law.tau.words()}")
    if found.follows_bound is None:
        bound = "the bound 2n − 2 is linear in the number of states n; too little is measured to compare"
    else:
        inside = "inside the interval: they may grow alike" if found.follows_bound else "outside the interval"
        bound = f"the bound 2n − 2 has slope {found.bound_slope:.2f} over the same languages, {inside}"
    return [*lines, bound]


def law_figure(found: ThresholdLaw, title: str) -> Figure:
    """The length from which on languages work against each quantity, and bound / measured."""
    drawn = titled(title, (11, 3.6), fontsize=9)
    axes = drawn.subplots(1, len(found.laws) + 1)
    for axis, law in zip(axes, found.laws, strict=False):
        _panel(axis, found, law)
    _ratios(axes[-1], found.measured)
    axes[0].set_ylabel("works from training length", fontsize=8)
    if found.measured:
        states, bounds = zip(*sorted({(row.states, row.bound) for row in found.measured}), strict=True)
        axes[0].plot(states, bounds, color=GREY, linestyle=":", linewidth=1.2, label="bound 2n − 2", zorder=0)
        axes[0].legend(fontsize=6, frameon=False, loc="lower right")
    return drawn


def _panel(axis: Axes, found: ThresholdLaw, law: GrowthLaw) -> None:
    longest = found.setting.lengths[-1]
    for verdict, (colour, marker, name) in LOOKS.items():
        rows = [row for row in found.measured if row.language.stratum.verdict == verdict]
        for place, row in enumerate(rows):
            start = row.answer.threshold
            shift = 1 + 0.015 * (place % 5 - 2)  # so that languages at one place are seen
            axis.plot(
                [getattr(row, law.quantity) * shift], [(2 * longest if start is None else start) * shift],
                marker=marker, markersize=5, linestyle="", color=colour,
                markerfacecolor="white" if start is None else colour, label=name if not place else None,
            )  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    ticks = [*found.setting.lengths, 2 * longest]
    axis.set_yticks(ticks, [*map(str, found.setting.lengths), f"> {longest}"])
    axis.set_ylim(min(ticks) / 2.8, 2.3 * longest)
    values = sorted({getattr(row, law.quantity) for row in found.measured})
    axis.set_xticks(values, [str(value) for value in values])
    axis.minorticks_off()
    axis.tick_params(labelsize=7)
    axis.set_xlabel(f"{law.quantity}\nslope {law.slope.words()}\nτ = {law.tau.words()}", fontsize=7)


def _ratios(axis: Axes, rows: Sequence[LawRow]) -> None:
    known = [(row.states, row.ratio) for row in rows if row.ratio is not None]
    axis.plot([x for x, _ in known], [y for _, y in known], "o", markersize=4, color=GREY)
    axis.axhline(1.0, color=PALE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axis.set_xlabel("states", fontsize=7)
    axis.set_title("bound / measured", fontsize=8)
    axis.tick_params(labelsize=7)


BOUND = "the bound 2n − 2 of Chen, Ma and Li, arXiv 2506.03085, beside measurements"
THRESHOLDS = law_study(
    "development",
    name="thresholds",
    title="From which training length on regular languages work",
    source=BOUND,
    about="development languages of the census: the shortest training length that works, and how it grows",
    time="laptop: about ten minutes on two cores",
)
THRESHOLDS_HELD_OUT = law_study(
    "held-out",
    name="thresholds-held-out",
    title="From which training length on held-out regular languages work",
    source=BOUND,
    about="thresholds on the held-out languages of the census",
    time="laptop: about ten minutes on two cores",
)
