"""Trainings that the playground starts: in the background, few at a time, each with its events."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from longreach.errors import Field, InputError
from longreach.report.web.subject import Subject
from longreach.report.web.workers import LiveLimits, Reply
from longreach.wording import visible

MODULE = "longreach.report.web.worker"
ENDS = ("done", "failed", "cancelled")
"""Events after which nothing comes."""
ENCODINGS = ("nope", "ape")
PATIENCE = 20.0
"""Seconds that an interrupted training has to write down what it has."""
MARGIN = 120.0
"""Seconds beyond its minutes after which a training is interrupted: it has to load, to plan and to test."""
LONGEST_TRAINING, MOST_SEEDS = 200, 5
LONGEST_LINE = 1 << 22


NameTask: TypeAlias = Callable[[Any], Awaitable[Reply]]
"""The name of the task in a document, found where limits of time and memory hold."""


class Busy(Exception):
    """As many trainings as may run are running."""


class Training:
    """One training with all that it has said."""

    def __init__(self, name: str, title: str) -> None:
        self.name, self.title = name, title
        self._events: list[tuple[int, dict[str, Any]]] = []
        self._told = 0
        self.process: asyncio.subprocess.Process | None = None
        self.task: asyncio.Task[None] | None = None
        self.unwanted = False
        """Whether somebody asked it to end."""
        self._news = asyncio.Condition()

    @property
    def events(self) -> list[dict[str, Any]]:
        """All that was said, of progress only the last."""
        return [event for _, event in self._events]

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return bool(self._events) and self._events[-1][1]["event"] in ENDS

    async def tell(self, event: dict[str, Any]) -> None:
        """Keep an event; progress takes the place of progress."""
        async with self._news:
            if self.is_over:
                return
            if self._events and event["event"] == self._events[-1][1]["event"] == "progress":
                self._events.pop()
            self._told += 1
            self._events.append((self._told, event))
            self._news.notify_all()

    async def follow(self) -> AsyncIterator[dict[str, Any]]:
        """What was said, then what is said, until the end."""
        seen = 0
        while True:
            async with self._news:
                fresh = [(number, event) for number, event in self._events if number > seen]
                if not fresh:
                    if self.is_over:
                        return
                    await self._news.wait()
                    continue
            for number, event in fresh:
                seen = number
                yield event


def read_question(document: Any, runs: Path, limits: LiveLimits) -> tuple[str, dict[str, Any]]:
    """The title and the question of a training, checked but for what it takes time to read: the task.

    >>> title, question = read_question({"kind": "regex", "text": "(aa)*"}, Path("runs"), LiveLimits())
    >>> title, question["seeds"], question["minutes"]
    ('(aa)*', 3, 2.0)
    """
    subject = Subject.read(document, limits)
    minutes = _number(document, "minutes", 2.0, least=0.1, most=limits.minutes)
    train_to = document.get("train_to")
    seeds = int(_number(document, "seeds", 3, least=1, most=MOST_SEEDS))
    if train_to is not None:
        train_to = int(_number(document, "train_to", 20, least=2, most=LONGEST_TRAINING))
    return visible(subject.text.strip().splitlines()[0][:80]), {
        "alphabet": subject.alphabet,
        "encodings": ENCODINGS,
        "minutes": minutes,
        "seeds": seeds,
        "train_to": train_to,
        "runs": str(runs),
        "memory": limits.training_memory,
    }


def _number(document: Mapping[str, Any], name: str, usual: float, *, least: float, most: float) -> float:
    value = document.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InputError(f"expected a number from {least:g} to {most:g}", place=Field(name))
    return value


class Trainings:
    """Those that run and the last that are over."""

    def __init__(self, runs: Path, limits: LiveLimits, name_task: NameTask) -> None:
        self._runs, self._limits, self._name_task = runs, limits, name_task
        self._known: dict[str, Training] = {}
        self._starting = 0

    def get(self, name: str) -> Training | None:
        """A training by the name that `start` gave it."""
        return self._known.get(name)

    @property
    def running(self) -> list[Training]:
        """Those that are not over."""
        return [each for each in self._known.values() if not each.is_over]

    async def start(self, document: Any) -> Training | Reply:
        """Start one, or say why its task cannot be read; raise `Busy` where there is no place."""
        title, question = read_question(document, self._runs, self._limits)
        if len(self.running) + self._starting >= self._limits.trainings:
            raise Busy
        self._starting += 1  # the place is kept while the task is read
        try:
            reply = await self._name_task(document)
        finally:
            self._starting -= 1
        if "task" not in reply.document:
            return reply
        for name in [name for name, each in self._known.items() if each.is_over][: -self._limits.kept]:
            del self._known[name]
        training = Training(secrets.token_urlsafe(12), title)
        self._known[training.name] = training
        await training.tell({"event": "started", "title": title, "minutes": question["minutes"]})
        training.task = asyncio.create_task(self._run(training, question | {"task": reply.document["task"]}))
        return training

    async def _run(self, training: Training, question: Mapping[str, Any]) -> None:
        process: asyncio.subprocess.Process | None = None
        watch: asyncio.Task[None] | None = None
        try:
            # In a session of its own, so that an interrupt reaches the workers that it starts as well.
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", MODULE, start_new_session=True, limit=LONGEST_LINE,
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            training.process = process
            if training.unwanted:
                _signal(process, signal.SIGKILL)
            watch = asyncio.create_task(_interrupted(process, after=60 * question["minutes"] + MARGIN))
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(question).encode() + b"\n")
            await process.stdin.drain()
            async for line in process.stdout:
                await training.tell(json.loads(line))
            code = await process.wait()
            if training.unwanted:
                await training.tell({"event": "cancelled"})
            await training.tell({"event": "failed", "error": f"the training ended with exit code {code}"})
        except (OSError, ValueError) as error:
            await training.tell({"event": "failed", "error": f"the training was lost: {error}"})
        finally:
            if watch is not None:
                watch.cancel()
            if process is not None:  # it, or a worker that it left behind
                _signal(process, signal.SIGKILL)
                await process.wait()

    async def cancel(self, training: Training) -> None:
        """Interrupt a training; what it has is kept."""
        process, again, training.unwanted = training.process, training.unwanted, True
        if process is not None and process.returncode is None and not again:
            await _interrupted(process)  # once: a second interrupt would disturb it while it writes
        if training.task is not None:
            await training.task

    async def end(self) -> None:
        """Interrupt all: the server ends."""
        await asyncio.gather(*(self.cancel(each) for each in self._known.values()))


async def _interrupted(process: asyncio.subprocess.Process, after: float = 0.0) -> None:
    """End a training with what it has; one that does not listen is ended without it."""
    await asyncio.sleep(after)
    _signal(process, signal.SIGINT)
    try:
        await asyncio.wait_for(process.wait(), PATIENCE)
    except TimeoutError:
        _signal(process, signal.SIGKILL)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
