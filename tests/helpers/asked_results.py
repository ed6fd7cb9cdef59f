"""Results of the members that a question would train, made up for tests: then nothing is trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from longreach.answers.ask import ThreeAnswers, ask
from longreach.answers.measurement import first_members, trained_to
from longreach.answers.question import Question
from longreach.config.run import RunConfig
from longreach.theory.program_class import PROGRAM_SIDES
from longreach.training.result import Final, Result, Timings, write_result


def result_of(member: RunConfig, shares: Sequence[float]) -> Result:
    """A result with these accuracies on the member's ranges, the training range first."""
    names = [lengths.name for lengths in member.ranges]
    return Result(
        key=member.key,
        config=member.document(),
        seed=member.seed,
        status="done",
        code="0.1.0",
        packages={},
        device="cpu",
        timings=Timings(started="2026-01-31T12:00:00Z", seconds=1.0),
        final=Final(
            steps=member.max_steps, reached=shares[0] == 1.0, accuracy=dict(zip(names, shares, strict=True))
        ),
    )


def write_results(
    runs: Path, members: Iterable[RunConfig], works: Callable[[RunConfig], bool | None]
) -> None:
    """Results that learned the training range, and work on longer inputs or not; None: there is no result."""
    for member in members:
        answer = works(member)
        if answer is not None:
            longer = [1.0 if answer else 0.0] * len(member.test_lengths)
            write_result(runs, result_of(member, [1.0, *longer]))


def other_lengths(member: RunConfig) -> list[int]:
    """All training lengths that may be tried besides a member's own."""
    possible = range(member.train_lengths.first + 1, member.test_lengths[-1].first)
    return [length for length in possible if length != member.train_lengths.last]


def asked(task: str, runs: Path, works: dict[str, int], learned: bool = True) -> ThreeAnswers:
    """An answer where so many of three runs work without positions and with learned ones, at every training
    length."""
    first = first_members(Question(task=task), 1.0)

    def rule(member: RunConfig) -> bool:
        return member.seed < works[member.encoding]

    others = [trained_to(member, length) for member in first for length in other_lengths(member)]
    if learned:
        write_results(runs, [*first, *others], rule)
    else:
        for member in first:
            write_result(runs, result_of(member, [0.9, *[float(rule(member))] * len(member.test_lengths)]))
    return ask(task, runs=runs, minutes=2, encodings=PROGRAM_SIDES)
