"""Transformers and limit transformers as data (Huang et al., arXiv 2410.02140, sections 2 and 3).

One orientation everywhere: key position j on the left, query position i on the right, a_ij = y_jᵀ KQ y_i,
and only j ≤ i counts. The start symbol $ stands at position 0; the length |x| counts it. Arrays are float64,
whose values are dyadic rationals, so that the exact evaluator reads the same numbers as the fast one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.wording import counted, some

Array: TypeAlias = NDArray[np.float64]
Relation: TypeAlias = Callable[[int, int], float]
"""φ(j, i) in general, for examples that are not local."""
START = "$"
SHOWN = 12
"""Tokens that a short description names."""


@dataclass(frozen=True, eq=False)
class Head:
    """One attention head: a_ij = y_jᵀ kq y_i (+ φ(j, i) in a limit transformer); it adds v y_j, weighted."""

    kq: Array
    v: Array
    phi: Array | Relation | None = None
    """LOCAL: the value at each distance i − j = 0, 1, …, τ, zero beyond; or any function; None: zero."""

    @property
    def local(self) -> Array:
        """A local φ without its zeros at the end; empty where there is none, or a function."""
        return np.trim_zeros(self.phi, "b") if isinstance(self.phi, np.ndarray) else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Layer:
    """Y_i = y_i + Σ_h Σ_j w_ij v y_j, all heads reading the layer's input; y_i ← Y_i + out ψ(a Y_i + b)."""

    heads: tuple[Head, ...]
    a: Array
    """(m, d)"""
    b: Array
    """(m,)"""
    out: Array
    """B of the papers, (d, m)."""
    heaviside: NDArray[np.bool_]
    """(m,): which units are Heaviside (with Heaviside(0) = 1); the others are ReLU."""

    @classmethod
    def attention_only(cls, *heads: Head) -> Layer:
        """A layer without an MLP."""
        none = np.zeros((0, len(heads[0].kq)))
        return cls(heads, none, np.zeros(0), none.T, np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True, eq=False, repr=False)
