"""How an alphabet is written on the command line; only here it is taken apart."""

from __future__ import annotations

import re

from longreach.errors import InputError

_LETTER = re.compile(r"\\[\\,\s]|[^\\,\s]|\\", re.DOTALL)
"""One letter: a backslash makes letters of a comma, a blank and itself."""
_DIVIDED = re.compile(r"\s*,\s*|\s+")


def read_letters(text: str) -> tuple[str, ...]:
    r"""The letters of an alphabet: `abc`, `a b c` or `a,b,c`.

    A comma, a blank or a backslash as a letter has a backslash before it, as in expressions.

    >>> read_letters("ab"), read_letters("a b"), read_letters("a, b"), read_letters(r"a\,")
    (('a', 'b'), ('a', 'b'), ('a', 'b'), ('a', ','))
    >>> read_letters("ab,c")
    Traceback (most recent call last):
    longreach.errors.InputError: 'ab' is no letter: letters are single characters
    """
    parts = _parts(text)
    letters: list[str] = []
    for part in parts:
        found = _LETTER.findall(part)
        if len(parts) > 1 and len(found) > 1:
            raise InputError(f"{part!r} is no letter: letters are single characters")
        letters += (letter[-1] for letter in found)
    if not letters:
        divider = text.strip()[:1] == ","
        raise InputError(
            "a comma divides letters; write '\\,' for the letter"
            if divider
            else "is empty; a language needs at least one letter"
        )
    twice = next((letter for place, letter in enumerate(letters) if letter in letters[:place]), None)
    if twice is not None:
        raise InputError(f"the letter {twice!r} stands twice in {text!r}")
    return tuple(letters)


def _parts(text: str) -> list[str]:
    """What stands between commas and blanks; those behind a backslash divide nothing."""
    parts, place = [""], 0
    while place < len(text):
        divider = _DIVIDED.match(text, place)
        if divider is not None:
            parts.append("")
            place = divider.end()
        else:
            width = 2 if text[place] == "\\" and place + 1 < len(text) else 1
            parts[-1] += text[place : place + width]
            place += width
    return [part for part in parts if part]


def written(letters: tuple[str, ...] | list[str]) -> str:
    r"""The same letters as `read_letters` reads them.

    >>> written(("a", "b")), written(("a", ","))
    ('ab', 'a\\,')
    """
    return "".join(f"\\{letter}" if letter in "\\," or letter.isspace() else letter for letter in letters)
