"""How hard attention is, and where a task's program says that it should be.

Weights are arrays (…, queries, keys) whose rows add up to 1 over the keys up to the query.

A program compiles to a limit transformer; at each query the keys with the largest logit are those that a
head of it attends in the limit. A trained model need not use the same heads; each head of the program is
compared with the trained head that is nearest to it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.inspection.positions import by_distance
from longreach.tasks.regular import LanguageTask
from longreach.tasks.task import SOS, Task
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.model import START, Array, Transformer
from longreach.theory.limit.run import residuals

Wanted = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Softness:
    """How spread out attention is, with no target to compare it with."""

    largest: float
    """The mean of the largest weight of a query."""
    entropy: float
    """The mean entropy of a query's weights, relative to uniform weights: 0 is a single key, 1 is uniform."""


@dataclass(frozen=True, kw_only=True)
class Hardness:
    """How much weight falls on the keys that should be attended to, and how much on the others."""

    mass: float
    """The mean share of a query's attention on wanted keys."""
    even_mass: float
    """The same for uniform attention, as a baseline."""
    wanted: float
    """The mean weight of a wanted key …"""
    wanted_deviation: float
    other: float
    """… and of any other key; 0 if there is none."""
    other_deviation: float
    ideal: float
    """The mean weight of a wanted key if attention were hard."""
    distance: float
    """The mean total variation distance from hard attention: 0 is hard, 1 elsewhere."""


def softness(weights: Array, queries: Wanted | None = None) -> Softness:
    """Of all queries that see two keys or more; `queries` (…, queries) chooses among them.

    >>> softness(np.array([[1.0, 0.0], [0.5, 0.5]]))
    Softness(largest=0.5, entropy=1.0)
    """
    size = weights.shape[-1]
    seen = np.arange(1, size + 1)
    used = np.broadcast_to(seen > 1, weights.shape[:-1])
    if queries is not None:
        used = used & np.broadcast_to(queries, weights.shape[:-1])
    if not used.any():
        return Softness(largest=1.0, entropy=0.0)
    logs = np.log(np.where(weights > 0, weights, 1.0))
    entropy = -(weights * logs).sum(axis=-1) / np.log(np.maximum(seen, 2))
    return Softness(largest=float(weights.max(axis=-1)[used].mean()), entropy=float(entropy[used].mean()))


def hardness(weights: Array, wanted: Wanted) -> Hardness:
    """How the weights lie on wanted keys, over the queries that want some key.

    >>> found = hardness(np.array([[1.0, 0.0], [0.8, 0.2]]), np.array([[True, False], [True, False]]))
    >>> found.mass, found.even_mass, found.ideal, round(found.distance, 6)
    (0.9, 0.75, 1.0, 0.1)
    """
    if weights.shape[-2:] != wanted.shape[-2:]:
        raise InputError(f"weights of shape {weights.shape} for wanted keys of shape {wanted.shape}")
    size = weights.shape[-1]
    causal = np.tri(size, dtype=bool)
    wanted = np.broadcast_to(wanted & causal, weights.shape)
    number = wanted.sum(axis=-1)
    used = number > 0
    if not used.any():
        raise InputError("no query wants any key")
    off = causal & ~wanted & used[..., None]
    hard = wanted / np.maximum(number, 1)[..., None]
    mass = (weights * wanted).sum(axis=-1)
    apart = np.abs(weights - hard).sum(axis=-1) / 2
    others = weights[off]
    return Hardness(
        mass=float(mass[used].mean()),
        even_mass=float((number / np.arange(1, size + 1))[used].mean()),
        wanted=float(weights[wanted].mean()),
        wanted_deviation=float(weights[wanted].std()),
        other=float(others.mean()) if others.size else 0.0,
        other_deviation=float(others.std()) if others.size else 0.0,
        ideal=float(hard[wanted].mean()),
        distance=float(apart[used].mean()),
    )


TIE = 1e-9
"""Logits of a compiled head that differ by less are one."""
MOST_OPERATIONS = 400
"""Of a program, beyond which compiling it takes longer than an inspection should."""


@dataclass(frozen=True, kw_only=True)
class HeadMatch:
    """A head of the program and the trained head closest to it."""

    program_layer: int
    program_head: int
    does: str
    """What the program's head attends to."""
    layer: int
    head: int
    hardness: Hardness

    def document(self) -> dict[str, object]:
        return {
            "program_head": [self.program_layer, self.program_head],
            "does": self.does,
            "head": [self.layer, self.head],
            **asdict(self.hardness),
        }


def compiled_construction(task: Task, name: str) -> Transformer | None:
    """The compiled program of a language's forecast, which predicts what may follow where there is one.

    Of other tasks the program reads what the model wrote before, at places that are not the model's own.
    """
    if not isinstance(task, LanguageTask):
        return None
    from longreach.answers.forecast import forecast
    from longreach.answers.verdicts import known_program

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
            if isinstance(head.phi, np.ndarray):
                logits = logits + by_distance(head.phi, size)
            elif head.phi is not None:
                raise InputError("a relation of a compiled program is local")
            logits = np.where(causal, logits, -np.inf)
            found[number, h] = causal & (logits >= logits.max(axis=1, keepdims=True) - TIE)
    return found


def matches(
    model: Transformer, words: list[list[str]], weights: dict[tuple[int, int], Array]
) -> tuple[HeadMatch, ...]:
    """Each head of the program that does not attend everything, with its nearest trained head.

    `weights` are (words, queries, keys) by trained head, SOS at place 0.
    """
    every = [wanted_keys(model, [START if token == SOS else token for token in word]) for word in words]
    found = []
    for place in every[0] if every else ():
        wanted = np.stack([each[place] for each in every])
        scored = [(hardness(each, wanted), head) for head, each in weights.items()]
        best, head = min(scored, key=lambda pair: (pair[0].distance, pair[1]))
        found.append(
            HeadMatch(
                program_layer=place[0],
                program_head=place[1],
                does=_distances(wanted),
                layer=head[0],
                head=head[1],
                hardness=best,
            )
        )
    return tuple(found)


def _distances(wanted: Wanted) -> str:
    """Describe what is attended to, if it is a single distance."""
    size = wanted.shape[-1]
    if (wanted == np.tri(size, dtype=bool)).all():
        return "all positions"
    _, queries, keys = np.nonzero(wanted[:, size // 2 :])
    apart = np.unique(queries + size // 2 - keys)
    if len(apart) == 1:
        distance = int(apart[0])
        return "the position itself" if distance == 0 else f"{distance} back"
    return "some positions"
