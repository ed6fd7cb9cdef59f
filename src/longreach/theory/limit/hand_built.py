"""Limit transformers built by hand: induction heads, k-gram heads, averages.

Both compute the frequencies of Equation (10) of Huang et al., arXiv 2410.02140, section 4.1: which tokens
have followed the earlier occurrences of the current token. The induction head is a limit transformer; the
counter-example (Proposition 59 there, section G.6.1) is a sequence of finite transformers, right up to half
the context and wrong at the whole of it, because their product functions vary with the offset.

The first layer has one head per distance 1 … k, which copies the token there (φ = 2). The second attends to
the positions whose k copies are the last k tokens, and reads what stands there. For k = 1 it is the induction
head.

The constructions of Izzo, Nichani and Lee (arXiv 2510.27015), A.2 of the workshop version, with a finite
logit where it has ∞: with the paper's model of precision attention is hard from |x| = 2^(p / GAP) on, and
then the attended averages are exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sin, sqrt
from typing import Literal

import numpy as np

from longreach.errors import InputError
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer
from longreach.theory.limit.run import run

# Transformers built by hand: the induction head, and one that works only on short inputs.


MATCH = 4.0  # logit of a key that followed the current token
REST = 2.0  # logit of $, which wins when nothing matches: others then get 1/|x| at most
OFF = 10.0  # further logit of $ for a head that is switched off


def bigram_frequencies(word: Sequence[str], tokens: Sequence[str]) -> Array:
    """Equation (10) at $ and after each token: (1 + length of the word, tokens); 0 where it is 0/0.

    >>> bigram_frequencies("abaca", "abc").tolist()[-1]
    [0.0, 0.5, 0.5]
    """
    number = {token: place for place, token in enumerate(tokens)}
    counts = np.zeros((len(tokens), len(tokens)))
    result = np.zeros((len(word) + 1, len(tokens)))
    for i, token in enumerate(word):
        now = number[token]
        if i:
            counts[number[word[i - 1]], now] += 1
        result[i + 1] = counts[now] / max(counts[now].sum(), 1)
    return result


def attention_only(*heads: Head) -> Layer:
    """A layer without an MLP."""
    d = len(heads[0].kq)
    return Layer(heads, np.zeros((0, d)), np.zeros(0), np.zeros((d, 0)), np.zeros(0, dtype=np.bool_))


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
            layers=(attention_only(*first), attention_only(*second)),
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

    >>> outputs = run(induction_head("abc"), ["abaca" * 20])[0]
    >>> outputs[-1].round(2).tolist() == bigram_frequencies("abaca" * 20, "abc")[-1].round(2).tolist()
    True
    """
    space = Coordinates(tuple(tokens), copies=1)
    d = space.width
    previous = Head(np.zeros((d, d)), space.move(0, 1), np.array([0.0, phi]))
    follow = Head(space.matching(1), space.move(0, 2))
    return space.transformer("limit", np.zeros((1, d)), (previous,), (follow,), precision)


def generate(model: Transformer, prompt: Sequence[str], stop: str, limit: int) -> tuple[str, ...]:
    """Append the token with the largest output until it is `stop`, which is included, or `limit` is reached.

    An induction head copies a string without repeated tokens (Huang et al., arXiv 2410.02140, section C.2.2):

    >>> generate(induction_head("#abcd"), "#dbca#", stop="#", limit=10)
    ('d', 'b', 'c', 'a', '#')
    """
    if model.read_out == "acceptor":
        raise InputError("read_out: an acceptor does not generate")
    text = list(prompt)
    for _ in range(limit):
        text.append(model.read_out[int(np.argmax(run(model, [text])[0][-1]))])
        if text[-1] == stop:
            break
    return tuple(text[len(prompt) :])


def copies(tokens: int, length: int, seed: int = 0) -> bool:
    """Whether the induction head copies a random string of `length` distinct tokens out of `tokens`.

    >>> copies(tokens=40, length=30)
    True
    """
    if not 0 < length <= tokens:
        raise InputError(f"length {length}: a string of distinct tokens has between 1 and {tokens}")
    names = [f"t{number}" for number in range(tokens)]
    word = [names[i] for i in np.random.default_rng(seed).permutation(tokens)[:length]]
    model = induction_head(["#", *names])
    return generate(model, ["#", *word, "#"], stop="#", limit=length + 1) == (*word, "#")


