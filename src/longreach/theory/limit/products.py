"""Product functions of a finite transformer (Huang et al., arXiv 2410.02140, Definition 43).

A transformer's computations are determined by products of its parameters that do not mention the width:

    α = vᵀ (∏S₁)ᵀ KᵀQ (∏S₂) w     what v in a key and w in a query add to a logit, after value matrices S₁, S₂
    β = rᵀ (∏S) w                 what w adds to a hidden unit or an output r, after value matrices S

Vectors v, w come from the groups p (positional encodings), E (embeddings) and B of each layer (columns);
readers r from A of each layer (rows) and U. A path names value matrices as (layer, head), lowest layer
first, at most one per layer; the product applies the lowest first. Keys are left, queries right.

The hypothesis class asks that every product function with positional encodings is translation-invariant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Transformer

Path: TypeAlias = tuple[tuple[int, int], ...]
MOST_PATHS = 20_000
"""Products of value matrices that are not zero, beyond which their enumeration is refused."""


@dataclass(frozen=True, slots=True)
class Group:
    """Vectors that enter the residual stream (p, E, B of a layer) or read it (A of a layer, U).

    >>> str(POSITIONS), str(Group("B", 3))
    ('p', 'layer.3.B')
    """

    matrix: Literal["p", "E", "A", "B", "U"]
    layer: int = -1
    """The layer whose MLP it belongs to; −1: to none."""

    def __str__(self) -> str:
        return self.matrix if self.layer < 0 else f"layer.{self.layer}.{self.matrix}"


POSITIONS, EMBEDDINGS, OUTPUTS = Group("p"), Group("E"), Group("U")


@dataclass(frozen=True, eq=False)
class Passed:
    """The vectors of a group after the value matrices of a path, as columns; not all are zero."""

    group: Group
    path: Path
    columns: Array


@dataclass(frozen=True)
class Invariance:
    """How far the product functions with positional encodings are from translation-invariant."""

    worst: float
    """The largest difference between values that should be equal; 0 for a member of Θ_n."""
    where: str
    """The product function with the largest difference, or "" if there is none."""
    singles: int
    """How many families with one positional encoding were compared (families that are zero are left out)."""
    pairs: int
    """How many families with two positional encodings were compared."""


def groups(model: Transformer) -> dict[Group, Array]:
    """The vectors that enter the residual stream, as columns, by group (VO of the paper)."""
    return {
        POSITIONS: model.positions.T,
        EMBEDDINGS: model.embedding.T,
        **{Group("B", number): layer.out for number, layer in enumerate(model.layers)},
    }


def readers(model: Transformer) -> dict[Group, Array]:
    """The vectors that read the residual stream, as rows, by group (VI of the paper)."""
    return {
        **{Group("A", number): layer.a for number, layer in enumerate(model.layers)},
        OUTPUTS: model.unembedding,
    }


def passed(model: Transformer, group: Group, *, relevant: bool = False) -> list[Passed]:
    """The vectors of a group after each path, without the paths after which all of them are zero.

    `relevant`: without value matrices of the layer that writes the group and below (Remark 45).
    """
    first = group.layer + 1 if relevant else 0
    found: list[Passed] = []

    def follow(path: Path, columns: Array) -> None:
        if not columns.any():
            return
        if len(found) == MOST_PATHS:
            raise InputError(
                f"more than {MOST_PATHS} products of value matrices act on {group}; too many to list"
            )
        found.append(Passed(group, path, columns))
        for number in range(path[-1][0] + 1 if path else first, len(model.layers)):
            for h, head in enumerate(model.layers[number].heads):
                follow((*path, (number, h)), head.v @ columns)

    follow((), groups(model)[group])
    return found


def position_logits(model: Transformer, layer: int, head: int) -> Array:
    """p_jᵀ KᵀQ p_i for all keys j (rows) and queries i (columns)."""
    return np.asarray(model.positions @ model.layers[layer].heads[head].kq @ model.positions.T)


def term_8(model: Transformer) -> float:
    """Term (8) of the regularizer: Σ over heads and queries i of |p_0ᵀ KᵀQ p_i|²; the key is position 0."""
    return float(
        sum(np.sum((model.positions[0] @ head.kq @ model.positions.T) ** 2) for _, _, head in model.heads())
    )


def invariance(model: Transformer) -> Invariance:
    """The worst violation of translation invariance (Definition 46, 3).

    A product with one positional encoding must be the same at all positions; one with two must depend on
    their distance alone. p_jᵀ KᵀQ p_i itself counts only for j ≤ i: after a value matrix, both orders do.

    >>> from longreach.theory.limit.model import Head, Layer
    >>> layer = Layer.attention_only(Head(np.eye(2), 0 * np.eye(2)))
    >>> model = Transformer("finite", ("$", "a"), np.zeros((2, 2)), np.eye(2), (layer,), np.eye(2)[:1])
    >>> invariance(model)  # the output reads the first coordinate, in which the encodings differ
    Invariance(worst=1.0, where='β U · p', singles=1, pairs=1)
    """
    if model.kind != "finite":
        raise InputError("product functions are those of a finite transformer; this is a limit transformer")
    worst, where, counts = 0.0, "", {1: 0, 2: 0}
    for encodings, name, violation in _violations(model):
        counts[encodings] += 1
        if violation > worst:
            worst, where = violation, name
    return Invariance(worst, where, counts[1], counts[2])


def enters(vectors: Passed, layer: int) -> bool:
    """Whether vectors after this path can be in the input of a layer."""
    written = vectors.group.layer
    return written < layer and all(written < number < layer for number, _ in vectors.path)


def _violations(model: Transformer) -> Iterator[tuple[int, str, float]]:
    positions = passed(model, POSITIONS)
    others = [each.columns for group in groups(model) if group != POSITIONS for each in passed(model, group)]
    beside = np.hstack([np.zeros((model.width, 0)), *others])
    for reader, rows in readers(model).items():
        for here in positions:
            yield from _single(f"β {reader} · {_text(here)}", rows @ here.columns)
    for layer, h, head in model.heads():
        name = f"layer.{layer}.head.{h}"
        for here in positions:
            left, right = here.columns.T @ head.kq, head.kq @ here.columns
            yield from _single(f"α {name}: key {_text(here)}", (left @ beside).T)
            yield from _single(f"α {name}: query {_text(here)}", beside.T @ right)
            if left.any():
                for there in positions:
                    causal = not here.path and not there.path
                    pair = f"α {name}: key {_text(here)}, query {_text(there)}"
                    yield from _pair(pair, left @ there.columns, causal)


def _single(name: str, values: Array) -> Iterator[tuple[int, str, float]]:
    """One row per reader, one column per position: each row must be constant."""
    if values.any():
        yield 1, name, float(np.ptp(values, axis=1).max())


def _pair(name: str, values: Array, causal: bool) -> Iterator[tuple[int, str, float]]:
    """Every diagonal must be constant; with `causal` only where the key does not follow the query."""
    if values.any():
        diagonals = range(0 if causal else 1 - len(values), len(values))
        yield 2, name, max(float(np.ptp(np.diagonal(values, distance))) for distance in diagonals)


def _text(vectors: Passed) -> str:
    through = ", ".join(f"layer.{layer}.head.{head}.V" for layer, head in vectors.path)
    return f"{vectors.group} through {through}" if through else str(vectors.group)