class Transformer:
    """A finite transformer (`kind` "finite") or a limit transformer ("limit").

    `positions` has one row per position: a finite transformer reads row i + offset, a limit transformer row
    i mod period. `precision` is the number of fractional bits to which logits and exponentials are rounded,
    None for no rounding. An acceptor accepts if its single output at the last position is > 0; a predictor
    predicts the tokens of `read_out` whose output is > 0.
    """

    kind: Literal["limit", "finite"]
    vocabulary: tuple[str, ...]
    """Tokens in the order of the rows of `embedding`; the start symbol is among them."""
    embedding: Array
    positions: Array
    layers: tuple[Layer, ...]
    unembedding: Array
    """(outputs, d)"""
    read_out: Literal["acceptor"] | tuple[str, ...] = "acceptor"
    precision: int | None = None
    coordinates: Mapping[str, int] = field(default_factory=dict)
    """Names of directions of the residual stream."""
    program: str | None = None
    """The core program, as text, that this was compiled from."""

    def __post_init__(self) -> None:
        if START not in self.vocabulary or len(set(self.vocabulary)) != len(self.vocabulary):
            raise InputError(f"a vocabulary has distinct tokens, {START!r} among them")
        if self.kind == "finite":
            for layer, h, head in self.heads():
                if head.phi is not None:
                    raise InputError(f"layer.{layer}.head.{h}: a finite transformer has no φ")
        d = self.width
        for name, array in self.tensors().items():
            layer_of, _, part = name.rpartition(".")
            m = len(self.layers[int(layer_of.split(".")[1])].b) if layer_of else 0
            shape = {
                "E": (len(self.vocabulary), d),
                "P": (len(self.positions), d),
                "U": (self.outputs, d),
                "KQ": (d, d),
                "V": (d, d),
                "phi": (len(array),),
                "A": (m, d),
                "b": (m,),
                "B": (d, m),
                "heaviside": (m,),
            }[part]
            if array.shape != shape:
                raise InputError(f"{name}: shape {array.shape}, expected {shape}")
            if not np.isfinite(array).all():
                raise InputError(f"{name}: a parameter is not finite")

    def heads(self) -> Iterator[tuple[int, int, Head]]:
        """Every head with the numbers of its layer and of itself."""
        for number, layer in enumerate(self.layers):
            for h, head in enumerate(layer.heads):
                yield number, h, head

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All parameters by the names they have in files; φ where it is an array."""
        found: dict[str, NDArray[Any]] = {"E": self.embedding, "P": self.positions, "U": self.unembedding}
        for number, layer in enumerate(self.layers):
            parts = {"A": layer.a, "b": layer.b, "B": layer.out, "heaviside": layer.heaviside}
            found |= {f"layer.{number}.{name}": array for name, array in parts.items()}
        for number, h, head in self.heads():
            name = f"layer.{number}.head.{h}"
            found |= {f"{name}.KQ": head.kq, f"{name}.V": head.v}
            if isinstance(head.phi, np.ndarray):
                found[f"{name}.phi"] = head.phi
        return found

    def __repr__(self) -> str:
        layers, heads = len(self.layers), max((len(layer.heads) for layer in self.layers), default=0)
        kind = "limit transformer" if self.context is None else f"transformer for {self.context} positions"
        shape = f"{counted(layers, 'layer')}, {counted(heads, 'head')}, width {self.width}"
        tokens = [token for token in self.vocabulary if token != START]
        reads = some(tokens, SHOWN)
        does = "accepts or rejects" if self.read_out == "acceptor" else "predicts what may follow"
        return f"{kind}: {shape}; reads {reads}, {does}"

    @property
    def width(self) -> int:
        """d, the size of the residual stream."""
        return int(self.embedding.shape[1])

    @property
    def outputs(self) -> int:
        return 1 if self.read_out == "acceptor" else len(self.read_out)

    @property
    def period(self) -> int:
        """Δ of a limit transformer."""
        return len(self.positions)

    @property
    def context(self) -> int | None:
        """How many positions a finite transformer has, $ included; None for a limit transformer."""
        return len(self.positions) if self.kind == "finite" else None

    @property
    def locality(self) -> int:
        """τ: the largest distance at which some φ is not zero; φ must be local."""
        for layer, h, head in self.heads():
            if callable(head.phi):
                raise InputError(f"layer.{layer}.head.{h}.phi: not local, and locality is needed")
        return max((len(head.local) - 1 for _, _, head in self.heads() if len(head.local)), default=0)

    def encode(self, word: Sequence[str], offset: int = 0) -> NDArray[np.intp]:
        """The rows of the embedding for $ and the word's tokens, which must fit the context at the offset."""
        rows = {token: row for row, token in enumerate(self.vocabulary)}
        for place, token in enumerate(word, 1):
            if token not in rows or token == START:
                raise InputError(f"token {place} of the word: {token!r} is not in the vocabulary")
        if offset < 0:
            raise InputError(f"offset {offset}: an offset is not negative")
        if self.context is not None and len(word) + 1 + offset > self.context:
            at = f" at offset {offset}" if offset else ""
            raise InputError(
                f"a word of {len(word)} tokens and {START}{at} exceeds the context of {self.context}"
            )
        return np.array([rows[START], *(rows[token] for token in word)], dtype=np.intp)


def padded(matrix: Array, rows: int, columns: int) -> Array:
    """The matrix with zeros below it and to its right."""
    found = np.zeros((rows, columns))
    found[: matrix.shape[0], : matrix.shape[1]] = matrix
    return found


def regression_shapes(
    *, symbols: int, outputs: int, layers: int, width: int, hidden: int, period: int, locality: int
) -> dict[str, tuple[int, ...]]:
    """The parameters of a trained model of a task with numbers as answers, in their order."""
    found: dict[str, tuple[int, ...]] = {"embedding": (symbols, width)}
    if period > 1:
        found["positions"] = (period, width)
    for layer in range(layers):
        found |= {f"{layer}.{name}": (width, width) for name in ("key", "query", "value")}
        if locality and not layer:
            found["0.bias"] = (locality + 1,)
        found |= {f"{layer}.in": (hidden, width), f"{layer}.in_bias": (hidden,)}
        found[f"{layer}.out"] = (width, hidden)
    return found | {"output": (outputs, width)}
