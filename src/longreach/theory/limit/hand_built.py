"""Limit transformers built by hand: induction heads, k-gram heads, averages.

The induction head computes the frequencies of Equation (10) of Huang et al., arXiv 2410.02140, section 4.1:
which tokens have followed the earlier occurrences of the current token.

The first layer of a k-gram head has one head per distance 1 … k, which copies the token there (φ = 2). The
second attends to the positions whose k copies are the last k tokens, and reads what stands there. For k = 1
it is the induction head.

The constructions of Izzo, Nichani and Lee (arXiv 2510.27015), A.2 of the workshop version, with a finite
logit where it has ∞: with the paper's model of precision attention is hard from |x| = 2^(p / GAP) on, and
then the attended averages are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sin, sqrt
from typing import Literal

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer

MATCH = 4.0  # logit of a key that followed the current token
REST = 2.0  # logit of $, which wins when nothing matches: others then get 1/|x| at most


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Named directions: $, the token here, those that first-layer heads copy, the tokens that followed."""

    tokens: tuple[str, ...]
    copies: int
    positions: int = 0

    def __post_init__(self) -> None:
        if not self.tokens or START in self.tokens or len(set(self.tokens)) != len(self.tokens):
            raise InputError(f"tokens: distinct tokens are needed, at least one, without {START!r}")

    @property
    def names(self) -> tuple[str, ...]:
        groups = ["token", *(f"copy {c}" for c in range(self.copies)), "next"]
        late = ["late"] if self.positions else []
        places = [f"position {i}" for i in range(self.positions)]
        return (START, *(f"{group} {token}" for group in groups for token in self.tokens), *late, *places)

    @property
    def width(self) -> int:
        return len(self.names)

    def group(self, number: int) -> slice:
        """0: the token here; 1, …: what a head has copied; the last: the tokens that followed."""
        size = len(self.tokens)
        return slice(1 + number * size, 1 + (number + 1) * size)

    def move(self, source: int, target: int, scale: float = 1.0) -> Array:
        """The matrix that reads one group and writes another."""
        matrix = np.zeros((self.width, self.width))
        matrix[self.group(target), self.group(source)] = scale * np.eye(len(self.tokens))
        return matrix

    def matching(self, copy: int) -> Array:
        """KQ: keys whose copied token is the query's own get MATCH, $ gets REST."""
        kq = self.move(0, copy, MATCH)
        kq[0, : self.group(0).stop] = REST
        return kq

    def transformer(
        self,
        kind: Literal["limit", "finite"],
        positions: Array,
        first: tuple[Head, ...],
        second: tuple[Head, ...],
        precision: int | None,
    ) -> Transformer:
        embedding = np.zeros((len(self.tokens) + 1, self.width))
        embedding[:, : len(self.tokens) + 1] = np.eye(len(self.tokens) + 1)
        return Transformer(
            kind=kind,
            vocabulary=(START, *self.tokens),
            embedding=embedding,
            positions=positions,
            layers=(Layer.attention_only(*first), Layer.attention_only(*second)),
            unembedding=np.eye(self.width)[self.group(self.copies + 1)],
            read_out=self.tokens,
            precision=precision,
            coordinates={name: place for place, name in enumerate(self.names)},
        )


def induction_head(tokens: Sequence[str], *, phi: float = 2.0, precision: int | None = 0) -> Transformer:
    """Two layers of one head: copy the previous token; attend to where it is the current one.

    All parameters are integers, so rounding to 0 bits is allowed, and it makes the logits exact: from length
    6 on, what leaks into the copied token changes a logit by less than ½. The outputs then err by 1/|x| at
    most. Without rounding the leak stays, and the error is O(log|x| / |x|). With φ = 1 the previous position
    gets a share between ½ and 1 that varies with the position, and the error does not vanish.

    >>> from longreach.theory.limit.run import run
    >>> run(induction_head("abc"), ["abaca" * 20])[0][-1].round(2).tolist()
    [0.32, 0.34, 0.34]
    """
    space = Coordinates(tuple(tokens), copies=1)
    d = space.width
    previous = Head(np.zeros((d, d)), space.move(0, 1), np.array([0.0, phi]))
    follow = Head(space.matching(1), space.move(0, 2))
    return space.transformer("limit", np.zeros((1, d)), (previous,), (follow,), precision)


MAX_K = 16


def kgram_head(
    tokens: Sequence[str], k: int, *, phi: float = 2.0, match: float = MATCH, precision: int | None = 0
) -> Transformer:
    """A key gets `match` for each of its last k tokens that agrees; $ gets match (k − ½).

    With the model of precision of Huang et al. and 0 bits, the logits are exact from |x| = 16k on, and the
    outputs err by 1/|x| at most. Where logits are not scaled (infinite precision) the softmax stays soft; a
    larger `match` makes it harder.

    >>> from longreach.theory.limit.run import run
    >>> word = "abcabd" * 20 + "ab"
    >>> run(kgram_head("abcd", 2), [word])[0][-1].round(2).tolist()
    [0.0, 0.0, 0.5, 0.5]
    """
    if not 1 <= k <= MAX_K:
        raise InputError(f"k {k}: a number from 1 to {MAX_K} is needed")
    space = Coordinates(tuple(tokens), copies=k)
    d = space.width
    copying = tuple(
        Head(np.zeros((d, d)), space.move(0, distance), phi * np.eye(k + 1)[distance][: distance + 1])
        for distance in range(1, k + 1)
    )
    kq = np.zeros((d, d))
    for distance in range(1, k + 1):
        kq += space.move(distance - 1, distance, match)
    kq[0, : space.group(0).stop] = match * (k - 0.5)
    follow = Head(kq, space.move(0, k + 1))
    return space.transformer("limit", np.zeros((1, d)), copying, (follow,), precision)


