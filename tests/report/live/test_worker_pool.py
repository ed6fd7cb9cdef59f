"""Processes that answer calls: ended when they take too long, lost ones replaced."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from longreach.report.live.live_limits import LiveLimits
from longreach.report.live.worker_pool import Reply, WorkerPool

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


def test_a_process_without_room_to_start_is_said_to_be_lost() -> None:
    async def scene() -> Reply:
        limits = LiveLimits(workers=1, seconds=60, memory=64 << 20)
        async with WorkerPool(limits).running() as pool:
            return await pool.call("verdicts", CALL)

    reply = asyncio.run(scene())
    assert reply.status == 500
    assert "was lost" in reply.document["error"]
