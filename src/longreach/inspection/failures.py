"""Where a run that fits the training range fails beyond it, and what it attended to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from longreach.inspection.limit import LengthRow, accuracy_of, answers_of, correct, longest_size
from longreach.inspection.models import Subject, batch_at
from longreach.inspection.positions import PositionProduct, diagonal_means
from longreach.inspection.trace import trace
from longreach.tasks.task import Batch

MANY = 5
"""Kinds of errors and offsets that are listed."""
NOTICED = 0.5
"""Logits that move weights by half as much again: e^0.5."""
TIMES = 3.0
"""Beyond the training distance a function must move so many times as far as within it to be named."""


@dataclass(frozen=True, kw_only=True)
class ErrorKind:
    """The expected token and the predicted one."""

    target: str
    said: str
    times: int


@dataclass(frozen=True, kw_only=True)
class Mending:
    """A token that causes the first error: hiding it makes the answer right."""

    place: int
    token: str
    distance: int
    """How far before the error it stands."""


@dataclass(frozen=True, kw_only=True)
class FirstErrors:
    """The first errors at one length."""

    length: int
    wrong: int
    rows: int
    places: tuple[int, int, int]
    """The minimum, median and maximum place of the first error, counted from 0."""
    kinds: tuple[ErrorKind, ...]
    example: str
    """The input with the earliest error."""
    example_place: int
    mended_by: tuple[Mending, ...]
    """Tokens of the example whose hiding removes the error."""


@dataclass(frozen=True, kw_only=True)
class BeyondTraining:
    """A product function that acts only at distances never seen in training."""

    name: str
    within: float
    """The largest deviation from its mean, in logits, at training distances …"""
    beyond: float
    """… and beyond."""
    distance: int
    """Where it is largest."""


@dataclass(frozen=True, kw_only=True)
class FailureAnalysis:
    """How a run fails beyond its training range."""

    trained_to: int
    level: float
    """The accuracy that counts as working."""
    learned: bool
    """Whether it is right at the training length."""
    fails_at: int | None
    """The first measured length at which it fails; None if it never does."""
    first_errors: FirstErrors | None
    """At that length, or at the longest length with errors."""
    by_place: tuple[tuple[int, float], ...]
    """The error rate of supervised places in each tenth of the input, at the same length."""
    by_offset: tuple[tuple[int, float], ...]
    """The error rate on inputs of the training length, by first position id."""
    beyond: tuple[BeyondTraining, ...]

    def document(self) -> dict[str, Any]:
        return asdict(self)


def analyse_failure(
    found: Subject,
    rows: Sequence[LengthRow],
    *,
    level: float,
    products: Iterable[PositionProduct] = (),
    inputs: int = 40,
    seed: int = 0,
) -> FailureAnalysis:
    """Analyse errors beyond training; `rows` are accuracies by increasing length."""
    assert found.task is not None
    assert found.trained_to is not None
    measured = [row for row in rows if row.model is not None]
    failing = [row for row in measured if row.length > found.trained_to and (row.model or 0.0) < level]
    wrong = [row for row in measured if (row.model or 0.0) < 1.0]
    chosen = failing[0].length if failing else wrong[-1].length if wrong else None
    errors: FirstErrors | None = None
    by_place: tuple[tuple[int, float], ...] = ()
    if chosen is not None:
        batch = batch_at(found, chosen, inputs, np.random.default_rng([seed, chosen]))
        errors, by_place = _errors(found, batch, chosen)
    within = [row for row in measured if row.length <= found.trained_to]
    return FailureAnalysis(
        trained_to=found.trained_to,
        level=level,
        learned=bool(within) and (within[-1].model or 0.0) >= level,
        fails_at=failing[0].length if failing else None,
        first_errors=errors,
        by_place=by_place,
        by_offset=_by_offset(found, inputs, seed),
        beyond=tuple(_beyond(products, found.trained_size)),
    )


def _errors(
    found: Subject, batch: Batch, length: int
) -> tuple[FirstErrors | None, tuple[tuple[int, float], ...]]:
    right, said = correct(batch, answers_of(found))
    wrong = (~right).numpy()
    rows = np.flatnonzero(wrong.any(axis=1))
    if not len(rows):
        return None, ()
    assert found.task is not None
    names = found.task.tokens
    first = wrong.argmax(axis=1)
    kinds = Counter(
        (names[int(batch.targets[row, first[row]])], names[int(said[row, first[row]])]) for row in rows
    )
    places = np.sort(first[rows])
    example = int(rows[first[rows].argmin()])
    place = int(first[example])
    size = int(batch.sizes[example])
    width = max(1, batch.tokens.shape[1] // 10)
    shares = [
        (
            start,
            float(wrong[:, start : start + width].sum() / max(1, batch.mask[:, start : start + width].sum())),
        )
        for start in range(0, batch.tokens.shape[1], width)
        if batch.mask[:, start : start + width].any()
    ]
    return (
        FirstErrors(
            length=length,
            wrong=len(rows),
            rows=len(batch),
            places=(int(places[0]), int(places[len(places) // 2]), int(places[-1])),
            kinds=tuple(
                ErrorKind(target=target, said=answer, times=times)
                for (target, answer), times in kinds.most_common(MANY)
            ),
            example=" ".join(found.task.decode(batch.tokens[example, :size].tolist())),
            example_place=place,
            mended_by=mending_tokens(found, batch, example, place),
        ),
        tuple(shares),
    )


def mending_tokens(found: Subject, batch: Batch, row: int, place: int) -> tuple[Mending, ...]:
    """The tokens before a place, each hidden from all others, without which the answer there is right."""
    assert found.task is not None
    tokens = torch.from_numpy(batch.tokens[row : row + 1, : place + 1])
    ids = torch.from_numpy(batch.position_ids[row : row + 1, : place + 1])
    mended = []
    with torch.inference_mode():
        step = max(1, (1 << 22) // (place + 1) ** 2)
        for start in range(0, place, step):
            number = min(step, place - start)
            hidden = torch.zeros(number, place + 1, dtype=torch.bool)
            hidden[torch.arange(number), start + torch.arange(number)] = True
            outputs = trace(
                found.parameters, found.config, tokens.expand(number, -1), ids.expand(number, -1),
                hidden=hidden, keep=False,
            ).outputs[:, -1]  # fmt: skip
            good = outputs.argmax(dim=-1) == int(batch.targets[row, place])
            mended += [start + int(each) for each in torch.nonzero(good)[:, 0]]
    return tuple(
        Mending(place=each, token=found.task.tokens[int(batch.tokens[row, each])], distance=place - each)
        for each in mended
    )


def _by_offset(found: Subject, inputs: int, seed: int) -> tuple[tuple[int, float], ...]:
    """Error rates on inputs of the training length at several offsets."""
    most = longest_size(found)
    if most is None or found.trained_to is None:
        return ()
    batch = batch_at(found, found.trained_to, inputs, np.random.default_rng([seed, found.trained_to]))
    last = most - batch.tokens.shape[1]
    if last <= 0:
        return ()
    made = []
    for offset in sorted({round(each) for each in np.linspace(0, last, MANY).tolist()}):
        moved = replace(batch, position_ids=batch.position_ids + offset)
        made.append((offset, 1 - accuracy_of(moved, answers_of(found))))
    return tuple(made)


def _beyond(products: Iterable[PositionProduct], size: int | None) -> list[BeyondTraining]:
    """The product functions that only move at distances beyond those of training, the largest first."""
    found = []
    for each in products:
        if size is None or size >= len(each.matrix):
            continue
        means = diagonal_means(each.matrix)
        apart = np.abs(means - means[:size].mean())
        within, beyond = float(apart[:size].max()), float(apart[size:].max())
        if beyond >= NOTICED and beyond >= TIMES * within:
            distance = size + int(apart[size:].argmax())
            found.append(BeyondTraining(name=each.name, within=within, beyond=beyond, distance=distance))
    return sorted(found, key=lambda one: -one.beyond)[: 2 * MANY]
