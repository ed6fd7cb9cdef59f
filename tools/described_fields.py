"""For the reference pages: a field of a pydantic model is shown with its type and its description."""

from __future__ import annotations

import ast
from typing import Any

import griffe


def described(annotation: Any) -> tuple[Any, str] | None:
    """Of `Annotated[type, Field(description=…)]` the type and the description."""
    if not isinstance(annotation, griffe.ExprSubscript) or str(annotation.left) != "Annotated":
        return None
    if not isinstance(annotation.slice, griffe.ExprTuple):
        return None
    plain, *others = annotation.slice.elements
    for call in others:
        for given in call.arguments if isinstance(call, griffe.ExprCall) else ():
            if isinstance(given, griffe.ExprKeyword) and given.name == "description":
                return plain, ast.literal_eval(str(given.value))
    return None


class DescribedFields(griffe.Extension):
    """Applied to every attribute of a class that has no docstring of its own."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Give one field its docstring, and its plain type."""
        found = described(attr.annotation)
        if found is not None and attr.docstring is None:
            attr.annotation, text = found
            attr.docstring = griffe.Docstring(text, parent=attr)
