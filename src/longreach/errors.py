"""Errors that a user can cause. The command line prints their first line and exits with code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """Something given from outside is wrong: one line that names the place and what was expected.

    `source` and `column` (counted from 1), when given, are shown below the message with a caret.
    """

    def __init__(self, message: str, *, source: str | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.column = column

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


class MissingExtra(InputError):
    """A command needs an optional group of packages that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'longreach[{extra}]'")


def near_names(name: str, known: Iterable[str]) -> str:
    """A hint with the known names closest to `name`, for the end of an error message.

    >>> near_names("dyck1", ["dyck-1", "majority"])
    "; did you mean 'dyck-1'?"
    """
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
