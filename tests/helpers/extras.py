"""Tests that need what `make test` does not install: they are left out with a sentence, never silently."""

from __future__ import annotations

import importlib.util

import pytest


def has(package: str) -> bool:
    """Whether a package is installed; nothing is imported."""
    try:
        return importlib.util.find_spec(package) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def needs(package: str, name: str | None = None) -> pytest.MarkDecorator:
    """Leave the test out when the package is missing, which `make test-all` installs."""
    return pytest.mark.skipif(not has(package), reason=f"left out: needs {name or package} (make test-all)")
