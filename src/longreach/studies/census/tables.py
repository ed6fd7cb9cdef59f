"""The languages and runs of the census as tables, and the cells they form.

A cell with the verdict "no" may still work for a while, because the last letters, clipped counts or, with
positions, the position modulo a number are enough on most words. The length at which that ends is exact, and
computed before anything is trained.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args

from pydantic import ConfigDict, Field, TypeAdapter

from longreach.answers.odds_features import (
    ODDS_ENCODINGS,
    ODDS_NODES,
    REACH,
    SUMMARIES,
    Determined,
    LanguageFeatures,
    OddsCase,
    RangeFeatures,
    SideFeatures,
    language_features,
)
from longreach.config.encodings import ENCODINGS
from longreach.errors import File, InputError
from longreach.files import read_document
from longreach.runs.cells import ByAccuracy, Tally
from longreach.runs.table import read_lines
from longreach.studies.census.draw import (
    FAR,
    RATIOS,
    CensusLanguage,
    Part,
    SizeClass,
    Stratum,
    VerdictPair,
    bins,
)
from longreach.studies.census.sources import Source
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.monoid import measure
from longreach.theory.shares.determinacy import determinacy
from longreach.theory.shares.summaries import Summary

_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
Share = Annotated[float, Field(ge=0, le=1)]
Kind: TypeAlias = Literal["drawn", "typed"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, kw_only=True)
class LanguageRun:
    """A run on a language, as the lines of tables begin."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    run: Annotated[str, Field(min_length=1)]
    """The key of the result."""
    language: Annotated[str, Field(min_length=1)]
    """What runs have in common; intervals and folds keep them together."""
    encoding: str
    trained_to: Annotated[int, Field(ge=1)]
    seed: int

    @property
    def order(self) -> tuple[str, str, int, int, str]:
        return self.language, self.encoding, self.trained_to, self.seed, self.run


