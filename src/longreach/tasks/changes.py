"""Changed tasks: with a scratchpad, in reversed order, with index hints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from longreach.errors import InputError
from longreach.tasks.arithmetic import Addition, BinaryOperation, BooleanExpressions
from longreach.tasks.copying import Reverse
from longreach.tasks.data import DataTask
from longreach.tasks.families import FamilyTask
from longreach.tasks.layouts import ChangedTask, SequenceTask, check_distinct
from longreach.tasks.lengths import LengthRange
from longreach.tasks.own import FunctionTask
from longreach.tasks.positions import END, LocalSteps, far_steps
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.scratchpads import (
    AlignedScratchpad,
    FormulaScratchpad,
    RunScratchpad,
    run_of,
    with_steps,
)
from longreach.tasks.task import (
    EOS,
    EOS_ID,
    SEP,
    SOS,
    Batch,
    BoolArray,
    Evidence,
    IntArray,
    Probes,
    Task,
    significance,
)
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned


@dataclass(frozen=True)
class ReversedAnswer(ChangedTask):
    """SOS x SEP y EOS with y from its last token to its first.

    A sum has always one bit more than its longer operand, a product as many as both: with zeros at its end,
    where it ends needs no look at what is to come.

    >>> ReversedAnswer(Addition()).answer("11+1="), ReversedAnswer(Addition()).answer("10+001=")
    (('0', '0', '1', 'EOS'), ('1', '1', '0', '0', 'EOS'))
    """

    change = "reversed"
    base: SequenceTask

    @property
    def about(self) -> str:  # type: ignore[override]
        order = "the least significant bit first" if self.is_number else "from the last token to the first"
        return f"{self.base.about}, {order}"

    @property
    def separated(self) -> bool:  # type: ignore[override]
        return self.base.separated

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.base.symbols

    @property
    def is_number(self) -> bool:
        """Whether the answer is a number, to be written in all its bits."""
        return isinstance(self.base, BinaryOperation)

    @property
    def aligned(self) -> Aligned | None:
        """How the answer of somebody's own task is made, from its last token to the first."""
        own = isinstance(self.base, FunctionTask | DataTask)
        found: Aligned | None = getattr(self.base, "aligned", None) if own else None
        return found if found is not None and found.each and found.backwards else None

    def answer_size(self, length: int) -> int:
        zeros = 0 if self.aligned is None else self.aligned.zeros or 0
        return self.base.answer_size(length) + zeros

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        if self.aligned is not None:
            return (*self.aligned.padded(x, self.base.answer(x)[:-1])[::-1], EOS)
        y = self.base.answer(x)[-2::-1]
        if isinstance(self.base, BinaryOperation):
            first, second = self.base.operands(x)
            y += ("0",) * (self.base.most_bits(len(first), len(second)) - len(y))
        return (*y, EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, y, sizes = self.base.draw(lengths, rng)
        columns = np.arange(y.shape[1])
        backwards = np.take_along_axis(y, np.maximum(sizes[:, None] - 1 - columns, 0), axis=1)
        if self.aligned is not None and self.aligned.zeros is not None:
            return x, *self._in_all_digits(x, lengths)
        if not isinstance(self.base, BinaryOperation):
            return x, backwards, sizes
        first = (x == self.base.symbols.index(self.base.sign)).argmax(axis=1)
        whole = self.base.most_bits(first, lengths - 2 - first)
        padded = np.zeros((len(x), int(whole.max())), dtype=np.int64)  # the symbol 0 is the first
        padded[:, : y.shape[1]] = (backwards * (columns < sizes[:, None]))[:, : padded.shape[1]]
        return x, padded, whole

    def _in_all_digits(self, x: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
        """The answers to these inputs, row by row, and their sizes."""
        place = {symbol: number for number, symbol in enumerate(self.symbols)}
        rows = zip(x.tolist(), lengths.tolist(), strict=True)
        read = ([self.symbols[k] for k in row[:length]] for row, length in rows)
        written = [[place[token] for token in self.answer(word)[:-1]] for word in read]
        sizes = np.array([len(row) for row in written], dtype=np.int64)
        y = np.zeros((len(x), int(sizes.max())), dtype=np.int64)
        for number, row in enumerate(written):
            y[number, : len(row)] = row
        return y, sizes

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """As in the base; digits of equal significance share an id."""
        if isinstance(self.base, BinaryOperation):
            sign, equals = (self.tokens.index(symbol) for symbol in (self.base.sign, "="))
            return significance(batch, plus=sign, equals=equals, reversed_answer=True)
        forwards = replace(batch, tokens=_turned(batch, batch.tokens))
        ids = self.base.coupled_ids(forwards)
        return None if ids is None else _turned(batch, ids)

    @property
    def local_steps(self) -> LocalSteps | None:
        """Of sums the bit before tells the carry: it less the bits of the operands. A reverse is a copy."""
        if isinstance(self.base, Reverse):
            return LocalSteps(1, 1, "the symbol that it copies", but=END)
        if self.aligned is not None:
            return self.aligned.near
        if not isinstance(self.base, Addition):
            return None
        return LocalSteps(5, 1, "the two bits to be added, the two before them, and their sum", but=END)

    @property
    def far_steps(self) -> str | None:
        """As in the base: the order makes nothing nearer."""
        return None if self.local_steps else far_steps(self.base)

    @cached_property
    def nope(self) -> Evidence:  # type: ignore[override]
        """Different answers stay different, so that as many bits must be told; programs are not known."""
        return _kept(self.base.nope)

    @cached_property
    def ape(self) -> Evidence:  # type: ignore[override]
        return _kept(self.base.ape)


def _turned(batch: Batch, rows: IntArray) -> IntArray:
    """The columns of the answers in the other order, and all others as they are."""
    columns = np.arange(rows.shape[1])
    first = batch.mask.argmax(axis=1)[:, None] + 1
    last = batch.sizes[:, None] - 1
    places = np.where((columns >= first) & (columns <= last), first + last - columns, columns)
    return np.take_along_axis(rows, places, axis=1)


def _kept(evidence: Evidence) -> Evidence:
    if evidence.kind == "communication":
        return replace(evidence, reason=f"{evidence.reason}, in whichever order it is written")
    return Evidence("none", None, "nobody has written a program for the reversed order")


HINTS = 200
"""Hints that there are: inputs with more ids than that have none."""
NO_PROGRAM = "nobody has written a program that follows the hints of this task"


def hint_name(number: int) -> str:
    return f"#{number}"


@dataclass(frozen=True)
class IndexHints(ChangedTask):
    """SOS #7 b #8 a SEP #7 b #8 a EOS: a hint is the coupled position id of its symbol, written as a token.

    Hints follow each other around a circle and start anywhere on it, so that training on short inputs meets
    all of them (after Zhou et al., arXiv 2310.16028). Symbols with the id 0, such as + and =, have none. LEN
    is that of the base, which counts no hints; `answer` reads an input with its hints.

    >>> from longreach.tasks.copying import CopyRepeat
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
        return self._with_hints(self.base.sample(lengths, rng), rng)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Those of the base, with hints."""
        from longreach.tasks.pumped import probes  # only measuring needs it

        found = self.base.probing_sample(lengths, count, rng)
        if found is None:
            return None
        return probes(self._with_hints(found.batch, rng), found.loops, found.kinds, found.names)

    def _with_hints(self, batch: Batch, rng: np.random.Generator) -> Batch:
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


LONG = 20
"""A length at which answers of more than one token have them."""
NO_END = "its answers have no EOS behind them, which the change needs"


def changed_task(task: Task, changes: Sequence[str]) -> Task:
    """The task after the changes, in their one order; changes that it has already stay.

    >>> changed_task(load_task("addition+index-hints"), ["reversed"]).name
    'addition+reversed+index-hints'
    """
    wanted = {*changes}
    while isinstance(task, ChangedTask):
        wanted.add(task.change)
        task = task.base
    for change, make in _CHANGES.items():
        if change in wanted:
            task = make(task)
    return task


def _scratchpad(task: Task) -> Task:
    if run_of(task) is not None:
        return RunScratchpad(task)
    if isinstance(task, BooleanExpressions):
        return FormulaScratchpad(task)
    if isinstance(task, FunctionTask) and task.stepper is not None:
        return with_steps(task, task.stepper)
    if isinstance(task, FunctionTask | PredicateLanguage | DataTask):
        if task.aligned is None:
            say = ": say which, Task.from_function(…, steps=…)" if isinstance(task, FunctionTask) else ""
            raise _refused(task, "scratchpad", f"its answers show no steps that could be written down{say}")
        if task.aligned.each and task.aligned.is_seen:
            raise _refused(task, "scratchpad", "the steps stand in the answer itself")
        return AlignedScratchpad(task)
    if isinstance(task, FamilyTask) and (steps := task.with_scratchpad) is not None:
        return steps
    raise _refused(task, "scratchpad", "no steps are known that could be written down")


def _change_log(task: Task) -> Task:
    from longreach.tasks.change_log import ChangeLog

    if not isinstance(task, RunScratchpad | AlignedScratchpad):
        raise _refused(
            task, "change-log", "a log is made of the states of a scratchpad: …+scratchpad+change-log"
        )
    return ChangeLog(task)


def _reversed(task: Task) -> Task:
    if not isinstance(task, SequenceTask):
        raise _refused(task, "reversed", "it has no answer that could be written in another order")
    if task.answer_size(LONG) == 1:
        raise _refused(task, "reversed", "its answer is one token, the same in any order")
    if not task.ended:
        raise _refused(task, "reversed", NO_END)
    if isinstance(task, RunScratchpad | FormulaScratchpad):
        raise _refused(task, "reversed", "the steps of a scratchpad have one order")
    return ReversedAnswer(task)


def _index_hints(task: Task) -> Task:
    batch = task.sample(
        task.lengths(task.least_length, task.least_length + LONG)[:1], np.random.default_rng(0)
    )
    if not isinstance(task, SequenceTask) or task.coupled_ids(batch) is None:
        raise _refused(task, "index-hints", "the task has no coupled ids that hints could tell")
    if not task.ended:
        raise _refused(task, "index-hints", NO_END)
    return IndexHints(task)


def _refused(task: Task, change: str, reason: str) -> InputError:
    return InputError(f"{TaskName(task.name).short}+{change}: {reason}")


# In the order of `longreach.theory.names.CHANGES`.
_CHANGES: dict[str, Callable[[Task], Task]] = {
    "scratchpad": _scratchpad,
    "change-log": _change_log,
    "reversed": _reversed,
    "index-hints": _index_hints,
}
