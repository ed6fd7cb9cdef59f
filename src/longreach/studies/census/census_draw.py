"""The languages of the census: drawn one after the other, each once, until every stratum has enough."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from longreach.config.task_name import REGEX
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_to_expression import to_expression
from longreach.studies.census.canonical_form import (
    Part,
    canonical,
    canonical_text,
    in_benchmark,
    is_finite,
    part_of,
)
from longreach.studies.census.random_languages import Draw, Source, draws
from longreach.studies.census.strata import STRATA, Stratum, size_class, verdict_pair
from longreach.studies.census.worthwhile import TRAINED_TO, refusal

SEED = 2026
MOST_DRAWN = 20_000


@dataclass(frozen=True, kw_only=True)
class CensusLanguage:
    """A language of the census."""

    automaton: Automaton
    """In canonical form."""
    source: Source
    part: Part
    stratum: Stratum
    drawn: int
    """The how-manyth draw it was, from 0."""

    @property
    def key(self) -> str:
        """A short name, the same wherever and whenever the language is drawn."""
        return hashlib.sha256(canonical_text(self.automaton).encode()).hexdigest()[:10]

    @property
    def task(self) -> str:
        """The name under which it is trained; every letter stands in the expression."""
        return REGEX + to_expression(self.automaton)


@dataclass(frozen=True, kw_only=True)
class Census:
    """What was drawn."""

    languages: tuple[CensusLanguage, ...]
    """In the order of their drawing."""
    drawn: int
    """How many draws it took."""
    left_out: Mapping[str, int]
    """Draws that are not among them, by reason."""
    missing: Mapping[tuple[Stratum, Part], int]
    """How many languages a stratum lacks in a part, where it does."""

    def of(self, part: Part) -> tuple[CensusLanguage, ...]:
        """The languages of one part."""
        return tuple(each for each in self.languages if each.part == part)


def draw_census(
    development: int,
    held_out: int,
    *,
    seed: int = SEED,
    most_drawn: int = MOST_DRAWN,
    trained_to: int = TRAINED_TO,
) -> Census:
    """So many languages of each stratum in each part, as far as they are found within so many draws.

    The first ones that are drawn are taken: a larger census holds every smaller one with the same seed.

    >>> census = draw_census(0, 1, most_drawn=40)
    >>> len(census.languages) + sum(census.missing.values())
    9
    """
    quota: dict[Part, int] = {"development": development, "held-out": held_out}
    wanted = Counter({(stratum, part): quota[part] for stratum in STRATA for part in quota})
    found: dict[str, CensusLanguage | None] = {}
    left_out: Counter[str] = Counter()
    source = draws(seed)
    drawn = 0
    while wanted.total() and drawn < most_drawn:
        draw = next(source)
        reason = _take(draw, drawn, wanted, found, trained_to)
        drawn += 1
        if reason is not None:
            left_out[reason] += 1
    return Census(
        languages=tuple(each for each in found.values() if each is not None),
        drawn=drawn,
        left_out=dict(left_out),
        missing={place: lacking for place, lacking in wanted.items() if lacking},
    )


def _take(
    draw: Draw,
    drawn: int,
    wanted: Counter[tuple[Stratum, Part]],
    found: dict[str, CensusLanguage | None],
    trained_to: int,
) -> str | None:
    """Takes a language into `found`, or says why not."""
    if is_finite(draw.automaton):
        return "finite"
    automaton = canonical(draw.automaton)
    key = canonical_text(automaton)
    if key in found:
        return "seen before"
    found[key] = None
    if in_benchmark(automaton):
        return "in the benchmark"
    size = size_class(len(automaton))
    if size is None:
        return "another size without unused letters"
    verdict = verdict_pair(automaton)
    if verdict is None:
        return "undecided"
    stratum, part = Stratum(verdict, size), part_of(automaton)
    if not wanted[stratum, part]:
        return "enough of these"
    refused = refusal(automaton, trained_to)
    if refused is not None:
        return refused
    wanted[stratum, part] -= 1
    found[key] = CensusLanguage(
        automaton=automaton, source=draw.source, part=part, stratum=stratum, drawn=drawn
    )
    return None
