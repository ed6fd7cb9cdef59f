"""Trainings in the background: events, one at a time, ended when asked."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.report.live import live_training
from longreach.report.live.live_limits import LiveLimits
from longreach.report.live.live_training import Busy, Training, Trainings, read_question

SUBJECT = {"kind": "regex", "text": "(aa)*", "minutes": 0.5}


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


def test_one_at_a_time_and_cancelled_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_training, "MODULE", "tests.helpers.patient_training")
    root = Path(__file__).parents[3]
    monkeypatch.setenv("PYTHONPATH", f"{root}:{os.environ.get('PYTHONPATH', '')}")

    async def scene() -> list[dict[str, Any]]:
        trainings = Trainings(tmp_path, LiveLimits())
        first = await trainings.start(SUBJECT)
        with pytest.raises(Busy):
            await trainings.start(SUBJECT)
        follower = asyncio.create_task(followed(first))
        while not any(event["event"] == "remark" for event in first.events):
            assert not first.is_over, first.events
            await asyncio.sleep(0.02)
        await trainings.cancel(first)
        seen = await follower
        second = await trainings.start(SUBJECT)  # the place is free again
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
        return await followed(await Trainings(tmp_path, LiveLimits()).start(SUBJECT))

    assert asyncio.run(scene())[-1]["event"] == "failed"


@pytest.mark.parametrize(
    ("more", "place"),
    [({"minutes": 0}, "minutes"), ({"minutes": True}, "minutes"), ({"seeds": 99}, "seeds"),
     ({"train_to": 1}, "train_to"), ({"text": ""}, "text"), ({"kind": "data"}, "kind")],
)  # fmt: skip
def test_questions_are_checked(more: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError, match=place):
        read_question(SUBJECT | more, Path("runs"), LiveLimits())


def test_what_is_trained_is_never_a_file() -> None:
    program = {"kind": "program", "text": '#alphabet a b\nL = # "a" >= # "b"'}
    _, question = read_question(program, Path("runs"), LiveLimits())
    assert question["task"].startswith("crasp:#alphabet a b\n")
    automaton = {
        "kind": "automaton",
        "text": '{"alphabet": ["a"], "transitions": [[1], [0]], "accepting": [0]}',
    }
    _, question = read_question(automaton, Path("runs"), LiveLimits())
    assert question["task"].startswith('dfa:{"alphabet"')
