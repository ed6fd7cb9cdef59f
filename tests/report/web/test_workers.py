"""Processes that answer calls: what they answer, whatever happens to them."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
from typing import Any

import pytest

from longreach.report.web import playground as playground_parts
from longreach.report.web import workers as worker_pool
from longreach.report.web.worker import answer, serve_calls
from longreach.report.web.workers import LiveLimits, Reply, WorkerPool

CALL = {"kind": "regex", "text": "(aa)*"}


def test_a_process_that_is_killed_is_replaced() -> None:
    async def scene() -> list[Reply]:
        async with WorkerPool(LiveLimits(workers=1, seconds=60)).running() as pool:
            first = await pool.call("verdicts", CALL)
            process = pool._workers[0]._process
            assert process is not None
            os.kill(process.pid, signal.SIGKILL)
            lost = await pool.call("verdicts", CALL)
            return [first, lost, await pool.call("verdicts", CALL)]

    first, lost, again = asyncio.run(scene())
    assert first.status == again.status == 200
    assert first.document == again.document
    assert lost.status in (200, 500)  # 200 where the loss was seen before the call


def test_calls_beyond_the_queue_are_refused() -> None:
    async def scene() -> list[int]:
        async with WorkerPool(LiveLimits(workers=1, waiting=2, seconds=60)).running() as pool:
            await pool.call("verdicts", CALL)  # the process has started
            replies = await asyncio.gather(*(pool.call("verdicts", CALL) for _ in range(8)))
            return [reply.status for reply in replies]

    statuses = asyncio.run(scene())
    assert statuses.count(503) == 5  # one is answered, two wait
    assert statuses.count(200) == 3


def test_whoever_goes_away_leaves_no_answer_for_the_next() -> None:
    async def scene() -> Reply:
        async with WorkerPool(LiveLimits(workers=1, seconds=60)).running() as pool:
            await pool.call("verdicts", CALL)  # the process has started
            gone = asyncio.create_task(pool.call("verdicts", {"kind": "regex", "text": "(ab)*"}))
            while not pool._idle.empty():
                await asyncio.sleep(0)
            gone.cancel()
            with pytest.raises(asyncio.CancelledError):
                await gone
            return await pool.call("verdicts", CALL)

    assert asyncio.run(scene()).document["title"] == "(aa)*"


def test_after_a_call_that_took_too_long_one_that_is_warm_is_chosen() -> None:
    async def scene() -> tuple[Reply, int, int]:
        async with WorkerPool(LiveLimits(workers=2, seconds=60)).running() as pool:
            await pool.call("verdicts", CALL)
            both = [pool.call("verdicts", CALL), pool.call("verdicts", {"kind": "regex", "text": "(ab)*"})]
            await asyncio.gather(*both)
            await asyncio.gather(*pool._mending)  # both have started
            pool.limits = LiveLimits(workers=2, seconds=0.05)
            for worker in pool._workers:
                worker._limits = pool.limits
            slow = await pool.call("profile", {"kind": "regex", "text": "(a|b)*a(a|b){7}"})
            mending, idle = len(pool._mending), pool._idle.qsize()
            await asyncio.gather(*pool._mending)
            assert pool._idle.qsize() == 2
            assert all(worker.is_ready for worker in pool._workers)
            return slow, mending, idle

    slow, mending, idle = asyncio.run(scene())
    assert slow.status == 408
    assert (mending, idle) == (1, 1)


def test_nobody_waits_for_a_process_to_start_while_another_can_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scene() -> list[int]:
        async with WorkerPool(LiveLimits(workers=2, seconds=60)).running() as pool:
            await pool.call("verdicts", CALL)
            (cold,) = (worker for worker in pool._workers if not worker.is_ready)
            monkeypatch.setattr(cold, "_started", asyncio.Event().wait)  # it never does
            calls = asyncio.gather(*(pool.call("verdicts", CALL) for _ in range(5)))
            replies = await asyncio.wait_for(calls, 60)
            assert len(pool._mending) == 1  # yet it was asked to
            return [reply.status for reply in replies]

    assert asyncio.run(scene()) == [200] * 5


def test_a_call_whose_caller_goes_away_while_it_waits_is_never_begun() -> None:
    async def scene() -> int:
        async with WorkerPool(LiveLimits(workers=1, seconds=60)).running() as pool:
            gone = asyncio.create_task(pool.call("verdicts", CALL))  # the process has not started yet
            await asyncio.sleep(0)
            assert pool._waiting == 1
            gone.cancel()
            with pytest.raises(asyncio.CancelledError):
                await gone
            return pool._waiting

    assert asyncio.run(scene()) == 0


def test_a_process_that_does_not_start_is_said_to_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "MODULE", "longreach.errors")  # ends at once and greets nobody

    async def scene() -> Reply:
        async with WorkerPool(LiveLimits(workers=1, seconds=60)).running() as pool:
            return await pool.call("verdicts", CALL)

    reply = asyncio.run(scene())
    assert reply.status == 500
    assert "was lost" in reply.document["error"]


MESSAGE = {"part": "verdicts", "document": {"kind": "regex", "text": "(aa)*"}}


@pytest.mark.parametrize(
    ("error", "status"), [(MemoryError(), 413), (RecursionError(), 413), (KeyError("x"), 500)]
)
def test_what_goes_wrong_is_a_status(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(part: str, document: Any) -> None:
        raise error

    monkeypatch.setattr(playground_parts, "part_of", fails)
    found = answer(MESSAGE)
    assert found["status"] == status
    assert found["document"]["error"]
    assert capsys.readouterr().out == ""


def test_calls_are_answered_line_by_line() -> None:
    bad = {"part": "verdicts", "document": {"kind": "regex", "text": "(a"}}
    calls, answers = (
        io.StringIO("".join(json.dumps(each) + "\n" for each in (MESSAGE, bad, MESSAGE))),
        io.StringIO(),
    )
    serve_calls(calls, answers)
    found = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert [each["status"] for each in found] == [200, 422, 200]
    assert found[0] == found[2]
