"""Does a task keep its word? Draws against answers, lengths, tokens, seeds, positions, chance and speed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, failure_line
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.regular import LanguageTask
from longreach.tasks.task import PAD, SEP, SEP_ID, SOS, SOS_ID, Batch, IntArray, Task
from longreach.wording import percent, some

Status: TypeAlias = Literal["passed", "failed", "note"]
SPAN, MOST_LENGTHS = 150, 40
"""Lengths from the least on that are tried, and how many of them."""
EACH = 8
GUESSED = 1000
SAYS_LITTLE = 0.9
NEAR = 0.05
"""How far what guessing gets right may be from what the task says."""
BATCH, SECONDS = 64, 0.3


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    status: Status
    detail: str


@dataclass(frozen=True, kw_only=True)
class TaskCheck:
    """All that was found of one task."""

    checks: tuple[Check, ...]
    chance: float | None = None
    """What a guesser who always says the same gets right, at the longest length tried."""
    declared: float | None = None
    """What the task says of it."""
    per_second: float | None = None
    """Examples drawn in a second, in batches of 64."""

    @property
    def passed(self) -> bool:
        return all(check.status != "failed" for check in self.checks)


class _Wrong(Exception):
    pass


def check_task(task: Task) -> TaskCheck:
    """Tries everything; where the task itself fails, what depends on that is left out.

    >>> from longreach.tasks.counting import Parity
    >>> {check.status for check in check_task(Parity()).checks}
    {'passed'}
    """
    checks: list[Check] = []

    def look(name: str, find: Callable[[], Any]) -> Any:
        try:
            found = find()
        except _Wrong as wrong:
            checks.append(Check(name, "failed", str(wrong)))
            return None
        except InputError as error:
            checks.append(Check(name, "failed", error.message))
            return None
        except OWN_FAILURES as error:  # whatever goes wrong in somebody's code
            checks.append(Check(name, "failed", failure_line(error)))
            return None
        detail = found[-1] if isinstance(found, tuple) else found
        checks.append(Check(name, "passed", detail))
        return found

    if look("vocabulary", lambda: _vocabulary(task)) is None:
        return TaskCheck(checks=tuple(checks))
    known = look("lengths", lambda: _lengths(task))
    if known is None:
        return TaskCheck(checks=tuple(checks))
    lengths = np.repeat(known[0], EACH)
    drawn = look("draws", lambda: _drawn(task, lengths))
    if drawn is None:
        return TaskCheck(checks=tuple(checks))
    batch = drawn[0]
    look("answers", lambda: _answers(task, batch, lengths))
    look("positions", lambda: _positions(task, batch, lengths))
    look("seeds", lambda: _seeds(task, known[0]))
    # What a task says of its chance may itself need draws, so it is asked where mistakes are caught.
    found = look("chance", lambda: (task.chance, *_chance(task, int(known[0][-1]))))
    said, guessed = (None, None) if found is None else found[:2]
    if said is not None and guessed is not None:
        if abs(guessed - said) > NEAR:
            checks[-1] = Check("chance", "note", f"{found[2]}; the task says {percent(said, 0)}")
        elif guessed > SAYS_LITTLE:
            checks[-1] = Check("chance", "note", f"{found[2]}: being right there says little")
    speed = look("speed", lambda: _speed(task, known[0]))
    return TaskCheck(
        checks=tuple(checks),
        chance=guessed,
        declared=said,
        per_second=None if speed is None else speed[0],
    )


def _vocabulary(task: Task) -> str:
    tokens = task.tokens
    if tokens[:2] != (PAD, SOS):
        raise _Wrong(f"tokens begin with {' '.join(tokens[:2])}, not with {PAD} {SOS}")
    twice = [token for token, times in Counter(tokens).items() if times > 1]
    if twice:
        raise _Wrong(f"the token {twice[0]!r} appears twice")
    return f"{len(tokens)} tokens, each once"


def _lengths(task: Task) -> tuple[IntArray, str]:
    """Some of the lengths that the task has: the short ones, and longer ones at equal distances."""
    least = task.least_length
    known = task.lengths(least, least + SPAN)
    if known[0] != least:
        raise _Wrong(f"the least length is said to be {least}, but the first with inputs is {known[0]}")
    half = MOST_LENGTHS // 2
    rest = known[half:]
    chosen = np.concatenate([known[:half], rest[:: max(1, len(rest) // half)]]) if len(rest) else known
    if len(rest) and chosen[-1] != known[-1]:
        chosen = np.append(chosen, known[-1])
    return chosen, f"{len(known)} between {least} and {least + SPAN}; {len(chosen)} of them tried"


def _drawn(task: Task, lengths: IntArray) -> tuple[Batch, str]:
    batch = task.sample(lengths, np.random.default_rng(0))
    size = len(task.tokens)
    for name, ids in (("tokens", batch.tokens), ("targets", batch.targets)):
        if ids.min() < 0 or ids.max() >= size:
            raise _Wrong(f"{name} has the number {int(ids.max())}, but there are {size} tokens")
    if len(batch) != len(lengths):
        raise _Wrong(f"{len(lengths)} examples were asked for, {len(batch)} came")
    columns = np.arange(batch.tokens.shape[1])
    inside = columns < batch.sizes[:, None]
    if (batch.tokens[:, 0] != SOS_ID).any():
        raise _Wrong(f"an example does not begin with {SOS}")
    if (inside & (batch.tokens == 0)).any() or (~inside & (batch.tokens != 0)).any():
        raise _Wrong(f"{PAD} stands inside an example, or a token beyond its end")
    for row, length in enumerate(lengths.tolist()):
        if batch.sizes[row] > task.input_size(length):
            read = _read(task, batch, row)
            raise _Wrong(
                f"{read} has {batch.sizes[row]} tokens; the most at length {length} are "
                f"{task.input_size(length)}"
            )
        if isinstance(task, SequenceTask) and task.separated and batch.tokens[row, 1 + length] != SEP_ID:
            raise _Wrong(f"{_read(task, batch, row)} has no {SEP} after {length} tokens")
    return batch, f"{len(batch)} examples of the lengths asked for"


def _read(task: Task, batch: Batch, row: int) -> str:
    tokens = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
    return some(tokens, 40)


def _answers(task: Task, batch: Batch, lengths: IntArray) -> str:
    for row, length in enumerate(lengths.tolist()):
        x = task.decode(batch.tokens[row, 1 : batch.sizes[row]].tolist())
        # What is read behind the letters of a word is not one of them.
        x = [token for token in x if token in task.letters] if isinstance(task, LanguageTask) else x[:length]
        targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
        right = list(task.answer(x))
        if targets != right:
            raise _Wrong(
                f"{_read(task, batch, row)} is drawn with {' '.join(targets)}; answer: {' '.join(right)}"
            )
    return f"the answers to {len(batch)} examples are those drawn"


def _positions(task: Task, batch: Batch, lengths: IntArray) -> str:
    most = max(task.input_size(length) for length in lengths.tolist())
    inside = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
    ids = batch.position_ids[inside]
    if ids.min() < 0 or ids.max() >= most:
        raise _Wrong(
            f"position ids reach from {int(ids.min())} to {int(ids.max())}; expected 0 to {most - 1}"
        )
    if (batch.mask & ~inside).any() or not batch.mask.any(axis=1).all():
        raise _Wrong("a position beyond an example is supervised, or an example has none that is")
    return f"ids 0 to {int(ids.max())}, {most} at most{_coupled(task, batch)}"


def _coupled(task: Task, batch: Batch) -> str:
    """What the task's own ids are, where it has some."""
    own = task.coupled_ids(batch)
    if own is None:
        return ""
    wanted = len(batch), batch.tokens.shape[1] + 1
    if own.shape != wanted:
        raise _Wrong(
            f"coupled ids have the shape {own.shape}; expected {wanted}, one column more than tokens"
        )
    if not np.issubdtype(own.dtype, np.integer) or own.min() < 0:
        raise _Wrong("a coupled id is not a whole number of at least 0")
    return f"; coupled ids 0 to {int(own.max())}"


