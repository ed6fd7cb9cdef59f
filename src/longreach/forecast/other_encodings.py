"""What theory says of encodings other than none and learned absolute ones. Nothing here is a guess."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.config.encoding_table import ENCODINGS
from longreach.languages.program_class import ENCODING_SIDES
from longreach.tasks.local_steps import LocalSteps
from longreach.verdicts.verdict import Answer

_UNKNOWN = "not decided by the theory, which is about no positions and learned absolute ones"
COUPLED = ("coupled", "coupled-local")
"""The encodings that have the task's own position ids."""
COUPLED_SOURCE = "Golowich et al., arXiv 2502.16792, Theorem 4.3 and Proposition 4.4"
_PERIODIC_SOURCE = "Huang et al., arXiv 2410.02140, Definition 3 and Theorem 9; Yang et al., arXiv 2310.13897"


@dataclass(frozen=True)
class EncodingNote:
    """What is known of one encoding."""

    known: bool
    adds: str | None
    """What the encoding adds to programs without relations, where that is known."""
    statement: str
    source: str


def notes(nope: Answer, ape: Answer, window: int | None, modulus: int | None) -> dict[str, EncodingNote]:
    """By the names of the encodings; `window` and `modulus` are those of the program for APE.

    >>> notes(Answer.NO, Answer.YES, 0, 2)["rope"].statement
    'with rational frequencies it adds positions modulo a number: a program with modulus 2 exists'
    """
    found = {
        "sinusoidal": _modular(nope, ape, window, modulus),
        "rope": _modular(nope, ape, window, modulus),
        "alibi": _windowed(nope, ape, window, modulus),
    }
    others = [row for name, row in ENCODINGS.items() if name not in (*ENCODING_SIDES, *found)]
    return found | {row.name: EncodingNote(False, None, _UNKNOWN, row.source) for row in others}


def coupled_note(steps: LocalSteps) -> EncodingNote:
    """What is known of a task under its own position ids, where its steps are local by construction.

    >>> coupled_note(LocalSteps(2, 1, "the state and the letter")).known
    True
    """
    says = f"{steps.words}; that is enough for an ideal attention, not proved of trained models"
    return EncodingNote(True, "positions that belong together", says, COUPLED_SOURCE)


def _modular(nope: Answer, ape: Answer, window: int | None, modulus: int | None) -> EncodingNote:
    says = "with rational frequencies it adds positions modulo a number: "
    if nope is Answer.YES:
        says += "a program without positions exists already"
    elif ape is Answer.YES and window == 0:
        says += f"a program with modulus {modulus} exists"
    elif ape is Answer.YES:
        says += "the program known needs the letters before the last one as well, so this is not decided"
    elif ape is Answer.NO:
        says += "no program exists with these either"
    else:
        says += "not decided"
    return EncodingNote(True, "modular positions", says, _PERIODIC_SOURCE)


def _windowed(nope: Answer, ape: Answer, window: int | None, modulus: int | None) -> EncodingNote:
    says = "it adds a bounded window: "
    if nope is Answer.YES:
        says += "a program without positions exists already"
    elif ape is Answer.YES and modulus == 1:
        says += f"a program with window {window} exists"
    elif ape is Answer.YES:
        says += "the program known needs positions modulo a number as well, so this is not decided"
    elif ape is Answer.NO:
        says += "no program exists with a window; its slope over all distances is not decided"
    else:
        says += "not decided"
    return EncodingNote(True, "a bounded window", says, "Press et al., arXiv 2108.12409")
