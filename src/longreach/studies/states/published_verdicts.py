"""Published labels and accuracies of state prediction beside our verdicts, language by language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from longreach.comparison.state_languages import TRAINED_TO, StateLanguage, state_languages
from longreach.languages.decide.automaton_to_decisions import decide
from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.measures import measure

LEVEL = 0.99
"""A published run works if so many words of the longest range are right: the best of many mostly are."""
LEVELS = (0.5, 0.9, LEVEL)
"""Those for which counts are given; a half is the level of all other studies."""


@dataclass(frozen=True, kw_only=True)
class JudgedLanguage:
    """A published language with our verdicts on state prediction."""

    published: StateLanguage
    states: int
    """Of the minimal automaton."""
    at_letter: bool | None
    """Without positions, the state said at each letter: a program exists. None: undecided."""
    after_letter: bool | None
    """The same, said after each letter, which is reading at the end of the sequence."""
    ape: bool | None
    """With positions; where the state is said makes no difference."""
    depth: int | None
    """How deeply a program without positions that is read after letters must nest counts within loops."""
    r_trivial: bool | None

    def agrees(self, level: float = LEVEL) -> bool:
        """Whether the published runs do what the verdict without positions says of reading after letters."""
        return (self.published.last >= level) == self.after_letter

    @property
    def reason(self) -> str:
        """What is known of a disagreement."""
        found = self.published
        first = next((name for name, share in found.accuracy.items() if share < LEVEL), None)
        if self.after_letter:
            return f"counts must nest {self.depth} deep, {self.states} states; below {LEVEL} from {first} on"
        seen = "; the letter itself would tell the state" if self.at_letter else ""
        return (
            f"tested to {found.ratio:g} times the training length {TRAINED_TO[found.suite]} only, where it "
            f"has fallen to {found.last}{seen}"
        )

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        found = self.published
        return {
            "suite": found.suite,
            "name": found.name,
            "expression": found.expression,
            "states": self.states,
            "label": {"c_rasp": found.c_rasp, "r_trivial": found.r_trivial},
            "nope_at_letter": self.at_letter,
            "nope_after_letter": self.after_letter,
            "ape": self.ape,
            "r_trivial": self.r_trivial,
            "runs": found.runs,
            "perfect": found.perfect,
            "accuracy": found.accuracy,
            "agrees": self.agrees(),
        }


@cache
def judged_languages() -> tuple[JudgedLanguage, ...]:
    """All languages, decided; a second or two.

    >>> found = judged_languages()
    >>> sum(each.after_letter == each.published.c_rasp for each in found)
    175
    >>> sum(each.agrees() for each in found)
    169
    """
    return tuple(map(_judged, state_languages()))


def _judged(language: StateLanguage) -> JudgedLanguage:
    automaton = from_expression(language.expression)
    found = decide(automaton)
    plain = found.nope.plain
    return JudgedLanguage(
        published=language,
        states=len(automaton),
        at_letter=found.nope.prediction,
        after_letter=found.nope.at_end,
        ape=found.ape.prediction,
        depth=None if plain is None else plain.rounds(Convention.END_OF_SEQUENCE),
        r_trivial=measure(automaton).r_trivial,
    )


def agreements(found: Sequence[JudgedLanguage]) -> dict[str, Any]:
    """How many published runs do what each verdict says, at each level, and how many labels are ours.

    The yes languages are counted by how deeply a program must nest counts within loops of the automaton.
    """
    yes = [each for each in found if each.after_letter]
    verdicts = {"nope_after_letter": "after_letter", "nope_at_letter": "at_letter", "ape": "ape"}
    return {
        "languages": len(found),
        "labels": {
            "c_rasp": sum(each.after_letter == each.published.c_rasp for each in found),
            "r_trivial": sum(each.r_trivial == each.published.r_trivial for each in found),
        },
        "levels": {
            str(level): {
                name: sum((each.published.last >= level) == getattr(each, field) for each in found)
                for name, field in verdicts.items()
            }
            for level in LEVELS
        },
        "by_depth": {
            str(depth): {
                "languages": sum(each.depth == depth for each in yes),
                "work": sum(each.depth == depth and each.published.last >= LEVEL for each in yes),
            }
            for depth in sorted({each.depth for each in yes if each.depth is not None})
        },
        "readings_differ": {
            "languages": sum(each.at_letter != each.after_letter for each in found),
            "fail": sum(
                each.at_letter != each.after_letter and each.published.last < LEVEL for each in found
            ),
        },
    }
