"""The engine on a Ray cluster: each job is a Ray task, whose node runs it in a worker process."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any

from longreach.errors import Field, InputError
from longreach.execution.jobs import (
    Attempt,
    Attempts,
    ExecutionError,
    Failure,
    Job,
    Outcome,
    check_limits,
    is_over,
    load,
    short_line,
)
from longreach.execution.local import cores, errand, run_kept

TICK = 1.0  # seconds between looks at anything else than tasks
CAPACITY_SECONDS = 10.0  # how long the size of a cluster is taken for granted
QUEUE = 2  # tasks per place on a cluster: no place waits for the driver, and a cluster that can grow does
OBJECT_STORE = 100 * 2**20  # bytes; only configurations and answers go through it
KNOCK_SECONDS = 10.0
STARTS = 2
LONGEST_FOLDER = 40  # characters: Ray's sockets lie below it, and their names are limited

VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # jobs are why we are here; Ray would let everything else go first
}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RayEngine:
    """Tasks of a Ray cluster, which is started on this machine or joined by its address.

    Jobs answer and fail as with `LocalEngine`, and the package `ray` is needed only when they run. A job's
    directory must lie on a file system that all nodes share.

    >>> RayEngine(workers=3, gpus=0.5).parallel
    3
    """

    address: str | None = None
    """None: start Ray here, and end it after the run. Else join: auto, host:port or ray://host:port."""
    workers: int | None = None
    """How many jobs run at a time; by default as many as there is room for."""
    gpus: float = 0
    """GPUs that a job takes; 0.25 lets four jobs share one."""
    time_limit: float | None = None
    """Seconds that a job may take, its imports included; waiting for a node does not count."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for the jobs."""

    def __post_init__(self) -> None:
        if self.address not in (None, "auto") and _host_and_port(str(self.address)) is None:
            raise InputError(
                f"{self.address!r} is not one of auto, host:port and ray://host:port", place=Field("address")
            )
        check_limits(self.workers, self.time_limit)
        if not 0 <= self.gpus < inf:
            raise InputError(f"must be at least 0, not {self.gpus}", place=Field("gpus"))
        if self.gpus > 1 and self.gpus != floor(self.gpus):
            raise InputError(f"{self.gpus} is neither a whole number nor a part of one", place=Field("gpus"))

    @property
    def parallel(self) -> int:
        """How many jobs run at a time; a cluster is asked how large it is."""
        if self.workers is not None:
            return self.workers
        if self.address is None:
            return cores()
        with _connected(self) as ray:
            return max(1, _places(ray, self))

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes.

        Closing the generator, or the deadline, cancels what runs, and ends Ray if it was started here.
        """
        attempts = Attempts(jobs)
        first = attempts.take()
        if first is None:
            return
        attempts.put_back(first)
        with _connected(self) as ray:
            tasks = _Tasks(ray, self, attempts)
            try:
                yield from tasks.outcomes(deadline)
            finally:
                tasks.cancel()


class _Tasks:
    """The Ray tasks of one run."""

    def __init__(self, ray: Any, engine: RayEngine, attempts: Attempts) -> None:
        self._ray = ray
        self._engine = engine
        self._attempts = attempts
        self._running: dict[Any, Attempt] = {}
        self._most = 0
        self._looked = -inf
        # Ray would repeat a task as often as it likes; how often we do is the same with every engine.
        self._run = ray.remote(
            num_cpus=1, num_gpus=engine.gpus, max_retries=0, max_calls=1 if engine.gpus else 0
        )(run_kept)

    def outcomes(self, deadline: float | None = None) -> Iterator[Outcome]:
        self._hand_out()
        while self._running and not is_over(deadline):
            try:
                ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=TICK)
            except self._ray.exceptions.RayError as error:
                raise ExecutionError(f"the Ray cluster is lost: {short_line(error)}") from None
            for task in ready:
                outcome = self._ended(task, self._running.pop(task))
                self._hand_out()  # before the caller is busy with this outcome
                if outcome is not None:
                    yield outcome

    def cancel(self) -> None:
        """The workers of the jobs end when the processes of Ray that feed them do."""
        for task in self._running:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._ray.cancel(task, force=True)
        self._running.clear()

    def _hand_out(self) -> None:
        while len(self._running) < self._room():
            attempt = self._attempts.take()
            if attempt is None:
                return
            engine = self._engine
            order = errand(attempt.job, time_limit=engine.time_limit, environment=engine.environment)
            self._running[self._run.options(name=f"longreach {attempt.job.key}").remote(order)] = attempt

    def _room(self) -> int:
        """How many tasks Ray is given at a time."""
        if time.monotonic() - self._looked > CAPACITY_SECONDS:
            self._looked = time.monotonic()
            places = _places(self._ray, self._engine)
            if places == 0:
                self._no_place()
            if self._engine.workers is not None:
                self._most = self._engine.workers
            else:
                self._most = max(1, QUEUE * places)
        return self._most

    def _no_place(self) -> None:
        needed = f"1 CPU and {self._engine.gpus:g} GPU"
        if self._engine.address is None:
            raise ExecutionError(f"this machine has no room for a job: it needs {needed}, as Ray counts them")
        if self._most == 0:  # said once; the cluster may be one that grows when tasks wait
            logger.warning("no node of the Ray cluster has the %s that a job needs; jobs wait", needed)

    def _ended(self, task: Any, attempt: Attempt) -> Outcome | None:
        exceptions = self._ray.exceptions
        try:
            answer = self._ray.get(task)
        except exceptions.RayTaskError as error:  # what the job raised is an answer; this is about the node
            reason = f"jobs do not start on the nodes: {short_line(error.cause)}"
            self._attempts.failed_to_start(attempt, reason)
            return None
        except exceptions.TaskCancelledError:
            answer = Failure("crash", "its Ray task was cancelled")
        except exceptions.RaySystemError as error:
            raise ExecutionError(f"the Ray cluster is lost: {short_line(error)}") from None
        except exceptions.RayError as error:  # the process or the node is lost, or was out of memory
            answer = Failure("crash", f"its Ray worker was lost: {short_line(error)}", str(error))
        self._attempts.started()
        return self._attempts.outcome(attempt, answer)


@contextlib.contextmanager
def _connected(engine: RayEngine) -> Iterator[Any]:
    """Ray, joined or started; afterwards all is as it was before."""
    ray = load("ray", "--engine ray", "ray")
    if ray.is_initialized():  # by the caller, to whom it belongs
        yield ray
        return
    settings: dict[str, Any] = {"address": engine.address}
    with contextlib.ExitStack() as stack:
        if engine.address is None:
            session = tempfile.TemporaryDirectory(
                prefix="longreach-", dir=_short_folder(), ignore_cleanup_errors=True
            )
            settings = {
                "address": "local", "num_cpus": engine.parallel,
                "include_dashboard": False, "object_store_memory": OBJECT_STORE,
                "_temp_dir": stack.enter_context(session),
            }  # fmt: skip
        else:
            _knock(engine.address)
        stack.enter_context(_signals())
        stack.callback(ray.shutdown)
        _start(ray, settings, engine.address)
        yield ray


def _start(ray: Any, settings: dict[str, Any], address: str | None) -> None:
    tries = 1 if address is not None else STARTS  # on a busy machine Ray may not be up in its own 30 seconds
    for left in reversed(range(tries)):
        try:
            with _ray_variables():
                ray.init(**settings, log_to_driver=False, logging_level=logging.ERROR)
            return
        except Exception as error:  # of many kinds, the bare one included
            ray.shutdown()
            if not left:
                what = "cannot be started" if address is None else f"at {address} cannot be joined"
                raise ExecutionError(f"Ray {what}: {short_line(error)}") from None


def _host_and_port(address: str) -> tuple[str, int] | None:
    found = re.fullmatch(r"(?:ray://)?([^\s/]+):([0-9]{1,5})", address)
    return None if found is None else (found[1].strip("[]"), int(found[2]))


def _knock(address: str) -> None:
    """Ray itself would try for minutes to reach a host that does not answer."""
    place = _host_and_port(address)
    if place is not None:
        try:
            socket.create_connection(place, KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or short_line(error)
            raise ExecutionError(f"Ray at {address} cannot be joined: {reason}") from None


def _short_folder() -> str | None:
    """Where Ray keeps its session, which goes when it ends; None stands for the usual place."""
    usual = tempfile.gettempdir()
    return "/tmp" if len(usual) > LONGEST_FOLDER and os.path.isdir("/tmp") else None


@contextlib.contextmanager
def _ray_variables() -> Iterator[None]:
    """What Ray and the processes that it starts read when they start; what the user has set stays."""
    missing = {name: value for name, value in VARIABLES.items() if name not in os.environ}
    os.environ.update(missing)
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Ray takes SIGTERM for itself, and does not give it back."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _places(ray: Any, engine: RayEngine) -> int:
    """How many jobs have room on the nodes that are there."""
    found = 0
    for node in ray.nodes():
        if node["Alive"]:
            resources = node["Resources"]
            by_cpus = floor(resources.get("CPU", 0))
            found += min(by_cpus, floor(resources.get("GPU", 0) / engine.gpus)) if engine.gpus else by_cpus
    return found
