"""All studies by name."""

from __future__ import annotations

from importlib import import_module

from longreach.errors import Argument, InputError, near_names
from longreach.studies.study_definition import Study

MODULES = (
    "figure1",
    "table2",
    "table3",
    "figure2",
    "figure3",
    "figure4",
    "regularizer",
    "encodings",
    "thresholds",
    "thresholds_held_out",
)
"""The modules of this package with a `STUDY`, in the order of the list."""

_FOUND: tuple[Study, ...] = tuple(import_module(f"longreach.studies.{name}").STUDY for name in MODULES)
STUDIES: dict[str, Study] = {study.name: study for study in _FOUND}


def load_study(name: str) -> Study:
    """The study of a name.

    >>> load_study("figure1").source
    'Huang et al., arXiv 2410.02140, Figure 1'
    """
    if name not in STUDIES:
        hint = near_names(name, STUDIES) or f"; there are {', '.join(STUDIES)}"
        raise InputError(f"no study is named {name!r}{hint}", place=Argument("name"))
    return STUDIES[name]
