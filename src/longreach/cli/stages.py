"""What a long command is doing, on standard error: live in a terminal, a line now and then without one."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from longreach.cli.output import error_console, note, visible

FIRST_SECONDS, THEN_SECONDS = 5.0, 30.0
"""Without a terminal: when a stage is first spoken of, and how often after that."""


@contextlib.contextmanager
def stage(doing: str) -> Iterator[None]:
    """Around work that may take long.

    >>> with stage("compiling"):
    ...     pass
    """
    if sys.stderr is None:
        yield
    elif sys.stderr.isatty():
        with error_console().status(visible(doing).replace("[", "\\[")):
            yield
    else:
        with _lines(doing):
            yield


@contextlib.contextmanager
def _lines(doing: str) -> Iterator[None]:
    ended, began = threading.Event(), time.monotonic()

    def speak() -> None:
        wait = FIRST_SECONDS
        while not ended.wait(wait):
            note(f"{doing}: {time.monotonic() - began:.0f} s so far")
            wait = THEN_SECONDS

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
