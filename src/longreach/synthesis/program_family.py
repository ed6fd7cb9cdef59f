"""Families of programs that are searched: which positional relations a program may use."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from longreach.crasp.core import Count, Op, Periodic
from longreach.errors import Field, InputError, near_names

MODULUS: Final = 2
DISTANCE: Final = 1
LARGEST_MODULUS: Final = 8
LARGEST_DISTANCE: Final = 6
"""A family has as many relations as there are sets of residues and of distances."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """C-RASP[∅] with position tests up to a modulus and counts of near positions up to a distance.

    >>> Family.named("both").class_name
    'C-RASP[periodic, local]'
    """

    modulus: int = 1
    """The largest modulus of a position test; 1: none."""
    distance: int = 0
    """The largest distance of a local relation; 0: none."""

    def __post_init__(self) -> None:
        if not 1 <= self.modulus <= LARGEST_MODULUS:
            raise InputError(f"must be 1 to {LARGEST_MODULUS}, not {self.modulus}", place=Field("modulus"))
        if not 0 <= self.distance <= LARGEST_DISTANCE:
            raise InputError(f"must be 0 to {LARGEST_DISTANCE}, not {self.distance}", place=Field("distance"))

    @staticmethod
    def named(name: str, modulus: int = MODULUS, distance: int = DISTANCE) -> Family:
        """The family of a short name; the numbers count where the name has such relations."""
        if name not in FAMILIES:
            hint = near_names(name, FAMILIES) or f"; expected {', '.join(FAMILIES)}"
            raise InputError(f"no class is named {name!r}{hint}", place=Field("class"))
        return Family(
            modulus=modulus if name in ("periodic", "both") else 1,
            distance=distance if name in ("local", "both") else 0,
        )

    @property
    def name(self) -> str:
        """The short name."""
        return next(name for name, has in FAMILIES.items() if has == (self.modulus > 1, self.distance > 0))

    @property
    def class_name(self) -> str:
        relations = ("periodic",) * (self.modulus > 1) + ("local",) * (self.distance > 0)
        return f"C-RASP[{', '.join(relations) or '∅'}]"

    @property
    def searched(self) -> str:
        """The class with the numbers that bound a search.

        >>> Family.named("both").searched
        'C-RASP[periodic ≤ 2, local ≤ 1]'
        """
        periodic = (f"periodic ≤ {self.modulus}",) * (self.modulus > 1)
        local = (f"local ≤ {self.distance}",) * (self.distance > 0)
        return f"C-RASP[{', '.join(periodic + local) or '∅'}]"

    @property
    def position_tests(self) -> tuple[Periodic, ...]:
        """The tests of a position, those with a smaller modulus first."""
        return tuple(
            Periodic(modulus, residues)
            for modulus in range(2, self.modulus + 1)
            for size in range(1, modulus)
            for residues in combinations(range(modulus), size)
        )

    @property
    def guards(self) -> tuple[tuple[int, ...] | None, ...]:
        """The distances of a count: none, then sets of them.

        The distance 0 alone is left out, because a conditional says the same without a relation.
        """
        near: list[tuple[int, ...] | None] = [None]
        for size in range(1, self.distance + 2):
            near += [d for d in combinations(range(self.distance + 1), size) if d != (0,)]
        return tuple(near)

    def has(self, op: Op) -> bool:
        """Whether programs of the family may have an operation."""
        match op:
            case Periodic(modulus, _):
                return modulus <= self.modulus
            case Count(_, tuple(distances)):
                return distances[-1] <= self.distance
            case _:
                return True


FAMILIES: Final[dict[str, tuple[bool, bool]]] = {
    "empty": (False, False),
    "periodic": (True, False),
    "local": (False, True),
    "both": (True, True),
}
"""Short names, with whether position tests and local relations are allowed."""