def _seeds(task: Task, known: IntArray) -> str:
    first, again, other = (task.sample(known, np.random.default_rng(seed)) for seed in (1, 1, 2))
    if not all(
        np.array_equal(getattr(first, field), getattr(again, field))
        for field in ("tokens", "targets", "mask")
    ):
        raise _Wrong("the same seed gives two different batches: all randomness must come from rng")
    same = np.array_equal(first.tokens, other.tokens)
    return "the same seed gives the same batch" + ("; so does another" if same else "")


def _chance(task: Task, length: int) -> tuple[float, str]:
    batch = task.sample([length] * GUESSED, np.random.default_rng(3))
    answers = batch.answers
    if task.kind == "language":  # the same label at every position
        answers = [answer if len(set(answer)) == 1 else () for answer in answers]
    counts = Counter(answer for answer in answers if answer)
    said, times = counts.most_common(1)[0] if counts else ((), 0)
    share = times / len(answers)
    shown = " ".join(task.decode(said[: 1 if task.kind == "language" else 8]))
    always = f"always saying the same ({shown})" if said else "always saying the same"
    return share, f"{always} is right on {percent(share, 0)} at length {length}"


def _speed(task: Task, known: IntArray) -> tuple[float, str]:
    rng, batches, start = np.random.default_rng(4), 0, time.perf_counter()
    lengths = np.resize(known, BATCH)
    while (passed := time.perf_counter() - start) < SECONDS or not batches:
        task.sample(lengths, rng)
        batches += 1
    rate = BATCH * batches / passed
    return rate, f"about {float(f'{rate:.2g}'):,.0f} examples a second"
