"""How many runs work by stratum and ratio, on random words and on probing words.

A run *works* where its accuracy is at least halfway from chance to 1. It is *sure* where it works on random
words and on the probing words of its worst loop. Strata are the verdicts without and with positions, and the
languages that are a no for both are divided by whether `reach` has them: whether they are in AC⁰.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from longreach.answers.odds_features import GROUPS, ODDS_ENCODINGS, REACH, Group, group_of_verdicts
from longreach.config.encodings import ENCODINGS
from longreach.runs.cells import ByAccuracy
from longreach.studies.census.draw import FAR
from longreach.studies.census.tables import CensusRun, LanguageFacts, language_table
from longreach.studies.statistics import SAMPLES, Estimate, Resampling
from longreach.studies.study import table_of
from longreach.theory.names import REGEX
from longreach.wording import Table, shortened

OUTSIDE: Group = "no/no, outside AC⁰"
FARTHEST = FAR[-1]
EXACT = 0.99


def group_of(facts: LanguageFacts) -> Group:
    """Its verdicts, and of a language that is a no twice whether it is in AC⁰."""
    return group_of_verdicts(*(facts.sides[name].verdict for name in ODDS_ENCODINGS))


@dataclass(frozen=True)
class Outcome:
    """What one run came to at one ratio."""

    works: bool
    probing: bool | None
    """Whether it works on probing words; None where there are none."""
    sure: bool | None
    exact: bool | None
    """At least 0.99 on random words, on probing words and on the worst loop."""


def outcome(run: CensusRun, ratio: int, chance: float) -> Outcome:
    """What a run came to at a ratio that it was tested at.

    >>> run = CensusRun(
    ...     run="0", language="8a9368b8db", encoding="nope", trained_to=20, seed=0, code="1", seconds=1.0,
    ...     settings="x", accuracy=(1.0, 1.0, 1.0, 0.7), probing=(1.0, 1.0, None, 0.6),
    ...     worst_loop=(1.0, 0.4, None, 0.5),
    ... )
    >>> [outcome(run, ratio, 0.0).sure for ratio in run.ratios]
    [True, False, None, True]
    """
    by, share, probed = ByAccuracy(chance), run.at(ratio), run.probed_at(ratio)
    works = by.works(share)
    if probed is None:
        return Outcome(works, None, None, None)
    mean, worst = probed
    return Outcome(works, by.works(mean), works and by.works(worst), min(share, mean, worst) >= EXACT)


@dataclass(frozen=True, kw_only=True)
class StratumScore:
    """Runs of one model on the languages of one group at one ratio."""

    model: str
    """The encoding, with what is changed of the setting."""
    trained_to: int
    source: str
    """`drawn` or `typed`."""
    group: str
    ratio: int
    languages: int
    runs: int
    works: Estimate
    accuracy: float
    probed: int
    """Runs that were tested on probing words; the rest is about these."""
    probing: Estimate
    sure: Estimate
    exact: Estimate


def model_name(run: CensusRun) -> str:
    """The encoding, and what is changed of the setting."""
    return run.encoding if run.recipe is None else f"{run.encoding}, {run.recipe}"


_Kind: TypeAlias = tuple[int, str, int, str]
"""The place of the encoding, the model, the training length, and how languages were drawn."""


def _kind(run: CensusRun, facts: LanguageFacts) -> _Kind:
    return list(ENCODINGS).index(run.encoding), model_name(run), run.trained_to, facts.kind


def model_title(name: str) -> str:
    """As tables name it.

    >>> model_title("nope"), model_title("ape, 4 layers")
    ('NoPE', 'APE, 4 layers')
    """
    encoding, comma, change = name.partition(", ")
    return ENCODINGS[encoding].title + comma + change


def stratum_scores(runs: Iterable[CensusRun], *, samples: int = SAMPLES) -> tuple[StratumScore, ...]:
    """By model, training length, source, group and ratio, in this order; failed runs are left out."""
    languages = language_table()
    found: dict[tuple[_Kind, int, int], list[tuple[CensusRun, Outcome]]] = {}
    for run in runs:
        if run.failed:
            continue
        facts = languages[run.language]
        for ratio in run.ratios:
            key = _kind(run, facts), GROUPS.index(group_of(facts)), ratio
            done = outcome(run, ratio, facts.chance(run.trained_to, ratio))
            found.setdefault(key, []).append((run, done))
    return tuple(_score(key, alike, samples) for key, alike in sorted(found.items()))


def _score(
    key: tuple[_Kind, int, int], alike: Sequence[tuple[CensusRun, Outcome]], samples: int
) -> StratumScore:
    (_, model, trained_to, source), group, ratio = key
    keys = [run.language for run, _ in alike]
    drawn = Resampling(keys, samples=samples)
    probed = [float(each.sure is not None) for _, each in alike]

    def share(of: Callable[[Outcome], bool | None]) -> Estimate:
        return (
            drawn.mean([float(of(each) is True) for _, each in alike], probed) if any(probed) else Estimate()
        )

    return StratumScore(
        model=model, trained_to=trained_to, source=source, group=GROUPS[group], ratio=ratio,
        languages=len(set(keys)),
        runs=len(alike),
        works=drawn.mean([float(each.works) for _, each in alike], [1.0] * len(alike)),
        accuracy=sum(run.at(ratio) for run, _ in alike) / len(alike),
        probed=int(sum(probed)),
        probing=share(lambda each: each.probing),
        sure=share(lambda each: each.sure),
        exact=share(lambda each: each.exact),
    )  # fmt: skip


def _tested_far(runs: Iterable[CensusRun]) -> Iterator[tuple[CensusRun, LanguageFacts, Outcome]]:
    """The runs that have probing words at the farthest ratio, with their language and what they came to."""
    languages = language_table()
    for run in runs:
        if run.failed or FARTHEST not in run.ratios:
            continue
        facts = languages[run.language]
        done = outcome(run, FARTHEST, facts.chance(run.trained_to, FARTHEST))
        if done.sure is not None:
            yield run, facts, done


def sure_counts(runs: Iterable[CensusRun]) -> tuple[dict[str, Any], ...]:
    """By model and source: runs of languages in AC⁰ and outside it, those that are sure and all others.

    At the farthest ratio. Runs without probing words are none of it, nor are languages of which AC⁰ is not
    known.
    """
    counts: dict[_Kind, Counter[tuple[bool, bool]]] = {}
    for run, facts, done in _tested_far(runs):
        if facts.in_ac0 is not None:
            counts.setdefault(_kind(run, facts), Counter())[facts.in_ac0, bool(done.sure)] += 1
    return tuple(
        {
            "model": model,
            "trained_to": trained_to,
            "source": source,
            "ratio": FARTHEST,
            "in class, sure": found[True, True],
            "in class, not": found[True, False],
            "outside, sure": found[False, True],
            "outside, not": found[False, False],
        }
        for (_, model, trained_to, source), found in sorted(counts.items())
    )


def level_counts(runs: Iterable[CensusRun]) -> tuple[dict[str, Any], ...]:
    """By model and source, for each number of levels that cascades need: how many runs work and are sure."""
    found: dict[tuple[_Kind, int], list[tuple[str, Outcome]]] = {}
    for run, facts, done in _tested_far(runs):
        levels = facts.sides[REACH].levels
        if run.encoding == REACH and levels is not None:
            found.setdefault((_kind(run, facts), levels), []).append((run.language, done))
    return tuple(
        {
            "model": model,
            "trained_to": trained_to,
            "source": source,
            "ratio": FARTHEST,
            "levels": levels,
            "languages": len({language for language, _ in alike}),
            "runs": len(alike),
            "work": sum(done.works for _, done in alike),
            "sure": sum(bool(done.sure) for _, done in alike),
        }
        for ((_, model, trained_to, source), levels), alike in sorted(found.items())
    )


def misses(runs: Iterable[CensusRun]) -> tuple[dict[str, Any], ...]:
    """The runs with `reach` on languages of its class that are not sure, with what the languages need."""
    found = []
    for run, facts, done in _tested_far(sorted(runs, key=lambda each: each.order)):
        if run.encoding == REACH and facts.in_ac0 and not done.sure:
            side, probed = facts.sides[REACH], run.probed_at(FARTHEST)
            found.append(
                {
                    "model": model_name(run),
                    "language": run.language,
                    "task": facts.task,
                    "source": facts.kind,
                    "seed": run.seed,
                    "levels": side.levels,
                    "modulus": side.modulus,
                    "accuracy": [run.at(each) for each in (1, 3, FARTHEST)],
                    "worst_loop": None if probed is None else probed[1],
                }
            )
    return tuple(found)


Document = Mapping[str, Any]
MAIN_LENGTH = 20
LONGEST_EXPRESSION = 40
"""The training length that the tables show."""


def stratum_table(found: Iterable[Document], *, above: str = "") -> Table:
    """A line for each model, group and ratio beyond training."""

    def percent(each: Document) -> str:
        value, low, high = each["value"], each["low"], each["high"]
        if value is None:
            return "–"
        return f"{100 * value:.0f} %" + ("" if low is None else f" ({100 * low:.0f}–{100 * high:.0f})")

    rows = [
        [
            model_title(each["model"]),
            f"{each['source']} {each['group']}",
            f"{each['ratio']}N",
            str(each["languages"]),
            str(each["runs"]),
            percent(each["works"]),
            f"{100 * each['accuracy']:.0f}",
            *(percent(each[name]) for name in ("probing", "sure", "exact")),
        ]
        for each in found
        if each["ratio"] > 1 and each["trained_to"] == MAIN_LENGTH
    ]
    columns = (
        "model", "languages", "tested to", "of these", "runs", "work", "accuracy",
        "work on probing words", "sure", "exact",
    )  # fmt: skip
    title = (
        "Trained to 20: runs that work on random words, on probing words, and on both with every loop (sure)."
    )
    return table_of(columns, rows, title=above + title, spare=("exact", "accuracy", "of these"))


def level_table(found: Iterable[Document]) -> Table:
    """A line for each number of levels."""
    rows = [
        [
            model_title(each["model"]),
            each["source"],
            str(each["levels"]),
            *(str(each[name]) for name in ("languages", "runs", "work", "sure")),
        ]
        for each in found
    ]
    columns = ("model", "languages", "levels", "of these", "runs", "work", "sure")
    title = "Languages in AC⁰ by the layers that their cascade needs: runs that work and are sure at 10N."
    return table_of(columns, rows, title=title)


def miss_table(found: Iterable[Document]) -> Table:
    """A line for each run."""

    def percent(share: float | None) -> str:
        return "–" if share is None else f"{100 * share:.0f}"

    rows = [
        [
            model_title(each["model"]),
            f"`{shortened(each['task'].removeprefix(REGEX), LONGEST_EXPRESSION)}`",
            each["source"],
            *("–" if each[name] is None else str(each[name]) for name in ("seed", "levels", "modulus")),
            *map(percent, (*each["accuracy"], each["worst_loop"])),
        ]
        for each in found
    ]
    columns = (
        "model", "language", "languages", "seed", "levels", "modulus", "at N", "at 3N", "at 10N",
        "worst loop",
    )  # fmt: skip
    title = "Languages in AC⁰ on which a run with reach is not sure at 10N, with its accuracies."
    return table_of(columns, rows, title=title, spare=("languages", "modulus"))


def sure_table(found: Iterable[Document]) -> Table:
    """A line for each model."""
    names = ("in class, sure", "in class, not", "outside, sure", "outside, not")
    rows = [
        [
            model_title(each["model"]),
            each["source"],
            f"{each['ratio']}N",
            *(str(each[name]) for name in names),
        ]
        for each in found
    ]
    title = "The class of reach (AC⁰) against what runs came to: sure on random words and on every loop."
    return table_of(("model", "languages", "tested to", *names), rows, title=title)
