"""From a transformer to a limit transformer (Huang et al., arXiv 2410.02140, Lemma 52).

The limit transformer does not carry T's residual stream y but the product functions that T's computations
need, in three regions:

    Γ_{S,r}        rᵀ (∏S) y                for each hidden unit and each output r
    Λ_{S,l,h,T,w}  yᵀ (∏S)ᵀ KᵀQ (∏T) w      what y as a key adds to a logit of head (l, h) per (∏T) w
    Ω_{S,T,w}      how much of (∏T) w is in y once y has passed the value matrices S

S is a to-do list: the value matrices still to be passed. V̂_{l,h} moves a coordinate whose list begins with
(l, h) to the coordinate without it; logits, hidden units and outputs read those whose list is empty. The
products p_jᵀ KᵀQ p_i become φ; all others with positional encodings repeat with a period Δ (Lemma 48).

Where this departs from the printed construction, which has a coordinate for all pairs of vectors and all S:
- Λ is summed over the key's vectors and paths, and Ω is shared by all heads and keys: coordinates that enter
  a logit only through their sum are one. The width is linear, not quadratic, in the number of vectors.
- To-do lists keep the order of layers; a list from which a lower layer went missing can never become empty.
  Coordinates that no parameter can make non-zero are left out.
- Δ is the least number with which all products repeat within the context, which Δ = n always does, instead of
  the least common multiple of the periods of each.
- A unit without input weights is left out only if its output is zero: since Heaviside(0) = 1, zero weights
  and a zero bias do not make a unit inactive.

Any finite transformer with translation-invariant p_jᵀ KᵀQ p_i (j ≤ i) is translated, and agrees at offset 0
up to its context; for members of Θ_n that is every offset. The width grows with the number of paths, which is
(H + 1)^L if no product vanishes: about three layers of dense matrices with two heads (width about 1000 with
few tokens and units) are practical, or more layers of sparse ones, such as those of T_n.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Head, Layer, Transformer
from longreach.theory.limit.products import (
    EMBEDDINGS,
    POSITIONS,
    Group,
    Passed,
    Path,
    enters,
    groups,
    passed,
    position_logits,
)

TOLERANCE = 1e-12
"""How far products that should be equal may differ."""
WIDEST = 6000
"""A limit transformer wider than this is refused: each of its matrices would take more than 288 MB."""


@dataclass(frozen=True, eq=False)
class _Reader:
    """A vector that is multiplied with the residual stream: a row of Γ or Λ before its to-do lists."""

    name: str
    row: Array
    written_before: int
    """It reads what the MLPs of the layers before this one wrote, …"""
    passed_before: int
    """… after value matrices of the layers before this one."""
    position_query: bool = False
    """The query is a positional encoding that passed nothing: φ has its product with such keys."""


@dataclass(frozen=True, eq=False)
class _Coordinate:
    """An entry of Γ or Λ: a reader and its to-do list; its value per vector of each group."""

    reader: _Reader
    todo: Path
    values: dict[Group, Array]


@dataclass(frozen=True)
class _Query:
    """A vector (∏T) w that a query may contain: group and number of w, and T."""

    group: Group
    number: int
    path: Path


def period(model: Transformer) -> int:
    """The least Δ with which all products with positional encodings repeat, other than p_jᵀ KᵀQ p_i itself.

    Lemma 48 bounds it in terms of ranks and precision, independently of the context.
    """
    n = len(model.positions)
    tables = list(_single_products(model))
    squares = list(_pair_products(model))
    for candidate in range(1, n):
        first = np.arange(n) % candidate
        if all(np.abs(table - table[:, first]).max(initial=0.0) <= TOLERANCE for table in tables) and all(
            np.abs(square - square[np.ix_(first, first)]).max(initial=0.0) <= TOLERANCE for square in squares
        ):
            return candidate
    return n


def to_limit(model: Transformer) -> Transformer:
    """The limit transformer of Lemma 52: equal outputs on all inputs up to the context of `model`.

    >>> from longreach.theory.limit.finite import to_finite
    >>> none = np.zeros((0, 1))
    >>> layer = Layer((), a=none, b=np.zeros(0), out=none.T, heaviside=np.zeros(0, dtype=bool))
    >>> even = Transformer(
    ...     "limit", ("$", "a"), np.zeros((2, 1)), np.array([[1.0], [-1.0]]), (layer,), np.eye(1))
    >>> back = to_limit(to_finite(even, context=10))
    >>> back.kind, back.period, len(back.layers), back.width
    ('limit', 2, 3, 20)
    """
    if model.kind != "finite":
        raise InputError("only a finite transformer is translated to a limit transformer; this one is one")
    model = _without_silent_units(model)
    biases = _biases(model)
    repeat = replace(model, positions=model.positions[: period(model)])
    queries = _queries(repeat)
    coordinates = list(_coordinates(repeat, queries))
    return _Assembly(repeat, coordinates, queries, biases).result()


def _biases(model: Transformer) -> dict[tuple[int, int], Array | None]:
    """φ of each head by distance: p_jᵀ KᵀQ p_i (Equation 51)."""
    found: dict[tuple[int, int], Array | None] = {}
    for number, layer in enumerate(model.layers):
        for h in range(len(layer.heads)):
            logits = position_logits(model, number, h)
            for distance in range(len(logits)):
                off = float(np.ptp(np.diagonal(logits, distance)))
                if off > TOLERANCE:
                    raise InputError(
                        f"layer.{number}.head.{h}: p_jᵀ KᵀQ p_i is not translation-invariant; "
                        f"at distance {distance} it varies by {off:.3g}"
                    )
            values = logits[0]
            last = int(np.flatnonzero(values)[-1]) if values.any() else -1
            found[number, h] = values[: last + 1].copy() if last >= 0 else None
    return found


def _without_silent_units(model: Transformer) -> Transformer:
    """Without the hidden units that never add anything."""
    layers = []
    for layer in model.layers:
        off = np.where(layer.heaviside, layer.b < 0, layer.b <= 0) & ~layer.a.any(axis=1)
        kept = layer.out.any(axis=0) & ~off
        layers.append(
            Layer(layer.heads, layer.a[kept], layer.b[kept], layer.out[:, kept], layer.heaviside[kept])
        )
    return replace(model, layers=tuple(layers))


def _gamma_readers(model: Transformer) -> Iterator[_Reader]:
    depth = len(model.layers)
    for number, layer in enumerate(model.layers):
        for unit, row in enumerate(layer.a):
            yield _Reader(f"Γ layer.{number}.A.{unit}", row, number, number + 1)
    for output, row in enumerate(model.unembedding):
        yield _Reader(f"Γ U.{output}", row, depth, depth)


def _queries(model: Transformer) -> dict[_Query, Array]:
    """All (∏T) w that are not zero."""
    return {
        _Query(group, number, after.path): after.columns[:, number]
        for group in groups(model)
        for after in passed(model, group, relevant=True)
        for number in np.flatnonzero(after.columns.any(axis=0)).tolist()
    }


def _coordinates(model: Transformer, queries: dict[_Query, Array]) -> Iterator[_Coordinate]:
    """The entries of Γ and Λ that some parameter makes non-zero, and those they move to."""
    for reader in _gamma_readers(model):
        yield from _lists(model, reader)
    for number, layer in enumerate(model.layers):
        for h, head in enumerate(layer.heads):
            for query, vector in queries.items():
                if enters(Passed(query.group, query.path, vector), number):
                    name = f"Λ layer.{number}.head.{h} {_named(query)}"
                    direct = query.group == POSITIONS and not query.path
                    yield from _lists(model, _Reader(name, head.kq @ vector, number, number, direct))


def _lists(model: Transformer, reader: _Reader) -> list[_Coordinate]:
    vectors = groups(model)

    def extend(todo: Path, row: Array) -> list[_Coordinate]:
        if not row.any():
            return []
        found = []
        below = todo[0][0] if todo else reader.passed_before
        for number in range(below):
            for h, head in enumerate(model.layers[number].heads):
                found += extend(((number, h), *todo), row @ head.v)
        # A vector that is written after the first value matrix of the list will not pass it.
        before = todo[0][0] if todo else reader.written_before
        values = {group: row @ columns for group, columns in vectors.items() if group.layer < before}
        if reader.position_query and not todo:
            values.pop(POSITIONS)
        if found or any(value.any() for value in values.values()):
            found.append(_Coordinate(reader, todo, values))
        return found

    return extend((), reader.row)


class _Assembly:
    """Puts the coordinates in order and writes the parameters of the limit transformer."""

    def __init__(
        self,
        model: Transformer,
        coordinates: list[_Coordinate],
        queries: dict[_Query, Array],
        biases: dict[tuple[int, int], Array | None],
    ) -> None:
        self.model, self.coordinates, self.biases = model, coordinates, biases
        self.place = {(each.reader.name, each.todo): index for index, each in enumerate(coordinates)}
        # Ω is needed where a Λ reads it: one coordinate per to-do list, from all of T to nothing.
        used = [query for query in queries if any(self._lambda(head, query) is not None for head in biases)]
        self.omega = {
            (query, query.path[done:]): len(coordinates) + index
            for index, (query, done) in enumerate(
                (query, done) for query in used for done in range(len(query.path) + 1)
            )
        }
        self.width = len(coordinates) + len(self.omega)
        if self.width > WIDEST:
            raise InputError(f"the limit transformer would have width {self.width}, more than {WIDEST}")

    def result(self) -> Transformer:
        model = self.model
        positions = self._vectors(POSITIONS).T
        return replace(
            model,
            kind="limit",
            embedding=self._vectors(EMBEDDINGS).T,
            positions=positions if positions.any() else positions[:1],
            layers=tuple(self._layer(number) for number in range(len(model.layers))),
            unembedding=self._read([f"Γ U.{output}" for output in range(len(model.unembedding))]),
            coordinates=self._names(),
        )

    def _lambda(self, head: tuple[int, int], query: _Query) -> int | None:
        return self.place.get((f"Λ layer.{head[0]}.head.{head[1]} {_named(query)}", ()))

    def _vectors(self, group: Group) -> Array:
        """The translations of a group's vectors, as columns."""
        columns = np.zeros((self.width, groups(self.model)[group].shape[1]))
        for index, each in enumerate(self.coordinates):
            if group in each.values:
                columns[index] = each.values[group]
        for (query, todo), index in self.omega.items():
            if query.group == group and todo == query.path:
                columns[index, query.number] = 1
        return columns

    def _layer(self, number: int) -> Layer:
        layer = self.model.layers[number]
        rows = self._read([f"Γ layer.{number}.A.{unit}" for unit in range(len(layer.b))])
        heads = tuple(self._head(number, h) for h in range(len(layer.heads)))
        return Layer(heads, rows, layer.b, self._vectors(Group("B", number)), layer.heaviside)

    def _head(self, number: int, h: int) -> Head:
        kq, v = np.zeros((self.width, self.width)), np.zeros((self.width, self.width))
        for query, todo in self.omega:
            key = self._lambda((number, h), query)
            if key is not None and not todo:
                kq[key, self.omega[query, todo]] = 1
        moves = [
            (index, self.place.get((each.reader.name, each.todo[1:])), each.todo)
            for index, each in enumerate(self.coordinates)
        ]
        moves += [
            (index, self.omega.get((query, todo[1:])), todo) for (query, todo), index in self.omega.items()
        ]
        for source, target, todo in moves:
            if todo and todo[0] == (number, h) and target is not None:
                v[target, source] = 1
        return Head(kq, v, self.biases[number, h])

    def _read(self, names: list[str]) -> Array:
        rows = np.zeros((len(names), self.width))
        for row, name in enumerate(names):
            if (name, ()) in self.place:
                rows[row, self.place[name, ()]] = 1
        return rows

    def _names(self) -> dict[str, int]:
        names = {f"{name}{_todo(todo)}": index for (name, todo), index in self.place.items()}
        return {**names, **{f"Ω {_named(query)}{_todo(todo)}": i for (query, todo), i in self.omega.items()}}


