"""The study `state-tracking`: published accuracies and our runs beside the theory.

The rule was fixed before anything was trained. Per language the best of our runs, chosen as the published one
was, is compared with it: the mean difference of accuracy over the test ranges. An encoding reproduces the
published numbers if its mean over languages is smaller, and an exact test that exchanges the two encodings
language by language finds a difference as large in at most one case of twenty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.figures import GREEN, GREY, RED
from longreach.runs.cells import Cell
from longreach.studies.cells import Outcome, cell_study
from longreach.studies.drawing import LIGHT, empty, titled
from longreach.studies.state_languages import (
    ENCODINGS,
    LEVEL,
    LEVELS,
    SEEDS,
    TRAINED_TO,
    JudgedLanguage,
    agreements,
    judged_languages,
    sample,
    state_config,
    state_places,
)
from longreach.studies.study import StudyReport, table_of, table_text
from longreach.tasks.lengths import name_order
from longreach.theory.names import STATES_AFTER, TaskName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        return {**asdict(self), "distance": self.distance}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Both encodings on the languages that have runs of both, read after the letter."""

    languages: tuple[str, ...]
    nope: float
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
        return {**asdict(self), "nearer": self.nearer}


def best_run(cell: Cell) -> dict[str, float] | None:
    """The accuracies of the run that is best on the longest range, among those that are perfect in
    distribution (among all where none is). That is how the published runs were chosen."""
    rows = [row for row in cell.successful or cell.finished if row.accuracy]
    if not rows:
        return None
    longest = max((name for row in rows for name in row.accuracy), key=name_order)
    return max(rows, key=lambda row: row.accuracy.get(longest, 0.0)).accuracy


