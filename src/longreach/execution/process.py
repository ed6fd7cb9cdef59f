"""One worker process as its driver sees it: send a job, hear lines, end it with all it has started."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from longreach.execution.jobs import ExecutionError

WORKER = Path(__file__).with_name("worker.py")
TAIL = 4000  # bytes of standard error that are kept for a report
PATIENCE = 2.0  # seconds for a process to be gone after it has closed its pipe, or has been killed

Event: TypeAlias = "tuple[WorkerProcess, bytes | None]"
"""A worker and a line that it has written, or None when it has ended."""


class WorkerProcess:
    """A running worker. Two threads listen to it, so that it never waits for its driver."""

    def __init__(self, environment: Mapping[str, str], events: queue.SimpleQueue[Event]) -> None:
        command = [sys.executable, "-P", str(WORKER)]
        try:
            # A session of its own: Ctrl-C reaches only the driver, and the worker ends with what it started.
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=dict(environment), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ExecutionError(f"a worker process cannot be started: {error.strerror or error}") from None
        self._events = events
        self._tail = b""
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._listen, self._drain)
        ]
        for thread in self._threads:
            thread.start()
        self.send({"path": [os.path.abspath(entry) for entry in sys.path]})

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a line of JSON; if the worker is dead, its end is an event of its own."""
        stream = self.process.stdin
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.write(json.dumps(message).encode() + b"\n")
            stream.flush()

    def kill(self) -> None:
        """End the process at once, and all that it has started."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()

    def close(self) -> None:
        """Kill it and let go of what belongs to it."""
        self.kill()
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)

    @property
    def end(self) -> str:
        """How it has ended."""
        code = self.process.returncode
        if code is None:
            return "did not end"
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"

    @property
    def tail(self) -> str:
        """The end of what it has written on standard error."""
        return self._tail.decode("utf-8", "replace").strip()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with stream:
            for line in stream:
                if line.endswith(b"\n"):  # else it died in the middle of a line
                    self._events.put((self, line))
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        self._events.put((self, None))

    def _drain(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._tail = (self._tail + chunk)[-TAIL:]
