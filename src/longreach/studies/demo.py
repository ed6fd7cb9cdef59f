"""A few cells of Figure 1 that are quick to train and differ: what `make demo` measures."""

from __future__ import annotations

from longreach.comparison.places import Place
from longreach.studies.figure1 import figure
from longreach.studies.study_definition import Study

STUDY = Study(
    name="demo",
    title="A few cells of Figure 1",
    source="Huang et al., arXiv 2410.02140, Figure 1",
    about="five quick cells of figure1 that differ: majority, parity, even length; the same runs",
    time="laptop: about five minutes on two cores; none after figure1",
    places=(
        Place("binary-majority", "ape"),
        Place("binary-majority", "nope"),
        # Parity takes most of the time: one encoding is enough where the forecasts are the same.
        Place("parity", "nope"),
        Place("aa", "ape"),
        Place("aa", "nope"),
    ),
    figure=figure,
)
