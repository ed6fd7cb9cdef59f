"""From which training length on languages of the census work, against states, window and modulus."""

from __future__ import annotations

from longreach.studies.study_definition import Study
from longreach.studies.threshold_law import LawCells

STUDY = Study(
    name="thresholds",
    title="From which training length on regular languages work",
    source="the bound 2n − 2 of Chen, Ma and Li, arXiv 2506.03085, beside measurements",
    about="languages of the census, development part: the length from which on they work, and its law",
    time="laptop: about ten minutes on two cores",
    own=LawCells("development"),
)
