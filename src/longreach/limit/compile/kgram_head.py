"""In-context k-grams as a two-layer limit transformer: the induction head with a longer memory.

The first layer has one head per distance 1 … k, which copies the token there (φ = 2). The second attends to
the positions whose k copies are the last k tokens, and reads what stands there. For k = 1 it is the induction
head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from longreach.errors import InputError
from longreach.limit.compile.hand_built import MATCH, Coordinates
from longreach.limit.model import Array, Head, Transformer

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

    >>> from longreach.limit.run.float_evaluator import run
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
