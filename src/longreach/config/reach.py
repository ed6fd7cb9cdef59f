"""The heads of the encoding `reach`, as data: what each of them does."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from longreach.errors import InputError

REACH: Final = "reach"
MOST_MODULUS = 10_000
Modulus: TypeAlias = Annotated[int, Field(ge=1, le=MOST_MODULUS)] | Literal["auto"]
"""That of all heads that find, or `auto`: 1, 2, 3 and 4 in turn."""
AUTO: Final = "auto"
TASK: Final = "task"
"""In place of a modulus: the one that the task needs. No configuration holds it, but the number."""
AUTO_MODULI = (1, 2, 3, 4)
NEAR = 9
"""Distances below it have a learned bias each; those from it on share one."""


@dataclass(frozen=True)
class ReachHead:
    """One head of one layer."""

    modulus: int
    """What it finds says how long ago it was modulo this; 1: nothing of it."""
    strict: bool
    """Whether it does not see the token that asks."""
    counting: bool = False
    """Whether it is a plain softmax head, which neither turns values nor has biases by distance."""

    @property
    def numerators(self) -> tuple[int, ...]:
        """k of the frequencies k/m that its pairs of dimensions take in turn: 0, 1, …, ⌊m/2⌋.

        >>> ReachHead(5, True).numerators, ReachHead(1, False).numerators
        ((0, 1, 2), (0,))
        """
        return tuple(range(self.modulus // 2 + 1))


def reach_heads(
    layer: int, heads: int, modulus: int | Literal["auto"], counting: int = 0
) -> tuple[ReachHead, ...]:
    """The heads of a layer in their order; those that count come last.

    Of the others every second one is strict: the even ones in even layers, the odd ones in odd layers. So two
    layers have a strict head and one that is not for each modulus of `auto`.

    >>> [(head.modulus, head.strict) for head in reach_heads(0, 4, "auto")]
    [(1, True), (2, False), (3, True), (4, False)]
    >>> [(head.modulus, head.strict, head.counting) for head in reach_heads(1, 3, 6, counting=1)]
    [(6, False, False), (6, True, False), (1, False, True)]
    """
    finding = heads - counting
    moduli = [AUTO_MODULI[n % len(AUTO_MODULI)] if modulus == AUTO else int(modulus) for n in range(finding)]
    found = [ReachHead(each, (n + layer) % 2 == 0) for n, each in enumerate(moduli)]
    return (*found, *[ReachHead(1, False, counting=True)] * counting)


def period(modulus: int | Literal["auto"]) -> int:
    """Distances that differ by it look the same.

    >>> period("auto"), period(5)
    (12, 5)
    """
    return math.lcm(*AUTO_MODULI) if modulus == AUTO else int(modulus)


def reach_problem(encoding: str, heads: int, modulus: object, counting: int) -> tuple[str, str] | None:
    """The option that does not fit, and why; None if all do.

    >>> reach_problem("reach", 4, 3, 4)
    ('reach_counting', '4 of 4 heads leave none to find')
    """
    if encoding != REACH:
        given = "reach_modulus" if modulus != AUTO else "reach_counting" if counting else None
        return None if given is None else (given, f"only for {REACH!r}, not for {encoding!r}")
    if counting >= heads:
        return "reach_counting", f"{counting} of {heads} heads leave none to find"
    return None


_NAME = re.compile(r"reach(?:\((?:modulus=([1-9]\d{0,4}))?(,)?(?:counting=([1-9]\d{0,4}))?\))?")


def reach_name(modulus: object, counting: object) -> str:
    """What `reach` is called with these options: the usual ones are not told.

    >>> reach_name("auto", 0), reach_name(3, 0), reach_name(3, 1)
    ('reach', 'reach(modulus=3)', 'reach(modulus=3,counting=1)')
    """
    told = [f"modulus={modulus}"] * (modulus != AUTO) + [f"counting={counting}"] * (counting != 0)
    return f"{REACH}({','.join(told)})" if told else REACH


def is_reach(name: str) -> bool:
    """Whether a name is that of `reach` with some options.

    >>> is_reach("reach(counting=1)"), is_reach("reach()"), is_reach("rope")
    (True, False, False)
    """
    found = _NAME.fullmatch(name)
    return found is not None and name == reach_name(int(found[1]) if found[1] else AUTO, int(found[3] or 0))


def reach_settings(name: str) -> dict[str, object]:
    """The name of any encoding as settings of a run.

    >>> reach_settings("reach(modulus=3,counting=1)"), reach_settings("rope")
    ({'encoding': 'reach', 'reach_modulus': 3, 'reach_counting': 1}, {'encoding': 'rope'})
    """
    found = _NAME.fullmatch(name)
    if found is None or not is_reach(name):
        return {"encoding": name}
    told = {"reach_modulus": found[1], "reach_counting": found[3]}
    return {"encoding": REACH, **{key: int(value) for key, value in told.items() if value}}


def read_modulus(text: str) -> int | str:
    """What `--reach-modulus` says.

    >>> read_modulus("3"), read_modulus("task")
    (3, 'task')
    >>> read_modulus("few")
    Traceback (most recent call last):
    longreach.errors.InputError: 'few' is neither auto nor task nor a whole number from 1 to 10000
    """
    if text in (AUTO, TASK):
        return text
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= MOST_MODULUS or len(text) > 9:
        raise InputError(f"{text!r} is neither auto nor task nor a whole number from 1 to {MOST_MODULUS}")
    return int(text)
