"""What is asked: a task, under which encodings, with how many seeds, within how many minutes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from longreach.config.encoding_table import unknown_encoding
from longreach.errors import Field, InputError
from longreach.tasks.catalog import self_contained
from longreach.tasks.task_to_name import file_name


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question, checked.

    >>> Question(task="aa").file_stem, Question(task="aa", minutes=-1)
    Traceback (most recent call last):
    longreach.errors.InputError: minutes: -1 is less than 0
    """

    task: str
    """As it was asked for."""
    alphabet: tuple[str, ...] | None = None
    encodings: tuple[str, ...] = ("nope", "ape")
    minutes: float = 2.0
    """Of measuring; 0: the forecast alone."""
    seeds: int = 3
    train_to: int | None = None
    """The longest training length; None: that of the laptop's setting."""

    def __post_init__(self) -> None:
        check_minutes(self.minutes)
        if self.seeds < 1:
            raise InputError(f"{self.seeds} is less than 1", place=Field("seeds"))
        if self.train_to is not None and self.train_to < 1:
            raise InputError(f"{self.train_to} is less than 1", place=Field("train_to"))
        if not self.encodings:
            raise InputError("none is given", place=Field("encoding"))
        for name in self.encodings:
            if (wrong := unknown_encoding(name)) is not None:
                raise InputError(wrong, place=Field("encoding"))
            if self.encodings.count(name) > 1:
                raise InputError(f"{name!r} stands twice", place=Field("encoding"))

    def document(self) -> dict[str, Any]:
        """What makes two questions the same, whatever the file that a task stands in is called."""
        return {
            "task": self_contained(self.task),
            "alphabet": None if self.alphabet is None else list(self.alphabet),
            "encodings": list(self.encodings),
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
        return f"ask-{file_name(self.task, self.alphabet)}"


def check_minutes(minutes: float) -> None:
    """Refuse what is no time."""
    if not math.isfinite(minutes):
        raise InputError(f"{minutes} is no number of minutes", place=Field("minutes"))
    if minutes < 0:
        raise InputError(f"{minutes:g} is less than 0", place=Field("minutes"))
