"""The server itself: what it serves ends first, so that it ends at once and without complaint."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from pathlib import Path

import uvicorn

from longreach.report.live.live_app import LOOPBACK, make_app
from longreach.report.live.live_limits import LiveLimits

ENDING = 5
"""Seconds that connections have to close."""


class LiveServer(uvicorn.Server):
    """Waits for no stream when it ends."""

    def __init__(
        self, runs: Path, hosts: Iterable[str] = LOOPBACK, *, limits: LiveLimits | None = None
    ) -> None:
        self._closing = asyncio.Event()
        bounds = limits or LiveLimits()
        app = make_app(runs, hosts=hosts, limits=bounds, closing=self._closing)
        super().__init__(
            uvicorn.Config(
                app, port=0, log_level="warning", server_header=False,
                timeout_graceful_shutdown=ENDING, limit_concurrency=bounds.connections,
            )
        )  # fmt: skip

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams and calls, then connections, then trainings and workers."""
        self._closing.set()
        await super().shutdown(sockets)
