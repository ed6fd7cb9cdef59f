"""The inference procedure on small limit transformers in order of R_∞.

A head gives the token σ at distance d the logit g(σ) + φ(d) and reads w(σ); the output at the last position
adds u(σ) of the token there and v(i mod Δ) of its place. Attention takes powers of the length N, so a word is
accepted exactly when Σ_j N^(g + φ) · (w + u + v) is positive: integers decide it. It is a limit
transformer in the sense of the theory, with the same R_∞.

For given logits and values each word says on which side of a fraction the bias of its last token and place
lies. So what fits many words is an interval for each of them, and none is tried one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.budget import Budget, OverBudget
from longreach.theory.limit.model import START
from longreach.theory.search.inference import (
    SCHEDULES,
    Hypothesis,
    InferenceRun,
    Schedule,
    known_everywhere,
)
from longreach.theory.search.space import Truth, WordTree
from longreach.theory.search.targets import Target

Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class LimitShape:
    """What hypotheses have in common: the largest parameter, the period Δ, and φ at distances 0, 1, ….

    >>> LimitShape(largest=1, period=1, phi=()).complexity(2)
    8
    """

    largest: int
    period: int
    phi: tuple[int, ...]

    def width(self, letters: int) -> int:
        """d: a direction for each token, $ among them, for the places, and for what is read."""
        return letters + 2 + (self.period if self.period > 1 else 0)

    def largest_sum(self, size: int) -> int:
        """No sum that decides a word with so many tokens is larger."""
        exponent = 2 * self.largest + max([0, *self.phi]) + max([0, *(-value for value in self.phi)])
        largest: int = 3 * self.largest * size ** (exponent + 1)
        return largest

    def complexity(self, letters: int) -> int:
        """R_∞ of the largest of them: layer, head and width, no fractional bits, the largest parameter, Δ and
        the sum of squares of φ."""
        relations = sum(value**2 for value in self.phi)
        return 2 + self.width(letters) + self.largest + self.period + relations


def shapes(letters: int, most: int, *, distance: int = 2, periods: int = 4) -> list[LimitShape]:
    """All shapes in order of complexity, up to `most`.

    >>> [(shape.largest, shape.period, shape.phi) for shape in shapes(2, 9)]
    [(1, 1, ()), (1, 1, (-1,)), (1, 1, (0, -1)), (1, 1, (0, 0, -1)), (1, 1, (0, 0, 1)), (1, 1, (0, 1)), \
(1, 1, (1,)), (2, 1, ())]
    """
    found = []
    for period in range(1, periods + 1):
        for largest in range(1, most):
            left = most - LimitShape(largest=largest, period=period, phi=()).complexity(letters)
            if left >= 0:
                relations = _relations(distance, left)
                found += [LimitShape(largest=largest, period=period, phi=phi) for phi in relations]
    return sorted(
        found, key=lambda shape: (shape.complexity(letters), shape.period, shape.largest, shape.phi)
    )


def _relations(distance: int, most: int) -> Iterator[tuple[int, ...]]:
    """φ with a sum of squares up to `most`; it has no part in the largest parameter (Definition 50)."""
    values = range(-isqrt(most), isqrt(most) + 1)
    yield ()
    for size in range(1, distance + 2):
        for phi in product(values, repeat=size):
            if phi[-1] and sum(value**2 for value in phi) <= most:
                yield phi


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Words of a tree as a head sees them: how often each token stands there, and which are the last."""

    tree: WordTree

    @cached_property
    def counts(self) -> Integers:
        """(words, tokens), $ first."""
        found = np.zeros((len(self.tree), len(self.tree.alphabet) + 1), np.int64)
        found[0, 0] = 1
        for first, end in zip(self.tree.starts[1:], self.tree.starts[2:], strict=False):
            found[first:end] = found[self.tree.parents[first:end]]
            found[np.arange(first, end), self.tree.letters[first:end] + 1] += 1
        return found

    def back(self, distance: int) -> Integers:
        """The token so many places before the last; −1 where there is none."""
        node: NDArray[np.integer[Any]] = np.arange(len(self.tree))
        there = self.tree.lengths >= distance
        for _ in range(distance):
            node = self.tree.parents[node]
        return np.where(there, self.tree.letters[node] + 1, -1)

    @cached_property
    def sizes(self) -> Integers:
        """N: the tokens of each word, with $."""
        return self.tree.lengths + 1


