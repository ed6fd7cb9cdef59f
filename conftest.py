"""Names that doctests of the package use without importing them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

# It is nothing without Transformers.
collect_ignore = [] if find_spec("transformers") else ["src/longreach/models/reach_for_transformers.py"]


@pytest.fixture(scope="session")
def doctest_namespace() -> dict[str, Any]:
    from longreach.tasks.catalog import load_task
    from longreach.theory.automata.named import named_automaton
    from longreach.theory.automata.regex import from_expression
    from longreach.theory.crasp.program import parse, raise_core

    given = (from_expression, load_task, named_automaton, parse, raise_core)
    return {function.__name__: function for function in given}
