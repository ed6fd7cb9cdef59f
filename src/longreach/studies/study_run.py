"""A study from its members to its cells: train what is missing, then look at the whole of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from longreach.comparison.outcome import Outcome
from longreach.comparison.places import Place
from longreach.config.scales import Scale
from longreach.config.training import TrainConfig
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher, longest_first, train_pending
from longreach.results.index import Row, read_index
from longreach.results.schema import Result
from longreach.studies.study_definition import Study


@dataclass(frozen=True, kw_only=True)
class StudyRun:
    """What a study came to."""

    cells: tuple[Outcome, ...]
    """Those that were asked for."""
    failed: tuple[Result, ...]
    """The members that failed this time."""


def study_members(
    study: Study, scale: Scale, *, seeds: int | None = None, places: Iterable[Place] | None = None
) -> list[TrainConfig]:
    """What is trained, the most work first. Figures may share members: each is trained once."""
    members = study.members_by_place(scale, seeds, places)
    return longest_first(config for configs in members.values() for config in configs)


def run_study(
    study: Study,
    scale: Scale,
    *,
    seeds: int | None = None,
    places: Iterable[Place] | None = None,
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    train: bool = True,
) -> StudyRun:
    """Train the members that are not done, unless only what is there counts, and judge the cells.

    A cell is judged in the light of the whole study, whatever part of it was asked for.
    """
    wanted = study.places if places is None else tuple(places)
    results: dict[str, Result] = {}
    if train:
        configs = study_members(study, scale, seeds=seeds, places=wanted)
        results = train_pending(configs, runs, engine=engine, progress=progress)
    every = study.outcomes(_rows(Path(runs)), scale, seeds)
    return StudyRun(
        cells=tuple(outcome for outcome in every if outcome.place in wanted),
        failed=tuple(result for result in results.values() if result.status == "failed"),
    )


def _rows(runs: Path) -> list[Row]:
    if not runs.is_dir():
        return []
    with read_index(runs) as index:
        return index.rows()
