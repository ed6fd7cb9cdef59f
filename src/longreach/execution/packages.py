"""Packages that only some engines need."""

from __future__ import annotations

import importlib
from typing import Any

from longreach.errors import MissingExtra


def load(package: str, what: str, extra: str) -> Any:
    """Import a package, or say which extra has it.

    >>> load("no_such_package", "--engine none", "none")
    Traceback (most recent call last):
        ...
    longreach.errors.MissingExtra: --engine none needs the extra 'none': pip install 'longreach[none]'
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:  # it is there, and something else is wrong
            raise
        raise MissingExtra(what, extra) from None
