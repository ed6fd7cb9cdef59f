"""The shape that all engines share: jobs go in, (key, answer or failure) come out as they finish."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from longreach.config.keys import canonical_json, job_key
from longreach.errors import InputError

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


class ExecutionError(InputError):
    """The engine itself cannot go on, whatever the jobs are."""


@dataclass(frozen=True)
class Job:
    """One call of a function, by name, with a configuration that JSON can hold.

    The function is called with the configuration and, if the job has a directory, with its path; what it
    returns must be JSON or a pydantic model.

    >>> Job.of("longreach.tasks:train", {"task": "parity", "seed": 0}).key
    '9fa078c87fdbacac'
    """

    key: str
    function: str
    """As in "package.module:function"."""
    config: dict[str, Any]
    directory: Path | None = None
    """Where the job may keep its checkpoints; it is made before the call."""

    def __post_init__(self) -> None:
        if not _FUNCTION.fullmatch(self.function):
            raise InputError(f"{self.function!r}: a function is named as in package.module:function")
        if self.function.startswith("__main__:"):
            raise InputError(f"{self.function!r}: other processes cannot find it; put it into a module")
        canonical_json(self.config)

    @classmethod
    def of(cls, function: str, config: dict[str, Any]) -> Job:
        """The job with the key that belongs to its configuration."""
        return cls(job_key(config), function, config)


@dataclass(frozen=True)
class Failure:
    """Why a job has no answer."""

    kind: Literal["exception", "crash", "timeout"]
    message: str
    """One line."""
    details: str = ""
    """A traceback, or the end of what the process wrote on standard error."""
    seconds: float = 0.0


Answer: TypeAlias = Any
"""What a job's function returned, as JSON."""
Outcome: TypeAlias = tuple[str, Answer | Failure]


class Engine(Protocol):
    """Runs jobs in some order; closing the generator ends those that run."""

    @property
    def parallel(self) -> int:
        """How many jobs run at a time."""
        ...

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes.

        At the deadline, a time of `time.monotonic`, no job starts any more and those that run are ended.
        """
        ...


def is_over(deadline: float | None) -> bool:
    """Whether the time is over.

    >>> is_over(None), is_over(time.monotonic() - 1)
    (False, True)
    """
    return deadline is not None and time.monotonic() >= deadline
