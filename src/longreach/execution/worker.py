"""A worker process: takes jobs as lines of JSON on its standard input and answers in lines of JSON.

It runs as a script and imports only the standard library, so that a job decides what else is loaded.
First comes `{"path": […]}`, where to find modules; then `{"key", "function", "config", "directory"}` per job.
Answers: `{"started": key}`, then `{"key", "result"}` or `{"key", "error", "details"}`.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import queue
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any


def main() -> None:
    """Works until the standard input ends or the process is killed."""
    requests, answers = _private_pipes()
    faulthandler.enable()
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()
    sys.path[:] = inbox.get()["path"]
    while True:
        message = inbox.get()
        _answer(answers, json.dumps({"started": message["key"]}))
        answer = perform(message)
        sys.stdout.flush()
        _answer(answers, answer)


def _private_pipes() -> tuple[int, int]:
    """Take the pipes away from the jobs: what they print goes to standard error, and they read nothing."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):
        # Otherwise a process that a job forked would keep the pipes open when this one has died.
        os.register_at_fork(after_in_child=lambda: os.closerange(requests, requests + 1))
        os.register_at_fork(after_in_child=lambda: os.closerange(answers, answers + 1))
    return requests, answers


def _listen(requests: int, inbox: queue.SimpleQueue[Any]) -> None:
    rest = b""
    while chunk := os.read(requests, 1 << 16):
        *lines, rest = (rest + chunk).split(b"\n") if b"\n" in chunk else (rest + chunk,)
        for line in lines:
            inbox.put(json.loads(line))
    end_at_once()  # the driver is gone; nobody wants this answer


def end_at_once() -> None:
    """End this process and, where it leads a group, all that it has started."""
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _answer(answers: int, text: str) -> None:
    rest = memoryview(f"{text}\n".encode("utf-8", "backslashreplace"))
    while rest:
        rest = rest[os.write(answers, rest) :]


def perform(message: dict[str, Any]) -> str:
    """Run one job; the answer as a line of JSON.

    >>> perform({"key": "k", "function": "math:sqrt", "config": 9, "directory": None})
    '{"key": "k", "result": 3.0}'
    """
    key = json.dumps(message["key"])
    try:
        arguments = [message["config"]]
        if message["directory"] is not None:
            arguments.append(Path(message["directory"]))
            arguments[1].mkdir(parents=True, exist_ok=True)
        value = _resolve(message["function"])(*arguments)
        # A pydantic model says itself how it is written.
        text = value.model_dump_json() if hasattr(value, "model_dump_json") else _json(value)
        return f'{{"key": {key}, "result": {text}}}'
    except BaseException as error:  # a job that calls sys.exit has failed, too
        summary = " ".join(traceback.format_exception_only(error)[-1].split())
        details = "".join(traceback.format_exception(error))
        return json.dumps({"key": message["key"], "error": summary, "details": details})


def _json(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the job returned what JSON cannot hold: {error}") from None


def _resolve(path: str) -> Any:
    module, _, name = path.partition(":")
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


if __name__ == "__main__":
    main()
