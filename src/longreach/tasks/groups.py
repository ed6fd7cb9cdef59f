"""Word problems of finite groups: at each position the product of the elements read so far.

Permutations are written in one line, "213" swaps 1 and 2, and products are taken from left to right: 213 132
is first 213, then 132, which takes 1 to 2 and then to 3. Elements of Zn are the numbers below n, and products
are sums modulo n; those of Q8 are the quaternions 1 -1 i -i j -j k -k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations

import numpy as np

from longreach.errors import InputError
from longreach.tasks.names import GROUPS, GROUPS_SHOWN, FamilyName
from longreach.tasks.regular import LabelledLanguage
from longreach.tasks.task import IntArray
from longreach.theory.automata.automaton import labelled
from longreach.wording import counted


@dataclass(frozen=True)
class Group:
    """A finite group by its table; the first element is the neutral one.

    >>> group("S3").product(["213", "132"]), group("Z5").product(["3", "4"]), group("Q8").product(["i", "j"])
    ('312', '2', 'k')
    """

    name: str
    elements: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    """The place of the product of each element, by row, and each other."""
    generators: tuple[str, ...]
    """One or two elements of which all others are products."""

    @cached_property
    def table(self) -> IntArray:
        return np.array(self.rows, dtype=np.int64)

    @property
    def neutral(self) -> str:
        return self.elements[0]

    def product(self, word: Sequence[str]) -> str:
        """The product of a word of elements; the neutral element for the empty one."""
        places = {element: place for place, element in enumerate(self.elements)}
        found = 0
        for element in word:
            if element not in places:
                raise InputError(f"{element!r} is not an element of {self.name}")
            found = self.rows[found][places[element]]
        return self.elements[found]

    def order(self, element: str) -> int:
        """How many of them have the neutral element as their product.

        >>> group("S3").order("231"), group("Z6").order("4")
        (3, 3)
        """
        count, now = 1, element
        while now != self.neutral:
            count, now = count + 1, self.product([now, element])
        return count


@lru_cache(maxsize=32)
def group(name: str) -> Group:
    """The group of a name: Z2 to Z60, D4, Q8, S3, S4, S5, A4 or A5.

    >>> [len(group(name).elements) for name in ("Z7", "D4", "Q8", "S3", "A4", "S4", "A5", "S5")]
    [7, 8, 8, 6, 12, 24, 60, 120]
    """
    if name not in GROUPS:
        raise InputError(f"unknown group {name!r}; known are {GROUPS_SHOWN}")
    kind, size = name[0], int(name[1:])
    if kind == "Z":
        rows = tuple(tuple((a + b) % size for b in range(size)) for a in range(size))
        return Group(name, tuple(map(str, range(size))), rows, ("1",))
    if kind == "Q":
        return _quaternions(name)
    elements = [p for p in permutations(range(size)) if _belongs(kind, p)]
    places = {p: place for place, p in enumerate(elements)}
    rows = tuple(tuple(places[tuple(q[image] for image in p)] for q in elements) for p in elements)
    return Group(name, tuple(map(_one_line, elements)), rows, _GENERATORS[name])


_GENERATORS = {
    "S3": ("213", "231"),
    "S4": ("2134", "2341"),
    "S5": ("21345", "23451"),
    "A4": ("2143", "2314"),
    "A5": ("21435", "23451"),
    "D4": ("2143", "2341"),
}
"""A transposition and a long cycle of the symmetric groups; for the others two elements that will do."""


def _one_line(permutation: Sequence[int]) -> str:
    return "".join(str(image + 1) for image in permutation)


def _belongs(kind: str, permutation: Sequence[int]) -> bool:
    """Whether it is in S, A or D: any, an even one, or a symmetry of the square with the corners 1 … 4."""
    size = range(len(permutation))
    if kind == "A":
        return sum(permutation[a] > permutation[b] for b in size for a in range(b)) % 2 == 0
    return kind == "S" or all((permutation[k] - permutation[k - 1]) % 2 == 1 for k in size)


def _quaternions(name: str) -> Group:
    """±1, ±i, ±j, ±k: the square of i, j and k is −1, and i j = k, j k = i, k i = j."""
    units = "1ijk"
    signs = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1]])
    elements = [(sign, unit) for unit in range(4) for sign in (1, -1)]
    places = {element: place for place, element in enumerate(elements)}
    rows = tuple(tuple(places[int(s * t * signs[a, b]), a ^ b] for t, b in elements) for s, a in elements)
    written = tuple(f"{'-' if sign < 0 else ''}{units[unit]}" for sign, unit in elements)
    return Group(name, written, rows, ("i", "j"))


@dataclass(frozen=True)
class WordProblem(LabelledLanguage):
    """SOS 213 132 213, over the elements of a group or two that generate it, independent and uniform.

    The label of a position is the product so far, at SOS the neutral element; LEN is the number of elements
    read. Guessing is right with probability 1 / |G| at each of them.

    >>> word_problem("S3").answer(["213", "132", "213"])
    ('{123}', '{213}', '{312}', '{321}')
    """


@lru_cache(maxsize=32)
def word_problem(name: str = "S3", generators: bool = False) -> WordProblem:
    """The word problem of a group; with `generators` the letters are one or two that generate it."""
    found = group(name)
    letters = found.generators if generators else found.elements
    columns = [found.elements.index(letter) for letter in letters]
    rows = [[row[column] for column in columns] for row in found.rows]
    written = FamilyName.of("word-problem", {"group": name, "generators": generators})
    size = counted(len(found.elements), "element")
    read = f" of {counted(len(letters), 'generator')}" if generators else ""
    about = f"the product so far{read} in the group {name} of {size}"
    return WordProblem(written.text, labelled(letters, rows, 0, found.elements), about)
