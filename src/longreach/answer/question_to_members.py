"""Which members answer a question within its minutes: the laptop's setting, with fewer steps where needed.

First the same training length under every encoding, seeds in rounds, so that whatever is done at the end of
the time has something of everything; then other training lengths under the one that may work, one after the
other, all tested on the same long inputs.
"""

from __future__ import annotations

from longreach.answer.question import Question
from longreach.answer.threshold_rule import Doubling
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError
from longreach.experiments.timed_training import usual_member, with_share
from longreach.tasks.catalog import load_argument

WITHIN = 10
"""The tenth part of the first training length: the answer need not be nearer."""


def first_members(question: Question, share: float) -> list[TrainConfig]:
    """A member for each seed and encoding, with this share of the setting's steps.

    >>> [member.encoding for member in first_members(Question(task="aa", seeds=2), 1.0)]
    ['nope', 'ape', 'nope', 'ape']
    >>> first_members(Question(task="aa"), 0.5)[0].max_steps
    500
    """
    return [
        _member(question, encoding, seed, share)
        for seed in range(question.seeds)
        for encoding in question.encodings
    ]


def _member(question: Question, encoding: str, seed: int, share: float) -> TrainConfig:
    usual = usual_member(
        question.task,
        encoding,
        alphabet=question.alphabet,
        seed=seed,
        train_lengths=_lengths(question),
    )
    return with_share(usual, share)


def _lengths(question: Question) -> LengthRange | None:
    if question.train_to is None:
        return None
    least = load_argument(question.task, question.alphabet).least_length
    if question.train_to < least:
        message = f"{question.train_to} is less than the shortest input, of length {least}"
        raise InputError(message, place=Field("train_to"))
    return LengthRange(least, question.train_to)


def length_rule(member: TrainConfig) -> Doubling:
    """Which training lengths to try besides a member's own: shorter ones where it works, else longer ones.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> rule = length_rule(member)
    >>> rule.next_lengths({20: True}), rule.next_lengths({20: False})
    ((10,), (40,))
    """
    own, tested = member.train_lengths, member.test_lengths[-1]
    within = max(1, own.last // WITHIN)
    return Doubling(first=own.last, least=own.first + 1, most=tested.first - 1, within=within, twice=False)


def trained_to(member: TrainConfig, length: int) -> TrainConfig:
    """The same member trained to another length, and tested on the longest of the same inputs.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> [each.name for each in trained_to(member, 8).ranges]
    ['2-8', '41-60']
    """
    lengths = LengthRange(member.train_lengths.first, length)
    given = {"train_lengths": list(lengths), "test_lengths": [list(member.test_lengths[-1])]}
    return TrainConfig.read({**member.document(), **given})
