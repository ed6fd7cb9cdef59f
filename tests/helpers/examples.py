"""How many examples a property is tried on: all in `make test-all`, a share of them in `make test`."""

from __future__ import annotations

import pytest
from hypothesis import settings

THOROUGH = settings.get_profile("thorough").max_examples


def is_thorough() -> bool:
    """Whether everything is to be tried, however long it takes."""
    return settings().max_examples >= THOROUGH


def examples(number: int) -> int:
    """So many of the thorough number as the profile has of its own."""
    return max(1, number * settings().max_examples // THOROUGH)


def at_most(number: int) -> int:
    """So many; in `make test` no more than a property has that names no number."""
    return min(number, settings().max_examples)


def slow(what: str) -> pytest.MarkDecorator:
    """Leave a test that takes long to `make test-all`."""
    return pytest.mark.skipif(not is_thorough(), reason=f"left out: {what} (make test-all)")
