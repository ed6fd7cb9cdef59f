"""Results of a study's members, made up for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longreach.answers.agreement import Place
from longreach.config.run import RunConfig
from longreach.runs.index import Row


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
