"""The option `--alphabet` of commands that read a regular expression."""

from __future__ import annotations

from longreach.config.letters import read_letters
from longreach.config.task_name import TaskName
from longreach.errors import Field, InputError

HELP = "The alphabet of regex:… or states:…, as in abc or a,b,c."


def alphabet_of(text: str | None) -> list[str] | None:
    """The letters that it gives.

    >>> alphabet_of("a,b")
    ['a', 'b']
    """
    try:
        return None if text is None else list(read_letters(text))
    except InputError as error:
        raise error.at(Field("alphabet")) from None


def alphabet_of_task(text: str | None, task: str | None) -> list[str] | None:
    """The same beside a TASK, which must be an expression."""
    if text is not None and not TaskName(task or "").has_alphabet:
        raise InputError("--alphabet: goes with a TASK regex:… or states:…")
    return alphabet_of(text)
