"""Connections of the live server: no client can hold it by sending or reading slowly, or by opening many."""

from __future__ import annotations

import asyncio
import json
import math
from typing import cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from longreach.report.web.workers import LiveLimits

TOO_SLOW = 408


class Connection(H11Protocol):
    """A connection on which a request, headers included, has to arrive within a time limit.

    When there are too many connections of one client, or of all, the one that has waited longest for the rest
    of a request gives way to the new one.
    """

    limits = LiveLimits()
    _timer: asyncio.TimerHandle | None = None
    """Set while the client has to send a request, or to read an answer."""
    _unread = math.inf
    """Bytes of an answer that the client had not read when the time was last over."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Make room for it, and begin to wait for a request."""
        super().connection_made(transport)
        everybody = cast(set[Connection], self.connections)
        own = [each for each in everybody if each.client and self.client and each.client[0] == self.client[0]]
        if len(own) > self.limits.per_client and not _drop_one(own):
            self.limit_concurrency = 0  # its request is answered with 503
        if len(everybody) >= self.limits.connections:
            _drop_one(list(everybody))
        self._start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Stop waiting when the request is complete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        self._stop()
        self._unread = math.inf
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        """Go on: the client has read enough."""
        super().resume_writing()
        self._unread = math.inf
        self._look()

    def _look(self) -> None:
        arriving = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if not (arriving or self.flow.write_paused or self.transport.is_closing()):
            self._stop()
        elif self._timer is None:
            self._start()

    def _start(self) -> None:
        self._timer = self.loop.call_later(self.limits.reading, self._is_late)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_late(self) -> None:
        unread = self.transport.get_write_buffer_size()
        partial = self.conn.their_state is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        if 0 < unread < self._unread:  # the client is still reading the last answer
            self._unread = unread
            self._start()
        elif partial and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse()
            self._start()  # for a client that does not read it
        else:
            self.transport.abort()

    def _refuse(self) -> None:
        body = json.dumps({"error": "the request did not arrive in time"}).encode()
        about = {"content-type": "application/json", "content-length": f"{len(body)}", "connection": "close"}
        answer = h11.Response(status_code=TOO_SLOW, headers=list(about.items()), reason=b"Request Timeout")
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        if self.cycle is not None:  # what it answers would come after this
            self.cycle.disconnected = True
        self.transport.close()


def _drop_one(connections: list[Connection]) -> bool:
    """Close the one that has waited longest for a request, unless all of them are being answered."""
    waiting = [(each._timer.when(), each) for each in connections if each._timer is not None]
    if not waiting:
        return False
    _, oldest = min(waiting, key=lambda pair: pair[0])
    oldest.connections.discard(oldest)
    oldest.transport.abort()
    return True
