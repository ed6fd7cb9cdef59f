"""The same as `thresholds` on languages that nothing was chosen by."""

from __future__ import annotations

from longreach.studies.study_definition import Study
from longreach.studies.threshold_law import LawCells

STUDY = Study(
    name="thresholds-held-out",
    title="From which training length on held-out regular languages work",
    source="the bound 2n − 2 of Chen, Ma and Li, arXiv 2506.03085, beside measurements",
    about="the same on the held-out languages of the census",
    time="laptop: about ten minutes on two cores",
    own=LawCells("held-out"),
)
