"""Results of a study's members, made up for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longreach.answers.agreement import Place
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.runs.index import Row
from longreach.studies.cells import Outcome, outcomes
from longreach.studies.study import Study, StudyOptions


def rows(
    members: Mapping[Place, Sequence[RunConfig]], accuracy: Callable[[Place, int], Sequence[float]]
) -> list[Row]:
    """A row per member with the accuracies that the function gives for its place and seed."""
    found = []
    for place, configs in members.items():
        for config in configs:
            values = accuracy(place, config.seed)
            names = [lengths.name for lengths in config.ranges]
            found.append(
                Row(
                    key=config.key,
                    status="done",
                    task=config.task,
                    encoding=config.label.name,
                    seed=config.seed,
                    steps=config.max_steps,
                    seconds=1.0,
                    reached=values[0] == 1.0,
                    config=config.document(),
                    accuracy=dict(zip(names, values, strict=True)),
                )
            )
    return found


def members_of(
    study: Study, scale: Scale = "laptop", *, seeds: int | None = None, places: Sequence[Place] | None = None
) -> dict[Place, tuple[RunConfig, ...]]:
    """The members of a study of cells, or those at some places."""
    found = study.members(StudyOptions(scale=scale, seeds=seeds))
    return {place: tuple(each) for place, each in found.items() if places is None or place in places}


def outcomes_of(
    study: Study, found: Sequence[Row], scale: Scale = "laptop", *, seeds: int | None = None
) -> list[Outcome]:
    """What results say of all cells of a study."""
    return outcomes(members_of(study, scale, seeds=seeds), found, scale)
