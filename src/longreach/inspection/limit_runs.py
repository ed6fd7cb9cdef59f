"""Accuracy by length: of a model, and of its approximate limit transformer, which has no longest input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.encoding_table import ENCODINGS
from longreach.inspection.inspected_model import Subject, batch_at, nearest_length
from longreach.inspection.traced_forward import trace
from longreach.inspection.trained_to_limit import LimitSummary
from longreach.tasks.task import Batch, Task

Answering: TypeAlias = Callable[[Tensor, Tensor], Tensor]
"""From tokens and position ids (rows, time) to outputs (rows, time, outputs)."""
MULTIPLES = (1, 2, 3, 5, 8)
"""Of the training length, at which lengths are tried."""
ENTRIES_AT_ONCE = 1 << 22
"""Attention weights of one head that are computed together."""


@dataclass(frozen=True, kw_only=True)
class LengthRow:
    """Shares of inputs of one length that come out right."""

    length: int
    model: float | None
    """None: it has no positions for inputs so long."""
    kept: float | None = None
    """With periodic positions and local φ, but its own layer norms and GELU."""
    strict: float | None = None
    """As a limit transformer."""


def answers_of(found: Subject) -> Answering:
    """The model itself."""
    return lambda tokens, ids: trace(found.parameters, found.config, tokens, ids, keep=False).outputs


def kept_answers(found: Subject, summary: LimitSummary) -> Answering:
    """With the limit transformer's positions alone."""
    changes = summary.kept
    return lambda tokens, ids: (
        trace(found.parameters, found.config, tokens, ids, changes=changes, keep=False).outputs
    )


def strict_answers(found: Subject, summary: LimitSummary) -> Answering:
    """As a limit transformer."""
    changes, (config, parameters) = summary.strict, summary.strict_model(found.parameters)
    return lambda tokens, ids: trace(parameters, config, tokens, ids, changes=changes, keep=False).outputs


def correct(batch: Batch, answer: Answering) -> tuple[Tensor, Tensor]:
    """Which places are right, unsupervised ones among them, and what is predicted: (rows, time) each."""
    tokens, ids = torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
    targets, mask = torch.from_numpy(batch.targets), torch.from_numpy(batch.mask)
    step = max(1, ENTRIES_AT_ONCE // tokens.shape[1] ** 2)
    parts = []
    with torch.inference_mode():
        for start in range(0, len(tokens), step):
            part = slice(start, start + step)
            parts.append(answer(tokens[part], ids[part]).argmax(dim=-1))
    said = torch.cat(parts)
    return (said == targets) | ~mask, said


def accuracy_of(batch: Batch, answer: Answering) -> float:
    """The share of rows whose supervised places are all right, given those before."""
    right, _ = correct(batch, answer)
    return float(right.all(dim=1).double().mean())


def longest_size(found: Subject) -> int | None:
    """How many tokens the model reads at most; None: any number."""
    encoding = found.config.encoding
    return found.config.positions if ENCODINGS[encoding].learned_positions else None


def tried_lengths(task: Task, trained_to: int, multiples: Iterable[int] = MULTIPLES) -> list[int]:
    """The lengths that the task has nearest to multiples of the training length."""
    return sorted({nearest_length(task, times * trained_to) for times in multiples})


def accuracy_by_length(
    found: Subject,
    lengths: Iterable[int],
    *,
    summary: LimitSummary | None = None,
    rows: int = 40,
    seed: int = 0,
) -> tuple[LengthRow, ...]:
    """A row for each length; the same inputs for the model and for what is made of it."""
    assert found.task is not None
    made, most = [], longest_size(found)
    for length in lengths:
        batch = batch_at(found, length, rows, np.random.default_rng([seed, length]))
        fits = most is None or batch.tokens.shape[1] <= most
        made.append(
            LengthRow(
                length=length,
                model=accuracy_of(batch, answers_of(found)) if fits else None,
                kept=None if summary is None else accuracy_of(batch, kept_answers(found, summary)),
                strict=None if summary is None else accuracy_of(batch, strict_answers(found, summary)),
            )
        )
    return tuple(made)
