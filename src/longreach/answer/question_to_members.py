"""Which members answer a question within its minutes: the laptop's setting, with fewer steps where needed.

First the same training length under every encoding, then other training lengths under the one that may work,
all tested on the same long inputs. Seeds come in rounds, so that whatever is done at the end of the time has
something of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from longreach.answer.question import Question
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError
from longreach.experiments.resolve import resolve
from longreach.tasks.catalog import load_argument

SHARES = (1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05)
"""Of the setting's steps: the largest with which everything fits."""
LEAST_STEPS = 100
SHORTER = (0.8, 0.6, 0.4)
"""Training lengths to try where a task works, as shares of the length that it works at."""
LONGER = (1.5, 2.0)
"""Training lengths to try where it does not; below the tested ones, which begin after twice it."""


def first_members(question: Question, share: float) -> list[TrainConfig]:
    """A member for each seed and encoding, with this share of the setting's steps.

    >>> [member.encoding for member in first_members(Question(task="aa", seeds=2), 1.0)]
    ['nope', 'ape', 'nope', 'ape']
    >>> first_members(Question(task="aa"), 0.5)[0].max_steps
    1500
    """
    return [
        _member(question, encoding, seed, share)
        for seed in range(question.seeds)
        for encoding in question.encodings
    ]


def _member(question: Question, encoding: str, seed: int, share: float) -> TrainConfig:
    usual = resolve(
        question.task,
        encoding,
        scale="laptop",
        alphabet=question.alphabet,
        seed=seed,
        train_lengths=_lengths(question),
    )
    if share == 1.0:
        return usual  # as `longreach train` has it: what is done there is done here
    steps = max(LEAST_STEPS, 100 * round(share * usual.max_steps / 100))
    given = {"max_steps": steps, "evaluate_every": steps, "warmup": int(share * usual.warmup)}
    return TrainConfig.read({**usual.document(), **given})


def _lengths(question: Question) -> LengthRange | None:
    if question.train_to is None:
        return None
    least = load_argument(question.task, question.alphabet).least_length
    if question.train_to < least:
        message = f"{question.train_to} is less than the shortest input, of length {least}"
        raise InputError(message, place=Field("train_to"))
    return LengthRange(least, question.train_to)


def other_lengths(member: TrainConfig, *, works: bool) -> tuple[int, ...]:
    """The training lengths to try besides a member's own: shorter ones where it works, longer ones otherwise.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> other_lengths(member, works=True), other_lengths(member, works=False)
    ((16, 12, 8), (30, 40))
    """
    own, least, tested = member.train_lengths.last, member.train_lengths.first, member.test_lengths[-1]
    wanted = [int(share * own) for share in (SHORTER if works else LONGER)]
    return tuple(length for length in dict.fromkeys(wanted) if least < length < tested.first)


def trained_to(member: TrainConfig, length: int) -> TrainConfig:
    """The same member trained to another length, and tested on the longest of the same inputs.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> [each.name for each in trained_to(member, 8).ranges]
    ['2-8', '41-60']
    """
    lengths = LengthRange(member.train_lengths.first, length)
    given = {"train_lengths": list(lengths), "test_lengths": [list(member.test_lengths[-1])]}
    return TrainConfig.read({**member.document(), **given})


def largest_share(
    question: Question, seconds: float, cost: Callable[[Sequence[TrainConfig]], float]
) -> float:
    """The largest share of steps with which the first members take no more than these seconds.

    >>> largest_share(Question(task="aa"), 60, lambda members: sum(each.max_steps for each in members) / 100)
    0.35
    """
    for share in SHARES:
        if cost(first_members(question, share)) <= seconds:
            return share
    return SHARES[-1]


def in_rounds(members: Iterable[Sequence[TrainConfig]]) -> list[TrainConfig]:
    """The first of each sequence, then the second of each, and so on."""
    columns = [list(each) for each in members]
    longest = max(map(len, columns), default=0)
    return [column[row] for row in range(longest) for column in columns if row < len(column)]
