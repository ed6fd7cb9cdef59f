"""What runs in processes of their own: calls of the playground, and trainings.

Both read and write lines of JSON on standard input and output. A training says how it goes on; an interrupt
ends it as Ctrl-C ends `longreach ask`: with the results so far.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from longreach.errors import InputError
from longreach.execution.worker import end_at_once

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.training.result import Result

BAD_INPUT, TOO_LARGE, BROKEN = 422, 413, 500


def answer(message: Any) -> dict[str, Any]:
    """The answer to one call: a status as of HTTP, and a document.

    >>> answer({"part": "verdicts", "document": {"kind": "regex", "text": "(a"}})["status"]
    422
    """
    from longreach.report.web.playground import part_of
    from longreach.report.web.subject import plain_message

    try:
        return {"status": 200, "document": part_of(message["part"], message["document"])}
    except InputError as error:
        found: dict[str, Any] = {"error": plain_message(error)}
        if error.column is not None:
            found["column"] = error.column
        return {"status": BAD_INPUT, "document": found}
    except (MemoryError, RecursionError):
        return {"status": TOO_LARGE, "document": {"error": "too large to be looked at here"}}
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return {"status": BROKEN, "document": {"error": f"a mistake of ours: {type(error).__name__}"}}


def serve_calls(calls: TextIO, answers: TextIO) -> None:
    """Answer calls until there are no more."""
    for line in calls:
        answers.write(json.dumps(answer(json.loads(line)), ensure_ascii=True) + "\n")
        answers.flush()


TELL_SECONDS = 0.5
GO_ON = "train again to go on"


class Teller:
    """A watcher that writes a line for whatever happens."""

    ended_by = "Cancel"

    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        self._write = write

    @contextlib.contextmanager
    def watch(
        self, waiting: Sequence[RunConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        """Tell now and then at which step each run is."""
        from longreach.training.result import progress_of

        over, ended = set[str](), threading.Event()
        members = {member.key: member for member in waiting}

        def write() -> None:
            at = {key: found for key in members if key not in over and (found := progress_of(runs / key))}
            running = [_stand(members[key], found["step"]) for key, found in at.items()]
            done = total - len(waiting) + len(over)
            self._write({"event": "progress", "done": done, "total": total, "running": running})

        def tell() -> None:
            while not ended.wait(TELL_SECONDS):
                write()
            write()  # with the last that finished

        def finished(result: Result) -> None:
            over.add(result.key)

        thread = threading.Thread(target=tell, daemon=True)
        thread.start()
        try:
            yield finished
        finally:
            ended.set()
            thread.join()

    def say(self, remark: str) -> None:
        """A remark for people."""
        self._write({"event": "remark", "text": remark})


def _stand(member: RunConfig, step: int) -> dict[str, Any]:
    from longreach.report.words import encoding_name

    known = member.document()
    shown = {name: known.get(name) for name in ("encoding", "seed", "max_steps")}
    return shown | {"step": step, "title": encoding_name(str(known.get("encoding")))}


def train(answers: TextIO) -> None:
    """Answer one question, and say how its training goes on."""
    from longreach.answers.ask import ask, blocks, judgement_words

    lock = threading.Lock()
    # A server that was started in the background of a shell ignores interrupts, and so would we.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    def write(event: dict[str, Any]) -> None:
        with lock:
            answers.write(json.dumps(event) + "\n")
            answers.flush()

    question = json.loads(sys.stdin.readline())
    # Of data, not of addresses: graphics cards map far more of those than there is memory.
    resource.setrlimit(resource.RLIMIT_DATA, (question["memory"], question["memory"]))
    try:
        found = ask(
            question["task"],
            question["alphabet"],
            encodings=tuple(question["encodings"]),
            minutes=question["minutes"],
            seeds=question["seeds"],
            train_to=question["train_to"],
            runs=question["runs"],
            progress=Teller(write),
        )
    except InputError as error:
        write({"event": "failed", "error": error.message})
        return
    except KeyboardInterrupt:
        write({"event": "cancelled"})
        return
    except MemoryError:
        write({"event": "failed", "error": "too large to be trained here"})
        return
    measured = found.measurement
    write(
        {
            "event": "cancelled" if measured.interrupted else "done",
            "finished": sum(cell.tally.runs for cell in (*measured.cells, *measured.lengths)),
            "answers": [asdict(block) for block in blocks(found, GO_ON)],
            "judgement": " ".join(judgement_words(found)),
        }
    )


def call(answers: TextIO, memory: int) -> None:
    """Answer calls of the playground with so many bytes of address space; no file is written."""
    for what, limit in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        resource.setrlimit(what, (limit, limit))
    from longreach.report.web import playground as playground_parts  # noqa: F401 (loaded before the first call)

    answers.write("ready\n")
    answers.flush()
    serve_calls(sys.stdin, answers)


LOOK_MILLISECONDS = 1000
PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """End this process once the server has ended, in whatever way.

    A thread sees that the server is gone or has closed its end of the pipe. Linux also sends a signal, which
    reaches code that does not let other threads run.
    """
    parent, calls = os.getppid(), select.poll()
    calls.register(sys.stdin, 0)  # for its end only

    def watch() -> None:
        while os.getppid() == parent and not calls.poll(LOOK_MILLISECONDS):
            pass
        end_at_once()

    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=watch, daemon=True).start()


def main(*memory: str) -> None:
    """With the bytes of memory as the only argument: calls; without: a training."""
    end_with_parent()
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever prints does not disturb the answers
    if memory:
        call(answers, int(memory[0]))
    else:
        train(answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
