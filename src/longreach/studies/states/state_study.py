"""Another group's 175 languages: verdicts beside their accuracies, and a sample of them trained."""

from __future__ import annotations

from longreach.studies.states.state_cells import SEEDS, state_config, state_places
from longreach.studies.states.state_figure import figure
from longreach.studies.states.state_summary import state_summary
from longreach.studies.study_definition import Study

STUDY = Study(
    name="state-tracking",
    title="State tracking on languages of another group",
    source="arXiv 2608.13433, published accuracies",
    about="175 languages: verdicts beside published accuracies, and a sample trained with both encodings",
    time="laptop: 29 runs, 14 minutes on two cores",
    places=state_places(),
    figure=figure,
    config=state_config,
    seeds=SEEDS,
    setting="the setting of the census, with the usual attention and fewer test words",
    summary=state_summary,
)
