"""What the theory says of a cell, and of a language besides."""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

from longreach.comparison.places import ENCODINGS, Place
from longreach.forecast import Forecast, forecast
from longreach.languages.regular.measures import Measures, measure
from longreach.languages.regular.named_languages import named_automaton

Verdict: TypeAlias = Literal["yes", "no", "undecided"]


def forecast_of(place: Place) -> Verdict | None:
    """The forecast for what the cell trains; None for encodings of which the theory has none.

    >>> forecast_of(Place("aa", "nope")), forecast_of(Place("aa", "ape")), forecast_of(Place("aa", "rope"))
    ('no', 'yes', None)
    """
    if place.encoding not in ENCODINGS:
        return None
    return _forecast(place.task).sides[place.encoding].trained.value


def verdict_of(task: str, encoding: str) -> Verdict:
    """Whether the task has a program, as the paper asks: for a language, whether membership has.

    >>> verdict_of("aa", "ape")
    'yes'
    """
    return _forecast(task).sides[encoding].answer.value


@cache
def _forecast(task: str) -> Forecast:
    return forecast(task)


@cache
def measures_of(language: str) -> Measures:
    """Star-freeness and the other measures of a regular language by name.

    >>> measures_of("aa").ac0
    True
    """
    return measure(named_automaton(language))
