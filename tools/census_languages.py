"""The languages of the census with their exact numbers, as files of the package.

`python tools/census_languages.py` draws them anew and computes all numbers, which takes an hour;
`python tools/census_languages.py reach` computes anew what the theory says of `reach` alone, in a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from longreach.answers.odds_features import REACH, reach_features
from longreach.files import write_atomically
from longreach.studies.census.draw import canonical, draw_census, draw_typed
from longreach.studies.census.tables import (
    LANGUAGES,
    TYPED,
    LanguageFacts,
    language_facts,
    language_table,
    table_to_text,
)
from longreach.theory.automata.regex import from_expression
from longreach.theory.names import TaskName

DRAWN, TYPED_COUNTS = (7, 14), (60, 120)
"""Development and held-out languages: of each stratum, and of those that people type in all."""


def with_reach(facts: LanguageFacts) -> LanguageFacts:
    """The same with what the theory says of `reach` today."""
    automaton = canonical(from_expression(TaskName(facts.task).expression))
    return replace(facts, sides={**facts.sides, REACH: reach_features(automaton)})


def main(what: str = "all") -> None:
    if what == "reach":
        made: dict[Path, Iterable[LanguageFacts]] = {
            path: map(with_reach, language_table(path).values()) for path in (LANGUAGES, TYPED)
        }
    else:
        drawn = draw_census(*DRAWN).languages
        typed = draw_typed(*TYPED_COUNTS, known=[each.key for each in drawn]).languages
        made = {LANGUAGES: map(language_facts, drawn), TYPED: (language_facts(each, (20,)) for each in typed)}
    for path, table in made.items():
        write_atomically(path, table_to_text(table).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
