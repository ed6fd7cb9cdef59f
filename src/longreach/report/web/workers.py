"""Calls of the playground, answered in processes that end when one takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class LiveLimits:
    """Limits of the server; each has a message of its own when it is met."""

    body: int = 64_000
    """Bytes of a request."""
    text: int = 20_000
    """Characters of an expression, an automaton or a program."""
    word: int = 60
    """Letters of a word that is traced or attended."""
    seconds: float = 10.0
    """Of one call, on the clock."""
    memory: int = 3 << 30
    """Bytes of address space of a worker."""
    reading: float = 10.0
    """Seconds in which a request has to arrive, headers included."""
    connections: int = 512
    """At a time; further ones are refused."""
    per_client: int = 128
    """Connections of one address at a time."""
    workers: int = 2
    """Processes that answer calls."""
    waiting: int = 256
    """Calls that may wait for a worker; further ones are refused."""
    trainings: int = 1
    """Parallel trainings."""
    minutes: float = 10.0
    """The longest training that may be asked for."""
    training_memory: int = 8 << 30
    """Bytes of data of each process of a training."""
    kept: int = 20
    """Trainings that are over and still shown."""


MODULE = "longreach.report.web.worker"
TOO_LONG, BUSY, LOST = 408, 503, 500
LONGEST_ANSWER = 1 << 26
START_SECONDS = 60.0
"""For a process to load what it needs, on a busy machine."""
GRACE = 1.0
"""Seconds to finish a call that nobody waits for any more: ending a process costs about as much."""


@dataclass(frozen=True)
class Reply:
    """A status as of HTTP, and a document."""

    status: int
    document: Mapping[str, Any]


class WorkerPool:
    """A few processes; each answers one call at a time, and further calls wait in order."""

    def __init__(self, limits: LiveLimits) -> None:
        self.limits = limits
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        self._cold: list[_Worker] = []
        self._waiting = 0
        self._workers: list[_Worker] = []
        self._mending: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[WorkerPool]:
        """The processes exist inside of it: one from the beginning, others when they are first needed."""
        self._workers = [_Worker(self.limits) for _ in range(self.limits.workers)]
        first, *self._cold = self._workers
        self._give_back(first)
        try:
            yield self
        finally:
            for task in self._mending:
                task.cancel()
            await asyncio.gather(
                *self._mending, *(worker.end() for worker in self._workers), return_exceptions=True
            )

    def _give_back(self, worker: _Worker) -> None:
        """For the next call; one without a process gets it first, so that nobody waits for that."""
        if worker.is_ready:
            self._idle.put_nowait(worker)
            return
        task = asyncio.create_task(self._mend(worker))
        self._mending.add(task)
        task.add_done_callback(self._mending.discard)

    async def _mend(self, worker: _Worker) -> None:
        try:
            await worker.mend()
        finally:
            self._idle.put_nowait(worker)

    async def call(self, part: str, document: Any) -> Reply:
        """The answer to one call; cancelled while it waits, it is never begun."""
        if self._waiting >= self.limits.waiting:
            return Reply(BUSY, {"error": "too many calls are waiting; try again"})
        if self._idle.empty() and self._cold and not self._mending:
            self._give_back(self._cold.pop())  # it takes a while to load; the first that is ready answers
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
        try:
            return await worker.ask({"part": part, "document": document})
        finally:
            self._give_back(worker)


class _Worker:
    """A process that is started when it is needed, and again after it was ended."""

    def __init__(self, limits: LiveLimits) -> None:
        self._limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._owes = False
        """Whether an answer comes that nobody waits for."""

    @property
    def is_ready(self) -> bool:
        """Whether the next call can be sent at once."""
        return self._process is not None and self._process.returncode is None and not self._owes

    async def mend(self) -> None:
        """Get ready for the next call; the caller is told what goes wrong."""
        with contextlib.suppress(TimeoutError, OSError, ValueError):
            if self._owes:
                await self._finish()
            await self._started()

    async def _finish(self) -> None:
        """What is still owed must not answer the next call."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            await asyncio.wait_for(self._process.stdout.readline(), GRACE)
            self._owes = False
        except TimeoutError:
            await self.end()

    async def ask(self, message: Mapping[str, Any]) -> Reply:
        try:
            process = await self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            self._owes = True
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
            line = await asyncio.wait_for(process.stdout.readline(), self._limits.seconds)
            self._owes = False
            found = json.loads(line)
            return Reply(found["status"], found["document"])
        except TimeoutError:
            await self.end()
            seconds = self._limits.seconds
            return Reply(TOO_LONG, {"error": f"takes longer than {seconds:g} seconds, the limit of a call"})
        except (ValueError, OSError):
            await self.end()
            return Reply(LOST, {"error": "the process that computes was lost; try something smaller"})

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        self._owes = False
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", MODULE, str(self._limits.memory),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_ANSWER,
        )  # fmt: skip
        assert self._process.stdout is not None
        try:
            await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        except BaseException:  # half started it would answer the first call with its greeting
            await self.end()
            raise
        return self._process

    async def end(self) -> None:
        """End the process, if there is one."""
        process, self._process, self._owes = self._process, None, False
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
