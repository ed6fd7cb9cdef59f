"""Tasks that differ in parameters, by name: `parity-scratchpad:2`, `variable-assignment:3,variables=60`.

The first parameter may stand without its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.config.name_parameters import named_parameters
from longreach.errors import InputError

Value: TypeAlias = int | tuple[int, int] | bool


@dataclass(frozen=True, kw_only=True)
class FamilyParameter:
    """One parameter: a whole number, a range of them, or yes or no."""

    kind: Literal["number", "range", "flag"]
    default: Value
    least: int = 0
    most: int = 0
    about: str

    def read(self, text: str) -> Value:
        """The value in a text; a ValueError that says what is expected.

        >>> FAMILY_TASKS["sparse-parity"]["k"].read("8"), FAMILY_TASKS["sparse-parity"]["k"].read("4-6")
        ((1, 8), (4, 6))
        """
        if self.kind == "flag":
            if text not in ("yes", "no"):
                raise ValueError(f"{text!r} is neither yes nor no")
            return text == "yes"
        expected = "a whole number" if self.kind == "number" else "a whole number, or a range as in 4-6"
        found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text, re.ASCII)
        if found is None or (found[2] is not None and self.kind == "number"):
            raise ValueError(f"{text!r} is not {expected}")
        first, last = (int(found[1]), int(found[2])) if found[2] is not None else (self.least, int(found[1]))
        if not self.least <= first <= last <= self.most:
            raise ValueError(f"{text} is not in {self.least} to {self.most}")
        return last if self.kind == "number" else (first, last)

    def shown(self, value: Value) -> str:
        """The one way to write a value."""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            return str(value)
        first, last = value
        return str(last) if first == self.least else f"{first}-{last}"


SCRATCHPAD = FamilyParameter(
    kind="flag", default=True, about="whether the steps are written, or the last one alone"
)
FAMILY_TASKS: dict[str, dict[str, FamilyParameter]] = {
    "sparse-parity": {
        "k": FamilyParameter(
            kind="range", default=(1, 4), least=1, most=200, about="special symbols: at most, or a range"
        ),
        "symbols": FamilyParameter(
            kind="number", default=20, least=2, most=200, about="how many; half of them are special"
        ),
    },
    "parity-scratchpad": {
        "k": FamilyParameter(
            kind="number", default=1, least=1, most=100, about="every k-th prefix parity is written"
        ),
        "scratchpad": SCRATCHPAD,
    },
    "variable-assignment": {
        "d": FamilyParameter(kind="number", default=2, least=1, most=50, about="steps of a chain"),
        "variables": FamilyParameter(kind="number", default=200, least=2, most=1000, about="how many"),
        "scratchpad": SCRATCHPAD,
    },
    "kgram-retrieval": {
        "k": FamilyParameter(kind="number", default=2, least=1, most=8, about="tokens that are looked up"),
        "symbols": FamilyParameter(kind="number", default=32, least=2, most=1000, about="how many"),
    },
}
"""The parameters of each family, the one that needs no name first."""


@dataclass(frozen=True)
class FamilyName:
    """The name of a member of a family, read.

    >>> FamilyName.read("variable-assignment:variables=60,d=3").text, FamilyName.read("sparse-parity:4").text
    ('variable-assignment:3,variables=60', 'sparse-parity')
    >>> FamilyName.read("parity-scratchpad:jump=2")
    Traceback (most recent call last):
    longreach.errors.InputError: parity-scratchpad has no parameter 'jump'; it has k, scratchpad
    """

    family: str
    values: tuple[Value, ...]
    """In the order of the family's parameters."""

    @staticmethod
    def is_one(text: str) -> bool:
        """Whether a task's name begins as these do.

        >>> FamilyName.is_one("sparse-parity:8"), FamilyName.is_one("parity")
        (True, False)
        """
        return text.partition(":")[0] in FAMILY_TASKS

    @staticmethod
    def read(text: str) -> FamilyName:
        """The name in a text, with defaults for what is not said."""
        family = text.partition(":")[0]
        known = FAMILY_TASKS[family]
        said: dict[str, Value] = {}
        given = named_parameters(text, known, example=_example(family), bare_first=True)
        for name, value in given.items():
            try:
                said[name] = known[name].read(value)
            except ValueError as error:
                raise InputError(f"{family}: {name}: {error}") from None
        return FamilyName.of(family, said)

    @staticmethod
    def of(family: str, said: Mapping[str, Value]) -> FamilyName:
        """The name with these parameters, and defaults for the rest."""
        known = FAMILY_TASKS[family]
        return FamilyName(family, tuple(said.get(name, each.default) for name, each in known.items()))

    @property
    def parameters(self) -> dict[str, Value]:
        """By name."""
        return dict(zip(FAMILY_TASKS[self.family], self.values, strict=True))

    @property
    def text(self) -> str:
        """The one way to write it: in order, without what has its default."""
        parts = []
        for place, (name, parameter) in enumerate(FAMILY_TASKS[self.family].items()):
            if self.values[place] != parameter.default:
                shown = parameter.shown(self.values[place])
                parts.append(f"{name}={shown}" if place else shown)
        return f"{self.family}:{','.join(parts)}" if parts else self.family


def _example(family: str) -> str:
    """A name of the family with all that may be said, for messages."""
    parts = [
        f"{name}={parameter.shown(parameter.default)}" if place else parameter.shown(parameter.default)
        for place, (name, parameter) in enumerate(FAMILY_TASKS[family].items())
    ]
    return f"{family}:{','.join(parts)}"