@dataclass(frozen=True, kw_only=True)
class CensusRun(LanguageRun):
    """What one run of the census came to; its language is named by its key.

    >>> run = CensusRun(
    ...     run="0123456789abcdef", language="8a9368b8db", encoding="nope", trained_to=20, seed=0,
    ...     accuracy=(1.0, 0.9, 0.5, 0.0), code="1.0", seconds=30.0, settings="ab12",
    ... )
    >>> run.at(3), run.failed
    (0.5, False)
    """

    accuracy: tuple[Share, ...]
    """At each of RATIOS, or each of FAR; empty if the run failed."""
    code: str
    """The version of the program that trained it."""
    seconds: Annotated[float, Field(ge=0)]
    settings: str
    """The hash of the settings file."""
    error: str | None = None
    recipe: str | None = None
    """What was tried, where the run is not one of the census itself."""
    probing: tuple[Share | None, ...] | None = None
    """The accuracy on probing words at the same ratios; None where it was not measured."""
    worst_loop: tuple[Share | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise ValueError(f"no encoding named {self.encoding!r}")
        known = (len(RATIOS), len(FAR))
        if len(self.accuracy) not in (known if self.error is None else (0,)):
            raise ValueError(f"a run has {known[0]} or {known[1]} accuracies, a failed one an error instead")
        for values in (self.probing, self.worst_loop):
            if values is not None and len(values) != len(self.accuracy):
                raise ValueError("probing words are tested at the same ratios as random words")

    @property
    def failed(self) -> bool:
        return self.error is not None

    @property
    def ratios(self) -> tuple[int, ...]:
        """Those that were tested."""
        return FAR[: len(self.accuracy)]

    def at(self, ratio: int) -> float:
        return self.accuracy[FAR.index(ratio)]

    def probed_at(self, ratio: int) -> tuple[float, float] | None:
        """On probing words and on those of the worst loop; None where there are none."""
        place = FAR.index(ratio)
        if self.probing is None or self.worst_loop is None:
            return None
        mean, worst = self.probing[place], self.worst_loop[place]
        return None if mean is None or worst is None else (mean, worst)


_RUN = TypeAdapter(CensusRun)


def runs_to_text(runs: Iterable[CensusRun]) -> str:
    """A table of runs as text, sorted; each run may be there once."""
    lines, seen = [], set()
    for run in sorted(runs, key=lambda each: each.order):
        if run.run in seen:
            raise InputError(f"the run {run.run} appears twice")
        seen.add(run.run)
        made = {name: value for name, value in asdict(run).items() if value is not None}
        lines.append(json.dumps(made, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def read_runs(path: Path) -> tuple[CensusRun, ...]:
    """The runs of a table, sorted; a bad line is refused by its number."""
    return tuple(sorted(read_lines(path, _RUN), key=lambda each: each.order))


LEVEL = 0.5
"""Determinacy below this is a failure."""
AS_FAR = 5
"""So many times the training length are searched."""


def failure_lengths(
    automaton: Automaton, trained_to: int, summaries: Iterable[Summary]
) -> dict[Summary, int | None]:
    """For each summary the first length beyond training at which what training shows is wrong on most words.

    None: none up to five times the training length. Summaries over the budget are left out.

    >>> windows = [Summary(window=k) for k in (2, 4, 8)]
    >>> list(failure_lengths(from_expression("(a|b)*d(b|c)*"), 20, windows).values())
    [21, 25, None]
    """
    lengths = range(trained_to + 1, AS_FAR * trained_to + 1)
    profiles = (determinacy(automaton, each, lengths, within=trained_to) for each in summaries)
    return {each.summary: each.falls_below(LEVEL) for each in profiles if each.exhausted is None}


def longest_lasting(
    fails: Mapping[Summary, int | None], trained_to: int, *, positions: bool, most_letters: int
) -> tuple[int | None, Summary | None]:
    """The summary that lasts longest, with the length at which it fails; see `failure_lengths`.

    Without positions among those that know of none, and among windows of at most so many letters. Of those
    that last equally long, the first; None if none is right on most words even just beyond training.

    >>> fails = {Summary(window=1): 21, Summary(window=2): 30, Summary(window=2, modulus=2): None}
    >>> [longest_lasting(fails, 20, positions=each, most_letters=16)[0] for each in (False, True)]
    [30, None]
    """
    best: tuple[int, Summary | None] = trained_to + 1, None
    for summary, length in fails.items():
        if summary.window > most_letters or (summary.modulus > 1 and not positions):
            continue
        if length is None:
            return None, summary
        if length > best[0]:
            best = length, summary
    return best


LENGTHS = (10, 20, 50)
"""Training lengths for which the numbers are kept."""
TESTED = {20: FAR}
"""Those for which they are kept beyond RATIOS."""
WINDOWS = tuple(each for each in SUMMARIES if each.modulus == 1 and not each.clip)
"""The summaries whose determinacy at the length is kept; what training shows is kept of all."""
DIGITS = 4
"""Of shares: the chance is known up to a thousandth, and four digits are enough to compare."""


@dataclass(frozen=True, kw_only=True)
class LengthFacts:
    """What is true of a language for one training length; lists have an entry for each of RATIOS, or FAR."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    chance: tuple[Share | None, ...]
    """Of the best predictor that sees only the position; None without words."""
    entropy: tuple[float | None, ...]
    at_length: dict[str, tuple[Share | None, ...]]
    """Determinacy at the tested lengths, by summary; None over the budget."""
    from_training: dict[str, tuple[Share | None, ...]]
    """The same by what words of training lengths show."""
    fails: dict[str, int | None]
    """The first length beyond training at which the summary fails, see `failure_length`."""


@dataclass(frozen=True, kw_only=True)
class LanguageFacts:
    """A language of the census and all its numbers."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    key: str
    part: Part
    verdict: VerdictPair
    size: SizeClass
    source: Source
    task: str
    states: int
    letters: int
    sides: dict[str, SideFeatures]
    star_free: bool | None
    dot_depth: str | None
    two_variable: bool | None
    monoid: int | None
    lengths: dict[str, LengthFacts]

    @property
    def stratum(self) -> Stratum:
        return Stratum(self.verdict, self.size)

    @property
    def in_ac0(self) -> bool | None:
        """Whether it is in the class of `reach`; None if that is not known."""
        return {"yes": True, "no": False}.get(self.sides[REACH].verdict)

    @property
    def kind(self) -> Kind:
        """Whether it was drawn at random or as people type."""
        return "typed" if self.source == "typed" else "drawn"

    def facts(self, trained_to: int) -> LengthFacts:
        if str(trained_to) not in self.lengths:
            raise InputError(f"the table of languages has no numbers for training to {trained_to}")
        return self.lengths[str(trained_to)]

    def chance(self, trained_to: int, ratio: int) -> float:
        """Of a predictor that sees only the position."""
        return self.facts(trained_to).chance[FAR.index(ratio)] or 0.0

    def fails(self, trained_to: int) -> dict[Summary, int | None]:
        """By summary, the first length beyond training at which it fails."""
        return {by_code(code): length for code, length in self.facts(trained_to).fails.items()}

    def features(self, trained_to: int) -> LanguageFeatures:
        """The numbers as `language_features` gives them, rounded; ranges without words left out."""
        facts = self.facts(trained_to)
        ranges = []
        for place, lengths in enumerate(bins(trained_to, FAR[: len(facts.chance)]).values()):
            chance, entropy = facts.chance[place], facts.entropy[place]
            if chance is None or entropy is None:
                continue
            determined = tuple(
                Determined(
                    summary=by_code(code),
                    at_length=facts.at_length[code][place] if code in facts.at_length else None,
                    from_training=facts.from_training[code][place],
                )
                for code in facts.from_training
            )
            ranges.append(
                RangeFeatures(lengths=lengths, chance=chance, entropy=entropy, determined=determined)
            )
        return LanguageFeatures(
            states=self.states,
            letters=self.letters,
            trained_to=trained_to,
            sides=self.sides,
            ranges=tuple(ranges),
        )


def code_of(summary: Summary) -> str:
    """A summary in short.

    >>> code_of(Summary(window=8, modulus=2)), code_of(Summary(clip=4))
    ('w8m2', 'c4')
    """
    parts = (("w", summary.window, 0), ("m", summary.modulus, 1), ("c", summary.clip, 0))
    return "".join(f"{name}{value}" for name, value, nothing in parts if value != nothing)


_BY_CODE = {code_of(each): each for each in SUMMARIES}


def by_code(code: str) -> Summary:
    if code not in _BY_CODE:
        raise InputError(f"no summary named {code!r}")
    return _BY_CODE[code]


def language_facts(language: CensusLanguage, lengths: Iterable[int] = LENGTHS) -> LanguageFacts:
    """All numbers of a language of the census; a few seconds."""
    automaton = language.automaton
    found = {
        n: language_features(
            automaton, n, list(bins(n, TESTED.get(n, RATIOS)).values()), at_length=WINDOWS,
            most_nodes=ODDS_NODES,
        )
        for n in lengths
    }  # fmt: skip
    sides = next(iter(found.values())).sides
    other = measure(automaton)
    return LanguageFacts(
        key=language.key,
        part=language.part,
        verdict=language.stratum.verdict,
        size=language.stratum.size,
        source=language.source,
        task=language.task,
        states=len(automaton),
        letters=len(automaton.alphabet),
        sides=sides,
        star_free=other.star_free,
        dot_depth=other.dot_depth,
        two_variable=other.two_variable,
        monoid=other.monoid,
        lengths={
            str(n): _length_facts(features, failure_lengths(automaton, n, SUMMARIES))
            for n, features in found.items()
        },
    )


def _length_facts(features: LanguageFeatures, fails: Mapping[Summary, int | None]) -> LengthFacts:
    by_range = {each.lengths: each for each in features.ranges}
    trained_to = features.trained_to
    places = [by_range.get(each) for each in bins(trained_to, TESTED.get(trained_to, RATIOS)).values()]
    codes = list(enumerate(map(code_of, SUMMARIES)))
    return LengthFacts(
        chance=_rounded(None if each is None else each.chance for each in places),
        entropy=_rounded(None if each is None else each.entropy for each in places),
        at_length={
            code: _rounded(None if each is None else each.determined[n].at_length for each in places)
            for n, code in codes
            if SUMMARIES[n] in WINDOWS
        },
        from_training={
            code: _rounded(None if each is None else each.determined[n].from_training for each in places)
            for n, code in codes
        },
        fails={code_of(summary): length for summary, length in fails.items()},
    )


def _rounded(values: Iterable[float | None]) -> tuple[float | None, ...]:
    return tuple(None if value is None else round(value, DIGITS) for value in values)


_LANGUAGES = TypeAdapter(list[LanguageFacts])


def table_to_text(table: Iterable[LanguageFacts]) -> str:
    """The table as JSON, a language a line, sorted by key."""
    rows: list[dict[str, Any]] = _LANGUAGES.dump_python(sorted(table, key=lambda each: each.key), mode="json")
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n"


LANGUAGES = Path(__file__).with_name("languages.json")
"""All languages of the census with their exact numbers; made by tools/census_languages.py."""
TYPED = Path(__file__).with_name("typed.json")
"""The same of the additional census of expressions as people type them."""


@cache
def language_table(path: Path | None = None) -> dict[str, LanguageFacts]:
    """The languages of a table by key, by default all of the census."""
    if path is None:
        return {**language_table(LANGUAGES), **language_table(TYPED)}
    rows = read_document(path, _LANGUAGES.validate_json)
    found = {each.key: each for each in rows}
    if len(found) < len(rows):
        raise InputError("a language appears twice", place=File(str(path)))
    for each in rows:
        for facts in each.lengths.values():
            for code in (*facts.at_length, *facts.from_training, *facts.fails):
                by_code(code)
    return found


Criterion: TypeAlias = Literal["half way", "0.9", "mean"]
"""When a cell works: at least half of its runs halfway from chance to 1 or at 0.9, or the mean halfway."""
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
NINE_TENTHS = 0.9


@dataclass(frozen=True, kw_only=True)
class CensusCell:
    """Runs that differ in their seed alone, at one ratio; those that failed are only counted."""

    language: LanguageFacts
    case: OddsCase
    """Encoding, training length and ratio with the exact numbers that belong to them."""
    accuracies: tuple[float, ...]
    failed: int = 0

    @property
    def encoding(self) -> str:
        return self.case.encoding

    @property
    def trained_to(self) -> int:
        return self.case.features.trained_to

    @property
    def ratio(self) -> int:
        return self.case.ratio

    @property
    def chance(self) -> float:
        """Of a predictor that sees only the position."""
        return self.language.chance(self.trained_to, self.ratio)

    @property
    def level(self) -> float:
        """Half way from chance to 1: a run works from here on."""
        return ByAccuracy(self.chance).level

    @property
    def works(self) -> tuple[bool, ...]:
        return tuple(accuracy >= self.level for accuracy in self.accuracies)

    def worked(self, criterion: Criterion = "half way") -> bool:
        """Whether the cell works, by the rule for all runs or by the mean."""
        if criterion == "mean":
            return sum(self.accuracies) / len(self.accuracies) >= self.level
        level = self.level if criterion == "half way" else NINE_TENTHS
        work = sum(accuracy >= level for accuracy in self.accuracies)
        return bool(Tally(runs=len(self.accuracies), work=work).works)

    @property
    def says_yes(self) -> bool:
        """Whether the verdict for the encoding is that it works."""
        return bool(self.case.says_yes)


def cells(runs: Iterable[CensusRun]) -> tuple[CensusCell, ...]:
    """All cells of the census, in order; those whose runs all failed are left out.

    Runs of other recipes, and of encodings for which there are no verdicts, are none of it.
    """
    languages = language_table()
    groups: dict[tuple[str, str, int], list[CensusRun]] = {}
    for run in runs:
        if run.language not in languages:
            raise InputError(f"the run {run.run} is of a language that is not in the table: {run.language}")
        if run.encoding in ODDS_ENCODINGS and run.recipe is None:
            groups.setdefault((run.language, run.encoding, run.trained_to), []).append(run)
    found: list[CensusCell] = []
    for (key, encoding, trained_to), alike in sorted(groups.items()):
        done = [run for run in alike if not run.failed]
        if not done:
            continue
        features = languages[key].features(trained_to)
        for ratio in FAR:
            tested = [run for run in done if ratio in run.ratios]
            if tested:
                found.append(
                    CensusCell(
                        language=languages[key],
                        case=OddsCase(features=features, encoding=encoding, ratio=ratio),
                        accuracies=tuple(run.at(ratio) for run in tested),
                        failed=len(alike) - len(done),
                    )
                )
    return tuple(found)
