"""What is known of the tasks that a results directory names, found in a process of its own.

A name from a file can cost minutes or gigabytes; the process has some seconds and a limit of memory for each,
and is ended when they are used up.
"""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from longreach.errors import InputError
from longreach.execution.jobs import ExecutionError, Failure, Job
from longreach.execution.local import Crew, LocalEngine
from longreach.report.forecast_view import Known, known_of
from longreach.theory.names import TaskName

SECONDS = 3.0  # of computing for a task; proofs take some
SHORTER = 0.5  # where several tasks took too long; starting another process takes about as long
SLOW_TASKS = 3
PATIENCE = 10.0  # times as long, where the machine is busy
STARTING = 120.0
MEMORY = 4 * 2**30  # bytes of address space
MOST_EXPRESSION = 200  # characters
MOST_PROGRAM = 4_000
MOST_DEPTH = 40
_HERE = "longreach.report.outside"
_KNOWN = TypeAdapter(Known)


class Outside:
    """Asks for tasks one after the other; the process starts with the first.

    >>> with Outside() as outside:
    ...     outside.known("regex:(aa)*", None, "aa").answer("nope")
    'no'
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._given_up = 0
        self._crew = Crew(LocalEngine(workers=1, attempts=1))
        self._is_ready = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._crew.end()

    def known(
        self, name: str, alphabet: Sequence[str] | None, slug: str, models: Sequence[str] = ()
    ) -> Known:
        """What is known of a task; a note says why where nothing is."""
        if (problem := name_problem(name)) is not None:
            return without(problem)
        if not self._is_ready and self._ask("prepare", {}, STARTING) is not True:
            return hidden("the process that would find it does not start")
        self._is_ready = True
        seconds = self._seconds if self._given_up < SLOW_TASKS else min(self._seconds, SHORTER)
        asked = {"name": name, "alphabet": alphabet, "slug": slug, "models": models, "seconds": seconds}
        answer = self._ask("find", asked, PATIENCE * seconds)
        if answer is None:
            self._given_up += 1
            return hidden(f"it takes more than {seconds:g} s or too much memory")
        try:
            return _KNOWN.validate_python(answer)
        except ValidationError:
            return hidden("it could not be found")

    def _ask(self, function: str, config: dict[str, Any], seconds: float) -> Any:
        """The answer; None if the process has ended, or is ended because it took too long."""
        job = Job(key=function, function=f"{_HERE}:{function}", config=config)
        try:
            for _, answer in self._crew.outcomes([job], time.monotonic() + seconds):
                if not isinstance(answer, Failure) or answer.kind == "exception":
                    return answer
        except ExecutionError:  # it does not start
            pass
        self._crew.end()
        self._is_ready = False
        return None


def without(problem: str) -> Known:
    """A task of which nothing is known."""
    return Known(note=f"There is no forecast: {problem}.")


def hidden(why: str) -> Known:
    """A task of which something might be known."""
    return Known(note=f"The verdict is not shown: {why}. longreach forecast has more time for it.")


def name_problem(name: str) -> str | None:
    """Why a name from a file is not looked up: nothing is imported and no other file is read for it."""
    base = TaskName(name).base  # what is done to a task reads no file
    depth = re.fullmatch(r"d-([0-9]+)", base)
    if depth and (len(depth[1]) > 9 or int(depth[1]) > MOST_DEPTH):
        return f"brackets nested deeper than {MOST_DEPTH} are left to longreach forecast"
    if TaskName(name).has_alphabet:
        return "the expression is too long for a report" if len(name) > MOST_EXPRESSION else None
    if TaskName(name).is_text:
        what = "automaton" if TaskName(name).is_automaton else "program"
        return f"the {what} is too long for a report" if len(name) > MOST_PROGRAM else None
    if not re.fullmatch(r"[a-z0-9-]+", base):
        return "files and Python objects that a result names are not loaded"
    return None


def prepare(config: Mapping[str, Any]) -> bool:
    """In the process: all is imported, and memory is limited where that can be done."""
    if sys.platform != "win32":
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    known_of("aa", None, "aa")
    return True


def find(config: Mapping[str, Any]) -> Any:
    """In the process: what is known of a task; the system ends the process when its time is used up."""
    timed = hasattr(signal, "setitimer")
    alphabet = config["alphabet"]
    if timed:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, config["seconds"])
    try:
        letters = None if alphabet is None else tuple(alphabet)
        found = known_of(config["name"], letters, config["slug"], tuple(config["models"]))
    except InputError as error:
        found = without(error.about_argument)
    except (MemoryError, RecursionError):
        found = hidden("it takes too much memory")
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return _KNOWN.dump_python(found, mode="json")