def language_distances(found: Sequence[Outcome]) -> tuple[LanguageDistance, ...]:
    """Every cell that has run on ranges that are published as well."""
    known = {each.expression: each for each in sample().values()}
    distances = []
    for each in found:
        name, best = TaskName(each.place.task), best_run(each.cell) or {}
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
    nope, ape = ([both[encoding] for both in pairs.values()] for encoding in ("nope", "ape"))
    return Comparison(
        languages=tuple(pairs),
        nope=sum(nope) / len(pairs),
        ape=sum(ape) / len(pairs),
        chance=exchange_test([one - other for one, other in zip(nope, ape, strict=True)]),
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


QUESTION = (
    "The logs of the published runs state neither their positional encoding nor whether the state was read "
    "at letters or after them."
)
_LEVEL = "A published run works if its accuracy on the longest range is at least the level."
WORDS = {True: "yes", False: "no", None: "undecided"}
LEVEL_HEAD = ("level", "as forecast: NoPE, after letters", "NoPE, at letters", "APE")
DISAGREEING_HEAD = ("suite", "language", "expression", "forecast", "last", "what is known")
DISTANCE_HEAD = ("language", "expression", "read", "encoding", "perfect", "distance", "ours", "published")
LANGUAGE_HEAD = (
    "suite", "language", "expression", "label", "NoPE, after", "NoPE, at", "APE", "published, by range",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StateSummary:
    """What was found."""

    languages: tuple[JudgedLanguage, ...]
    distances: tuple[LanguageDistance, ...]
    comparison: Comparison | None

    @cached_property
    def counts(self) -> dict[str, Any]:
        """How often verdicts and published numbers agree."""
        return agreements(self.languages)

    @cached_property
    def disagreeing(self) -> tuple[JudgedLanguage, ...]:
        return tuple(each for each in self.languages if not all(map(each.agrees, LEVELS)))

    def document(self) -> dict[str, Any]:
        return {
            "level": LEVEL,
            "agreement": self.counts,
            "disagreeing": [{**each.document(), "reason": each.reason} for each in self.disagreeing],
            "question": QUESTION,
            "distances": [each.document() for each in self.distances],
            "encodings": None if self.comparison is None else self.comparison.document(),
            "conclusion": self.conclusion,
            "languages": [each.document() for each in self.languages],
        }

    @property
    def conclusion(self) -> str:
        found = self.comparison
        if found is None:
            return "Open: no language of the sample has runs of ours with both encodings."
        numbers = (
            f"mean distance {found.nope:.3f} without positions, {found.ape:.3f} with learned ones, over "
            f"{len(found.languages)} languages; exchanged at random, as large a difference comes in "
            f"{100 * found.chance:.1f} % of cases"
        )
        if found.nearer is None:
            return f"Not settled by our runs: {numbers}."
        said = "without positions" if found.nearer == "nope" else "with learned positions"
        return f"Our runs {said} reproduce the published accuracies: {numbers}."

    @property
    def readings(self) -> str:
        """What the published numbers say of where the state was read."""
        differ = self.counts["readings_differ"]
        return (
            f"For {differ['languages']} languages a program without positions exists at letters, none after "
            f"them; the published runs fail on {differ['fail']} of them (below {LEVEL}), which speaks for "
            "reading after letters."
        )

    @property
    def depths(self) -> str:
        """Which yes languages work."""
        parts = [
            f"{found['work']} of {found['languages']} work that need depth {depth}"
            for depth, found in self.counts["by_depth"].items()
        ]
        return f"Of the languages with a program, by how deeply it must nest counts: {', '.join(parts)}."


def state_summary(found: Sequence[Outcome]) -> StateSummary:
    distances = language_distances(found)
    return StateSummary(languages=judged_languages(), distances=distances, comparison=compare(distances))


def state_report(found: Sequence[Outcome]) -> StudyReport:
    """What is said of the languages, beside the cells; a file has all languages."""
    said = state_summary(found)
    counts = said.counts
    total = counts["languages"]
    labels = ", ".join(f"{name} {number}" for name, number in counts["labels"].items())
    levels = table_of(
        title=f"{total} languages of arXiv 2608.13433. {_LEVEL} Labels that are ours: {labels}.",
        columns=LEVEL_HEAD,
        rows=[
            (level, str(each["nope_after_letter"]), str(each["nope_at_letter"]), str(each["ape"]))
            for level, each in counts["levels"].items()
        ],
    )
    disagreeing = table_of(
        title="disagreeing at some level",
        columns=DISAGREEING_HEAD,
        rows=[*map(_disagreeing, said.disagreeing)],
        spare=("what is known",),
    )
    question = f"{QUESTION} {said.conclusion}"

    def file() -> str:
        distances = table_of(columns=DISTANCE_HEAD, rows=[*map(_distance, said.distances)])
        languages = table_of(columns=LANGUAGE_HEAD, rows=[*map(_language, said.languages)])
        parts = [
            "# State tracking: theory beside published accuracies",
            table_text(levels),
            said.depths,
            said.readings,
            "## Disagreeing at some level",
            disagreeing.markdown(),
            "## Which encoding?",
            question,
            distances.markdown(),
            "## All languages",
            languages.markdown(),
        ]
        return "\n\n".join(parts) + "\n"

    return StudyReport(
        document=said.document(),
        tables=[levels, disagreeing],
        remarks=[said.depths, said.readings, question],
        file=file,
    )


def _disagreeing(each: JudgedLanguage) -> tuple[str, ...]:
    found = each.published
    forecast = WORDS[each.after_letter]
    return (found.suite, found.name, f"`{found.expression}`", forecast, str(found.last), each.reason)


def _distance(each: LanguageDistance) -> tuple[str, ...]:
    return (
        each.name, f"`{each.expression}`", "after" if each.after else "at", each.encoding,
        "yes" if each.perfect else "no", f"{each.distance:.3f}",
        _shares(each.ours), _shares(each.published),
    )  # fmt: skip


def _language(each: JudgedLanguage) -> tuple[str, ...]:
    found = each.published
    verdicts = (WORDS[found.c_rasp], WORDS[each.after_letter], WORDS[each.at_letter], WORDS[each.ape])
    return (found.suite, found.name, f"`{found.expression}`", *verdicts, _shares(found.accuracy))


def _shares(found: dict[str, float]) -> str:
    return " ".join(f"{share:g}" for share in found.values())


COLOURS = {True: GREEN, False: RED}
NAMES = {True: "a program exists", False: "none exists"}
TITLES = {"nope": "ours, without positions", "ape": "ours, learned positions"}


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """Left and middle: the two suites. Right: the sample after letters, with each encoding."""
    from matplotlib.lines import Line2D

    drawn = titled(title, (12.0, 3.6))
    halves = drawn.subfigures(1, 2, squeeze=False)
    suites, ours = halves[0]
    left = suites.subplots(1, len(TRAINED_TO), sharey=True)
    for axis, suite in zip(left, TRAINED_TO, strict=True):
        languages = [each for each in judged_languages() if each.published.suite == suite]
        lines = {
            label: [each.published.accuracy for each in languages if each.after_letter is label]
            for label in COLOURS
        }
        _panel(axis, lines)
        counts = f"{len(lines[True])} with a program, {len(lines[False])} without"
        axis.set_title(f"published, trained to {TRAINED_TO[suite]}\n{counts}", fontsize=8)
    left[0].set_ylabel("accuracy", fontsize=8)
    distances = [each for each in language_distances(found) if each.after]
    for axis, encoding in zip(ours.subplots(1, len(ENCODINGS), sharey=True), ENCODINGS, strict=True):
        _ours(axis, [each for each in distances if each.encoding == encoding])
        axis.set_title(TITLES[encoding], fontsize=8)
    handles = [Line2D([], [], color=COLOURS[label], label=NAMES[label]) for label in COLOURS]
    handles.append(
        Line2D([], [], color=GREY, linewidth=3.2, alpha=LIGHT, label="published, the same languages")
    )
    drawn.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=7, frameon=False)
    return drawn


def _panel(axis: Axes, lines: dict[bool, list[dict[str, float]]]) -> None:
    ranges: list[str] = []
    for label, each in lines.items():
        for accuracy in each:
            axis.plot(list(accuracy.values()), color=COLOURS[label], linewidth=0.5, alpha=LIGHT)
        if each:
            ranges = list(each[0])
            medians = [median(accuracy[name] for accuracy in each) for name in ranges]
            axis.plot(medians, color=COLOURS[label], linewidth=2.0)
    _dress(axis, ranges)


def _ours(axis: Axes, found: Sequence[LanguageDistance]) -> None:
    labels = {name: each.c_rasp for name, each in sample().items()}
    for each in found:
        colour = COLOURS[labels[each.name]]
        axis.plot(list(each.published.values()), color=colour, linewidth=3.2, alpha=LIGHT)
        axis.plot(list(each.ours.values()), color=colour, linewidth=1.2, marker="o", markersize=3)
    if not found:
        empty(axis, "not run")
    _dress(axis, found[0].ours if found else ())


def _dress(axis: Axes, ranges: Iterable[str]) -> None:
    names = [name.replace("-", "–") for name in ranges]
    axis.set_xticks(range(len(names)), names, rotation=60)
    axis.set_ylim(-0.05, 1.05)
    axis.tick_params(labelsize=6.5, length=2)


STUDY = cell_study(
    name="state-tracking",
    title="State tracking on languages of another group",
    source="arXiv 2608.13433, published accuracies",
    about="verdicts on 175 languages beside published accuracies, and a sample trained with both encodings",
    time="laptop: 29 runs, 14 minutes on two cores",
    places=state_places(),
    figure=figure,
    config=state_config,
    seeds=SEEDS,
    setting="the setting of the census, with the usual attention and fewer test words",
    summary=state_report,
)
