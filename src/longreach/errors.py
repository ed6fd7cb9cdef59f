"""Errors that a user can cause. The command line prints their first line and exits with code 2."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, TypeAlias

from longreach.wording import listed, shortened

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class _Named:
    name: str

    def __str__(self) -> str:
        return self.name


class Field(_Named):
    """A setting by its name in Python; on the command line an option."""


class Argument(_Named):
    """What is asked about, such as a task; on the command line it stands without the name of an option."""


class File(_Named):
    """A file, or what stands in one."""


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
    """Bad input: one line that names the place and what was expected.

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

        >>> InputError("no task named 'x'", place=Argument("task")).about_argument
        "no task named 'x'"
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
    """Something from outside may not do what its author expects; the command line prints it as one line."""


OWN_FAILURES = (Exception, SystemExit)
"""What a user's own Python may raise; `exit` in it ends a script of theirs, never this program."""


def failure_line(error: BaseException) -> str:
    """What somebody's code raised, in one line.

    >>> failure_line(KeyError("a"))
    "KeyError: 'a'"
    """
    return " ".join(f"{type(error).__name__}: {error}".split())


@contextmanager
def own_code(call: str) -> Iterator[None]:
    """Whatever a user's own Python raises here becomes an error of one line that names the call.

    >>> with own_code("mine: answer(a b)"):
    ...     [][0]
    Traceback (most recent call last):
    longreach.errors.InputError: mine: answer(a b) fails: IndexError: list index out of range
    """
    try:
        with unprinted(call.partition(":")[0]):
            yield
    except InputError:
        raise
    except OWN_FAILURES as error:
        raise InputError(f"{call} fails: {failure_line(error)}") from error


@contextmanager
def unprinted(name: str) -> Iterator[None]:
    """Drops what a user's own Python prints, which would be thousands of lines; a warning says so."""
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        if printed.tell():
            warnings.warn(f"output printed by {name} is not shown", ReadingWarning, stacklevel=2)


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
    """Names to choose from, in quotes.

    >>> alternatives(["a", "b", "c"])
    "'a', 'b' or 'c'"
    """
    return listed([repr(name) for name in names], "or")


# From a validation error to one line. Pydantic itself is not imported: what raises its error has loaded it.

LONGEST_PLACE, LONGEST_VALUE = 200, 40

_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}

_BOUNDS = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "finite_number": "must be finite",
}


def one_line(error: ValidationError, known: Iterable[str] = ()) -> str:
    """The first thing that pydantic refuses: the field and one clause with the value that was given.

    `known` names the fields of the document, to suggest one of them.

    >>> from pydantic import BaseModel, ValidationError
    >>> class Point(BaseModel, extra="forbid"):
    ...     height: int
    >>> def problem(document):
    ...     try:
    ...         Point.model_validate(document)
    ...     except ValidationError as error:
    ...         return one_line(error, Point.model_fields)
    >>> problem({}), problem({"height": "high"})
    ('height: missing', "height: expected a whole number, not 'high'")
    >>> problem({"height": 1, "heigth": 2})
    "heigth: no such field; did you mean 'height'?"
    """
    first = error.errors(include_url=False)[0]
    # For a union, pydantic adds the alternative it tried, which is no field.
    place = ".".join(str(part) for part in first["loc"] if part not in ("int", "none"))[:LONGEST_PLACE]
    return f"{place}: {in_words(first, known)}" if place else in_words(first, known)


def refusal(error: ValidationError, known: Iterable[str] = ()) -> InputError:
    """The first thing that pydantic refuses in settings, as an error at its setting."""
    first = error.errors(include_url=False)[0]
    place = Field(str(first["loc"][0]) if first["loc"] else "model")
    return InputError(in_words(first, known, noun="option"), place=place)


def in_words(problem: ErrorDetails, known: Iterable[str] = (), *, noun: str = "field") -> str:
    """One clause on what pydantic refuses, with the value that was given."""
    kind = problem["type"]
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        return f"no such {noun}{near_names(str(problem['loc'][-1]), known)}"
    if kind in _BOUNDS:
        bounds = problem.get("ctx", {}).items()
        numbers = {name: int(bound) if bound == int(bound) else bound for name, bound in bounds}
        return f"{_BOUNDS[kind].format(**numbers)}, not {_shown(problem['input'])}"
    expected = problem["ctx"]["expected"] if kind == "literal_error" else _EXPECTED.get(kind)
    if expected is not None:
        return f"expected {expected}, not {_shown(problem['input'])}"
    return " ".join(problem["msg"].removeprefix("Value error, ").split())


def _shown(value: Any) -> str:
    try:
        return shortened(repr(value), LONGEST_VALUE)
    except ValueError:  # Python writes no number of that many digits
        return "a number of too many digits"
