"""The analysis of the census as one document and as tables.

A "no" may hold only from some length on. Predicted is the length at which the longest-lasting summary that
training reveals is wrong on most words. Measured is the first tested range on which most runs fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from typing import Any

import numpy as np

from longreach.answers.odds import FloatArray, OddsModel, StratumSkill
from longreach.config.encodings import ENCODINGS
from longreach.errors import InputError
from longreach.studies.census.draw import RATIOS, Part, bins
from longreach.studies.census.members import RecipeScore, is_variant
from longreach.studies.census.odds import OddsJudgement, judge_odds
from longreach.studies.census.scores import SliceScore, census_scores
from longreach.studies.census.strata import (
    StratumScore,
    level_counts,
    level_table,
    miss_table,
    misses,
    stratum_scores,
    stratum_table,
    sure_counts,
    sure_table,
)
from longreach.studies.census.tables import (
    CensusCell,
    CensusRun,
    LanguageFacts,
    cells,
    language_table,
    longest_lasting,
)
from longreach.studies.statistics import SAMPLES, Estimate, IntArray, bootstrap, estimate, rounded
from longreach.studies.study import table_of, table_text
from longreach.wording import Table

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
        fails, positions = self.language.fails(self.trained_to), self.encoding != "nope"
        length, summary = longest_lasting(
            fails, self.trained_to, positions=positions, most_letters=most_letters
        )
        return length, None if summary is None else str(summary)

    def predicted_ratio(self, most_letters: int = LETTERS[-1]) -> int | None:
        """The first tested range that ends at or after the predicted length; None: beyond all."""
        length, _ = self.predicted(most_letters)
        ends = bins(self.trained_to).items()
        return None if length is None else next((r for r, lengths in ends if lengths.last >= length), None)

    def document(self) -> dict[str, Any]:
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


def failures(found: Iterable[CensusCell]) -> tuple[Failure, ...]:
    """All cells with the verdict "no", the RATIOS of each together."""
    groups: dict[tuple[str, str, int], list[CensusCell]] = {}
    for cell in found:
        if cell.case.side.verdict == "no" and cell.ratio in RATIOS:
            groups.setdefault((cell.language.key, cell.encoding, cell.trained_to), []).append(cell)
    return tuple(
        Failure(
            language=alike[0].language,
            encoding=encoding,
            trained_to=trained_to,
            measured=min((cell.ratio for cell in alike if not cell.worked()), default=None),
        )
        for (_, encoding, trained_to), alike in groups.items()
    )


def failure_document(found: Sequence[Failure], *, samples: int) -> dict[str, Any]:
    """How well lengths of failure are predicted: rank correlation over those that learned, and the cells."""
    learned = [each for each in found if each.measured != 1]
    return {
        "cells": len(found),
        "learned": len(learned),
        "work at all lengths": sum(each.measured is None for each in found),
        "rank correlation": {
            f"{letters} letters": rounded(rank_correlation(learned, letters, samples=samples))
            for letters in LETTERS
        },
        "predicted to fail": _shares([each for each in learned if each.predicted_ratio() is not None]),
        "predicted to last": _shares([each for each in learned if each.predicted_ratio() is None]),
        "each": [each.document() for each in found],
    }


def _shares(found: Sequence[Failure]) -> dict[str, int]:
    """Of so many cells, how many fail somewhere among the tested lengths."""
    return {"cells": len(found), "fail": sum(each.measured is not None for each in found)}


def rank_correlation(found: Sequence[Failure], most_letters: int, *, samples: int) -> Estimate:
    """Between predicted and measured ratios, with an interval over languages; None if one never varies."""
    if not found:
        return Estimate()
    said = np.array([each.predicted_ratio(most_letters) or BEYOND for each in found], dtype=np.float64)
    seen = np.array([each.measured or BEYOND for each in found], dtype=np.float64)

    def statistic(rows: IntArray) -> float:
        return spearman(said[rows], seen[rows])

    drawn = bootstrap([each.language.key for each in found], statistic, samples=samples)
    return estimate(np.append(spearman(said, seen), drawn))


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


@dataclass(frozen=True, eq=False, kw_only=True)
class CensusAnalysis:
    """All that is said of one part of the census."""

    part: Part
    runs: tuple[CensusRun, ...]
    cells: tuple[CensusCell, ...]
    scores: tuple[SliceScore, ...]
    odds: OddsJudgement | None
    """None where no odds were given to judge."""
    failures: tuple[Failure, ...]
    strata: tuple[StratumScore, ...]
    sure: tuple[dict[str, Any], ...]
    """Counts of runs that are sure at the farthest ratio; see `sure_counts`."""
    levels: tuple[dict[str, Any], ...]
    """The same by the levels of cascades; see `level_counts`."""
    misses: tuple[dict[str, Any], ...]
    """Runs with `reach` that are not sure though they are in its class."""
    samples: int

    def document(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "languages": len({run.language for run in self.runs}),
            "runs": len(self.runs),
            "failed": sum(run.failed for run in self.runs),
            "settings": sorted({run.settings for run in self.runs}),
            "code": sorted({run.code for run in self.runs}),
            "hours": round(sum(run.seconds for run in self.runs) / 3600, 2),
            "scores": rounded(self.scores),
            "odds": rounded(self.odds),
            "failures": failure_document(self.failures, samples=self.samples),
            "strata": rounded(self.strata),
            "sure": [*self.sure],
            "levels": [*self.levels],
            "misses": [*self.misses],
        }


def analyse(
    part: Part,
    runs: Sequence[CensusRun],
    *,
    development: Sequence[CensusRun],
    model: OddsModel | None = None,
    samples: int = SAMPLES,
) -> CensusAnalysis:
    """The analysis of the runs of one part; `development` runs make predictors into probabilities."""
    mine = tuple(run for run in runs if run.recipe is None or is_variant(run.recipe))
    stranger = next((run for run in mine if language_table()[run.language].part != part), None)
    if stranger is not None:
        raise InputError(f"the run {stranger.run} is not of a {part} language: {stranger.language}")
    found = cells(mine)
    fitted = found if part == "development" else cells(development)
    return CensusAnalysis(
        part=part,
        runs=mine,
        cells=found,
        scores=census_scores(found, fitted, samples=samples) if found else (),
        odds=None if model is None or not found else judge_odds(model, mine, samples=samples),
        failures=failures(cell for cell in found if cell.language.kind == "drawn"),
        strata=stratum_scores(mine, samples=samples),
        sure=sure_counts(mine),
        levels=level_counts(mine),
        misses=misses(mine),
        samples=samples,
    )


Document = Mapping[str, Any]
Column = Callable[[Document], str]
NOTHING = "–"
MAIN_RATIO = 3
ENDS = {"predicted to fail": "within", "predicted to last": "beyond"}


def analysis_tables(document: Document) -> tuple[Table, ...]:
    """All tables of an analysis; what they rest on stands above the first."""
    tables = [
        stratum_table(document["strata"], above=f"{counted(document)}\n\n"),
        sure_table(document["sure"]),
        level_table(document["levels"]),
        miss_table(document["misses"]),
    ]
    if document["scores"]:
        tables += [_agreement(document), _rivals(document), _sources(document)]
    if document["odds"] is not None:
        tables += [_odds(document["odds"]), _skills(document["odds"]), _reliability(document["odds"])]
    if document["failures"]["cells"]:
        tables.append(_failures(document["failures"]))
    return tuple(table for table in tables if table.rows)


def analysis_markdown(document: Document) -> str:
    return "\n\n".join(map(table_text, analysis_tables(document))) + "\n"


def counted(document: Document) -> str:
    """In one sentence, what the numbers rest on.

    >>> counted({"part": "held-out", "languages": 126, "runs": 756, "failed": 0, "hours": 4.1})
    '126 held-out languages, 756 runs, of which 0 failed; 4.1 hours of training.'
    """
    return (
        f"{document['languages']} {document['part']} languages, {document['runs']} runs, of which "
        f"{document['failed']} failed; {document['hours']} hours of training."
    )


def number(estimate: Document, *, percent: bool = False) -> str:
    """An estimate with its interval.

    >>> number({"value": 0.8123, "low": -0.1, "high": 0.9})
    '0.81 (−0.10 to 0.90)'
    >>> number({"value": 0.5, "low": 0.4, "high": 1.0}, percent=True)
    '50 % (40–100)'
    """
    value, low, high = estimate["value"], estimate["low"], estimate["high"]
    if value is None or not percent:
        return Estimate(**estimate).words(unknown=NOTHING).replace("-", "−")
    ends = "" if low is None else f" ({100 * low:.0f}–{100 * high:.0f})"
    return f"{100 * value:.0f} %{ends}"


def _title(each: Document) -> str:
    return ENCODINGS[each["encoding"]].title


def _tested(each: Document) -> str:
    return "N" if each["ratio"] == 1 else f"{each['ratio']}N"


def _number(*path: str, percent: bool = False) -> Column:
    """Shows the estimate at a place in a document."""
    return lambda each: number(reduce(getitem, path, each), percent=percent)


def _text(name: str) -> Column:
    return lambda each: str(each[name])


def _table(title: str, columns: Mapping[str, Column], found: Iterable[Document]) -> Table:
    rows = [[show(each) for show in columns.values()] for each in found]
    return table_of(tuple(columns), rows, title=title)


_WORK = {f"{each}: runs that work": _number(each, percent=True) for each in ("yes", "no")}
_AGREE = {"agree": _number("agreement", "half way", percent=True)}


def _agreement(document: Document) -> Table:
    scores = [each for each in document["scores"] if each["source"] is None]
    title = "How often runs work by the verdict, and in which share of cells verdict and most runs agree."
    return _table(
        title,
        {
            "encoding": _title,
            "N": _text("trained_to"),
            "tested to": _tested,
            "cells": _text("cells"),
            **_WORK,
            **_AGREE,
            "at 0.9": _number("agreement", "0.9", percent=True),
            "by the mean": _number("agreement", "mean", percent=True),
            "with the NoPE verdict": _number("without_positions", percent=True),
        },
        [each for each in scores if each["trained_to"] is not None and each["ratio"] is not None],
    )


def _rivals(document: Document) -> Table:
    """A line for each predictor, columns for each encoding."""
    found = [
        each
        for each in document["scores"]
        if (each["source"], each["trained_to"], each["ratio"]) == (None, None, None)
    ]
    names = list(found[0]["predictors"]) if found else []
    columns = [f"{_title(each)}: {what}" for each in found for what in ("ROC area", "Brier skill")]
    rows = [
        [name, *(number(each["predictors"][name][what]) for each in found for what in ("auc", "skill"))]
        for name in names
    ]
    title = "The verdict and its rivals beyond the training length, all lengths together."
    return table_of(("predictor", *columns), rows, title=title)


def _sources(document: Document) -> Table:
    return _table(
        "The same at 3N by how a language was drawn, since verdict and source go together.",
        {
            "encoding": _title,
            "drawn as": _text("source"),
            "languages": _text("languages"),
            **_WORK,
            **_AGREE,
            "ROC area": _number("predictors", "verdict", "auc"),
        },
        [each for each in document["scores"] if each["source"] is not None and each["ratio"] == MAIN_RATIO],
    )


def _odds(odds: Document) -> Table:
    def about(each: Document) -> str:
        known: dict[str, Column] = {
            "encoding": _title,
            "trained_to": lambda each: f"trained to {each['trained_to']}",
            "ratio": lambda each: f"at {_tested(each)}",
            "source": lambda each: f"drawn as {each['source']}",
        }
        return ", ".join(say(each) for name, say in known.items() if each[name]) or "all"

    return _table(
        f"The odds on {odds['part']} languages.",
        {
            "cells": about,
            "runs": _text("runs"),
            "work": lambda each: f"{100 * each['work']:.0f} %",
            "Brier score": _number("brier"),
            "skill over the base rate": _number("skill"),
            "skill over the verdict alone": _number("skill_over_verdict"),
            "ROC area": _number("auc"),
        },
        odds["scores"],
    )


def _skills(odds: Document) -> Table:
    def score(each: Document) -> str:
        return NOTHING if each["skill"] is None else f"{each['skill']:.2f}".replace("-", "−")

    return _table(
        "The odds by stratum, over always giving the share of its runs that work.",
        {
            "encoding": _title,
            "languages": lambda each: f"{each['kind']} {each['group']}",
            "of these": _text("languages"),
            "runs": _text("runs"),
            "work": lambda each: f"{100 * each['work']:.0f} %",
            "Brier score": lambda each: f"{each['brier']:.2f}",
            "skill": score,
            "shown": lambda each: "yes" if StratumSkill(**each).told else "no",
        },
        odds["strata"],
    )


def _reliability(odds: Document) -> Table:
    def found(each: Document) -> str:
        estimate = {"value": each["found"], "low": each["found_low"], "high": each["found_high"]}
        return number(estimate, percent=True)

    return _table(
        "What was said and what came true.",
        {
            "odds": lambda each: f"{100 * each['low']:.0f}–{100 * each['high']:.0f} %",
            "runs": _text("rows"),
            "said": lambda each: f"{100 * each['said']:.0f} %",
            "found": found,
        },
        odds["reliability"],
    )


def _failures(found: Document) -> Table:
    fail = {name: f"{found[name]['fail']} of {found[name]['cells']} fail" for name in ENDS}
    rows = [
        ("cells with the verdict no", str(found["cells"])),
        ("of these, learned the training lengths", str(found["learned"])),
        ("work at all tested lengths", str(found["work at all lengths"])),
        *((f"{name} {where} the tested lengths", fail[name]) for name, where in ENDS.items()),
        *(
            (f"rank correlation, windows of up to {letters}", number(correlation))
            for letters, correlation in found["rank correlation"].items()
        ),
    ]
    title = "Where a no ends: the length at which little memory gives out, and where runs fail."
    return table_of(("", ""), rows, title=title)


TITLE = "Each recipe on the same development languages; work: halfway from chance to 1."
HEADS = (
    "recipe", "runs", "learned", *(f"work at {ratio}N" for ratio in RATIOS[1:]), "accuracy at 3N", "gain",
)  # fmt: skip


def recipe_table(scores: Sequence[RecipeScore]) -> Table:
    """A line for each recipe; the gain is over the first one, in points, with its interval over languages."""
    rows = []
    for each in scores:
        gain = ""
        if each.gain is not None and each.interval is not None:
            low, high = each.interval
            gain = f"{100 * each.gain:+.0f} ({100 * low:+.0f} to {100 * high:+.0f})"
        mean = f"{100 * each.mean[2]:.0f}" if each.mean else ""
        rows.append((each.recipe, str(each.runs), str(each.learned), *map(str, each.work[1:]), mean, gain))
    return table_of(title=TITLE, columns=HEADS, rows=rows, spare=("gain", "learned", "accuracy at 3N"))
