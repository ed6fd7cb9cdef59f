"""JSON from outside: what is no JSON is named by file, line and column."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from longreach.errors import File, InputError, Spot, near_names

LONG = 40
"""Letters of a value that are shown."""


def read_json(text: str | bytes, file: str, first_line: int = 1) -> Any:
    """The document of a file, or of a part of it that begins at a line.

    >>> read_json("[1, 2]", "mine.json")
    [1, 2]
    >>> read_json("[1, 2", "mine.json")
    Traceback (most recent call last):
    longreach.errors.InputError: mine.json:1:6: not JSON: Expecting ',' delimiter
    >>> read_json('{"verdict": "yes", "verdict": "no"}', "mine.json")
    Traceback (most recent call last):
    longreach.errors.InputError: mine.json: the field 'verdict' stands twice in one object
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # JSON leaves open which of two equal fields counts, so that readers may differ.
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"the field {twice[:LONG]!r} stands twice in one object", place=File(file))
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        place = Spot(file, error.lineno + first_line - 1, error.colno)
        raise InputError(f"not JSON: {error.msg}", place=place) from None
    except UnicodeDecodeError:
        raise InputError("not JSON: not UTF-8", place=File(file)) from None
    except ValueError:
        reason = "JSON with a number of too many digits"
        raise InputError(reason, place=File(f"{file}:{first_line}")) from None
    except RecursionError:
        raise InputError("JSON that is nested too deeply", place=File(f"{file}:{first_line}")) from None


def first_problem(error: ValidationError, known: Iterable[str] = ()) -> str:
    """What a document lacks or has too much of: the field and one clause, with what stands there.

    >>> from pydantic import BaseModel
    >>> class Point(BaseModel, extra="forbid"):
    ...     height: int
    >>> def problem(document):
    ...     try:
    ...         Point.model_validate(document)
    ...     except ValidationError as error:
    ...         return first_problem(error, Point.model_fields)
    >>> problem({}), problem({"height": "high"})
    ('height: missing', "height: expected a whole number, not 'high'")
    >>> problem({"height": 1, "heigth": 2})
    "heigth: there is no such field; did you mean 'height'?"
    """
    first = error.errors(include_url=False)[0]
    # Of a union pydantic says which member it tried, which is not a field.
    place = ".".join(str(part) for part in first["loc"] if part not in ("int", "none"))
    return f"{place}: {in_words(first, known)}" if place else in_words(first, known)


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
    "greater_than_equal": "is less than {ge}",
    "greater_than": "is not more than {gt}",
    "less_than_equal": "is more than {le}",
    "less_than": "is not less than {lt}",
    "finite_number": "is not a finite number",
}


def in_words(problem: ErrorDetails, known: Iterable[str] = ()) -> str:
    """One clause on what pydantic refuses, with what was given."""
    kind = problem["type"]
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        return f"there is no such field{near_names(str(problem['loc'][-1]), known)}"
    if kind in _BOUNDS:
        return f"{problem['input']} {_BOUNDS[kind].format(**problem.get('ctx', {}))}"
    expected = problem["ctx"]["expected"] if kind == "literal_error" else _EXPECTED.get(kind)
    if expected is not None:
        given = repr(problem["input"])
        return f"expected {expected}, not {given if len(given) <= LONG else given[:LONG] + '…'}"
    return problem["msg"].removeprefix("Value error, ")
