"""The live report on a port of this machine, for as long as a test needs it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.report.web.workers import LiveLimits

STARTING = 60.0


@dataclass(frozen=True)
class Answer:
    """A status, headers and a body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True)
class LiveServer:
    """Where it listens."""

    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def send(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request; in names of headers an underscore stands for a hyphen."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            found = connection.getresponse()
            return Answer(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read())
        finally:
            connection.close()

    def post(self, path: str, document: Any, **headers: str) -> Answer:
        """A JSON document."""
        body = json.dumps(document).encode()
        return self.send("POST", path, body, content_type="application/json", **headers)

    def part(self, name: str, **document: Any) -> Answer:
        """One part of the playground."""
        return self.post(f"/api/parts/{name}", document)


@contextmanager
def live_server(runs: Path, limits: LiveLimits | None = None) -> Iterator[LiveServer]:
    """Started and ended as `longreach serve` does."""
    from longreach.report.web.app import LiveServer as Server

    server = Server(runs, limits=limits)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + STARTING
    while not server.started:
        assert time.monotonic() < until, "the server does not start"
        assert thread.is_alive(), "the server ended"
        time.sleep(0.02)
    try:
        yield LiveServer(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(STARTING)