@dataclass(frozen=True, kw_only=True)
class SmallLimit:
    """One of them; tokens are $ and the letters in order."""

    alphabet: tuple[str, ...]
    shape: LimitShape
    logits: tuple[int, ...]
    """g."""
    values: tuple[int, ...]
    """w."""
    outputs: tuple[int, ...]
    """u."""
    places: tuple[int, ...]
    """v, for each place modulo Δ."""

    def accepted(self, words: CountedWords) -> Truth:
        sums, totals = sums_of(self.shape, words, np.array([self.logits]), np.array([self.values]))
        bias = (
            np.array(self.outputs)[words.back(0)]
            + np.array(self.places)[words.tree.lengths % len(self.places)]
        )
        said: Truth = sums[:, 0, 0] + bias * totals[:, 0] > 0
        return said

    def lines(self) -> list[str]:
        tokens = (START, *self.alphabet)

        def listed(numbers: Sequence[int]) -> str:
            return ", ".join(f"{token} {number}" for token, number in zip(tokens, numbers, strict=True))

        rows = [
            f"logits   {listed(self.logits)}",
            f"values   {listed(self.values)}",
            f"outputs  {listed(self.outputs)}",
        ]
        if self.shape.period > 1:
            rows.append(f"places   {', '.join(f'{place} {v}' for place, v in enumerate(self.places))}")
        if self.shape.phi:
            rows.append(f"φ        {', '.join(f'{place} {v}' for place, v in enumerate(self.shape.phi))}")
        return rows


def sums_of(
    shape: LimitShape, words: CountedWords, logits: Integers, values: Integers, chosen: Integers | None = None
) -> tuple[Integers, Integers]:
    """For words, logits and values: Σ N^(g + φ) w, and for words and logits Σ N^(g + φ), both times a power.

    The first has axes for words, rows of `logits` and rows of `values`.
    """
    nodes = np.arange(len(words.tree)) if chosen is None else chosen
    lift = shape.largest + max([0, *(-value for value in shape.phi)])
    base = words.sizes[nodes, None, None]
    powers = base ** (logits[None] + lift)
    weights = words.counts[nodes, None, :] * powers
    for distance, value in enumerate(shape.phi):
        token = words.back(distance)[nodes]
        there = np.flatnonzero(token >= 0)
        size = words.sizes[nodes[there], None]
        at = logits[None, :, :].repeat(len(there), axis=0)[np.arange(len(there)), :, token[there]]
        weights[there, :, token[there]] += size ** (at + lift + value) - size ** (at + lift)
    return np.einsum("ngt,wt->ngw", weights, values), weights.sum(axis=2)


TO = 10
MOST = 14
"""R_∞, at most."""
SECONDS = 60.0
PAIRS = 1_000_000
"""Logits with values, of one shape, at most."""
CHUNK = 2_000_000
"""Numbers at a time."""
FAR = 1 << 40


@dataclass(frozen=True, eq=False, kw_only=True)
class LimitInference(InferenceRun[SmallLimit]):
    """A run of the procedure.

    >>> from longreach.theory.search.targets import target_of
    >>> run = infer_limit(target_of(lambda word: word.count("1") >= word.count("0"), "01"), to=8)
    >>> [step.complexity for step in run.steps], run.n0
    ([8, 8, 8, 8, 8, 8, 8, 8], 5)
    """

    def document(self) -> dict[str, Any]:
        model = self.model
        return {
            "hypotheses": "limit transformers, one layer, one head, integers",
            "schedule": self.schedule.name,
            "to": self.to,
            "n0": self.n0,
            "n0_trained_to": self.n0_trained_to,
            "errors": self.error_count,
            "bounded": self.bounded,
            "stopped": self.stopped or None,
            "model": None
            if model is None
            else {
                "logits": list(model.logits),
                "values": list(model.values),
                "outputs": list(model.outputs),
                "places": list(model.places),
                "phi": list(model.shape.phi),
            },
            "steps": [asdict(step) for step in self.steps],
        }


def infer_limit(
    target: Target,
    *,
    schedule: Schedule = SCHEDULES["half"],
    to: int = TO,
    most: int = MOST,
    seconds: float = SECONDS,
) -> LimitInference:
    """Run the procedure for n = 1, …, `to`, with hypotheses up to R_∞ = `most`."""
    known_everywhere(target)
    run = _Run(target, to, most, Budget(seconds=seconds).running())
    hypotheses = tuple(run.hypotheses(range(schedule(1), max(map(schedule, range(1, to + 1))) + 1)))
    return LimitInference(schedule=schedule, to=to, hypotheses=hypotheses, stopped=run.stopped)


