"""All studies by name."""

from __future__ import annotations

from longreach.errors import Argument, InputError, near_names
from longreach.studies import demo, encodings, figure1, figure2, figure3, figure4, regularizer, table2, table3
from longreach.studies.study_definition import Study

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (figure1, table2, table3, figure2, figure3, figure4, regularizer, encodings, demo)
}


def load_study(name: str) -> Study:
    """The study of a name.

    >>> load_study("figure1").source
    'Huang et al., arXiv 2410.02140, Figure 1'
    """
    if name not in STUDIES:
        hint = near_names(name, STUDIES) or f"; there are {', '.join(STUDIES)}"
        raise InputError(f"no study is named {name!r}{hint}", place=Argument("name"))
    return STUDIES[name]
