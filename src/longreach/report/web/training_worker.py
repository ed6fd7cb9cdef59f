"""What trains, in a process of its own: how it goes on leaves as lines of JSON on standard output.

An interrupt ends it as Ctrl-C ends `longreach ask`: with what there is.
"""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError
from longreach.report.words import encoding_name
from longreach.training.result import progress_of

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.training.result import Result

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
        """Tell now and then at which step each member is."""
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
    known = member.document()
    shown = {name: known.get(name) for name in ("encoding", "seed", "max_steps")}
    return shown | {"step": step, "title": encoding_name(str(known.get("encoding")))}


def main() -> None:
    """The question comes as one line of JSON on standard input."""
    from longreach.answers.ask import ask, blocks, judgement_words

    answers, lock = sys.stdout, threading.Lock()
    sys.stdout = sys.stderr
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
    said = [
        {"question": block.question, "lines": [vars_of(line) for line in block.lines]}
        for block in blocks(found, GO_ON)
    ]
    write(
        {
            "event": "cancelled" if measured.interrupted else "done",
            "finished": sum(cell.tally.runs for cell in (*measured.cells, *measured.lengths)),
            "answers": said,
            "judgement": " ".join(judgement_words(found)),
        }
    )


def vars_of(line: Any) -> dict[str, str]:
    """The fields of a line of an answer."""
    return {name: getattr(line, name) for name in ("label", "says", "basis", "measured")}


if __name__ == "__main__":
    main()
