"""The engine on one machine: worker processes, one job in flight each, one thread each."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from longreach.errors import Field, InputError
from longreach.execution.attempts import ATTEMPTS, Attempt, Attempts
from longreach.execution.environment import cores, worker_environment
from longreach.execution.jobs import Failure, Job, Outcome, is_over
from longreach.execution.process import Event, WorkerProcess

TICK = 1.0  # seconds between looks at processes that may have died without a word


@dataclass(frozen=True, kw_only=True)
class LocalEngine:
    """Worker processes on this machine.

    A job that raises has failed; one whose worker dies is run once more, in a new worker; one past its time
    limit is ended with its worker. Other jobs are not touched by any of this.

    >>> from longreach.execution.jobs import Job
    >>> jobs = [Job.of("json:dumps", {"a": 1}), Job.of("json:no_such_function", {"b": 1})]
    >>> answers = dict(LocalEngine(workers=2).run(jobs))
    >>> answers[jobs[0].key]
    '{"a": 1}'
    >>> answers[jobs[1].key].message
    "AttributeError: module 'json' has no attribute 'no_such_function'"
    """

    workers: int | None = None
    """How many processes; by default one per core."""
    time_limit: float | None = None
    """Seconds that a job may take, its imports included."""
    threads: int = 1
    """Threads per process."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for the workers."""
    attempts: int = ATTEMPTS
    """How often a job is tried whose worker dies."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise InputError(f"{self.workers} is less than 1", place=Field("workers"))
        if self.time_limit is not None and not self.time_limit > 0:
            raise InputError(f"{self.time_limit} is not more than 0 seconds", place=Field("time_limit"))
        if self.threads < 1:
            raise InputError(f"{self.threads} is less than 1", place=Field("threads"))
        if self.attempts < 1:
            raise InputError(f"{self.attempts} is less than 1", place=Field("attempts"))

    @property
    def parallel(self) -> int:
        """How many jobs run at a time."""
        return cores() if self.workers is None else self.workers

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes.

        Closing the generator, an interruption, the deadline or an error in `jobs` ends the workers at once.
        """
        crew = Crew(self)
        try:
            yield from crew.outcomes(jobs, deadline)
        finally:
            crew.end()


@dataclass(eq=False)
class _Place:
    """A worker and what it is doing."""

    process: WorkerProcess
    attempt: Attempt | None = None
    started: float | None = None
    """When it said that it began; None before that."""
    overdue: bool = False


class Crew:
    """The workers of an engine; they stay, with all that they have loaded, until the end is called."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self._attempts = Attempts(())
        self._deadline: float | None = None
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._places: dict[WorkerProcess, _Place] = {}
        self._environment = worker_environment(os.environ, engine.threads) | dict(engine.environment)

    def outcomes(self, jobs: Iterable[Job], deadline: float | None = None) -> Iterator[Outcome]:
        """Run these jobs; to be read to its end before there are others, unless it ends at the deadline."""
        self._attempts = Attempts(jobs, self._engine.attempts)
        self._deadline = deadline
        self._hand_out()
        while any(place.attempt is not None for place in self._places.values()):
            event = self._next_event()
            if event is None:
                return
            process, line = event
            place = self._places.get(process)
            if place is None:  # said before it was let go
                continue
            outcome = self._ended(place) if line is None else self._heard(place, line)
            self._hand_out()  # before whoever takes the outcomes is busy with this one
            if outcome is not None:
                yield outcome

    def end(self) -> None:
        """Kill the workers and all that they have started."""
        for process in self._places:
            process.kill()
        for process in self._places:
            process.close()
        self._places.clear()

    def _hand_out(self) -> None:
        """Give every worker that has nothing to do a job, and start workers while there are jobs for them."""
        while not is_over(self._deadline):
            idle = next((place for place in self._places.values() if place.attempt is None), None)
            if idle is None and len(self._places) >= self._engine.parallel:
                return
            attempt = self._attempts.take()
            if attempt is None:
                return
            if idle is None:
                process = WorkerProcess(self._environment, self._events)
                idle = self._places[process] = _Place(process)
            job = attempt.job
            idle.attempt, idle.started = attempt, None
            directory = None if job.directory is None else str(job.directory)
            message = {"key": job.key, "function": job.function, "config": job.config, "directory": directory}
            idle.process.send(message)

    def _next_event(self) -> Event | None:
        """What a worker said or that it ended; None when the time of all of them is over."""
        while True:
            try:
                return self._events.get_nowait()  # an answer that is there counts, however late we look
            except queue.Empty:
                if is_over(self._deadline):
                    return None
                rest = [] if self._deadline is None else [self._deadline - time.monotonic()]
                wait = max(0.0, min([TICK, *rest, *self._end_overdue()]))
            try:
                return self._events.get(timeout=wait)
            except queue.Empty:
                for process in self._places:
                    if process.process.poll() is not None:
                        process.kill()  # something that it started keeps its pipe open

    def _end_overdue(self) -> list[float]:
        """End jobs past their time; the seconds that are left to the others."""
        limit, left = self._engine.time_limit, []
        for place in self._places.values():
            if limit is not None and place.started is not None and not place.overdue:
                rest = place.started + limit - time.monotonic()
                if rest <= 0:
                    place.overdue = True
                    place.process.kill()
                else:
                    left.append(rest)
        return left

    def _heard(self, place: _Place, line: bytes) -> Outcome | None:
        message = _parsed(line)
        if place.attempt is None or message is None:
            place.process.kill()  # it does not speak our language; its end will be heard
            return None
        key = place.attempt.job.key
        if message.get("started") == key:
            place.started = time.monotonic()
            self._attempts.started()
            return None
        if message.get("key") != key:
            place.process.kill()
            return None
        seconds = self._seconds(place)
        place.attempt = place.started = None
        if place.overdue:
            self._let_go(place)
        if "result" in message:
            return key, message["result"]
        return key, Failure("exception", str(message["error"]), str(message.get("details", "")), seconds)

    def _ended(self, place: _Place) -> Outcome | None:
        seconds = self._seconds(place)
        self._let_go(place)
        process, attempt = place.process, place.attempt
        if attempt is None:
            return None
        key = attempt.job.key
        if place.overdue:
            message = f"ended after its time limit of {self._engine.time_limit:g} seconds"
            return key, Failure("timeout", message, process.tail, seconds)
        if place.started is None:
            last = process.tail.splitlines()[-1:] or [f"one {process.end}"]
            self._attempts.failed_to_start(attempt, f"worker processes do not start: {last[0]}")
            return None
        failure = Failure("crash", f"its worker process {process.end}", process.tail, seconds)
        return self._attempts.outcome(attempt, failure)

    def _let_go(self, place: _Place) -> None:
        self._places.pop(place.process)
        place.process.close()

    @staticmethod
    def _seconds(place: _Place) -> float:
        return 0.0 if place.started is None else time.monotonic() - place.started


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None
