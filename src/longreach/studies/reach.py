"""The mechanism `reach` on the tasks of Figure 1, and on tasks without a program, as they are and changed."""

from __future__ import annotations

from functools import partial
from typing import Any

from longreach.answers.agreement import ALGORITHMIC, REGULAR, Place
from longreach.config.reach import REACH
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.runs.resolve import resolve
from longreach.studies.advice import BUILT_IN, OF_THE_CENSUS, tried
from longreach.studies.architectures import by_model, tested_ranges
from longreach.studies.cells import cell_study
from longreach.studies.encodings import draw_encodings
from longreach.tasks.catalog import load_task

FIGURE_1 = (*ALGORITHMIC, *REGULAR)
ADVISED = tuple(task for task in (*BUILT_IN, *OF_THE_CENSUS) if task not in FIGURE_1)
"""Tasks of the study `advice` that are not in Figure 1."""
TIMES = (2, 3, 5, 10)
"""By how many times the longest input of a test range exceeds that of training, where the task has such."""
MOST_STEPS = 3000
SETTING: dict[str, Any] = {"layers": 2, "heads": 4, "lr": 0.003, "test_size": 200, "stop_early": False}
"""As in the census. Width and steps are those of learned positions in Figure 1, where a task has them."""
SHORT = 12
"""Tasks of the study `advice`, and their forms, are trained to this length, as there."""
ABOUT = (
    "Every model has 2 layers and 4 heads. Width (at least 64) and steps (at most "
    f"{MOST_STEPS:,}) are those of learned positions in Figure 1; no setting was tuned on these tasks. A "
    "forecast is about what a model can express at every length; it promises nothing about training."
)


def forms() -> tuple[str, ...]:
    """The changed tasks of the study `advice`: scratchpads and reversed answers, without their encodings.

    >>> forms()[:3]
    ('reverse+reversed', 'parity+scratchpad', 'addition+reversed')
    """
    found = dict.fromkeys(change.task for task in (*BUILT_IN, *OF_THE_CENSUS) for change in tried(task))
    return tuple(task for task in found if task not in (*BUILT_IN, *OF_THE_CENSUS))


def config_of(place: Place, scale: Scale) -> RunConfig:
    """The run of a cell with the seed 0."""
    if scale == "smoke":
        return resolve(place.task, scale=scale, **place.model)
    usual = resolve(place.task, scale="laptop", **place.model)
    task = load_task(place.task)
    last = int(usual.train_lengths.last) if place.task in FIGURE_1 else SHORT
    trained = task.train_range(last)
    setting = SETTING | {
        "width": max(64, usual.width),
        "max_steps": min(usual.max_steps, MOST_STEPS),
        "train_lengths": trained,
        "test_lengths": tested_ranges(task, int(trained[1]), TIMES),
    }
    return resolve(place.task, scale=scale, **{**place.model, **setting})


STUDY = cell_study(
    name="reach",
    title="Attention to the last match, on the tasks of the papers",
    source="Yang, Chiang and Angluin, arXiv 2310.13897; Tan et al., arXiv 2410.17980",
    about="reach to ten times the length, on the tasks of Figure 1 and on tasks without a program",
    time="laptop: about an hour on two cores; --encodings reach --seeds 1: about 20 minutes",
    places=(
        *(Place(task, REACH) for task in (*FIGURE_1, *ADVISED)),
        *(Place(task, REACH) for task in forms()),
        *(Place(task, encoding) for encoding in ("ape", "nope") for task in FIGURE_1),
    ),
    config=config_of,
    seeds={"smoke": 1, "laptop": 3, "paper": 3},
    setting="The setting of the census; width and steps of learned positions in Figure 1.",
    figure=partial(draw_encodings, published=True),
    summary=partial(by_model, about=ABOUT),
)
