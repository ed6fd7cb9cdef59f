"""What theory says of a training length, beside what was measured: the verdict, and bounds if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longreach.forecast import Forecast
from longreach.languages.regular.automaton import Automaton
from longreach.verdicts.plain_words import clause, expectation, rests_on
from longreach.verdicts.verdict import Answer

NO_BOUND = "the known bounds for this task have constants that nobody has computed"
NOT_YET = "not available yet"


@dataclass(frozen=True, kw_only=True)
class LengthBound:
    """A training length that is enough, by theory, for some learner."""

    name: str
    value: int
    formula: str
    assumes: str

    def ratio(self, measured: int | None) -> float | None:
        """Bound / measured: how loose it is, or below 1 how far from what transformers need."""
        return None if not measured else self.value / measured


@dataclass(frozen=True, kw_only=True)
class LengthTheory:
    """The forecast for what is trained, and from which length on."""

    answer: Answer | None
    """None where theory has no forecast for the encoding."""
    words: str
    bounds: tuple[LengthBound, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not known."""
        return (*(() if self.bounds else (NO_BOUND,)), f"the inference procedure's length: {NOT_YET}")

    def document(self, measured: int | None) -> dict[str, Any]:
        """As `longreach threshold --json` has it."""
        return {
            "verdict": None if self.answer is None else self.answer.value,
            "words": self.words,
            "bounds": [{**asdict(each), "bound_by_measured": each.ratio(measured)} for each in self.bounds],
            "inference": None,
            "notes": list(self.notes),
        }


def length_theory(forecast: Forecast, encoding: str) -> LengthTheory:
    """What is known before anything is trained.

    >>> from longreach.forecast import forecast
    >>> found = length_theory(forecast("tomita-3"), "ape")
    >>> found.words[:16], [(each.name, each.value) for each in found.bounds]
    ('expected to fail', [('automaton', 8)])
    """
    side = forecast.sides.get(encoding)
    if side is None:
        note = forecast.encodings.get(encoding)
        words = "not known" if note is None else f"not known: {note.statement}"
        return LengthTheory(answer=None, words=words, bounds=tuple(_bounds(forecast)))
    words = f"{expectation(side.trained)} ({rests_on(side)}: {clause(side)})"
    if side.trained is Answer.UNDECIDED:
        words = f"{expectation(side.trained)}: {clause(side)}"
    return LengthTheory(answer=side.trained, words=words, bounds=tuple(_bounds(forecast)))


def _bounds(forecast: Forecast) -> Sequence[LengthBound]:
    automaton = getattr(forecast.task, "automaton", None)
    if not isinstance(automaton, Automaton):
        return ()
    states = len(automaton)
    # Two automata with at most n states each differ on a word of at most 2n − 2 letters.
    return (
        LengthBound(
            name="automaton",
            value=2 * states - 2,
            formula=f"2n − 2, n = {states} states",
            assumes="a learner that sees all shorter words and picks the smallest automaton",
        ),
    )
