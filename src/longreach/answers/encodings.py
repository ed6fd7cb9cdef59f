"""What theory says of encodings other than none and learned absolute ones. Nothing here is a guess."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.config.encodings import ENCODINGS
from longreach.tasks.positions import LocalSteps
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import Answer

_UNKNOWN = "not decided by the theory, which is about no positions and learned absolute ones"
COUPLED = ("coupled", "coupled-local")
"""The encodings that have the task's own position ids."""
COUPLED_SOURCE = "Golowich et al., arXiv 2502.16792, Theorem 4.3 and Proposition 4.4"
_PERIODIC_SOURCE = "Huang et al., arXiv 2410.02140, Definition 3 and Theorem 9; Yang et al., arXiv 2310.13897"

OTHER_ATTENTION = ("window", "stick-breaking")
"""Encodings besides those of both sides that theory says something about."""


@dataclass(frozen=True)
class EncodingNote:
    """What is known of one encoding."""

    known: bool
    adds: str | None
    """What the encoding adds to programs without relations, where that is known."""
    statement: str
    source: str


_LOCAL_SOURCE = "Huang et al., arXiv 2410.02140, Theorem 9, for programs with local relations"
_STICKS = EncodingNote(
    True,
    "the last occurrence",
    "its hard limit is enough for star-free languages; of soft weights nothing is known",
    "Yang, Chiang and Angluin, arXiv 2310.13897",
)


def notes(nope: Answer, ape: Answer, window: int | None, modulus: int | None) -> dict[str, EncodingNote]:
    """By the names of the encodings; `window` and `modulus` are those of the program for APE.

    >>> notes(Answer.NO, Answer.YES, 0, 2)["rope"].statement
    'with rational frequencies it adds positions modulo a number: a program with modulus 2 exists'
    """
    modular = _adds(
        "modular positions",
        "with rational frequencies it adds positions modulo a number",
        nope,
        ape,
        enough=f"modulus {modulus}" if window == 0 else None,
        also="the letters before the last one",
        none="no program with such positions exists either",
        source=_PERIODIC_SOURCE,
    )

    def windowed(says: str, none: str, source: str) -> EncodingNote:
        enough = f"window {window}" if modulus == 1 else None
        also = "positions modulo a number"
        return _adds("a bounded window", says, nope, ape, enough=enough, also=also, none=none, source=source)

    local = windowed(
        "it adds a bounded window and nothing else", "no program exists with a window", _LOCAL_SOURCE
    )
    slope = "no program exists with a window; its slope over all distances is not decided"
    sloped = windowed("it adds a bounded window", slope, "Press et al., arXiv 2108.12409")
    found = {"sinusoidal": modular, "rope": modular, "alibi": sloped}
    later = {"window": local, "stick-breaking": _STICKS}
    others = [row for name, row in ENCODINGS.items() if name not in (*ENCODING_SIDES, *found)]
    unknown = {row.name: EncodingNote(False, None, _UNKNOWN, row.source) for row in others}
    return found | unknown | later


def coupled_note(steps: LocalSteps) -> EncodingNote:
    """What is known of a task under its own position ids, where its steps are local by construction.

    >>> coupled_note(LocalSteps(2, 1, "the state and the letter")).known
    True
    """
    says = f"{steps.words}; that is enough for an ideal attention, not proved of trained models"
    return EncodingNote(True, "positions that belong together", says, COUPLED_SOURCE)


def _adds(
    what: str, says: str, nope: Answer, ape: Answer, *, enough: str | None, also: str, none: str, source: str
) -> EncodingNote:
    """What an encoding adds; `enough` is all that the program for APE needs, None: it needs more."""
    if nope is Answer.YES:
        found = "a program without positions exists already"
    elif ape is Answer.YES and enough is not None:
        found = f"a program with {enough} exists"
    elif ape is Answer.YES:
        found = f"the program known needs {also} as well, so this is not decided"
    else:
        found = none if ape is Answer.NO else "not decided"
    return EncodingNote(True, what, f"{says}: {found}", source)
