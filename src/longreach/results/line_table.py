"""Tables of runs as text: a line of JSON for each, each run once."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from longreach.errors import File, InputError


class Line(Protocol):
    """What a table has lines of."""

    @property
    def run(self) -> str:
        """The key of the run."""
        ...


AnyLine = TypeVar("AnyLine", bound=Line)


def read_lines(path: Path, adapter: TypeAdapter[AnyLine]) -> tuple[AnyLine, ...]:
    """The lines of a table, in order; a bad one is refused by its number."""
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", place=File(str(path))) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", place=File(str(path))) from None
    found: dict[str, AnyLine] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        place = File(f"{path}:{number}")
        try:
            run = adapter.validate_json(line)
        except ValidationError as error:
            raise InputError(refusal_in_words(error), place=place) from None
        if run.run in found:
            raise InputError(f"the run {run.run} is there twice", place=place)
        found[run.run] = run
    return tuple(found.values())


def refusal_in_words(error: ValidationError) -> str:
    """The first thing that is wrong, in one line."""
    first = error.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    text = " ".join(first["msg"].removeprefix("Value error, ").split())
    return f"{where}: {text}" if where else text
