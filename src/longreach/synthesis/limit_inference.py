"""The inference procedure on small limit transformers in order of R_∞.

For given logits and values each word says on which side of a fraction the bias of its last token and place
lies. So what fits many words is an interval for each of them, and none is tried one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.inference_steps import InferenceRun, InferenceStep, known_everywhere
from longreach.synthesis.search_target import Target
from longreach.synthesis.small_limit import CountedWords, Integers, LimitShape, SmallLimit, shapes, sums_of
from longreach.synthesis.training_lengths import SCHEDULES, Schedule
from longreach.synthesis.word_tree import Truth, WordTree

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
class LimitInference(InferenceRun):
    """A run of the procedure.

    >>> from longreach.synthesis.search_target import target_of
    >>> run = infer_limit(target_of(lambda word: word.count("1") >= word.count("0"), "01"), to=8)
    >>> [step.complexity for step in run.steps], run.n0
    ([8, 8, 8, 8, 8, 8, 8, 8], 5)
    """

    models: tuple[SmallLimit | None, ...]
    """T_n, for n = 1, 2, …."""

    @property
    def model(self) -> SmallLimit | None:
        """The last one."""
        return self.models[-1]

    def words(self) -> list[str]:
        """What the run shows, in lines."""
        lines = self.summary()
        if self.model is not None:
            right = f"right, compared up to length {self.to}, not beyond"
            lines.append(f"T_{self.to} is {right if self.steps[-1].right else 'wrong'}:")
        return lines

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
            "steps": [step.document() for step in self.steps],
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
    by_length = dict(run.hypotheses(range(schedule(1), max(map(schedule, range(1, to + 1))) + 1)))
    steps, models = [], []
    for n in range(1, to + 1):
        found = by_length[schedule(n)]
        models.append(found.model)
        steps.append(
            InferenceStep(
                n=n,
                trained_to=schedule(n),
                complexity=found.complexity,
                at_least=found.at_least,
                errors=None if found.model is None else run.errors(found.model, n),
                worst_errors=None,
                choices=found.choices,
            )
        )
    return LimitInference(
        schedule=schedule, to=to, steps=tuple(steps), stopped=run.stopped, models=tuple(models)
    )


@dataclass(frozen=True, kw_only=True)
class _Fit:
    """The first hypothesis of least R_∞ that fits, and how many of its shape fit."""

    model: SmallLimit | None
    complexity: int | None
    at_least: int
    choices: int


class _Run:
    """The least hypotheses for one training length after another."""

    def __init__(self, target: Target, to: int, most: int, budget: Budget) -> None:
        self._words = CountedWords(WordTree.of(target.alphabet, length=to))
        self._wanted = target.labels(self._words.tree)[0]
        self._letters, self._most, self._budget = len(target.alphabet), most, budget
        self.stopped = ""

    def hypotheses(self, lengths: range) -> Iterator[tuple[int, _Fit]]:
        """Whatever fits longer words fits shorter ones, so complexities do not fall."""
        waiting = iter(shapes(self._letters, self._most))
        reached: _Intervals | None = None
        at_least = 0
        for length in lengths:
            found: _Fit | None = None
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
            yield length, found or _Fit(model=None, complexity=None, at_least=at_least, choices=0)

    def errors(self, model: SmallLimit, n: int) -> int:
        """Words up to length n that a model gets wrong."""
        wrong = model.accepted(self._words) != self._wanted
        return int((wrong & (self._words.tree.lengths <= n)).sum())


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

    def fit(self, length: int, budget: Budget) -> _Fit | None:
        """What fits all words up to a length."""
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
        complexity = self.shape.complexity(self._tokens - 1)
        return _Fit(model=model, complexity=complexity, at_least=complexity, choices=choices)

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