GAP = 4.0
"""Logit of attended keys; others have 0 or less."""
MAX_FREQUENCY = 1000.0
MAX_PERIOD = 256


def simple_task_model(omega: float = 1.0, tolerance: float = 1e-3) -> Transformer:
    """y = sin(ω (c₀ − c₁)/(c₀ + c₁)) over the tokens 0, 1, 2; 0 where there is neither 0 nor 1.

    Attention is uniform over 0 and 1. The MLP interpolates the sine on a grid, with an error of at most
    `tolerance`; it is odd, as the sine is. For it ‖A‖_F ‖B‖_F is the variation of the slope, which grows like
    ω² (the Lipschitz constant is ω).

    >>> from longreach.theory.limit.run import run
    >>> from longreach.theory.limit.rounding import RelativePrecision
    >>> run(simple_task_model(), ["0001222222222"], precision=RelativePrecision(8))[0][-1].round(3).tolist()
    [0.479]
    """
    if not 0 < omega <= MAX_FREQUENCY:
        raise InputError(f"omega {omega:g}: a frequency between 0 and {MAX_FREQUENCY:g} is needed")
    if not 1e-6 <= tolerance < 1:
        raise InputError(f"tolerance {tolerance:g}: a number from 1e-06 to 1 is needed")
    names = (START, "token 0", "token 1", "token 2", "difference", "y")
    place = {name: index for index, name in enumerate(names)}
    d = len(names)
    kq, v = np.zeros((d, d)), np.zeros((d, d))
    kq[[place["token 0"], place["token 1"]], :4] = GAP
    v[place["difference"], place["token 0"]] = 1.0
    v[place["difference"], place["token 1"]] = -1.0
    a, b, out = _odd_interpolation(omega, ceil(omega / sqrt(8 * tolerance)))
    into, onto = np.outer(a, np.eye(d)[place["difference"]]), np.outer(np.eye(d)[place["y"]], out)
    return _one_layer(place, "012", Head(kq, v), (into, b, onto), np.zeros((1, d)))


def _one_layer(
    place: dict[str, int], tokens: str, head: Head, mlp: tuple[Array, Array, Array], positions: Array
) -> Transformer:
    """A model of one layer that puts out the direction y; its first directions are $ and the tokens."""
    d = len(place)
    a, b, out = mlp
    return Transformer(
        kind="limit",
        vocabulary=(START, *tokens),
        embedding=np.eye(len(tokens) + 1, d),
        positions=positions,
        layers=(Layer((head,), a, b, out, np.zeros(len(b), dtype=np.bool_)),),
        unembedding=np.eye(d)[[place["y"]]],
        read_out=("y",),
        coordinates=place,
    )


def _odd_interpolation(omega: float, pieces: int) -> tuple[Array, Array, Array]:
    """Units (a, b, out) of z ↦ Σ out ReLU(a z + b), which is sin(ωz) at the multiples of 1/pieces."""
    grid = np.arange(pieces + 1) / pieces
    slopes = np.diff([sin(omega * z) for z in grid]) * pieces
    changes = np.diff(slopes, prepend=0.0)
    size = np.sqrt(np.abs(changes))  # the same norm inside and outside
    a = np.concatenate([size, -size])
    b = np.concatenate([-size * grid[:-1], -size * grid[:-1]])
    out = np.concatenate([np.sign(changes) * size, -np.sign(changes) * size])
    return a, b, out


def modp_task_model(period: int = 5, residue: int = 0) -> Transformer:
    """y = mean of the bits at positions ≡ residue (mod period), from 1 on; for words of `period` or more.

    Attention is uniform over those positions. The mean passes one ReLU, which changes nothing, so that
    L = ‖A‖_F ‖B‖_F ‖V E_s‖ is 1.

    >>> from longreach.theory.limit.run import run
    >>> from longreach.theory.limit.rounding import RelativePrecision
    >>> model = modp_task_model(3, residue=1)
    >>> run(model, ["011111100"], precision=RelativePrecision(4))[0][-1].round(3).tolist()
    [0.667]
    """
    if not 1 <= period <= MAX_PERIOD:
        raise InputError(f"period {period}: a number from 1 to {MAX_PERIOD} is needed")
    if not 0 <= residue < period:
        raise InputError(f"residue {residue}: a number from 0 to {period - 1} is needed")
    names = [START, "token 0", "token 1", "mean", "y", *(f"residue {r}" for r in range(period))]
    place = {name: index for index, name in enumerate(names)}
    d = len(names)
    kq, v = np.zeros((d, d)), np.zeros((d, d))
    kq[place[f"residue {residue}"], :3] = GAP
    kq[place[START], :3] = -GAP  # $ stands at position 0, and is none of the word's
    v[place["mean"], place["token 1"]] = 1.0
    positions = np.zeros((period, d))
    positions[:, place["residue 0"] :] = np.eye(period)
    mlp = np.eye(d)[[place["mean"]]], np.zeros(1), np.eye(d)[:, [place["y"]]]
    return _one_layer(place, "01", Head(kq, v), mlp, positions)
