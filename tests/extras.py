"""Tests that need what `make test` does not install: they are left out with a sentence, never silently."""

from __future__ import annotations

import importlib.util
import shutil

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


def needs_program(*programs: str, name: str | None = None) -> pytest.MarkDecorator:
    """Leave the test out when none of these programs is there."""
    missing = not any(shutil.which(program) for program in programs)
    return pytest.mark.skipif(missing, reason=f"left out: needs {name or programs[0]} (make test-all)")