@dataclass(frozen=True)
class InductionRow:
    """How far the induction head's outputs are from Equation (10) at one length, $ included."""

    length: int
    phi: float
    precision: int | None
    worst: float
    """Over all positions of random words and of words made to be hard."""
    scaled: float
    """`worst` times the length: bounded if the error is O(1/|x|)."""
    random: float
    """Mean over random words, at the last position."""


def induction_errors(
    lengths: Sequence[int],
    *,
    phi: float = 2.0,
    precision: int | None = 0,
    tokens: Sequence[str] = "abcd",
    words: int = 8,
    seed: int = 0,
) -> list[InductionRow]:
    """One row per length.

    >>> [row.scaled < 1 for row in induction_errors([8, 64, 512])]
    [True, True, True]
    """
    model = induction_head(tokens, phi=phi, precision=precision)
    rng = np.random.default_rng(seed)
    rows = []
    for length in lengths:
        size = length - 1
        some = [tuple(tokens[i] for i in rng.integers(0, len(tokens), size)) for _ in range(words)]
        both = some + _hard_words(tokens, size)
        errors = [
            np.abs(output - bigram_frequencies(word, tokens)).max(axis=1)
            for output, word in zip(run(model, both), both, strict=True)
        ]
        worst = max(float(error.max()) for error in errors)
        last = float(np.mean([error[-1] for error in errors[:words]]))
        rows.append(InductionRow(length, phi, precision, worst, worst * length, last))
    return rows


