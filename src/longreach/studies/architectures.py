"""All architectures on tasks that tell them apart, beside what theory says of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from longreach.answers.agreement import Place
from longreach.answers.odds_features import range_at
from longreach.config.model import CellLabel
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.runs.cells import Tally
from longreach.runs.resolve import resolve
from longreach.studies.cells import Outcome, cell_study
from longreach.studies.encodings import draw_encodings
from longreach.studies.study import StudyReport, table_of
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task

TASKS = (
    "parity",
    "aa",
    "regex:(a|b)*bb(a|b)*",
    "word-problem:group=S3",
    "word-problem:group=A5",
    "flip-flop",
    "mqar",
    "copy-unique",
)
RECURRENT = ("lstm", "gru", "rnn", "ssm", "ssm-signed", "ssm-complex")
MODELS = (
    "nope",
    "ape",
    "window",
    "fox",
    "stick-breaking",
    "cope",
    "looped+nope",
    'looped(loops="log")+nope',
    *RECURRENT,
    "deltanet",
    "deltanet(signed=true)",
    "deltanet(reflections=2, signed=true)",
    "hybrid",
    "mlp",
)
PASSING = tuple(f"{name}(state_passing=0.5)" for name in RECURRENT)
SETTING: dict[str, Any] = {
    "layers": 2, "heads": 4, "width": 64, "lr": 0.003, "batch": 64, "max_steps": 1000, "evaluate_every": 500,
    "stop_early": False, "test_size": 500,
}  # fmt: skip
"""The setting of the census, chosen on its development languages with decoders; the same for all models."""
TRAIN_TO = 20
TIMES = (2, 3, 5, 7, 10)
"""By how many times the longest input of a test range exceeds that of training, where the task has such."""
ABOUT = (
    f"Every model has 2 layers, width 64 and {SETTING['max_steps']} steps on lengths to {TRAIN_TO}; no "
    "setting was tuned for any of them. A forecast is about what a model can express at every length; it "
    "promises nothing about training."
)


def config_of(place: Place, scale: Scale) -> RunConfig:
    """The run of a cell with the seed 0."""
    if scale == "smoke":
        return resolve(place.task, scale=scale, **place.model)
    row, task = CellLabel.read(place.encoding).row, load_task(place.task)
    sizes = ("layers", "heads")
    given = {name: value for name, value in SETTING.items() if name not in sizes or name in row.sizes}
    if place.encoding in ("nope", "ape"):
        given["log_length"] = True
    trained = task.train_range(TRAIN_TO)
    tests = tested_ranges(task, int(trained[1]), TIMES)
    return resolve(place.task, scale=scale, train_lengths=trained, test_lengths=tests, **place.model, **given)


def tested_ranges(task: Task, last: int, times: Iterable[int]) -> tuple[LengthRange, ...]:
    """The ranges that end at so many times the longest training length, where the task has inputs."""
    ranges = [range_at(last, each) for each in times]
    return tuple(each for each in ranges if task.has(np.arange(each.first, each.last + 1)).any())


def by_model(found: Sequence[Outcome], *, about: str = ABOUT) -> StudyReport:
    """Per model, by what theory says of it: how many runs work, and are sure, on the longest inputs."""
    lines: list[list[str]] = []
    document: dict[str, Any] = {}
    for model in dict.fromkeys(each.place.encoding for each in found):
        own = [each for each in found if each.place.encoding == model]
        counts = {
            answer: sum((each.tallies[-1] for each in own if each.forecast in kinds), Tally())
            for answer, kinds in {"yes": ("yes",), "no": ("no",), "undecided": ("undecided", None)}.items()
        }
        total = sum(counts.values(), Tally())
        document[model] = {
            **{answer: tally.document() for answer, tally in counts.items()},
            "sure": {"runs": total.probed, "sure": total.sure},
        }
        words = [f"{tally.work} of {tally.runs}" if tally.runs else "–" for tally in counts.values()]
        probed = f"{total.sure} of {total.probed}" if total.probed else "–"
        lines.append([CellLabel.read(model).title, *words, probed, f"{total.unfit} of {total.runs}"])
    titles = ("model", "theory: yes", "theory: no", "no theory", "sure", "not fitted")
    title = (
        "Runs that work on the longest inputs, of all that finished, by what theory says of model and task. "
        "Sure: also right on the worst loop of probing words, of the runs that have them. Not fitted: below "
        "95 % on the training range."
    )
    table = table_of(titles, lines, title=title)
    return StudyReport(document={"models": document}, tables=[table], remarks=[about])


SHARED: dict[str, Any] = {
    "config": config_of,
    "seeds": {"smoke": 1, "laptop": 3, "paper": 3},
    "setting": "The setting of the census for all models.",
    "figure": draw_encodings,
    "summary": by_model,
}
STUDY = cell_study(
    name="architectures",
    title="What each architecture extends",
    source="Sarrof et al., arXiv 2405.17394; Grazzi et al., arXiv 2411.12537",
    about="all architectures and attention variants on eight tasks, beside their forecasts",
    time="laptop: about two hours on two cores; --seeds 1: 40 minutes",
    places=tuple(Place(task, model) for task in TASKS for model in MODELS),
    **SHARED,
)

STATE_PASSING = cell_study(
    name="state-passing",
    title="Recurrences that start from states of other sequences",
    source="Buitrago Ruiz and Gu, arXiv 2507.02782",
    about="recurrent models with and without state passing in training",
    time="laptop: about 60 minutes on two cores after architectures, whose runs it shares",
    places=tuple(
        Place(task, model)
        for task in TASKS
        for pair in zip(RECURRENT, PASSING, strict=True)
        for model in pair
    ),
    **SHARED,
)
