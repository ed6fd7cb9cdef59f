"""What a forecast may rely on for a task: where the reason for a yes or a no is to be found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

Images: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""For each letter of a language one symbol of a task, or several."""


def image(letters: Images, word: Iterable[str]) -> tuple[str, ...]:
    """The symbols of a word, letter by letter.

    >>> image({"a": ("+", "1"), "b": "0"}, "ab")
    ('+', '1', '0')
    """
    found: list[str] = []
    for letter in word:
        symbols = letters[letter]
        found += [symbols] if isinstance(symbols, str) else symbols
    return tuple(found)


@dataclass(frozen=True)
class Reduction:
    """How a program for a task would decide a language: what it is given, and what it is asked.

    >>> Reduction({"a": "1", "b": "0"}, ("SEP",), "even", "a is 1").inputs("ab")
    ('SOS', '1', '0', 'SEP')
    """

    letters: Images
    """The symbols of the task for each letter of the language.

    Counts over the symbols are counts over the letters, so that a program keeps its class; with positions
    modulo a number all letters must have as many symbols."""
    after: tuple[str, ...]
    """What is read after the word; before it there is SOS."""
    token: str
    """The program predicts this token next exactly for the words of the language."""
    about: str
    """One sentence."""

    def inputs(self, word: Iterable[str]) -> tuple[str, ...]:
        """What a program for the task reads for a word of the language's alphabet."""
        return ("SOS", *image(self.letters, word), *self.after)


@dataclass(frozen=True)
class Split:
    """How an input is divided between Alice and Bob: she holds N symbols, he what follows.

    Bob is asked for the next token, also after he has seen any part of the right answer.

    >>> [" ".join(x) for row in Split(("0", "1"), ("+",), ("0",), ("=",)).inputs(2) for x in row]
    ['0 0 + 0 0 =', '0 1 + 0 0 =', '1 0 + 0 0 =', '1 1 + 0 0 =']
    """

    alice: tuple[str, ...]
    """The symbols of which she holds any N."""
    between: tuple[str, ...] = ()
    """What comes next, always the same."""
    bob: tuple[str, ...] = ()
    """The symbols of which he holds any N; none if he holds nothing that varies."""
    end: tuple[str, ...] = ()
    """What ends the input, always the same."""

    def size(self, length: int) -> int:
        """The number of inputs at N = length."""
        return int((len(self.alice) * max(1, len(self.bob))) ** length)

    def inputs(self, length: int) -> Iterator[list[tuple[str, ...]]]:
        """For each of Alice's parts the inputs with all of Bob's, in one order."""
        parts = list(product(self.bob, repeat=length)) if self.bob else [()]
        for part in product(self.alice, repeat=length):
            yield [(*part, *self.between, *other, *self.end) for other in parts]


@dataclass(frozen=True)
class Evidence:
    """The evidence about one task under one encoding.

    >>> Evidence("program", "sort", "the least number above the last one").name
    'sort'
    """

    kind: str
    """`program`: a library program solves it, so yes. `language`: to be decided from the task's automaton.
    `classes`: from its automaton with answer classes.
    `communication`: the bits between the halves of an input grow linearly, so no. `reduction`: a program
    would decide the named language, so no if that has none. `none`: nothing is known, so undecided.

    Each is found by the certificate kind of its name (`longreach.forecast.certificate_kinds`)."""
    name: str | None
    """The library program (or a file `….cr`), or the language reduced to."""
    reason: str
    """One sentence."""
    reduction: Reduction | None = None
    """Of the kind `reduction`."""
    split: Split | None = None
    """Of the kind `communication`."""


OWN_LANGUAGE = Evidence("language", None, "decided from the automaton of the language")
