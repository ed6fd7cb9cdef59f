"""Named directions of the residual stream of a compiled model: values inside, names in files."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Direction:
    """One direction. Names are unique, so that directions are ordered by name alone.

    >>> operation(3).name, looked_up(3, 2).name, looked_up_bit(3, 2).name, INVERSE.name
    ('op.3', 'op.3@2', 'op.3[i-2]', '1/(i+1)')
    """

    name: str
    operation: int | None = None
    """The operation of the program that it holds, or that is looked up."""
    distance: int | None = None
    """Of what a head finds when it looks back: how far. The truth value made of it is at no distance."""

    def __hash__(self) -> int:
        return hash(self.name)  # which strings remember

    @classmethod
    def read(cls, name: str) -> Direction:
        """The direction of a name in a file.

        >>> Direction.read("op.3@2") == looked_up(3, 2)
        True
        """
        found = re.fullmatch(r"op\.([0-9]+)(?:@([0-9]+))?", name)
        if found is None:
            return cls(name)
        return cls(name, int(found[1]), int(found[2]) if found[2] else None)


ONE = Direction("1")
START_BIT = Direction("$")
"""1 at the start symbol, 0 elsewhere."""
INVERSE = Direction("1/(i+1)")


def operation(index: int) -> Direction:
    """Of the value of an operation: a Boolean, or a count divided by i + 1."""
    return Direction(f"op.{index}", index)


def looked_up(body: int, distance: int) -> Direction:
    """Of what a head finds that looks for an operation so far back: close to the truth value."""
    return Direction(f"op.{body}@{distance}", body, distance)


def looked_up_bit(body: int, distance: int) -> Direction:
    """Of the truth value that such a head looks for."""
    return Direction(f"op.{body}[i-{distance}]")
