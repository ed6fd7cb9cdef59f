"""Scratchpads that log changes: what a step leaves and what it comes to, or that it changes nothing.

A scratchpad of states is read by finding its last state. From a log the present state can be counted: it is
the one that was entered once more often than it was left. With an index hint as a signpost before each symbol
and each entry, nothing has to be found by its place either (after arXiv 2604.25800, Barriers to Universal
Reasoning With Transformers; what is built here is our reading of its abstract, for automata).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.tasks.layouts import ChangedTask, check_distinct, places_of
from longreach.tasks.scratchpads import AlignedScratchpad, RunScratchpad
from longreach.tasks.task import EOS, SEP_ID, Batch, BoolArray, Evidence, IntArray, ids_by_function
from longreach.theory.automata.automaton import Word

SAME = "same"
"""The entry of a step that changes nothing."""
NO_PROGRAM = "nobody has written a program that counts the entries of this log"


@dataclass(frozen=True)
class ChangeLog(ChangedTask):
    """SOS x SEP e₁ … e_m y EOS: for each state of the scratchpad what changed, then the answer.

    >>> from longreach.tasks.counting import Parity
    >>> ChangeLog(RunScratchpad(Parity())).answer("1011")
    ('-even', '+odd', 'same', '-odd', '+even', '-even', '+odd', 'odd', 'EOS')
    """

    change = "change-log"
    base: RunScratchpad | AlignedScratchpad

    def __post_init__(self) -> None:
        check_distinct(self.name, (*self.base.tokens, SAME, *self._entries))

    @property
    def about(self) -> str:  # type: ignore[override]
        return f"{self.base.about}, as a log of changes"

    @property
    def _entries(self) -> tuple[str, ...]:
        return tuple(f"{sign}{name}" for name in self.base.state_names for sign in "-+")

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Those of the base; its states are written only where one is the answer."""
        return (*self.base.symbols, SAME, *self._entries)

    def has(self, lengths: IntArray) -> BoolArray:
        return self.base.has(lengths)

    def answer_size(self, length: int) -> int:
        """Two entries at most in place of a state."""
        return 2 * self.base.answer_size(length) + 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        states, y = self._parts(self.base.answer(x)[:-1])
        return (*(entry for step in self._steps(states) for entry in step), *(y or states[-1:]), EOS)

    def _parts(self, written: Sequence[str]) -> tuple[list[str], list[str]]:
        """The states of the scratchpad, and what follows them."""
        size = next((n for n, token in enumerate(written) if token not in self._names), len(written))
        return list(written[:size]), list(written[size:])

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.base.state_names)

    def _steps(self, states: Sequence[str]) -> list[list[str]]:
        before = [self.base.state_names[0], *states]
        return [
            [SAME] if old == new else [f"-{old}", f"+{new}"] for old, new in zip(before, states, strict=False)
        ]

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, _, _ = self.base.draw(lengths, rng)
        known = self.base.symbols
        rows = zip(x.tolist(), lengths.tolist(), strict=True)
        written = [
            places_of(self.symbols, self.answer([known[k] for k in row[:size]])[:-1]) for row, size in rows
        ]
        sizes = np.array([len(row) for row in written], dtype=np.int64)
        y = np.zeros((len(x), int(sizes.max())), dtype=np.int64)
        for number, row in enumerate(written):
            y[number, : len(row)] = row
        return x, y, sizes

    def coupled_ids(self, batch: Batch) -> IntArray:
        """All entries of a step have the id of its state."""

        def scheme(x: Word, y: Word) -> list[int]:
            states, rest = self._parts(self.base.answer(x)[:-1])
            ids = self.base.ids_of(x, (*states, *rest))
            first = len(x) + 2
            steps = zip(self._steps(states), ids[first : first + len(states)], strict=True)
            entries = [number for step, number in steps for _ in step]
            behind = ids[first + len(states) : -1] if rest else [max(ids) + 1]
            return [*ids[:first], *entries, *behind, 0]

        return ids_by_function(self, batch, scheme, SEP_ID)

    nope = ape = Evidence("none", None, NO_PROGRAM)
