"""Trainings in the background: events, one at a time, ended when asked."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.report.web import training as live_training
from longreach.report.web.playground import TASK, part_of
from longreach.report.web.training import Busy, Training, Trainings, read_question
from longreach.report.web.workers import LiveLimits, Reply
from tests.execution.test_local import gone
from tests.helpers.extras import needs
from tests.helpers.live_server import LiveServer
from tests.helpers.paths import ROOT

SUBJECT: dict[str, Any] = {"kind": "regex", "text": "(aa)*", "minutes": 0.5}


async def named(document: Any) -> Reply:
    return Reply(200, part_of(TASK, document))


async def begun(trainings: Trainings) -> Training:
    found = await trainings.start(SUBJECT)
    assert isinstance(found, Training)
    return found


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings wait to be interrupted."""
    monkeypatch.setattr(live_training, "MODULE", "tests.helpers.patient_training")
    root = ROOT
    monkeypatch.setenv("PYTHONPATH", f"{root}:{os.environ.get('PYTHONPATH', '')}")


async def followed(training: Training) -> list[dict[str, Any]]:
    return [event async for event in training.follow()]


def test_events_are_told_to_all_who_follow_whenever_they_come() -> None:
    async def scene() -> list[list[dict[str, Any]]]:
        training = Training("x", "(aa)*")
        early = asyncio.create_task(followed(training))
        await training.tell({"event": "started"})
        await asyncio.sleep(0)
        for done in range(3):
            await training.tell({"event": "progress", "done": done})
        await training.tell({"event": "done"})
        await training.tell({"event": "failed"})  # too late
        return [await early, await followed(training)]

    early, late = asyncio.run(scene())
    assert late == [{"event": "started"}, {"event": "progress", "done": 2}, {"event": "done"}]
    assert [event for event in early if event["event"] != "progress"] == [late[0], late[2]]


@pytest.mark.usefixtures("patient")
def test_one_at_a_time_and_cancelled_in_the_end(tmp_path: Path) -> None:
    async def scene() -> list[dict[str, Any]]:
        trainings = Trainings(tmp_path, LiveLimits(), named)
        first = await begun(trainings)
        assert trainings.running == [first]
        with pytest.raises(Busy):
            await trainings.start(SUBJECT)
        follower = asyncio.create_task(followed(first))
        while not any(event["event"] == "remark" for event in first.events):
            assert not first.is_over, first.events
            await asyncio.sleep(0.02)
        await trainings.cancel(first)
        seen = await follower
        second = await begun(trainings)  # the place is free again
        await trainings.end()
        assert second.events[-1]["event"] == "cancelled"
        return seen

    events = asyncio.run(scene())
    assert [event["event"] for event in events] == ["started", "remark", "cancelled"]
    assert events[1]["text"] == "regex:(aa)*"


def test_a_process_that_ends_without_a_word_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_training, "MODULE", "no_such_module_at_all")

    async def scene() -> list[dict[str, Any]]:
        return await followed(await begun(Trainings(tmp_path, LiveLimits(), named)))

    assert asyncio.run(scene())[-1]["event"] == "failed"


@pytest.mark.usefixtures("patient")
def test_a_training_that_goes_on_and_on_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_training, "MARGIN", -60 * SUBJECT["minutes"])  # at once

    async def scene() -> Training:
        training = await begun(Trainings(tmp_path, LiveLimits(), named))
        assert training.task is not None
        await asyncio.wait_for(training.task, 60)
        return training

    training = asyncio.run(scene())
    assert training.is_over
    assert training.process is not None
    assert training.process.returncode is not None


def test_the_place_is_kept_while_the_task_is_read_and_free_where_it_cannot_be(tmp_path: Path) -> None:
    asked: list[Any] = []

    async def refused(document: Any) -> Reply:
        asked.append(document)
        await asyncio.sleep(0)
        return Reply(422, {"error": "no"})

    async def scene() -> list[Any]:
        trainings = Trainings(tmp_path, LiveLimits(), refused)
        both = (trainings.start(SUBJECT), trainings.start(SUBJECT))
        found = await asyncio.gather(*both, return_exceptions=True)
        return [*found, await trainings.start(SUBJECT), trainings.running]

    first, second, third, running = asyncio.run(scene())
    assert first == third == Reply(422, {"error": "no"})
    assert isinstance(second, Busy)
    assert running == []
    assert len(asked) == 2  # nothing is read for one that has no place


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and that these have started."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = dict(tuple(map(int, line.split())) for line in listed.stdout.splitlines())
    found, more = set[int](), {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


@needs("starlette")
@needs("uvicorn")
@pytest.mark.skipif(shutil.which("ps") is None, reason="no ps")
def test_nothing_is_left_of_a_server_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longreach", "serve", "--port", "0", "--runs", str(tmp_path / "runs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            live = LiveServer(int(server.stdout.readline().rstrip("/\n").rpartition(":")[2]))
            assert live.post("/api/trainings", SUBJECT | {"minutes": 5}).status == 201
            until = time.monotonic() + 120
            while not list(tmp_path.glob("runs/*/progress.json")):
                assert time.monotonic() < until, "the training does not begin"
                time.sleep(0.1)
            started = descendants(server.pid)
        finally:
            server.kill()
    assert len(started) >= 3  # calls, the training and its workers
    assert [pid for pid in started if not gone(pid, 60)] == []


@pytest.mark.parametrize(
    ("more", "place"),
    [({"minutes": 0}, "minutes"), ({"minutes": True}, "minutes"), ({"seeds": 99}, "seeds"),
     ({"train_to": 1}, "train_to"), ({"text": ""}, "text"), ({"kind": "data"}, "kind")],
)  # fmt: skip
def test_questions_are_checked(more: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError, match=place):
        read_question(SUBJECT | more, Path("runs"), LiveLimits())


def test_titles_show_all_that_is_in_them() -> None:
    title, _ = read_question(SUBJECT | {"text": "a\u202eb"}, Path("runs"), LiveLimits())
    assert title == "a\\u202eb"


def test_what_is_trained_is_never_a_file() -> None:
    program = {"kind": "program", "text": '#alphabet a b\nL = # "a" >= # "b"'}
    assert part_of(TASK, program)["task"].startswith("crasp:#alphabet a b\n")
    automaton = {
        "kind": "automaton",
        "text": '{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}',
    }
    assert part_of(TASK, automaton)["task"].startswith('dfa:{"alphabet"')
