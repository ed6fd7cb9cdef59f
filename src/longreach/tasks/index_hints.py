"""Index hints: in front of each symbol a token that says which symbols belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.errors import InputError
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, EOS_ID, SEP, SOS, Batch, BoolArray, IntArray
from longreach.tasks.task_change import ChangedTask, check_distinct

HINTS = 200
"""Hints that there are: inputs with more ids than that have none."""
NO_PROGRAM = "nobody has written a program that follows the hints of this task"


def hint_name(number: int) -> str:
    """How a hint is called."""
    return f"#{number}"


@dataclass(frozen=True)
class IndexHints(ChangedTask):
    """SOS #7 b #8 a SEP #7 b #8 a EOS: a hint is the coupled position id of its symbol, written as a token.

    Hints follow each other around a circle and start anywhere on it, so that training on short inputs meets
    all of them (after Zhou et al., arXiv 2310.16028). Symbols with the id 0, such as + and =, have none. LEN
    is that of the base, which counts no hints; `answer` reads an input with its hints.

    >>> from longreach.tasks.copy_repeat import CopyRepeat
    >>> IndexHints(CopyRepeat()).answer(["#7", "b", "#8", "a"])
    ('#7', 'b', '#8', 'a', 'EOS')
    """

    change = "index-hints"
    base: SequenceTask

    def __post_init__(self) -> None:
        check_distinct(self.name, self.tokens)

    @property
    def about(self) -> str:  # type: ignore[override]
        return f"{self.base.about}, each symbol behind a hint to those that it belongs with"

    @property
    def separated(self) -> bool:  # type: ignore[override]
        return self.base.separated

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Those of the base and the hints."""
        return (*self.base.symbols, *map(hint_name, range(HINTS)))

    nope = ape = Evidence("none", None, NO_PROGRAM)

    @property
    def least_length(self) -> int:
        return max(1, self.base.least_length)

    def has(self, lengths: IntArray) -> BoolArray:
        # Where nothing is read no hint tells which ones the answer has.
        return self.base.has(lengths) & (lengths >= 1) & (lengths < HINTS)

    def answer_size(self, length: int) -> int:
        return 2 * self.base.answer_size(length)

    def input_size(self, length: int) -> int:
        """Twice the symbols, which is enough also where some have no hint."""
        return 1 + 2 * length + self.separated + self.answer_size(length)

    # One input, literally

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        """The answer to an input with its hints: they must be those that belong there."""
        symbols = [token for token in x if not token.startswith("#")]
        y = self.base.answer(symbols)[:-1]
        ids = self._ids(symbols, y)
        start = self._start(x, ids[: len(symbols)])
        if tuple(x) != _hinted(symbols, ids[: len(symbols)], start):
            raise InputError(f"{self.name}: {' '.join(x)} does not have the hints that belong there")
        return (*_hinted(y, ids[len(symbols) :], start), EOS)

    def _ids(self, x: Sequence[str], y: Sequence[str]) -> list[int]:
        """Of the symbols of x and of y."""
        places = {token: place for place, token in enumerate(self.base.tokens)}
        between = [SEP] if self.separated else []
        row = np.array([[places[token] for token in (SOS, *x, *between, *y)]])
        supervised = np.arange(row.shape[1]) >= len(x) + self.separated
        batch = Batch(
            tokens=row,
            targets=np.zeros_like(row),
            mask=supervised[None],
            position_ids=np.arange(row.shape[1])[None],
            sizes=np.array([row.shape[1]]),
        )
        ids = _known(self.base, batch)[0].tolist()
        return [*ids[1 : 1 + len(x)], *ids[1 + len(x) + len(between) :][: len(y)]]

    def _start(self, x: Sequence[str], ids: Sequence[int]) -> int:
        """What is added to the ids, found from the first hint."""
        first = next((token for token in x if token.startswith("#")), None)
        known = next((each for each in ids if each), None)
        if first is None or known is None or first not in self.symbols:
            return 0
        return (int(first[1:]) - known) % HINTS

    # Batches

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        raise NotImplementedError("hints are put into whole batches of the base")

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        batch = self.base.sample(lengths, rng)
        ids = _known(self.base, batch)[:, :-1]
        first_hint = len(self.base.tokens)
        start = rng.integers(0, HINTS, (len(batch), 1))
        here = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
        hinted = here & (ids > 0)
        # Where each token stands behind its hint, and how many tokens there are then.
        places = np.cumsum(here.astype(np.int64) + hinted, axis=1) - 1
        sizes = places[np.arange(len(batch)), batch.sizes - 1] + 1
        tokens = np.zeros((len(batch), int(sizes.max())), dtype=np.int64)
        rows = np.broadcast_to(np.arange(len(batch))[:, None], here.shape)
        tokens[rows[here], places[here]] = batch.tokens[here]
        tokens[rows[hinted], places[hinted] - 1] = first_hint + ((ids + start) % HINTS)[hinted]
        # Everything behind the token that is read when the answer begins is asked for, EOS last.
        begin = places[np.arange(len(batch)), batch.mask.argmax(axis=1)]
        columns = np.arange(tokens.shape[1])
        mask = (columns >= begin[:, None]) & (columns < sizes[:, None])
        following = np.zeros_like(tokens)
        following[:, :-1] = tokens[:, 1:]
        following[np.arange(len(batch)), sizes - 1] = EOS_ID
        return Batch(tokens, following * mask, mask, np.tile(columns, (len(tokens), 1)), sizes)


def _hinted(symbols: Sequence[str], ids: Sequence[int], start: int) -> tuple[str, ...]:
    found: list[str] = []
    for symbol, each in zip(symbols, ids, strict=True):
        found += [hint_name((each + start) % HINTS), symbol] if each else [symbol]
    return tuple(found)


def _known(base: SequenceTask, batch: Batch) -> IntArray:
    ids = base.coupled_ids(batch)
    if ids is None:
        raise InputError(f"{base.name}+index-hints: the task has no coupled ids that hints could tell")
    return ids
