"""All that the study `state-tracking` says: theory beside published numbers, and our runs beside both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from longreach.comparison.outcome import Outcome
from longreach.studies.markdown_table import markdown_table
from longreach.studies.states.published_verdicts import (
    LEVEL,
    LEVELS,
    JudgedLanguage,
    agreements,
    judged_languages,
)
from longreach.studies.states.state_distance import (
    Comparison,
    LanguageDistance,
    compare,
    language_distances,
)

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
        """The languages that disagree at some level."""
        return tuple(each for each in self.languages if not all(map(each.agrees, LEVELS)))

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
        """Which encoding our runs speak for."""
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

    def _levels(self) -> list[tuple[str, int, int, int]]:
        return [
            (level, found["nope_after_letter"], found["nope_at_letter"], found["ape"])
            for level, found in self.counts["levels"].items()
        ]

    def text(self) -> str:
        """For the terminal."""
        counts = self.counts
        total = counts["languages"]
        lines = [
            f"published labels that are ours, of {total}: "
            + ", ".join(f"{name} {number}" for name, number in counts["labels"].items()),
            "published runs that do as forecast, by the accuracy on the longest range from which they work:",
            f"  {'level':>5}  {'NoPE, after letters':>19}  {'NoPE, at letters':>16}  {'APE':>4}   of {total}",
            *(f"  {level:>5}  {after:>19}  {at:>16}  {ape:>4}" for level, after, at, ape in self._levels()),
            "disagreeing with NoPE after letters at some level:",
            *(
                f"  {each.published.suite} {each.published.name} {each.published.expression}: "
                f"forecast {WORDS[each.after_letter]}, {each.published.last}: {each.reason}"
                for each in self.disagreeing
            ),
            self.depths,
            self.readings,
            f"{QUESTION} {self.conclusion}",
        ]
        return "\n".join(lines)

    def markdown(self) -> str:
        """For a file."""
        total = self.counts["languages"]
        labels = ", ".join(f"{name} {number}" for name, number in self.counts["labels"].items())
        lines = [
            "# State tracking: theory beside published accuracies",
            "",
            f"{total} languages of arXiv 2608.13433. {_LEVEL} Labels that are ours: {labels}.",
            "",
            *markdown_table(LEVEL_HEAD, [tuple(map(str, row)) for row in self._levels()]),
            "",
            self.depths,
            "",
            self.readings,
            "",
            "## Disagreeing at some level",
            "",
            *markdown_table(DISAGREEING_HEAD, map(_disagreeing, self.disagreeing)),
            "",
            "## Which encoding?",
            "",
            f"{QUESTION} {self.conclusion}",
            "",
            *markdown_table(DISTANCE_HEAD, map(_distance, self.distances)),
            "",
            "## All languages",
            "",
            *markdown_table(LANGUAGE_HEAD, map(_language, self.languages)),
            "",
        ]
        return "\n".join(lines)


def state_summary(found: Sequence[Outcome]) -> StateSummary:
    """From the cells that have run."""
    distances = language_distances(found)
    return StateSummary(languages=judged_languages(), distances=distances, comparison=compare(distances))


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
