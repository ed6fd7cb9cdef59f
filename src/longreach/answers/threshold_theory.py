"""What theory says of the least training length, beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longreach.answers.bounds import LossBound, bounds_of, ratio_of
from longreach.answers.forecast import Forecast, side_words
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.automaton import Automaton
from longreach.theory.bounds.definition import Bound
from longreach.theory.search.inference import Inference, infer
from longreach.theory.search.space import Family
from longreach.theory.search.targets import RegularTarget
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted

MOST_LETTERS = 3
MOST_MODULUS, MOST_DISTANCE = 4, 2
MAX_SIZE = 7
"""Operations of the programs that are tried: so many that nobody waits long."""
TO = {1: 16, 2: 8, 3: 6}
"""How far n goes, by the number of letters."""
SECONDS = 5.0


@lru_cache(maxsize=16)
def inferred_length(automaton: Automaton, family: Family) -> Inference | None:
    """A run for membership in a language; None where that would take long.

    >>> inferred_length(named_automaton("aa"), Family(modulus=2)).n0_trained_to
    1
    """
    letters = len(automaton.alphabet)
    if letters > MOST_LETTERS or family.modulus > MOST_MODULUS or family.distance > MOST_DISTANCE:
        return None
    return infer(
        RegularTarget(automaton),
        family=family,
        to=TO[letters],
        max_size=MAX_SIZE,
        seconds=SECONDS,
    )


def inferred_words(run: Inference) -> str:
    """The run in a line.

    >>> inferred_words(inferred_length(named_automaton("aa"), Family(modulus=2)))[:34]
    'N₀ = 1 of the inference procedure:'
    """
    if run.n0 is None or run.n0_trained_to is None:
        least = run.steps[-1].at_least
        more = f"up to {run.to // 2} letters needs {least} operations or more"
        return f"N₀ of the inference procedure is not known: a program for words {more}"
    operations = counted(run.steps[-1].complexity or 0, "operation")
    return (
        f"N₀ = {run.n0} of the inference procedure: fitted to words up to length {run.n0_trained_to}, "
        f"the smallest program ({operations}) is right"
    )


def family_for(encoding: str, modulus: int | None, window: int | None) -> Family | None:
    """The programs that stand for an encoding; with learned positions, those with the relations it needs.

    >>> family_for("ape", 2, 0)
    Family(modulus=2, distance=0)
    """
    if encoding == "nope":
        return Family()
    if encoding != "ape":
        return None
    if modulus is None or window is None:
        return Family(modulus=2, distance=1)
    fits = modulus <= MOST_MODULUS and window <= MOST_DISTANCE
    return Family(modulus=modulus, distance=window) if fits else None


# The verdict, and bounds if any


NO_BOUND = "no bound on the training length is known without a model"
NOT_INFERRED = "the length of the inference procedure is computed for small regular languages only"


@dataclass(frozen=True, kw_only=True)
class LengthTheory:
    """What is expected of training, and from which length on."""

    words: str
    bounds: tuple[Bound | LossBound, ...]
    """On training lengths, for the learners that they speak of."""
    answer: Answer | None = None
    """None where theory has no forecast for the encoding."""
    said: tuple[str, ...] = ()
    """What is not known, besides the inference procedure."""
    infers: bool = False
    """Whether the inference procedure may say something of a task of this kind."""
    automaton: Automaton | None = None
    """Of the language, where the task is one."""
    family: Family | None = None
    """The programs for which the inference procedure is run."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not known."""
        inferred = NOT_INFERRED if self.inference is None else inferred_words(self.inference)
        return (*self.said, inferred) if self.infers else self.said

    @property
    def inference(self) -> Inference | None:
        """A run of the inference procedure for membership; None where it is not tried."""
        if self.automaton is None or self.family is None:
            return None
        return inferred_length(self.automaton, self.family)

    def bounds_words(self, measured: int | None, *, or_less: bool) -> tuple[str, ...]:
        """The bounds beside what was measured, a line each."""
        return tuple(bound_words(each, measured, or_less=or_less) for each in self.bounds)

    def document(self, measured: int | None) -> dict[str, Any]:
        """As `longreach threshold --json` has it."""
        return {
            "verdict": None if self.answer is None else self.answer.value,
            "words": self.words,
            "bounds": [_document(each, measured) for each in self.bounds],
            "inference": None if self.inference is None else self.inference.document(),
            "notes": list(self.notes),
        }


