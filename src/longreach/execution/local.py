"""Worker processes: their environment, one of them, many on one machine, one on a cluster's node.

Ray and Slurm decide where; how a job runs, and what is said when it fails, is the same everywhere.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from longreach.execution.jobs import (
    ATTEMPTS,
    Answer,
    Attempt,
    Attempts,
    ExecutionError,
    Failure,
    Job,
    Outcome,
    check_limits,
    is_over,
)

WORKER = Path(__file__).with_name("worker.py")
TAIL = 4000  # bytes of standard error that are kept for a report
EXIT_SECONDS = 2.0  # seconds for a process to be gone after it has closed its pipe, or has been killed

Event: TypeAlias = "tuple[WorkerProcess, bytes | None]"
"""A worker and a line that it has written, or None when it has ended."""


class WorkerProcess:
    """A running worker. Two threads listen to it, so that it never waits for its driver."""

    def __init__(self, environment: Mapping[str, str], events: queue.SimpleQueue[Event]) -> None:
        command = [sys.executable, "-P", str(WORKER)]
        try:
            # A session of its own: Ctrl-C reaches only the driver, and the worker ends with what it started.
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ExecutionError(f"a worker process cannot be started: {error.strerror or error}") from None
        self._events = events
        self._tail = b""
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._listen, self._drain)
        ]
        for thread in self._threads:
            thread.start()
        self.send({"path": [os.path.abspath(entry) for entry in sys.path]})

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a line of JSON; if the worker is dead, its end is an event of its own."""
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()

    def kill(self) -> None:
        """End the process at once, and all that it has started."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()

    def close(self) -> None:
        """Kill it and let go of what belongs to it."""
        self.kill()
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(EXIT_SECONDS)
        for thread in self._threads:
            thread.join(EXIT_SECONDS)

    @property
    def end(self) -> str:
        """How it has ended."""
        code = self.process.returncode
        if code is None:
            return "did not end"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"

    @property
    def tail(self) -> str:
        """The end of what it has written on standard error."""
        return self._tail.decode("utf-8", "replace").strip()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with stream:
            for line in stream:
                if line.endswith(b"\n"):  # else it died in the middle of a line
                    self._events.put((self, line))
        try:
            self.process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        self._events.put((self, None))

    def _drain(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._tail = (self._tail + chunk)[-TAIL:]


# The environment of worker processes, which must stand before anything heavy is imported there.


THREADS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
# By default glibc maps large buffers anew, and faults them in, at every step: 1.1 to 2.3 times slower.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "8589934592",
    "MALLOC_TOP_PAD_": "268435456",
}
HUGE_PAGES = "glibc.malloc.hugetlb"


def has_glibc() -> bool:
    """Whether this system's C library is glibc."""
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False


def worker_environment(base: Mapping[str, str], glibc: bool | None = None) -> dict[str, str]:
    """The environment of a worker: one thread, and an allocator made for large buffers.

    What the user has set for the allocator stays.

    >>> made = worker_environment({"MALLOC_TOP_PAD_": "0", "OMP_NUM_THREADS": "8"}, glibc=True)
    >>> made["OMP_NUM_THREADS"], made["MALLOC_TOP_PAD_"], made["GLIBC_TUNABLES"]
    ('1', '0', 'glibc.malloc.hugetlb=1')
    """
    made = dict(base) | dict.fromkeys(THREADS, "1")
    made.setdefault("PYTHONHASHSEED", "0")  # the same numbers from the same job, in any worker
    if has_glibc() if glibc is None else glibc:
        made = MALLOC | made
        tunables = made.get("GLIBC_TUNABLES", "")
        if HUGE_PAGES not in tunables:
            made["GLIBC_TUNABLES"] = ":".join(filter(None, [tunables, f"{HUGE_PAGES}=1"]))
    return made


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for the workers."""
    attempts: int = ATTEMPTS
    """How often a job is tried whose worker dies."""

    def __post_init__(self) -> None:
        check_limits(self.workers, self.time_limit)

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
    """The workers of an engine; they stay, with all that they have loaded, until `end`."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self._attempts = Attempts(())
        self._deadline: float | None = None
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._places: dict[WorkerProcess, _Place] = {}
        self._environment = worker_environment(os.environ) | dict(engine.environment)

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
            self._hand_out()  # before the caller is busy with this outcome
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


DIRECTORY_SECONDS = 10.0  # seconds until a new directory is seen on other nodes of a network file system


@dataclass(frozen=True)
class Errand:
    """A job with what a node needs to know to run it."""

    job: Job
    engine: LocalEngine
    """With one worker and one attempt: another attempt may be made on another node."""
    path: Sequence[str]
    """Where the driver finds modules; the node looks there after its own places."""


def errand(
    job: Job, *, time_limit: float | None = None, environment: Mapping[str, str] | None = None
) -> Errand:
    """Prepare a job for a node; its directory is made here, so that the node can tell whether it sees it."""
    if job.directory is not None:
        try:
            job.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{job.directory}: cannot be created: {error.strerror or error}"
            raise ExecutionError(message) from None
    engine = LocalEngine(workers=1, attempts=1, time_limit=time_limit, environment=dict(environment or {}))
    return Errand(job, engine, tuple(os.path.abspath(entry) for entry in sys.path))


def run_once(errand: Errand) -> Answer | Failure:
    """Run a job in a process of its own, which ends with it.

    >>> run_once(errand(Job.of("json:dumps", {"a": 1})))
    '{"a": 1}'
    """
    _prepare(errand)
    ((_, answer),) = errand.engine.run([errand.job])
    return answer


def run_kept(errand: Errand) -> Answer | Failure:
    """Run a job in a process that waits for the next one, with what it has imported and compiled.

    >>> run_kept(errand(Job.of("math:sqrt", {}))).message
    'TypeError: must be real number, not dict'
    """
    _prepare(errand)
    crew = _crew(errand.engine)
    try:
        ((_, answer),) = crew.outcomes([errand.job])
    except BaseException:
        _dismiss()
        raise
    return answer


def _prepare(errand: Errand) -> None:
    sys.path += [entry for entry in errand.path if entry not in sys.path]
    if errand.job.directory is not None:
        _see(errand.job.directory)


def _see(directory: Path) -> None:
    end = time.monotonic() + DIRECTORY_SECONDS
    while not directory.is_dir():
        if time.monotonic() > end:
            # A directory made here would keep the model on this node, where nobody looks for it.
            raise ExecutionError(
                f"{directory}: not seen on {socket.gethostname()}; the results directory must lie on a file "
                "system that all nodes share"
            )
        time.sleep(0.2)


# For as long as the process that the cluster has started: the settings of the workers, and the workers.
_kept: list[tuple[object, Crew]] = []


def _crew(engine: LocalEngine) -> Crew:
    wanted = (engine, os.environ.get("CUDA_VISIBLE_DEVICES"))
    if not _kept or _kept[0][0] != wanted:
        _dismiss()
        _kept.append((wanted, Crew(engine)))
    return _kept[0][1]


@atexit.register
def _dismiss() -> None:
    while _kept:
        _kept.pop()[1].end()
