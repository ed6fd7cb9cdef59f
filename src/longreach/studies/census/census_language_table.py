"""The languages of the census with all exact numbers that the analysis needs, computed once into one file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from longreach.errors import File, InputError
from longreach.forecast.language_features import (
    SUMMARIES,
    Determined,
    LanguageFeatures,
    RangeFeatures,
    SideFeatures,
    language_features,
)
from longreach.forecast.odds_features import ODDS_NODES
from longreach.languages.profile.prefix_summary import Summary
from longreach.languages.regular.measures import measure
from longreach.results.atomic import write_atomically
from longreach.results.line_table import refusal_in_words
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_draw import CensusLanguage
from longreach.studies.census.census_run import RATIOS, bins
from longreach.studies.census.failure_length import failure_lengths
from longreach.studies.census.random_languages import Source
from longreach.studies.census.strata import SizeClass, Stratum, VerdictPair

LENGTHS = (10, 20, 50)
"""Training lengths for which the numbers are kept."""
WINDOWS = tuple(each for each in SUMMARIES if each.modulus == 1 and not each.clip)
"""The summaries whose determinacy at the length is kept; what training shows is kept of all."""
DIGITS = 4
"""Of shares: the chance is known up to a thousandth, and four digits are enough to compare."""
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, kw_only=True)
class LengthFacts:
    """What is true of a language for one training length; lists have an entry for each of RATIOS."""

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
    """By training length."""

    @property
    def stratum(self) -> Stratum:
        """The stratum from which it was drawn."""
        return Stratum(self.verdict, self.size)

    def facts(self, trained_to: int) -> LengthFacts:
        """The numbers for one training length."""
        if str(trained_to) not in self.lengths:
            raise InputError(f"the table of languages has no numbers for training to {trained_to}")
        return self.lengths[str(trained_to)]

    def chance(self, trained_to: int, ratio: int) -> float:
        """Of a predictor that sees only the position."""
        return self.facts(trained_to).chance[RATIOS.index(ratio)] or 0.0

    def fails(self, trained_to: int) -> dict[Summary, int | None]:
        """By summary, the first length beyond training at which it fails."""
        return {by_code(code): length for code, length in self.facts(trained_to).fails.items()}

    def features(self, trained_to: int) -> LanguageFeatures:
        """The numbers as `language_features` gives them, rounded; ranges without words left out."""
        facts = self.facts(trained_to)
        ranges = []
        for place, lengths in enumerate(bins(trained_to).values()):
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
    """The summary that a code names."""
    if code not in _BY_CODE:
        raise InputError(f"no summary is named {code!r}")
    return _BY_CODE[code]


def language_facts(language: CensusLanguage, lengths: Iterable[int] = LENGTHS) -> LanguageFacts:
    """All numbers of a language of the census; a few seconds."""
    automaton = language.automaton
    found = {
        n: language_features(automaton, n, list(bins(n).values()), at_length=WINDOWS, most_nodes=ODDS_NODES)
        for n in lengths
    }
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
    places = [by_range.get(each) for each in bins(features.trained_to).values()]
    codes = list(enumerate(map(code_of, SUMMARIES)))
    return LengthFacts(
        chance=tuple(_rounded(None if each is None else each.chance) for each in places),
        entropy=tuple(_rounded(None if each is None else each.entropy) for each in places),
        at_length={
            code: tuple(_rounded(None if each is None else each.determined[n].at_length) for each in places)
            for n, code in codes
            if SUMMARIES[n] in WINDOWS
        },
        from_training={
            code: tuple(
                _rounded(None if each is None else each.determined[n].from_training) for each in places
            )
            for n, code in codes
        },
        fails={code_of(summary): length for summary, length in fails.items()},
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


_ADAPTER = TypeAdapter(list[LanguageFacts])


def table_to_text(table: Iterable[LanguageFacts]) -> str:
    """The table as JSON, a language a line, sorted by key."""
    rows: list[dict[str, Any]] = _ADAPTER.dump_python(sorted(table, key=lambda each: each.key), mode="json")
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def write_language_table(
    path: Path,
    languages: Iterable[CensusLanguage],
    *,
    note: Callable[[str], None] = lambda text: None,
) -> None:
    """Computes the numbers of all languages and writes them; about a quarter of an hour for 189."""
    table = []
    for number, language in enumerate(languages, 1):
        table.append(language_facts(language))
        note(f"{number}: {language.key}")
    write_atomically(path, table_to_text(table).encode())


def read_language_table(path: Path) -> dict[str, LanguageFacts]:
    """The languages by key."""
    place = File(str(path))
    try:
        rows = _ADAPTER.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", place=place) from None
    except ValidationError as error:
        raise InputError(refusal_in_words(error), place=place) from None
    found = {each.key: each for each in rows}
    if len(found) < len(rows):
        raise InputError("a language is there twice", place=place)
    for each in rows:
        for facts in each.lengths.values():
            for code in (*facts.at_length, *facts.from_training, *facts.fails):
                by_code(code)
    return found
