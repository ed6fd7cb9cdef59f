"""An engine whose jobs run in groups: one call does several jobs of the same kind together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longreach.execution.jobs import Answer, Engine, Failure, Job, Outcome


@dataclass(frozen=True)
class StackedEngine:
    """Runs groups of jobs on another engine, and yields the outcome of every job.

    The function of a group is called with `{"members": [configurations]}`, the settings and the directory in
    which those of the jobs lie; it returns the list of their answers. The jobs of a group that fails run once
    more, each on its own: one of them cannot fail the others.

    >>> from longreach.execution.local import LocalEngine
    >>> pairs = lambda jobs: [jobs[:2], jobs[2:]]
    >>> engine = StackedEngine(LocalEngine(workers=1), "longreach.execution.stacked:echo", pairs)
    >>> jobs = [Job.of("json:dumps", {"n": n}) for n in range(3)]
    >>> [answer for _, answer in engine.run(jobs)]
    [{'n': 0}, {'n': 1}, {'n': 2}]
    """

    engine: Engine
    function: str
    group: Callable[[Sequence[Job]], Sequence[Sequence[Job]]]
    """Which jobs run together."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parallel(self) -> int:
        """How many groups run at a time."""
        return self.engine.parallel

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job when its group has finished."""
        waiting = list(jobs)
        if not waiting:
            return
        again: list[Job] = []
        yield from self._run([tuple(group) for group in self.group(waiting)], again, deadline)
        if again:
            yield from self._run([(job,) for job in again], [], deadline)

    def _run(
        self, groups: Sequence[tuple[Job, ...]], again: list[Job], deadline: float | None
    ) -> Generator[Outcome]:
        made = [self._job(group) for group in groups]
        known = {job.key: group for job, group in zip(made, groups, strict=True)}
        with closing(self.engine.run(made, deadline=deadline)) as outcomes:
            for key, answer in outcomes:
                group = known[key]
                if isinstance(answer, Failure) and len(group) > 1:
                    again += group
                    continue
                for job, mine in zip(group, self._answers(group, answer), strict=True):
                    yield job.key, mine

    def _job(self, group: Sequence[Job]) -> Job:
        config = {"members": [job.config for job in group], **self.settings}
        own = group[0].directory
        directory: Path | None = None if own is None else own.parent
        return replace(Job.of(self.function, config), directory=directory)

    def _answers(self, group: Sequence[Job], answer: Answer | Failure) -> list[Answer | Failure]:
        if isinstance(answer, Failure):
            return [answer] * len(group)
        if not isinstance(answer, list) or len(answer) != len(group):
            message = f"{self.function} returned no list of {len(group)} answers"
            return [Failure("exception", message)] * len(group)
        return answer


def echo(config: Mapping[str, Any], directory: Path | None = None) -> Any:
    """The members as they are, for tests and examples."""
    return config["members"]