def _named(query: _Query) -> str:
    through = "".join(f" through layer.{layer}.head.{head}.V" for layer, head in query.path)
    return f"{query.group}.{query.number}{through}"


def _todo(path: Path) -> str:
    return "".join(f" before layer.{layer}.head.{head}.V" for layer, head in path)


def _single_products(model: Transformer) -> Iterator[Array]:
    """One column per position: products of positional encodings with vectors that are none."""
    readers = list(_gamma_readers(model))
    for here in passed(model, POSITIONS, relevant=True):
        rows = [each.row for each in readers if enters(here, each.passed_before)]
        yield np.array(rows).reshape(len(rows), model.width) @ here.columns
    others = [
        each for group in groups(model) if group != POSITIONS for each in passed(model, group, relevant=True)
    ]
    for number, layer in enumerate(model.layers):
        beside = [np.zeros((model.width, 0)), *(each.columns for each in others if enters(each, number))]
        for here in _keys(model, number):
            for head in layer.heads:
                yield np.hstack(beside).T @ head.kq @ here.columns
                yield np.hstack(beside).T @ head.kq.T @ here.columns


def _pair_products(model: Transformer) -> Iterator[Array]:
    for number, layer in enumerate(model.layers):
        keys = _keys(model, number)
        for head in layer.heads:
            for here in keys:
                for there in keys:
                    if here.path or there.path:
                        yield here.columns.T @ head.kq @ there.columns


def _keys(model: Transformer, number: int) -> list[Passed]:
    return [each for each in passed(model, POSITIONS, relevant=True) if enters(each, number)]
