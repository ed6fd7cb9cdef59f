"""For the reference pages: a field of a pydantic model is shown with its default and its description."""

from __future__ import annotations

import ast
from typing import Any

import griffe


def described(value: Any) -> tuple[Any, str] | None:
    """Of `Field(default, description=…)` the default, None where there is none, and the description."""
    if not isinstance(value, griffe.ExprCall) or str(value.function) != "Field":
        return None
    default, text = None, None
    for given in value.arguments:
        if not isinstance(given, griffe.ExprKeyword):
            default = given
        elif given.name == "description":
            text = ast.literal_eval(str(given.value))
    return None if text is None else (default, text)


class DescribedFields(griffe.Extension):
    """Applied to every attribute of a class that has no docstring of its own."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Give one field its docstring, and its plain default."""
        found = described(attr.value)
        if found is not None and attr.docstring is None:
            attr.value, text = found
            attr.docstring = griffe.Docstring(text, parent=attr)
