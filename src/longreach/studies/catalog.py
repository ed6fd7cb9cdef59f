"""All studies by name. A module is loaded when its study is asked for."""

from __future__ import annotations

from importlib import import_module

from longreach.errors import Argument, InputError, near_names
from longreach.studies.study import Study

STUDIES = {
    "figure1": "huang:FIGURE1",
    "table2": "huang:TABLE2",
    "table3": "huang:TABLE3",
    "figure2": "huang:FIGURE2",
    "figure3": "huang:FIGURE3",
    "figure4": "huang:FIGURE4",
    "regularizer": "encodings:REGULARIZER",
    "encodings": "encodings:ENCODINGS_STUDY",
    "architectures": "architectures:STUDY",
    "reach": "reach:STUDY",
    "state-passing": "architectures:STATE_PASSING",
    "thresholds": "thresholds:THRESHOLDS",
    "thresholds-held-out": "thresholds:THRESHOLDS_HELD_OUT",
    "state-tracking": "states:STUDY",
    "sparse-parity": "golowich:SPARSE_PARITY",
    "parity-scratchpad": "golowich:PARITY_SCRATCHPAD",
    "variable-assignment": "golowich:VARIABLE_ASSIGNMENT",
    "advice": "advice:STUDY",
    "inference": "inference:STUDY",
    "simple-task": "izzo:SIMPLE_TASK",
    "modp-task": "izzo:MODP_TASK",
    "in-context-kgram": "izzo:KGRAM",
    "planted": "computed:PLANTED",
    "counter-examples": "computed:COUNTEREXAMPLES",
    "coupling-operator": "computed:COUPLING",
    "published-suites": "suites:STUDY",
    "census": "census.study:STUDY",
    "positional-functions": "positional_functions:STUDY",
    "product-functions": "product_functions:STUDY",
    "inspection-score": "inspection_score:STUDY",
    "natural-language": "natural_language:STUDY",
}
"""Where each study lives below this package, in the order of the list."""


def load_study(name: str) -> Study:
    """The study of a name.

    >>> load_study("figure1").source
    'Huang et al., arXiv 2410.02140, Figure 1'
    """
    if name not in STUDIES:
        hint = near_names(name, STUDIES) or f"; there are {', '.join(STUDIES)}"
        raise InputError(f"no study named {name!r}{hint}", place=Argument("name"))
    module, _, attribute = STUDIES[name].partition(":")
    found: Study = getattr(import_module(f"longreach.studies.{module}"), attribute)
    return found


def every_study() -> list[Study]:
    """All of them, loaded."""
    return [load_study(name) for name in STUDIES]