def _hard_words(tokens: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Statistics that change half-way or rest on few places: unequal weights show in them."""
    a, b, c = (tokens[i % len(tokens)] for i in range(3))
    half = size // 2
    words = [
        [a, b] * (half // 2) + [a, c] * size,
        [a] * half + [b] * size,
        list(tokens) * size,
        [a] + [b] * max(size - 2, 0) + [a],
    ]
    return [tuple(word[:size]) for word in words]


def two_headed(context: int, tokens: Sequence[str] = "abcd", precision: int | None = 0) -> Transformer:
    """T_n of Proposition 59 (Huang et al., arXiv 2410.02140), n = `context`, a multiple of 4.

    Position i counts from 1 at the start of the context. In the first layer, head 0 copies the previous token
    up to 3n/4 and the one before it afterwards; head 1 copies the one before the previous up to n/4, and the
    previous one afterwards. In the second layer, head h looks where head h of the first layer has copied the
    current token; head 0 is switched off, by attending to $, for queries from 3n/4 on, head 1 before.

    Corrected and completed: the two conditions are swapped in print, and the match logit is 1 there, which
    is too little. $ has a logit also when a head is on, so that 0/0 gives 0. The switch reads one more
    coordinate of p_i ("late"): with one-hot p_i alone it would take a matrix of norm growing like √n.

    >>> model = two_headed(16)
    >>> model.context, model.coordinates["late"], model.width
    (16, 17, 34)
    """
    if context < 4 or context % 4:
        raise InputError(f"context {context}: a positive multiple of 4 is needed")
    space = Coordinates(tuple(tokens), copies=2, positions=context)
    place = space.width - context
    late = place - 1
    number = np.arange(1, context + 1)
    positions = np.zeros((context, space.width))
    positions[:, place:] = np.eye(context)
    positions[:, late] = 4 * number >= 3 * context

    def copying(distance: Array, copy: int) -> Head:
        kq = np.zeros((space.width, space.width))
        for i, back in enumerate(distance.astype(int)):
            if i >= back:
                kq[place + i - back, place + i] = 2.0
        return Head(kq, space.move(0, copy))

    def following(copy: int, when_late: float, when_early: float) -> Head:
        kq = space.matching(copy)
        kq[0, space.group(0)] += when_early
        kq[0, late] += when_late - when_early
        return Head(kq, space.move(0, 3))

    first = (
        copying(np.where(4 * number <= 3 * context, 1.0, 2.0), 1),
        copying(np.where(4 * number <= context, 2.0, 1.0), 2),
    )
    second = (following(1, when_late=OFF, when_early=0.0), following(2, when_late=0.0, when_early=OFF))
    return space.transformer("finite", positions, first, second, precision)


def witness(length: int, tokens: Sequence[str] = "abcd") -> tuple[str, ...]:
    """A word of this length ($ included, at least 6) whose last a has been followed by b, and then by c.

    >>> "".join(witness(8))
    'abcddda'
    """
    if len(tokens) < 4 or length < 6:
        raise InputError("the witness needs four tokens and a length of at least 6")
    a, b, c, d = tokens[:4]
    return (a, b, c, *[d] * (length - 5), a)


@dataclass(frozen=True)
class OffsetRow:
    """The counter-example at one length and offset: largest distance to Equation (10) over some words."""

    context: int
    length: int
    offset: int
    error: float
    right: bool
    """The error is at most 1/|x|, as that of the induction head."""


def counter_example(
    context: int, lengths: Sequence[int], *, tokens: Sequence[str] = "abcd", words: int = 4, seed: int = 0
) -> list[OffsetRow]:
    """Random words and the witness at every offset that fits.

    >>> rows = counter_example(32, [16, 32])
    >>> all(row.right for row in rows if row.length == 16), [row.right for row in rows if row.length == 32]
    (True, [False])
    """
    model = two_headed(context, tokens)
    rng = np.random.default_rng(seed)
    rows = []
    for length in lengths:
        tried = [tuple(tokens[i] for i in rng.integers(0, len(tokens), length - 1)) for _ in range(words)]
        tried += [witness(length, tokens)] if length >= 6 else []
        wanted = [bigram_frequencies(word, tokens) for word in tried]
        for offset in range(context - length + 1):
            outputs = run(model, tried, offset)
            error = max(float(np.abs(x - y).max()) for x, y in zip(outputs, wanted, strict=True))
            rows.append(OffsetRow(context, length, offset, error, error <= 1 / length))
    return rows


@dataclass(frozen=True)
class VarianceRow:
    """How much p_jᵀ KQ p_i of one head varies along the diagonals i − j = constant, j ≤ i."""

    layer: int
    head: int
    variance: float
    """Equation (81): the mean square of the distance to the diagonal's mean."""
    deviation: float
    """The largest distance to it."""


def offset_variance(model: Transformer) -> list[VarianceRow]:
    """One row per head (Huang et al., arXiv 2410.02140, section G.6.2); all zero if translation-invariant.

    >>> [round(row.deviation, 3) for row in offset_variance(two_headed(16))]
    [1.467, 1.714, 0.0, 0.0]
    """
    rows = []
    for number, layer in enumerate(model.layers):
        for h, head in enumerate(layer.heads):
            product = model.positions @ head.kq.T @ model.positions.T  # rows = queries
            apart = np.concatenate(
                [(line := np.diagonal(product, -distance)) - line.mean() for distance in range(len(product))]
            )
            rows.append(VarianceRow(number, h, float(np.mean(apart**2)), float(np.abs(apart).max())))
    return rows


# In-context k-grams as a two-layer limit transformer: the induction head with a longer memory.


MAX_K = 16


def kgram_frequencies(word: Sequence[str], tokens: Sequence[str], k: int) -> Array:
    """At $ and after each token, how often each token followed earlier occurrences of the last k tokens.

    One row per position, 0 where there is no earlier occurrence.

    >>> kgram_frequencies("abcabdab", "abcd", 2).tolist()[-1]
    [0.0, 0.0, 0.5, 0.5]
    """
    number = {token: place for place, token in enumerate(tokens)}
    counts: defaultdict[tuple[str, ...], Array] = defaultdict(lambda: np.zeros(len(tokens)))
    result = np.zeros((len(word) + 1, len(tokens)))
    for i in range(1, len(word) + 1):
        if i > k:
            counts[tuple(word[i - 1 - k : i - 1])][number[word[i - 1]]] += 1
        seen = counts[tuple(word[i - k : i])] if i >= k else np.zeros(len(tokens))
        result[i] = seen / max(seen.sum(), 1)
    return result


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


# One-layer limit transformers that average over attended tokens: SimpleTask and ModPTask.


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
    layer = Layer(
        (Head(kq, v),),
        _columns(a, d, place["difference"]),
        b,
        _columns(out, d, place["y"]).T,
        np.zeros(len(b), dtype=np.bool_),
    )
    return Transformer(
        kind="limit",
        vocabulary=(START, "0", "1", "2"),
        embedding=np.eye(4, d),
        positions=np.zeros((1, d)),
        layers=(layer,),
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


def _columns(values: Array, width: int, column: int) -> Array:
    """A matrix with these values in one column."""
    result = np.zeros((len(values), width))
    result[:, column] = values
    return result


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
    layer = Layer(
        (Head(kq, v),),
        np.eye(d)[[place["mean"]]],
        np.zeros(1),
        np.eye(d)[:, [place["y"]]],
        np.zeros(1, dtype=np.bool_),
    )
    return Transformer(
        kind="limit",
        vocabulary=(START, "0", "1"),
        embedding=np.eye(3, d),
        positions=positions,
        layers=(layer,),
        unembedding=np.eye(d)[[place["y"]]],
        read_out=("y",),
        coordinates=place,
    )
