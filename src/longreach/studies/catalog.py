"""All studies by name."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TypeAlias, TypeVar

from longreach.errors import Argument, InputError, near_names
from longreach.studies.census.study import STUDY as CENSUS
from longreach.studies.census.study import CensusStudy
from longreach.studies.inspection_score import STUDY as INSPECTION_SCORE
from longreach.studies.losses import LossStudy
from longreach.studies.natural_language import STUDY as NATURAL_LANGUAGE
from longreach.studies.natural_language import LanguageStudy
from longreach.studies.positional_functions import STUDY as POSITIONAL_FUNCTIONS
from longreach.studies.study import ComputedStudy, StandaloneStudy, Study

_S = TypeVar("_S")


def _loaded(places: Sequence[str], kind: type[_S]) -> list[_S]:
    found = [
        getattr(import_module(f"longreach.studies.{module}"), name) for module, name in map(_parts, places)
    ]
    assert all(isinstance(each, kind) for each in found)
    return found


def _parts(place: str) -> tuple[str, str]:
    module, _, name = place.partition(":")
    return module, name


PLACES = (
    "huang:FIGURE1",
    "huang:TABLE2",
    "huang:TABLE3",
    "huang:FIGURE2",
    "huang:FIGURE3",
    "huang:FIGURE4",
    "encodings:REGULARIZER",
    "encodings:ENCODINGS_STUDY",
    "thresholds:THRESHOLDS",
    "thresholds:THRESHOLDS_HELD_OUT",
    "states:STUDY",
    "golowich:SPARSE_PARITY",
    "golowich:PARITY_SCRATCHPAD",
    "golowich:VARIABLE_ASSIGNMENT",
    "advice:STUDY",
    "inference:STUDY",
)
"""Where the studies live, in the order of the list."""

STUDIES: dict[str, Study] = {study.name: study for study in _loaded(PLACES, Study)}
LOSS_PLACES = ("izzo:SIMPLE_TASK", "izzo:MODP_TASK", "izzo:KGRAM")
LOSS_STUDIES: dict[str, LossStudy] = {study.name: study for study in _loaded(LOSS_PLACES, LossStudy)}
COMPUTED_PLACES = ("computed:PLANTED", "computed:COUNTEREXAMPLES", "computed:COUPLING")
COMPUTED_STUDIES: dict[str, ComputedStudy] = {
    study.name: study for study in _loaded(COMPUTED_PLACES, ComputedStudy)
}
STANDALONE: dict[str, StandaloneStudy] = {
    study.name: study for study in (POSITIONAL_FUNCTIONS, INSPECTION_SCORE)
}
"""Those that train no members."""
AnyStudy: TypeAlias = Study | LossStudy | CensusStudy | ComputedStudy | LanguageStudy | StandaloneStudy
EVERY: dict[str, AnyStudy] = {
    **STUDIES,
    **LOSS_STUDIES,
    **COMPUTED_STUDIES,
    CENSUS.name: CENSUS,
    **STANDALONE,
    NATURAL_LANGUAGE.name: NATURAL_LANGUAGE,
}


def load_study(name: str) -> AnyStudy:
    """The study of a name.

    >>> load_study("figure1").source
    'Huang et al., arXiv 2410.02140, Figure 1'
    """
    if name not in EVERY:
        hint = near_names(name, EVERY) or f"; there are {', '.join(EVERY)}"
        raise InputError(f"no study is named {name!r}{hint}", place=Argument("name"))
    return EVERY[name]
