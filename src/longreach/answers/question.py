"""What is asked of a task, and what was measured to answer it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from longreach.answers.judge import MeasuredCell, RunFailure
from longreach.config.architectures import DECODER
from longreach.config.model import CellLabel
from longreach.errors import Argument, Field, InputError
from longreach.tasks.catalog import file_name, load_argument, self_contained
from longreach.tasks.lengths import LengthRange
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES

Problem: TypeAlias = tuple[str, str]
"""A field of a question, or its task, and what is wrong with it."""


def refuse(problems: Iterator[Problem]) -> None:
    """Refuse a question for the first of its problems."""
    for name, reason in problems:
        raise InputError(reason, place=Argument(name) if name == "task" else Field(name))


def time_problems(minutes: float) -> Iterator[Problem]:
    """What is wrong with a number of minutes."""
    if not math.isfinite(minutes):
        yield "minutes", f"must be finite, not {minutes}"
    if minutes < 0:
        yield "minutes", f"must be at least 0, not {minutes:g}"


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a task: what happens on longer inputs, or what would help there.

    >>> Question(task="aa", minutes=-1)
    Traceback (most recent call last):
    longreach.errors.InputError: minutes: must be at least 0, not -1
    """

    task: str
    """As it was asked for."""
    command: Literal["ask", "advise"] = "ask"
    alphabet: tuple[str, ...] | None = None
    encodings: tuple[str, ...] = PROGRAM_SIDES
    """That are measured."""
    minutes: float = 2.0
    """Of training; 0: theory alone."""
    seeds: int = 3
    train_to: int | None = None
    """The longest training length; None: that of the laptop's setting."""

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[Problem]:
        yield from time_problems(self.minutes)
        for name in ("seeds", "train_to"):
            value = getattr(self, name)
            if value is not None and value < 1:
                yield name, f"must be at least 1, not {value}"
        if not self.encodings:
            yield "encoding", "none is given"
        for encoding in self.encodings:
            label = CellLabel.read(encoding)
            if (wrong := label.problem) is not None:
                yield "encoding" if label.architecture == DECODER else "models", wrong
            if self.encodings.count(encoding) > 1:
                yield "encoding", f"{encoding!r} appears twice"

    @property
    def is_usual(self) -> bool:
        """Whether no other encodings were asked for than those that are measured where none is named."""
        return self.encodings in (PROGRAM_SIDES, ENCODING_SIDES)

    @property
    def rows(self) -> tuple[str, ...]:
        """The encodings that an answer speaks of: the usual ones also where only some are measured."""
        return ENCODING_SIDES if self.is_usual else self.encodings

    def document(self) -> dict[str, Any]:
        """What makes two questions the same, whatever the file that a task stands in is called."""
        return {
            "task": self_contained(self.task),
            "alphabet": None if self.alphabet is None else list(self.alphabet),
            **({"encodings": list(self.encodings)} if self.command == "ask" else {}),
            "minutes": self.minutes,
            "seeds": self.seeds,
            "train_to": self.train_to,
        }

    @property
    def file_stem(self) -> str:
        """How files about it are called, without their endings.

        >>> Question(task="aa").file_stem, Question(task="regex:(ab)*").file_stem
        ('ask-aa', 'ask-regex-ab-aa4b')
        """
        return f"{self.command}-{file_name(self.task, self.alphabet)}"

    def train_lengths(self, task: str) -> LengthRange | None:
        """The training range of the task or of a changed form of it; None: that of its setting."""
        if self.train_to is None:
            return None
        least = load_argument(task, self.alphabet).least_length
        if self.train_to <= least:
            message = f"{self.train_to} is not above the shortest input, of length {least}"
            raise InputError(message, place=Field("train_to"))
        return LengthRange(least, self.train_to)


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What was measured, and what was not for want of time."""

    cells: tuple[MeasuredCell, ...] = ()
    """The first training length, by encoding."""
    lengths: tuple[MeasuredCell, ...] = ()
    """Other training lengths of one encoding."""
    share: float = 1.0
    """Of the setting's steps."""
    seconds_for_all: float | None = None
    """About what all steps of the setting would take, where they did not fit."""
    more_lengths: bool = False
    """Whether there was no time for other training lengths that would have been tried."""
    lengths_failed: tuple[RunFailure, ...] = ()
    """Runs at other training lengths that ended with an error, and no more were tried."""
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all that was planned has ended, be it with an error."""
        ended = all(not cell.unfinished for cell in (*self.cells, *self.lengths))
        return ended and not self.more_lengths
