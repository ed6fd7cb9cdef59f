"""The transformers T_n of a limit transformer (Huang et al., arXiv 2410.02140, Lemma 47), and their sizes.

The residual stream of T_n has six regions:

    I    main       d      the residual stream of the limit transformer
    II   position   n      one-hot absolute position; φ is read from here
    III  residue    Δ      one-hot position mod Δ; no attention logit reads it directly
    IV   copied     Δ      the residue after it went through a value matrix
    V    start      1      whether the token is $
    VI   seen       Δ + 1  how much each head of the second layer attends to $

Layer 1 copies III to IV: every position attends to itself. In layer 2, head h < Δ prefers the keys at a
distance ≡ h (mod Δ), head Δ is uniform, and the MLP writes p_h to region I where head h sees more of $ than
the uniform head does. So the position relative to $ is known at every offset, while every product function
that involves positional encodings stays translation-invariant. The layers of the limit transformer follow,
with φ in region II.

Where this departs from the printed proof:
- Layer 2 has Δ + 1 heads, not Δ.
- "More than uniform" is tested as w_h ≥ 5/4 · w_uniform. A plain comparison would also hold where both are
  equal (at $, and where no key is at a distance ≡ h), since Heaviside(0) = 1; and as both weights shrink
  like 1/|x|, no constant margin separates them, while their ratio is at least 1.28 for the right h and at
  most 1 for the others.
- A position also sees other residues in layer 1, so region IV is a mixture, not a multiple of one unit
  vector. With logit 3 for itself and logit 2 in layer 2 the ratios above hold for all lengths, periods and
  roundings; with logits 1 they do not.
- With Δ = 1 head 0 would equal the uniform head. The constant p is then part of the token embeddings (in the
  positional encodings it would make term (8) of the regularizer grow with n), and the two layers and regions
  III to VI are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer, padded

MAX_BYTES = 2 << 30
"""Of one transformer: what a laptop holds beside the copy that is written."""


def parameter_bytes(width: int, *, rows: int, layers: Sequence[tuple[int, int]]) -> int:
    """Bytes of E, P and U with `rows` rows together, and of layers with these numbers of (heads, MLP units).

    >>> parameter_bytes(10, rows=3, layers=[(1, 2)])
    2176
    """
    heads = sum(heads for heads, _ in layers)
    units = sum(units for _, units in layers)
    return 8 * (rows * width + 2 * heads * width**2 + units * (2 * width + 1))


def check_bytes(needed: int, what: str) -> None:
    """Raises where that is too much; `what` begins the message.

    >>> check_bytes(3 << 40, "a table")
    Traceback (most recent call last):
    longreach.errors.InputError: a table needs 3,072.0 GiB of memory; the limit is 2.0 GiB
    """
    if needed > MAX_BYTES:
        raise InputError(f"{what} needs {gibibytes(needed)} of memory; the limit is {gibibytes(MAX_BYTES)}")


def gibibytes(count: int) -> str:
    """A number of bytes for people, however large.

    >>> gibibytes(3 << 29), gibibytes(10**40)
    ('1.5 GiB', 'about 10^31 GiB')
    """
    return f"{count / 2**30:,.1f} GiB" if count < 10**20 else f"{shown(count >> 30)} GiB"


def shown(number: int) -> str:
    """A number, or its size where it has too many digits to read.

    >>> shown(1234), shown(7**40)
    ('1234', 'about 10^34')
    """
    return str(number) if number < 10**15 else f"about 10^{int(number.bit_length() * 0.30103)}"


SELF_LOGIT = 3.0
"""Ω of the proof: the logit with which a position attends to itself in layer 1."""
RESIDUE_LOGIT = 2.0
"""The logit for a key at the distance that a head of layer 2 looks for."""
MORE_THAN_UNIFORM = 1.25
"""A head of layer 2 has found its distance if its weight on $ is this multiple of the uniform one or more."""


def least_period(positions: Array) -> int:
    """The least Δ > 0 with p_i = p_{i+Δ} for all i (Definition 50 as corrected), given one period.

    >>> least_period(np.array([[0.0], [1.0], [0.0], [1.0]]))
    2
    """
    given = len(positions)
    return next(
        period
        for period in range(1, given + 1)
        if given % period == 0 and np.array_equal(positions, np.roll(positions, period, axis=0))
    )


def to_finite(model: Transformer, context: int) -> Transformer:
    """T_n with n = `context`: equal to the limit transformer on every input, at every offset that fits.

    With period Δ ≥ 2 it has width d + n + 3Δ + 2, two layers more, and max(1, H, Δ + 1) heads; with Δ = 1 it
    has no added layers and width d + n, or d if φ = 0. With p = 0 and φ = 0 that is a NoPE transformer
    (Corollary 18).

    >>> even = Transformer(  # accepts where the position is even
    ...     "limit", ("$", "a"), np.zeros((2, 1)), np.array([[1.0], [-1.0]]), (), np.eye(1))
    >>> finite = to_finite(even, context=10)
    >>> finite.width == 1 + 10 + 3 * 2 + 2, [len(each.heads) for each in finite.layers]
    (True, [1, 3])
    """
    if model.kind != "limit":
        raise InputError("only a limit transformer is translated to T_n; this one is finite")
    if context < 1:
        raise InputError(f"a context of {context}: at least 1 is needed, for {START}")
    _ = model.locality  # raises where φ is not local
    local = any(len(head.local) for _, _, head in model.heads())
    positions = model.positions[: least_period(model.positions)]
    _check_size(model, context, len(positions), local=local)
    if len(positions) == 1:
        return _without_periods(model, context, positions[0], local=local)
    return _with_periods(model, context, positions)


def _check_size(model: Transformer, context: int, period: int, *, local: bool) -> None:
    """Raises where T_n would not fit the memory, before anything is built."""
    layers = [(len(layer.heads), len(layer.b)) for layer in model.layers]
    width = model.width + (context if local else 0)
    if period > 1:
        layers += [(1, 0), (period + 1, period + 1)]
        width = _Regions(model.width, context, period).width
    rows = len(model.vocabulary) + context + model.outputs
    heads = sum(heads for heads, _ in layers)
    check_bytes(
        parameter_bytes(width, rows=rows, layers=layers),
        f"a transformer for {shown(context)} positions, {shown(width)} wide and with {heads} heads in all,",
    )


@dataclass(frozen=True)
class _Regions:
    """Where each region of the residual stream begins and ends."""

    d: int
    n: int
    period: int

    @property
    def main(self) -> slice:
        return slice(0, self.d)

    @property
    def position(self) -> slice:
        return slice(self.d, self.d + self.n)

    @property
    def residue(self) -> slice:
        return slice(self.position.stop, self.position.stop + self.period)

    @property
    def copied(self) -> slice:
        return slice(self.residue.stop, self.residue.stop + self.period)

    @property
    def start(self) -> int:
        return int(self.copied.stop)

    @property
    def seen(self) -> slice:
        return slice(self.start + 1, self.start + 1 + self.period + 1)

    @property
    def width(self) -> int:
        return int(self.seen.stop)

    def names(self) -> dict[str, int]:
        """Names of the directions outside region I; the colon keeps them apart from names of operations."""
        regions = {
            "position": self.position,
            "residue": self.residue,
            "copied": self.copied,
            "seen": self.seen,
        }
        named = {
            f"{name}:{place}": index
            for name, region in regions.items()
            for place, index in enumerate(range(region.start, region.stop))
        }
        return {**named, "start:": self.start}


def _without_periods(model: Transformer, context: int, constant: Array, *, local: bool) -> Transformer:
    d = model.width
    width = d + context if local else d
    positions = np.zeros((context, width))
    names: dict[str, int] = {}
    if local:
        positions[:, d:] = np.eye(context)
        names = {f"position:{place}": d + place for place in range(context)}
    return replace(
        model,
        kind="finite",
        embedding=padded(model.embedding + constant, len(model.embedding), width),
        positions=positions,
        layers=tuple(_emulate(layer, width, slice(d, width)) for layer in model.layers),
        unembedding=padded(model.unembedding, len(model.unembedding), width),
        coordinates={**model.coordinates, **names},
    )


def _with_periods(model: Transformer, context: int, periodic: Array) -> Transformer:
    regions = _Regions(model.width, context, len(periodic))
    embedding = padded(model.embedding, len(model.embedding), regions.width)
    embedding[model.vocabulary.index(START), regions.start] = 1
    positions = np.zeros((context, regions.width))
    positions[:, regions.position] = np.eye(context)
    positions[np.arange(context), regions.residue.start + np.arange(context) % regions.period] = 1
    layers = [_copy_residues(regions), _find_start(regions, periodic)]
    layers += [_emulate(layer, regions.width, regions.position) for layer in model.layers]
    return replace(
        model,
        kind="finite",
        embedding=embedding,
        positions=positions,
        layers=tuple(layers),
        unembedding=padded(model.unembedding, len(model.unembedding), regions.width),
        coordinates={**model.coordinates, **regions.names()},
    )


def _copy_residues(regions: _Regions) -> Layer:
    """Layer 1: each position attends to itself and moves region III to region IV."""
    kq, v = np.zeros((regions.width, regions.width)), np.zeros((regions.width, regions.width))
    _diagonal(kq, regions.position, 0, SELF_LOGIT)
    v[regions.copied, regions.residue] = np.eye(regions.period)
    return Layer.attention_only(Head(kq, v))


def _find_start(regions: _Regions, periodic: Array) -> Layer:
    """Layer 2: Δ + 1 heads write to region VI how much of $ they see; the MLP writes p to region I."""
    period, shape = regions.period, (regions.width, regions.width)
    heads = []
    for distance in range(period + 1):
        kq, v = np.zeros(shape), np.zeros(shape)
        if distance < period:
            # Key residue r, query residue r + distance: the columns of the identity move right.
            kq[regions.copied, regions.copied] = RESIDUE_LOGIT * np.roll(np.eye(period), distance, axis=1)
        v[regions.seen.start + distance, regions.start] = 1
        heads.append(Head(kq, v))
    # One unit per distance to $, and one for $ itself, where all heads see the same and no other unit is on.
    a, b = np.zeros((period + 1, regions.width)), np.zeros(period + 1)
    a[:period, regions.seen] = np.eye(period, period + 1)
    a[:period, regions.seen.stop - 1] = -MORE_THAN_UNIFORM
    a[period, regions.start], b[period] = 1, -0.5
    out = np.zeros((regions.width, period + 1))
    out[regions.main] = np.vstack([periodic, periodic[:1]]).T
    return Layer(tuple(heads), a, b, out, np.ones(period + 1, dtype=np.bool_))


def _emulate(layer: Layer, width: int, position: slice) -> Layer:
    """A layer of the limit transformer in region I, with φ on the diagonals of region II (Equation 22)."""
    heads = []
    for head in layer.heads:
        kq = padded(head.kq, width, width)
        for distance, value in enumerate(head.local):
            _diagonal(kq, position, distance, value)
        heads.append(Head(kq, padded(head.v, width, width)))
    out = padded(layer.out, width, len(layer.b))
    return Layer(tuple(heads), padded(layer.a, len(layer.a), width), layer.b, out, layer.heaviside)


def _diagonal(matrix: Array, region: slice, distance: int, value: float) -> None:
    """Set the entries (key j, query j + distance) within a region."""
    keys = np.arange(region.start, region.stop - distance)
    if value:
        matrix[keys, keys + distance] = value
