"""Tasks with parameters in their names: `parity-scratchpad:2`, `modp-task:p=5,k=2`.

The first parameter may stand without its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.errors import InputError, near_names

# Parameters in the name of a task, as in `modp-task:p=5,k=2`; only here they are taken apart.


def named_parameters(text: str, known: Collection[str], *, example: str, bare_first: bool) -> dict[str, str]:
    """What a name says of each parameter, as it is written; `bare_first`: the first needs no name.

    >>> named_parameters("modp-task:k=2, p=5", ["p", "k"], example="modp-task:p=3,k=0", bare_first=False)
    {'k': '2', 'p': '5'}
    >>> named_parameters("kgram:3", ["k"], example="kgram:2", bare_first=True)
    {'k': '3'}
    """
    family, colon, rest = text.partition(":")
    said: dict[str, str] = {}
    for place, part in enumerate(rest.split(",") if colon else ()):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if bare_first and place == 0 and not equals:
            name, value = next(iter(known)), name
        elif not equals or not name:
            raise InputError(f"{text}: expected parameters as in {example}")
        if name not in known:
            hint = near_names(name, known) or f"; it has {', '.join(known)}"
            raise InputError(f"{family} has no parameter {name!r}{hint}")
        if name in said:
            raise InputError(f"{text}: {name} stands twice")
        said[name] = value
    return said


# Tasks that differ in parameters, by name: `parity-scratchpad:2`, `variable-assignment:3,variables=60`.


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


# Tasks whose answers are numbers, by name and parameters: `simple-task:omega=2`; only here they are read.


Encoding: TypeAlias = Literal["nope", "periodic", "local"]
"""What positions a model of the task sees: none, those modulo a period, distances up to a few tokens."""


@dataclass(frozen=True)
class Parameter:
    """A number in a task's name."""

    default: float
    whole: bool
    least: float
    most: float


@dataclass(frozen=True)
class Family:
    """Tasks that differ in their parameters."""

    about: str
    parameters: Mapping[str, Parameter]
    encoding: Encoding
    layers: int
    loss: float
    """The mean squared error that counts as small, where no other is given."""


FAMILIES: dict[str, Family] = {
    "simple-task": Family(
        "sin(omega (c0 - c1) / (c0 + c1)) of the counts of 0 and 1 among 0, 1, 2",
        {"omega": Parameter(1, whole=False, least=1e-6, most=1e6)},
        "nope",
        1,
        loss=1e-2,
    ),
    "modp-task": Family(
        "the mean of the bits at positions k modulo p",
        {
            "p": Parameter(3, whole=True, least=1, most=64),
            "k": Parameter(0, whole=True, least=0, most=63),
        },
        "periodic",
        1,
        loss=1e-3,
    ),
    "in-context-kgram": Family(
        "what followed earlier occurrences of the last k tokens of S symbols, as shares",
        {
            "S": Parameter(2, whole=True, least=2, most=64),
            "k": Parameter(1, whole=True, least=1, most=8),
        },
        "local",
        2,
        loss=5e-2,
    ),
}
MOST_CONTEXTS = 256
"""Of k tokens among S symbols: with more, a match in a short sequence is too rare to be drawn."""


@dataclass(frozen=True)
class RegressionName:
    """The name of a task with numbers as answers, read.

    >>> RegressionName.read("modp-task:k=2,p=5").text, RegressionName.read("simple-task").text
    ('modp-task:p=5,k=2', 'simple-task:omega=1')
    >>> RegressionName.read("simple-task:frequency=2")
    Traceback (most recent call last):
    longreach.errors.InputError: simple-task has no parameter 'frequency'; it has omega
    """

    family: str
    values: tuple[float, ...]
    """In the order of the family's parameters."""

    @staticmethod
    def is_one(text: str) -> bool:
        """Whether a task's name begins as these do.

        >>> RegressionName.is_one("modp-task:p=5"), RegressionName.is_one("sort")
        (True, False)
        """
        return text.partition(":")[0] in FAMILIES

    @staticmethod
    def read(text: str) -> RegressionName:
        """The name in a text, with defaults for what is not said."""
        family = text.partition(":")[0]
        if family not in FAMILIES:
            raise InputError(f"no task with numbers as answers is named {family!r}; there are {_listed()}")
        known = FAMILIES[family].parameters
        values = {name: parameter.default for name, parameter in known.items()}
        given = named_parameters(text, known, example=example(family), bare_first=False)
        values |= {name: _number(family, name, number) for name, number in given.items()}
        found = RegressionName(family, tuple(values.values()))
        found._check()
        return found

    @property
    def parameters(self) -> dict[str, float]:
        """By name."""
        return dict(zip(FAMILIES[self.family].parameters, self.values, strict=True))

    @property
    def text(self) -> str:
        """The one way to write it: all parameters, in their order."""
        said = ",".join(f"{name}={_shown(value)}" for name, value in self.parameters.items())
        return f"{self.family}:{said}"

    def _check(self) -> None:
        """Refuse parameters that contradict each other."""
        found = self.parameters
        if self.family == "modp-task" and found["k"] >= found["p"]:
            raise InputError(f"{self.text}: k must be less than p")
        if self.family == "in-context-kgram" and found["S"] ** found["k"] > MOST_CONTEXTS:
            contexts = int(found["S"] ** found["k"])
            raise InputError(f"{self.text}: {contexts} contexts of k tokens are more than {MOST_CONTEXTS}")


def example(family: str) -> str:
    """A name of the family, for messages."""
    return RegressionName(family, tuple(each.default for each in FAMILIES[family].parameters.values())).text


def _listed() -> str:
    return ", ".join(map(example, FAMILIES))


def _number(family: str, name: str, text: str) -> float:
    parameter = FAMILIES[family].parameters[name]
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{family}: {name}: {text!r} is not a number") from None
    if not parameter.least <= value <= parameter.most or math.isnan(value):
        span = f"{parameter.least:g} to {parameter.most:g}"
        raise InputError(f"{family}: {name}: {text} is not in {span}")
    if parameter.whole and value != int(value):
        raise InputError(f"{family}: {name}: {text} is not a whole number")
    return value


def _shown(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
