"""Where a task's construction says that attention should be: the heads of the compiled program.

A program compiles to a limit transformer; at each query the keys with the largest logit are those that a
head of it attends in the limit. A trained model need not use the same heads; each head of the program is
compared with the trained head that is nearest to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.inspection.attention_hardness import Hardness, Wanted, hardness
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.model import START, Array, Transformer
from longreach.limit.run.float_evaluator import residuals
from longreach.tasks.language_task import LanguageTask
from longreach.tasks.task import SOS, Task

TIE = 1e-9
"""Logits of a compiled head that differ by less are one."""
MOST_OPERATIONS = 400
"""Of a program, beyond which compiling it takes longer than an inspection should."""


@dataclass(frozen=True, kw_only=True)
class HeadMatch:
    """A head of the program and the trained head that does most nearly the same."""

    program_layer: int
    program_head: int
    does: str
    """What the program's head attends."""
    layer: int
    head: int
    hardness: Hardness

    def document(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "program_head": [self.program_layer, self.program_head],
            "does": self.does,
            "head": [self.layer, self.head],
            **self.hardness.document(),
        }


def compiled_construction(task: Task, name: str) -> Transformer | None:
    """The compiled program of a language's forecast, which predicts what may follow where there is one.

    Of other tasks the program reads what the model wrote before, at places that are not the model's own.
    """
    if not isinstance(task, LanguageTask):
        return None
    from longreach.forecast.program_answers import known_program
    from longreach.forecast.task_forecast import forecast

    try:
        found = forecast(name, alphabet=task.letters if name.startswith("regex:") else None)
        program = known_program(found.sides, predicting=True)
        if program.core.size > MOST_OPERATIONS:
            return None
        return compile_program(program.core)
    except InputError:
        return None


def wanted_keys(model: Transformer, word: list[str]) -> dict[tuple[int, int], Wanted]:
    """By head, the keys (queries, keys) with the largest logit among those up to the query; $ is place 0."""
    streams = residuals(model, word)
    size = len(word) + 1
    causal = np.tri(size, dtype=bool)
    found: dict[tuple[int, int], Wanted] = {}
    for number, layer in enumerate(model.layers):
        stream = streams[number]
        for h, head in enumerate(layer.heads):
            logits = stream @ head.kq.T @ stream.T  # queries are rows
            logits = logits + _relation(head.phi, size)
            logits = np.where(causal, logits, -np.inf)
            found[number, h] = causal & (logits >= logits.max(axis=1, keepdims=True) - TIE)
    return found


def _relation(phi: object, size: int) -> Array:
    distances = np.subtract.outer(np.arange(size), np.arange(size))
    if phi is None:
        return np.zeros((size, size))
    if isinstance(phi, np.ndarray):
        inside = (distances >= 0) & (distances < len(phi))
        return np.where(inside, phi[np.clip(distances, 0, len(phi) - 1)], 0.0)
    raise InputError("a relation of a compiled program is local")


def matches(
    model: Transformer, words: list[list[str]], weights: dict[tuple[int, int], Array]
) -> tuple[HeadMatch, ...]:
    """Each head of the program that does not attend everything, with its nearest trained head.

    `weights` are (words, queries, keys) by trained head, SOS at place 0.
    """
    every = [wanted_keys(model, [_token(token) for token in word]) for word in words]
    found = []
    for place in every[0] if every else ():
        wanted = np.stack([each[place] for each in every])
        if (wanted == np.tri(wanted.shape[-1], dtype=bool)).all():
            does = "all positions"
        else:
            does = _distances(wanted)
        scored = [(hardness(each, wanted), head) for head, each in weights.items()]
        best, head = min(scored, key=lambda pair: (pair[0].distance, pair[1]))
        found.append(
            HeadMatch(
                program_layer=place[0],
                program_head=place[1],
                does=does,
                layer=head[0],
                head=head[1],
                hardness=best,
            )
        )
    return tuple(found)


def _distances(wanted: Wanted) -> str:
    """What is attended, in words, where it is one distance."""
    size = wanted.shape[-1]
    _, queries, keys = np.nonzero(wanted[:, size // 2 :])
    apart = np.unique(queries + size // 2 - keys)
    if len(apart) == 1:
        distance = int(apart[0])
        return "the position itself" if distance == 0 else f"{distance} back"
    return "some positions"


def _token(token: str) -> str:
    return START if token == SOS else token
