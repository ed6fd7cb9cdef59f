"""The runs of a results directory that can be looked into, and what is seen there.

Runs of held-out languages of the census are passed over unless they are asked for; then they alone count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from longreach.comparison.criterion import ByAccuracy
from longreach.config.task_name import TaskName
from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.results.files import candidates, check_directory, read_candidate
from longreach.results.schema import Result
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_members import language_table

if TYPE_CHECKING:
    from longreach.inspection.scored_run import ScoredRun

RATIO = 3
LEARNED = 0.99
MODEL = "model.safetensors"
VERDICT, ACCURACY = "the forecast's verdict", "accuracy at the training length"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """A run that is looked into."""

    key: str
    folder: Path
    config: TrainConfig
    result: Result
    language: LanguageFacts | None
    """Of the census."""


@cache
def facts_by_task() -> dict[str, LanguageFacts]:
    """The languages of the census, as runs name them."""
    return {facts.task: facts for facts in language_table().values()}


def is_held_out(task: object) -> bool:
    """Whether a task is a held-out language of the census."""
    language = facts_by_task().get(task) if isinstance(task, str) else None
    return language is not None and language.part == "held-out"


def chosen_runs(runs: Path, *, held_out: bool) -> Iterator[Chosen]:
    """The finished runs with a model and a test range at three times the training length."""
    for candidate in candidates(check_directory(runs)):
        if candidate.stamp is None or not (candidate.file.parent / MODEL).is_file():
            continue
        entry = read_candidate(candidate)
        if entry.result is None or entry.result.status != "done":
            continue
        task = entry.result.config.get("task")
        language = facts_by_task().get(task) if isinstance(task, str) else None
        if is_held_out(task) != held_out:
            continue
        config = _config(entry.result)
        if config is None or f"{(RATIO - 1) * _to(config) + 1}-{RATIO * _to(config)}" not in _names(config):
            continue
        yield Chosen(
            key=entry.name,
            folder=candidate.file.parent,
            config=config,
            result=entry.result,
            language=language,
        )


def _config(result: Result) -> TrainConfig | None:
    try:
        config = TrainConfig.read(result.config)
    except InputError:  # such as a task with numbers as answers
        return None
    name = TaskName(config.task)
    outside = name.is_attribute or name.is_session or (name.is_file and not name.is_text)
    return None if outside or config.encoding == "mlp" else config


def _to(config: TrainConfig) -> int:
    return config.train_lengths.last


def _names(config: TrainConfig) -> list[str]:
    return [lengths.name for lengths in config.test_lengths]


def spread(found: list[Chosen], most: int | None) -> list[Chosen]:
    """So many of them at even distances, in the order of their keys, which is random."""
    if most is None or len(found) <= most:
        return found
    return [found[round(place)] for place in np.linspace(0, len(found) - 1, most).tolist()]


def look_into(chosen: Chosen) -> ScoredRun:
    """The numbers of a run."""
    from longreach.inspection.inspected_model import Subject, open_model
    from longreach.inspection.run_features import beyond_training, run_features
    from longreach.inspection.scored_run import ScoredRun

    config, final = chosen.config, chosen.result.final
    subject = open_model(chosen.folder)
    assert isinstance(subject, Subject)
    assert subject.task is not None
    assert final is not None
    trained_to = _to(config)
    facts, chance = chosen.language, subject.task.chance
    if facts is not None and str(trained_to) in facts.lengths:
        chance = facts.chance(trained_to, RATIO)
    at_training = final.accuracy[config.train_lengths.name]
    beside = {ACCURACY: at_training}
    if facts is not None and config.encoding in facts.sides:
        beside[VERDICT] = float(facts.sides[config.encoding].verdict == "yes")
    reached = final.accuracy[f"{(RATIO - 1) * trained_to + 1}-{RATIO * trained_to}"]
    return ScoredRun(
        run=chosen.key,
        language=config.task,
        encoding=config.encoding,
        trained_to=trained_to,
        seed=config.seed,
        reached=reached,
        works=ByAccuracy(chance).works(reached),
        learned=at_training >= LEARNED,
        features=run_features(subject),
        beside=beside,
        beyond=beyond_training(subject, RATIO * trained_to),
    )
