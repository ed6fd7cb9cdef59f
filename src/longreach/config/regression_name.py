"""Tasks whose answers are numbers, by name and parameters: `simple-task:omega=2`; only here they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.config.name_parameters import named_parameters
from longreach.errors import InputError

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
