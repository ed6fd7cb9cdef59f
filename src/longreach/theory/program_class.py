"""The classes that verdicts speak of, and how documents name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

EMPTY: Final = "C-RASP[∅]"
LOCAL: Final = "C-RASP[local]"
PERIODIC_LOCAL: Final = "C-RASP[periodic, local]"

WithoutPositions: TypeAlias = Literal["C-RASP[∅]"]
WithPositions: TypeAlias = Literal["C-RASP[local]", "C-RASP[periodic, local]"]
ProgramClass: TypeAlias = Literal[WithoutPositions, WithPositions]

SIDES: Final[dict[str, ProgramClass]] = {"nope": EMPTY, "ape": PERIODIC_LOCAL, "local": LOCAL}
"""The class behind each side of a document: no positions, learned absolute ones, local relations alone."""
PROGRAM_SIDES: Final = ("nope", "ape")
"""The sides with a class of programs that forecast an encoding: tasks name evidence for them."""
IN_AC0: Final = "regular languages in AC⁰"
AnyClass: TypeAlias = Literal[ProgramClass, "regular languages in AC⁰"]
CLASSES: Final[dict[str, AnyClass]] = {**SIDES, "reach": IN_AC0}
"""The class behind every side of a document, that of attention to the last match included."""
ENCODING_SIDES: Final = (*PROGRAM_SIDES, "reach")
"""The sides that forecast an encoding; every task has them."""
RELATIONS: Final[dict[ProgramClass, tuple[str, ...]]] = {
    EMPTY: (),
    LOCAL: ("local",),
    PERIODIC_LOCAL: ("periodic", "local"),
}
"""The positional relations that a program of the class may use."""


def class_name(relations: Sequence[str]) -> str:
    """The class of the programs that use these relations.

    >>> class_name(()), class_name(("periodic", "local"))
    ('C-RASP[∅]', 'C-RASP[periodic, local]')
    """
    return f"C-RASP[{', '.join(relations) or '∅'}]"
