"""Jobs and engines: what goes in and comes out, which job is next, and groups of jobs."""

from __future__ import annotations

import importlib
import math
import re
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from longreach.errors import Field, InputError, MissingExtra
from longreach.files import canonical_json, job_key

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class ExecutionError(InputError):
    """The engine itself cannot continue, whatever the jobs are."""


@dataclass(frozen=True)
class Job:
    """One call of a function, by name, with a configuration that JSON can hold.

    The function is called with the configuration and, if the job has a directory, with its path; what it
    returns must be JSON or a pydantic model.

    >>> Job.of("longreach.tasks:train", {"task": "parity", "seed": 0}).key
    '9fa078c87fdbacac'
    """

    key: str
    function: str
    """As in "package.module:function"."""
    config: dict[str, Any]
    directory: Path | None = None
    """Where the job may keep its checkpoints; it is made before the call."""

    def __post_init__(self) -> None:
        if not _FUNCTION.fullmatch(self.function):
            raise InputError(f"{self.function!r}: a function is named as in package.module:function")
        if self.function.startswith("__main__:"):
            raise InputError(f"{self.function!r}: other processes cannot find it; put it into a module")
        canonical_json(self.config)

    @classmethod
    def of(cls, function: str, config: dict[str, Any]) -> Job:
        """The job with the key that belongs to its configuration."""
        return cls(job_key(config), function, config)


@dataclass(frozen=True)
class Failure:
    """Why a job has no answer."""

    kind: Literal["exception", "crash", "timeout"]
    message: str
    """One line."""
    details: str = ""
    """A traceback, or the end of what the process wrote on standard error."""
    seconds: float = 0.0


Answer: TypeAlias = Any
"""What a job's function returned, as JSON."""
Outcome: TypeAlias = tuple[str, Answer | Failure]


class Engine(Protocol):
    """Runs jobs in some order; closing the generator ends those that run."""

    @property
    def parallel(self) -> int:
        """How many jobs run at a time."""
        ...

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes.

        At the deadline, a time of `time.monotonic`, no job starts any more and those that run are ended.
        """
        ...


def check_limits(workers: int | None, time_limit: float | None) -> None:
    """Refuse numbers of workers and seconds with which no engine can run."""
    if workers is not None and workers < 1:
        raise InputError(f"must be at least 1, not {workers}", place=Field("workers"))
    if time_limit is not None and not 0 < time_limit < math.inf:
        raise InputError(f"must be more than 0 seconds, not {time_limit}", place=Field("time_limit"))


def short_line(error: object) -> str:
    """What somebody else's code says is wrong, in one line that fits a message."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def is_over(deadline: float | None) -> bool:
    """Whether the time is over.

    >>> is_over(None), is_over(time.monotonic() - 1)
    (False, True)
    """
    return deadline is not None and time.monotonic() >= deadline


ATTEMPTS = 2  # a job whose process dies is run once more
STARTS = 3  # after so many failures in a row to begin a job there is no point in continuing


@dataclass(frozen=True)
class Attempt:
    """A job, and how often it has been tried, this time included."""

    job: Job
    number: int = 1


class Attempts:
    """The jobs of one run, taken one by one.

    >>> attempts = Attempts([Job.of("json:dumps", {})])
    >>> attempts.outcome(attempts.take(), Failure("crash", "it died"))  # it is tried again
    >>> attempts.outcome(attempts.take(), Failure("crash", "it died"))[1].message
    'it died, in 2 attempts'
    >>> attempts.take() is None
    True
    """

    def __init__(self, jobs: Iterable[Job], most: int = ATTEMPTS) -> None:
        self._jobs = iter(jobs)
        self._most = most
        self._again: deque[Attempt] = deque()
        self._keys: set[str] = set()
        self._failed_starts = 0

    @property
    def waiting_again(self) -> int:
        """How many jobs wait for another attempt."""
        return len(self._again)

    def take(self) -> Attempt | None:
        """The next attempt, if there is one."""
        if self._again:
            return self._again.popleft()
        job = next(self._jobs, None)
        if job is None:
            return None
        if job.key in self._keys:
            raise InputError(f"the job {job.key} appears twice in the list")
        self._keys.add(job.key)
        return Attempt(job)

    def put_back(self, attempt: Attempt) -> None:
        """Undo `take`."""
        self._again.appendleft(attempt)

    def started(self) -> None:
        """A job has begun, so jobs can begin."""
        self._failed_starts = 0

    def failed_to_start(self, attempt: Attempt, reason: str) -> None:
        """Not the job's fault: it comes again, unless nothing starts any more."""
        self._failed_starts += 1
        if self._failed_starts >= STARTS:
            raise ExecutionError(reason)
        self.put_back(attempt)

    def outcome(self, attempt: Attempt, answer: Answer | Failure) -> Outcome | None:
        """What is said of the job; None if it is tried again."""
        if isinstance(answer, Failure) and answer.kind == "crash":
            if attempt.number < self._most:
                self.put_back(Attempt(attempt.job, attempt.number + 1))
                return None
            if self._most > 1:
                answer = replace(answer, message=f"{answer.message}, in {self._most} attempts")
        return attempt.job.key, answer


@dataclass(frozen=True)
class StackedEngine:
    """Runs groups of jobs on another engine, and yields the outcome of every job.

    The function of a group is called with `{"members": [configurations]}`, the settings and the directory in
    which those of the jobs lie; it returns the list of their answers. The jobs of a group that fails run once
    more, each on its own: one of them cannot fail the others.
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


def load(package: str, what: str, extra: str) -> Any:
    """Import a package, or say which extra has it.

    >>> load("no_such_package", "--engine none", "none")
    Traceback (most recent call last):
        ...
    longreach.errors.MissingExtra: --engine none needs the extra 'none': pip install 'longreach[none]'
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:  # it is there, and something else is wrong
            raise
        raise MissingExtra(what, extra) from None
