"""Tasks with parameters in their names: `parity-scratchpad:2`, `modp-task:p=5,k=2`.

There is one way to write each. A task that learns numbers names all of its parameters; other tasks leave out
the name of the first parameter, and every parameter that has its default.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from longreach.errors import InputError, near_names

Value: TypeAlias = float | tuple[int, int] | str
"""A number, a range of whole numbers, True and False, or one of some words."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter: a number, whole or not, a range of whole numbers, yes or no, or one of some words."""

    kind: Literal["whole", "number", "range", "flag", "word"] = "whole"
    default: Value
    least: float = 0
    most: float = 0
    words: tuple[str, ...] = ()
    """Those that are known."""
    shown_words: str = ""
    """The same for a message."""
    about: str = ""

    def read(self, text: str) -> Value:
        """The value in a text; a ValueError says what is expected.

        >>> k = FAMILIES["sparse-parity"].parameters["k"]
        >>> k.read("8"), k.read("4-6")
        ((1, 8), (4, 6))
        """
        if self.kind == "flag":
            if text not in ("yes", "no"):
                raise ValueError(f"{text!r} is neither yes nor no")
            return text == "yes"
        if self.kind == "word":
            if text not in self.words:
                raise ValueError(f"{text!r} is unknown; known are {self.shown_words}")
            return text
        first, last = self._number(text) if self.kind == "number" else self._whole(text)
        if not self.least <= first <= last <= self.most:
            raise ValueError(f"{text} is not in {self.least:g} to {self.most:g}")
        return (int(first), int(last)) if self.kind == "range" else last

    def _number(self, text: str) -> tuple[float, float]:
        try:
            return float(text), float(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a number") from None

    def _whole(self, text: str) -> tuple[float, float]:
        found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text, re.ASCII)
        if found is None or (found[2] is not None and self.kind == "whole"):
            or_range = ", or a range as in 4-6" if self.kind == "range" else ""
            raise ValueError(f"{text!r} is not a whole number{or_range}")
        if found[2] is not None:
            return int(found[1]), int(found[2])
        return self.least if self.kind == "range" else int(found[1]), int(found[1])

    def shown(self, value: Value) -> str:
        """The one way to write a value."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            first, last = value
            return str(last) if first == self.least else f"{first}-{last}"
        return str(int(value)) if value == int(value) else repr(value)


@dataclass(frozen=True)
class Family:
    """Tasks that differ in their parameters; the first parameter needs no name."""

    parameters: Mapping[str, Parameter]


Positions: TypeAlias = Literal["nope", "periodic", "local"]
"""What positions a model sees: none, those modulo a period, or distances up to a few tokens."""


@dataclass(frozen=True)
class NumberFamily(Family):
    """Tasks whose answers are numbers."""

    about: str
    encoding: Positions
    layers: int
    loss: float
    """The mean squared error that counts as small, by default."""


_SCRATCHPAD = Parameter(
    kind="flag", default=True, about="whether the steps are written, or the last one alone"
)
MOST_CYCLIC = 60
GROUPS = (*(f"Z{size}" for size in range(2, MOST_CYCLIC + 1)), "D4", "Q8", "S3", "A4", "S4", "A5", "S5")
GROUPS_SHOWN = f"Z2 to Z{MOST_CYCLIC}, D4, Q8, S3, A4, S4, A5 and S5"
_GROUP = Parameter(kind="word", default="S3", words=GROUPS, shown_words=GROUPS_SHOWN, about="the group")
NUMBER_FAMILIES: dict[str, NumberFamily] = {
    "simple-task": NumberFamily(
        {"omega": Parameter(kind="number", default=1, least=1e-6, most=1e6)},
        "sin(omega (c0 - c1) / (c0 + c1)) of the counts of 0 and 1 among 0, 1, 2",
        "nope",
        layers=1,
        loss=1e-2,
    ),
    "modp-task": NumberFamily(
        {"p": Parameter(default=3, least=1, most=64), "k": Parameter(default=0, least=0, most=63)},
        "the mean of the bits at positions k modulo p",
        "periodic",
        layers=1,
        loss=1e-3,
    ),
    "in-context-kgram": NumberFamily(
        {"S": Parameter(default=2, least=2, most=64), "k": Parameter(default=1, least=1, most=8)},
        "what followed earlier occurrences of the last k tokens of S symbols, as shares",
        "local",
        layers=2,
        loss=5e-2,
    ),
}
FAMILIES: dict[str, Family] = {
    "sparse-parity": Family(
        {
            "k": Parameter(
                kind="range", default=(1, 4), least=1, most=200, about="special symbols: at most, or a range"
            ),
            "symbols": Parameter(default=20, least=2, most=200, about="how many; half of them are special"),
        }
    ),
    "parity-scratchpad": Family(
        {
            "k": Parameter(default=1, least=1, most=100, about="every k-th prefix parity is written"),
            "scratchpad": _SCRATCHPAD,
        }
    ),
    "variable-assignment": Family(
        {
            "d": Parameter(default=2, least=1, most=50, about="steps of a chain"),
            "variables": Parameter(default=200, least=2, most=1000, about="how many"),
            "scratchpad": _SCRATCHPAD,
        }
    ),
    "kgram-retrieval": Family(
        {
            "k": Parameter(default=2, least=1, most=8, about="tokens that are looked up"),
            "symbols": Parameter(default=32, least=2, most=1000, about="how many"),
        }
    ),
    "word-problem": Family(
        {
            "group": _GROUP,
            "generators": Parameter(
                kind="flag", default=False, about="whether the letters are generators, or all elements"
            ),
        }
    ),
    "flip-flop": Family(
        {
            "ignore": Parameter(
                kind="number", default=0.8, least=0, most=0.999, about="the share of instructions to ignore"
            )
        }
    ),
    "mqar": Family(
        {
            "pairs": Parameter(
                default=0, least=0, most=4096, about="how many; 0: any number up to a quarter of LEN"
            ),
            "symbols": Parameter(default=256, least=4, most=8192, about="half of them keys, half values"),
            "power": Parameter(
                kind="number", default=0.01, least=0.001, most=1, about="of the law of gaps; 1: uniform"
            ),
        }
    ),
    "selective-copy": Family(
        {
            "data": Parameter(default=8, least=0, most=256, about="tokens to copy; 0: any number of them"),
            "symbols": Parameter(default=16, least=2, most=256, about="how many, without the noise"),
        }
    ),
    "recall-then-fold": Family(
        {
            "group": _GROUP,
            "pairs": Parameter(default=4, least=2, most=64, about="keys with an element each"),
            "keys": Parameter(default=16, least=2, most=1000, about="how many there are to choose from"),
        }
    ),
    **NUMBER_FAMILIES,
}
MOST_CONTEXTS = 256
"""Of k tokens among S symbols: with more, a match in a short sequence is too rare to be drawn."""


def has_numbers(task: str) -> bool:
    """Whether the answers of a task are numbers, by its name.

    >>> has_numbers("modp-task:p=5"), has_numbers("sort")
    (True, False)
    """
    return task.partition(":")[0] in NUMBER_FAMILIES


@dataclass(frozen=True)
class FamilyName:
    """The name of one task of a family, read.

    >>> FamilyName.read("variable-assignment:variables=60,d=3").text, FamilyName.read("sparse-parity:4").text
    ('variable-assignment:3,variables=60', 'sparse-parity')
    >>> FamilyName.read("modp-task:k=2,p=5").text
    'modp-task:p=5,k=2'
    >>> FamilyName.read("parity-scratchpad:jump=2")
    Traceback (most recent call last):
    longreach.errors.InputError: parity-scratchpad has no parameter 'jump'; it has k, scratchpad
    """

    family: str
    values: tuple[Value, ...]
    """In the order of the family's parameters."""

    @staticmethod
    def is_one(text: str) -> bool:
        """Whether the name of a task begins with that of a family.

        >>> FamilyName.is_one("sparse-parity:8"), FamilyName.is_one("parity")
        (True, False)
        """
        return text.partition(":")[0] in FAMILIES

    @staticmethod
    def read(text: str) -> FamilyName:
        """The name in a text, with defaults for what it leaves out."""
        family = text.partition(":")[0]
        known = FAMILIES[family].parameters
        bare = family not in NUMBER_FAMILIES
        said: dict[str, Value] = {}
        for name, value in _said(text, known, example=example(family), bare_first=bare).items():
            try:
                said[name] = known[name].read(value)
            except ValueError as error:
                raise InputError(f"{family}: {name}: {error}") from None
        found = FamilyName.of(family, said)
        found._check()
        return found

    @staticmethod
    def of(family: str, said: Mapping[str, Value]) -> FamilyName:
        """The name with these parameters, and defaults for the rest."""
        known = FAMILIES[family].parameters
        return FamilyName(family, tuple(said.get(name, each.default) for name, each in known.items()))

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(zip(FAMILIES[self.family].parameters, self.values, strict=True))

    @property
    def text(self) -> str:
        return self._written(in_full=False)

    def _written(self, *, in_full: bool) -> str:
        is_explicit, parts = self.family in NUMBER_FAMILIES, []
        for place, (name, parameter) in enumerate(FAMILIES[self.family].parameters.items()):
            shown = parameter.shown(self.values[place])
            if is_explicit or in_full or self.values[place] != parameter.default:
                parts.append(f"{name}={shown}" if is_explicit or place else shown)
        return f"{self.family}:{','.join(parts)}" if parts else self.family

    def _check(self) -> None:
        found = self.parameters
        if self.family == "modp-task" and found["k"] >= found["p"]:
            raise InputError(f"{self.text}: k must be less than p")
        if self.family == "mqar" and found["pairs"] > found["symbols"] // 2:
            raise InputError(
                f"{self.text}: {found['pairs']} pairs need as many keys; symbols has two for each"
            )
        if self.family == "recall-then-fold" and found["pairs"] > found["keys"]:
            raise InputError(f"{self.text}: {found['pairs']} pairs need as many keys")
        if self.family == "in-context-kgram" and (contexts := found["S"] ** found["k"]) > MOST_CONTEXTS:
            raise InputError(f"{self.text}: {contexts} contexts of k tokens are more than {MOST_CONTEXTS}")


def example(family: str) -> str:
    """A name of the family with all of its parameters, for messages.

    >>> example("parity-scratchpad"), example("modp-task")
    ('parity-scratchpad:1,scratchpad=yes', 'modp-task:p=3,k=0')
    """
    return FamilyName.of(family, {})._written(in_full=True)


def _said(text: str, known: Collection[str], *, example: str, bare_first: bool) -> dict[str, str]:
    """What a name says of each parameter, as it is written; `bare_first`: the first needs no name."""
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
            raise InputError(f"{text}: {name} appears twice")
        said[name] = value
    return said
