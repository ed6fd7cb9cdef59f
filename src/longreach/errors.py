"""Errors that a user can cause. The command line prints their first line and exits with code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Field:
    """A setting by its name in Python; on the command line an option."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Argument:
    """What is asked about, such as a task; on the command line it stands without the name of an option."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class File:
    """A file, or what stands in one."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Spot:
    """A line and a column of a text, both counted from 1."""

    text: str
    """The file, or another name of the text."""
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.text}:{self.line}:{self.column}"


Place: TypeAlias = Field | Argument | File | Spot
"""Where something is wrong."""


class InputError(ValueError):
    """Something given from outside is wrong: one line that names the place and what was expected.

    `source` and `column` (counted from 1), when given, are shown below the message with a caret.

    >>> error = InputError("64 is not a multiple of 3 heads", place=Field("width"))
    >>> error.message, error.reason
    ('width: 64 is not a multiple of 3 heads', '64 is not a multiple of 3 heads')
    """

    def __init__(
        self,
        reason: str,
        *,
        place: Place | None = None,
        source: str | None = None,
        column: int | None = None,
    ) -> None:
        self.message = reason if place is None else f"{place}: {reason}"
        super().__init__(self.message)
        self.reason = reason
        self.place = place
        self.source = source
        self.column = column

    def at(self, place: Place) -> InputError:
        """The same error at this place, in front of one that it has already."""
        return InputError(self.message, place=place, source=self.source, column=self.column)

    @property
    def about_argument(self) -> str:
        """The message for texts that say themselves which argument it is about.

        >>> InputError("no task is named 'x'", place=Argument("task")).about_argument
        "no task is named 'x'"
        """
        return self.reason if isinstance(self.place, Argument) else self.message

    def details(self) -> str:
        """The source line with a caret under the column, or nothing."""
        if self.source is None or self.column is None:
            return ""
        # A long line is cut around the column, so that the caret stays in view.
        start = max(0, self.column - 1 - 60)
        shown = self.source[start : start + 120]
        pad = "".join("\t" if char == "\t" else " " for char in shown[: self.column - 1 - start])
        return f"  {shown}\n  {pad}^"


class ReadingWarning(UserWarning):
    """A file from outside may mean something else to who wrote it; the command line prints it as one line."""


OWN_FAILURES = (Exception, SystemExit)
"""What a user's own Python may raise; `exit` in it ends a script of theirs, never this program."""


def failure_line(error: BaseException) -> str:
    """What somebody's code raised, in one line.

    >>> failure_line(KeyError("a"))
    "KeyError: 'a'"
    """
    return " ".join(f"{type(error).__name__}: {error}".split())


class MissingExtra(InputError):
    """A command needs an optional group of packages that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'longreach[{extra}]'")


NEAR, AS_NEAR = 0.55, 0.2
"""How like a name must be to be suggested, and how much less like than the likest."""


def near_names(name: str, known: Iterable[str]) -> str:
    """A hint with the known names closest to `name`, for the end of an error message.

    >>> near_names("dyck1", ["dyck-1", "majority"])
    "; did you mean 'dyck-1'?"
    >>> near_names("PARITY", ["sparse-parity", "parity"])
    "; did you mean 'parity'?"
    """
    likeness = {each: _likeness(name, each) for each in known}
    best = max(likeness.values(), default=0.0)
    near = [each for each, value in likeness.items() if value >= max(NEAR, best - AS_NEAR)]
    near = sorted(near, key=lambda each: -likeness[each])[:3]
    return f"; did you mean {alternatives(near)}?" if near else ""


def _likeness(name: str, known: str) -> float:
    """From 0 to 1; neither case nor the dashes of an option count."""
    compared = difflib.SequenceMatcher(None, known.lower().lstrip("-"), name.lower().strip(" -"))
    return compared.ratio() if compared.quick_ratio() >= NEAR else 0.0


def alternatives(names: Sequence[str]) -> str:
    """Names of which one is to be chosen, in quotes.

    >>> alternatives(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    quoted = [repr(name) for name in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