class _Run:
    """The least hypotheses for one training length after another."""

    def __init__(self, target: Target, to: int, most: int, budget: Budget) -> None:
        self._words = CountedWords(WordTree.of(target.alphabet, length=to))
        self._wanted = target.labels(self._words.tree)[0]
        self._letters, self._most, self._budget = len(target.alphabet), most, budget
        self.stopped = ""

    def hypotheses(self, lengths: range) -> Iterator[Hypothesis[SmallLimit]]:
        """Whatever fits longer words fits shorter ones, so complexities do not fall."""
        waiting = iter(shapes(self._letters, self._most))
        reached: _Intervals | None = None
        at_least = 0
        for length in lengths:
            found: tuple[SmallLimit, int] | None = None
            try:
                while found is None and not self.stopped:
                    if reached is None:
                        shape = next(waiting, None)
                        if shape is None:
                            self.stopped, at_least = f"none up to R_∞ = {self._most}", self._most + 1
                            break
                        at_least = shape.complexity(self._letters)
                        reached = _Intervals(shape, self._words, self._wanted)
                    found = reached.fit(length, self._budget)
                    reached = reached if found is not None else None
            except OverBudget as spent:
                self.stopped = f"{spent}, at R_∞ = {at_least}"
            if found is None:
                yield Hypothesis(trained_to=length, at_least=at_least)
                continue
            model, choices = found
            yield Hypothesis(
                trained_to=length,
                at_least=at_least,
                complexity=at_least,
                model=model,
                wrong=tuple(
                    self._words.tree.per_length(model.accepted(self._words) != self._wanted).tolist()
                ),
                choices=choices,
            )


class _Intervals:
    """For one shape, all logits and all values: between which numbers each bias must lie."""

    def __init__(self, shape: LimitShape, words: CountedWords, wanted: Truth) -> None:
        self.shape, self._words, self._wanted = shape, words, wanted
        self._tokens = len(words.tree.alphabet) + 1
        pairs = (2 * shape.largest + 1) ** (2 * self._tokens)
        if pairs > PAIRS:
            raise OverBudget(f"{pairs} pairs of logits and values are more than {PAIRS}")
        if shape.largest_sum(words.tree.longest + 1) >= 1 << 63:
            raise OverBudget(f"words of length {words.tree.longest} give numbers of more than 64 bits")
        self._rows = _small_vectors(self._tokens, shape.largest)
        classes = (self._tokens, shape.period, len(self._rows), len(self._rows))
        self._least = np.full(classes, -FAR, np.int64)
        self._greatest = np.full(classes, FAR, np.int64)
        self._seen = -1

    def fit(self, length: int, budget: Budget) -> tuple[SmallLimit, int] | None:
        """The first that fits all words up to a length, and how many do."""
        self._see(length, budget)
        bound = self.shape.largest
        choices, best = 0, None
        norms = np.abs(self._rows).sum(axis=1)
        order = norms[:, None] + norms[None, :]
        for places in _places(self.shape):
            budget.check()
            v = np.array(places)[None, :, None, None]
            least = np.maximum((self._least - v).max(axis=1), -bound)
            greatest = np.minimum((self._greatest - v).min(axis=1), bound)
            room = np.maximum(greatest - least + 1, 0).prod(axis=0)
            choices += int(room.sum())
            if room.any():
                at = np.unravel_index(int(np.where(room > 0, order, FAR).argmin()), room.shape)
                cost = int(order[at]) + sum(map(abs, places))
                if best is None or cost < best[0]:
                    nearest = np.clip(0, least[:, *at], greatest[:, *at])
                    best = (cost, at, tuple(nearest.tolist()), places)
        if best is None:
            return None
        _, (g, w), outputs, places = best
        model = SmallLimit(
            alphabet=self._words.tree.alphabet,
            shape=self.shape,
            logits=tuple(self._rows[g].tolist()),
            values=tuple(self._rows[w].tolist()),
            outputs=outputs,
            places=places,
        )
        return model, choices

    def _see(self, length: int, budget: Budget) -> None:
        """Narrow the intervals by words up to a length."""
        lengths = self._words.tree.lengths
        new = np.flatnonzero((lengths > self._seen) & (lengths <= length))
        self._seen = max(self._seen, length)
        step = max(1, CHUNK // len(self._rows) ** 2)
        last = self._words.back(0)
        for start in range(0, len(new), step):
            budget.check()
            nodes = new[start : start + step]
            sums, totals = sums_of(self.shape, self._words, self._rows, self._rows, nodes)
            edge = -sums // totals[:, :, None]
            for node, row in zip(nodes.tolist(), edge, strict=True):
                place = int(last[node]), int(lengths[node]) % self.shape.period
                if self._wanted[node]:
                    np.maximum(self._least[place], row + 1, out=self._least[place])
                else:
                    np.minimum(self._greatest[place], row, out=self._greatest[place])


def _places(shape: LimitShape) -> Iterator[tuple[int, ...]]:
    """v: the outputs of places; without a period there is one, and it is zero."""
    if shape.period == 1:
        yield (0,)
    else:
        yield from product(range(-shape.largest, shape.largest + 1), repeat=shape.period)


def _small_vectors(size: int, largest: int) -> Integers:
    """All of them, the smallest first."""
    rows = np.array(list(product(range(-largest, largest + 1), repeat=size)), np.int64)
    return rows[np.argsort(np.abs(rows).sum(axis=1), kind="stable")]
