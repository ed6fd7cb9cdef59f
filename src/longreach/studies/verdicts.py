"""What the theory forecasts for a cell."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from longreach.languages.measures import Measures, measure
from longreach.languages.names import named_automaton
from longreach.languages.verdict import decide
from longreach.studies.places import Place
from longreach.tasks.catalog import load_task
from longreach.tasks.language import RegularLanguage

Verdict: TypeAlias = Literal["yes", "no", "undecided"]


def forecast_of(place: Place) -> Verdict | None:
    """The verdict for the cell; None for encodings of which the theory says nothing.

    >>> forecast_of(Place("aa", "nope")), forecast_of(Place("aa", "ape")), forecast_of(Place("aa", "rope"))
    ('no', 'yes', None)
    """
    return _verdict(place.task, place.encoding) if place.encoding in ("nope", "ape") else None


@cache
def _verdict(name: str, encoding: str) -> Verdict:
    task = load_task(name)
    evidence = task.nope if encoding == "nope" else task.ape
    if evidence.kind == "program":
        return "yes"
    if evidence.kind == "communication":
        return "no"
    if evidence.kind == "none":
        return "undecided"
    language = load_task(evidence.name) if evidence.name else task
    assert isinstance(language, RegularLanguage), f"{language.name} is not regular"
    found = decide(language.automaton)
    answer = (found.nope if encoding == "nope" else found.ape).answer.value
    if evidence.kind == "reduction":
        return "no" if answer == "no" else "undecided"
    return "yes" if answer == "yes" else "no" if answer == "no" else "undecided"


@cache
def measures_of(language: str) -> Measures:
    """Star-freeness and the other measures of a regular language by name.

    >>> measures_of("aa").ac0
    True
    """
    return measure(named_automaton(language))
