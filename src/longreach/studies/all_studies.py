"""All studies by name."""

from __future__ import annotations

from importlib import import_module
from typing import TypeAlias

from longreach.errors import Argument, InputError, near_names
from longreach.studies.census.census_study import STUDY as CENSUS
from longreach.studies.census.census_study import CensusStudy
from longreach.studies.computed_study import ComputedStudy
from longreach.studies.inspection_score import STUDY as INSPECTION_SCORE
from longreach.studies.loss_study import LossStudy
from longreach.studies.natural_language.language_study import STUDY as NATURAL_LANGUAGE
from longreach.studies.natural_language.language_study import LanguageStudy
from longreach.studies.positional_functions import STUDY as POSITIONAL_FUNCTIONS
from longreach.studies.standalone_study import StandaloneStudy
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
    "states.state_study",
    "coupling.sparse_parity_study",
    "coupling.parity_scratchpad_study",
    "coupling.variable_assignment_study",
    "advice_study",
    "inference_study",
)
"""The modules of this package with a `STUDY`, in the order of the list."""

STUDIES: dict[str, Study] = {
    study.name: study for study in (import_module(f"longreach.studies.{name}").STUDY for name in MODULES)
}
LOSS_MODULES = ("simple_task_losses", "modp_task_losses", "kgram_losses")
"""The same for tasks with numbers as answers."""
_LOSSES: list[LossStudy] = [import_module(f"longreach.studies.{name}").STUDY for name in LOSS_MODULES]
LOSS_STUDIES: dict[str, LossStudy] = {study.name: study for study in _LOSSES}
COMPUTED_MODULES = ("planted_study", "counter_examples_study", "coupling_study")
"""The same for what is computed and not trained."""
_COMPUTED: list[ComputedStudy] = [
    import_module(f"longreach.studies.{name}").STUDY for name in COMPUTED_MODULES
]
COMPUTED_STUDIES: dict[str, ComputedStudy] = {study.name: study for study in _COMPUTED}
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
