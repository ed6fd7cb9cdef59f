"""Which members try a remedy: the original and the changed task with the same shape, steps and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.advice.remedy import Remedy
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError
from longreach.experiments.resolve import resolve
from longreach.experiments.timed_training import usual_member, with_share
from longreach.tasks.catalog import load_argument, self_contained
from longreach.tasks.task_to_name import file_name

SAME = (
    "layers", "heads", "width", "lr", "batch", "max_steps", "warmup", "schedule", "evaluate_every",
    "test_size", "log_length",
)  # fmt: skip
"""What the original has as its first remedy does, so that the change alone makes the difference."""


@dataclass(frozen=True, kw_only=True)
class AdviceQuestion:
    """What is asked: a task, how many seeds, within how many minutes.

    >>> AdviceQuestion(task="parity", seeds=0)
    Traceback (most recent call last):
    longreach.errors.InputError: seeds: 0 is less than 1
    """

    task: str
    alphabet: tuple[str, ...] | None = None
    minutes: float = 5.0
    """Of trying; 0: theory and measured sparsity alone."""
    seeds: int = 2
    train_to: int | None = None
    """The longest training length; None: that of the laptop's setting of the remedy."""

    def __post_init__(self) -> None:
        if not 0 <= self.minutes < float("inf"):
            raise InputError(f"{self.minutes:g} is no number of minutes", place=Field("minutes"))
        if self.seeds < 1:
            raise InputError(f"{self.seeds} is less than 1", place=Field("seeds"))
        if self.train_to is not None and self.train_to < 1:
            raise InputError(f"{self.train_to} is less than 1", place=Field("train_to"))

    @property
    def file_stem(self) -> str:
        """How files about it are called, without their endings.

        >>> AdviceQuestion(task="parity").file_stem
        'advise-parity'
        """
        return f"advise-{file_name(self.task, self.alphabet)}"

    def document(self) -> dict[str, Any]:
        """What makes two questions the same, whatever the file that a task stands in is called."""
        return {
            "task": self_contained(self.task),
            "alphabet": None if self.alphabet is None else list(self.alphabet),
            "minutes": self.minutes,
            "seeds": self.seeds,
            "train_to": self.train_to,
        }


def original_encoding(remedies: Sequence[Remedy], task: str) -> str:
    """Under which encoding the original is trained: without positions where these are the remedy.

    >>> from longreach.advice.task_to_remedies import remedies
    >>> from longreach.forecast import forecast
    >>> [original_encoding(remedies(forecast(name)), name) for name in ("aa", "parity")]
    ['nope', 'ape']
    """
    return "nope" if any(each.task == task and each.encoding == "ape" for each in remedies) else "ape"


def remedy_members(question: AdviceQuestion, remedy: Remedy, share: float) -> list[TrainConfig]:
    """A member for each seed, with this share of the setting's steps."""
    first = usual_member(
        remedy.task,
        remedy.encoding,
        alphabet=question.alphabet,
        train_lengths=_lengths(question, remedy.task),
        predict_ids=remedy.predict_ids or None,
    )
    return [with_share(first.with_seed(seed), share) for seed in range(question.seeds)]


def original_members(question: AdviceQuestion, encoding: str, like: TrainConfig) -> list[TrainConfig]:
    """The original in the shape of a remedy's member, of as many steps, trained to the same length.

    `like` has its share of steps already.

    >>> from longreach.advice.task_to_remedies import remedies
    >>> from longreach.forecast import forecast
    >>> question = AdviceQuestion(task="copy-repeat")
    >>> like = remedy_members(question, remedies(forecast("copy-repeat"))[0], 1.0)[0]
    >>> member = original_members(question, "ape", like)[0]
    >>> member.train_lengths == like.train_lengths, member.max_steps == like.max_steps
    (True, True)
    """
    task = load_argument(question.task, question.alphabet)
    lengths = LengthRange(task.least_length, max(like.train_lengths.last, task.least_length))
    first = resolve(
        question.task,
        encoding,
        scale="laptop",
        alphabet=question.alphabet,
        train_lengths=lengths,
        test_lengths=like.test_lengths,
        **{name: getattr(like, name) for name in SAME},
    )
    return [first.with_seed(seed) for seed in range(question.seeds)]


def _lengths(question: AdviceQuestion, name: str) -> LengthRange | None:
    if question.train_to is None:
        return None
    least = load_argument(name, question.alphabet).least_length
    if question.train_to <= least:
        message = f"{question.train_to} is not above the shortest input, of length {least}"
        raise InputError(message, place=Field("train_to"))
    return LengthRange(least, question.train_to)