def _document(bound: Bound | LossBound, measured: int | None) -> dict[str, Any]:
    if isinstance(bound, LossBound):
        return bound.document("bound_by_measured")
    return bound.document() | {"bound_by_measured": _ratio(bound, measured)}


def _ratio(bound: Bound | LossBound, measured: int | None) -> float | None:
    """Bound / measured; None where a constant of the bound is unknown, and the ratio could be anything."""
    about = bound if isinstance(bound, LossBound) else bound.definition
    return None if about.up_to_constants else ratio_of(bound.value, measured)


def bound_words(bound: Bound | LossBound, measured: int | None, *, or_less: bool = False) -> str:
    """A bound in a line, with what it says.

    >>> from longreach.answers.forecast import forecast
    >>> bound_words(length_theory(forecast("aa"), "ape").bounds[0], 8)[:41]
    '2 = 2n − 2, bound / measured = 0.25: two '
    """
    about, found = bound if isinstance(bound, LossBound) else bound.definition, _ratio(bound, measured)
    rough = ", up to constants" if about.up_to_constants else ""
    loose = "" if found is None else f", bound / measured {'≥' if or_less else '='} {found:.2g}"
    return f"{bound.value} = {about.formula}{rough}{loose}: {about.says}"


def length_theory(forecast: Forecast, encoding: str) -> LengthTheory:
    """What is known before anything is trained.

    >>> from longreach.answers.forecast import forecast
    >>> found = length_theory(forecast("tomita-3"), "ape")
    >>> found.words[:16], [(each.definition.name, str(each.value)) for each in found.bounds]
    ('expected to fail', [('automaton', '8')])
    """
    bounds = tuple(each for each in forecast.bounds.bounds if each.definition.gives == "training length")
    known: dict[str, Any] = {"bounds": bounds, "said": () if bounds else (NO_BOUND,), "infers": True}
    side = forecast.sides.get(encoding)
    if side is None:
        note = forecast.encodings.get(encoding)
        return LengthTheory(words="not known" if note is None else f"not known: {note.statement}", **known)
    said, why = side.trained.expectation, side_words(side)
    return LengthTheory(
        words=f"{said}: {why}" if side.trained is Answer.UNDECIDED else f"{said} ({why})",
        answer=side.trained,
        automaton=forecast.task.automaton if isinstance(forecast.task, RegularLanguage) else None,
        family=family_for(encoding, side.proof.modulus, side.proof.window),
        **known,
    )


# Where answers are numbers: a limit transformer computes the task


WORDS = "expected to work from some length on: a limit transformer computes it (longreach bound {task})"
CONSTANTS = "bounds are for ε = √loss with their unknown constants taken as 1"
NO_NORM = "bounds of one layer need L of trained models that reach the loss"


def loss_theory(task: str, loss: float, norm: float | None) -> LengthTheory:
    """The bounds for a loss; `norm` is L, the Lipschitz constant times norms, of runs that reach it.

    >>> found = loss_theory("in-context-kgram:S=2,k=2", 0.01, None)
    >>> found.bounds_words(100, or_less=False)
    ('10,000 = ε^{−Θ(k²)}, up to constants: in-context-kgram',)
    """
    bounds = bounds_of(task, norm, loss)
    return LengthTheory(
        words=WORDS.format(task=task), bounds=bounds, said=(CONSTANTS,) if bounds else (NO_NORM,)
    )
