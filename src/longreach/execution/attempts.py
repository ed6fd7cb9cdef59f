"""Which job comes next: each once, and those whose process has died once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from longreach.errors import InputError
from longreach.execution.jobs import Answer, ExecutionError, Failure, Job, Outcome

ATTEMPTS = 2  # a job whose process dies is run once more
STARTS = 3  # so many in a row that end before they begin a job: there is no point in going on


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
            raise InputError(f"the job {job.key} stands twice in the list")
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
