"""Parameters in the name of a task, as in `modp-task:p=5,k=2`; only here they are taken apart."""

from __future__ import annotations

from collections.abc import Collection

from longreach.errors import InputError, near_names


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
