"""Scratchpads: the steps of an automaton, of a formula or of a function, written before the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.errors import InputError
from longreach.tasks.arithmetic import BooleanExpressions, part_values
from longreach.tasks.balance import balanced
from longreach.tasks.counting import Parity
from longreach.tasks.data import DataTask
from longreach.tasks.layouts import (
    UNDEFINED,
    ChangedTask,
    RegularAnswer,
    check_distinct,
    places_of,
    states_along,
)
from longreach.tasks.own import FunctionTask, written
from longreach.tasks.positions import END, LocalSteps
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.regular import LabelledLanguage, RegularLanguage, StateTask, state_name
from longreach.tasks.task import (
    EOS,
    SEP_ID,
    Batch,
    BoolArray,
    Evidence,
    IntArray,
    Split,
    Task,
    backwards,
    ids_by_function,
    numbered,
)
from longreach.tasks.uniform import UniformWords
from longreach.theory.automata.automaton import Word
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned

FIRST = SEP_ID + 1
"""The place of the first symbol among the tokens."""
YES, NO = "yes", "no"
NOT_DECIDED = "its runs need not tell the word apart, and nobody has written a program"
BRANCHING = "a run tells which of two ways on was taken at every turn: it must be told whole, like a copy"


@dataclass(frozen=True)
class Run:
    """The automaton whose run is written down."""

    letters: tuple[str, ...]
    table: IntArray
    """The state that follows each state, from 0 on, by the places of the letters."""
    said: tuple[str, ...] = ()
    """The answer of each state; none where the state itself is the answer."""
    names: tuple[str, ...] = ()
    """What is written for each state, if it is not its number."""

    @property
    def state_names(self) -> tuple[str, ...]:
        return self.names or tuple(map(state_name, range(len(self.table))))


def run_of(task: Task) -> Run | None:
    """The automaton that answers a task, if there is one.

    >>> run_of(Parity()).state_names
    ('even', 'odd')
    """
    if isinstance(task, Parity):
        return Run(("0", "1"), np.array([[0, 1], [1, 0]]), names=("even", "odd"))
    if isinstance(task, RegularLanguage):
        automaton = task.automaton
        said = tuple(YES if state in automaton.accepting else NO for state in range(len(automaton)))
        return Run(task.letters, automaton.table, said)
    if isinstance(task, RegularAnswer | LabelledLanguage):
        return Run(task.machine.alphabet, task.machine.table, task.machine.outputs)
    if isinstance(task, StateTask) and not task.after:
        return Run(task.letters, task.language.table)
    return None


@dataclass(frozen=True)
class RunScratchpad(ChangedTask):
    """SOS x SEP s₁ … s_n y EOS: the state after each letter of x, then the answer of the last one.

    Where the last state is the answer itself, no y follows. In coupled ids a step has the id of its letter.
    For a language y says whether x is in it; as many words are as are not, where there are both of that
    length, and each is uniform among those.

    >>> names = "parity", "regex:(ab)*", "states:(ab)*", "even-pairs"
    >>> parity, language, states, pairs = (RunScratchpad(load_task(name)) for name in names)
    >>> parity.answer("110"), language.answer("aba")
    (('odd', 'even', 'even', 'EOS'), ('q1', 'q0', 'q1', 'no', 'EOS'))
    >>> states.answer("ab"), pairs.answer("abb")
    (('q1', 'q0', 'EOS'), ('q1', 'q3', 'q3', 'odd', 'EOS'))
    """

    change = "scratchpad"
    base: Task

    def __post_init__(self) -> None:
        check_distinct(self.name, (*self.tokens[:FIRST], *self.run.letters, *self.run.state_names))

    @cached_property
    def run(self) -> Run:
        found = run_of(self.base)
        assert found is not None
        return found

    @property
    def about(self) -> str:  # type: ignore[override]
        if isinstance(self.base, Parity):
            return f"{Parity.about}, after each symbol"
        words = "whether a word is in " if isinstance(self.base, RegularLanguage) else ""
        return f"{words}{self.base.about}, with the state after each letter written down"

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        answers = (answer for answer in self.run.said if answer != UNDEFINED)
        return tuple(dict.fromkeys((*self.run.letters, *self.run.state_names, *answers)))

    @property
    def least_length(self) -> int:
        """Without a letter there is no step."""
        return 1 if isinstance(self.base, RegularLanguage) else max(1, self.base.least_length)

    def has(self, lengths: IntArray) -> BoolArray:
        known = lengths >= self.least_length
        return known if isinstance(self.base, RegularLanguage) else known & self.base.has(lengths)

    def answer_size(self, length: int) -> int:
        return length + bool(self.run.said)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        state, written, run = 0, [], self.run
        for letter in x:
            state = int(run.table[state, run.letters.index(letter)])
            written.append(run.state_names[state])
        return (*written, *((run.said[state],) if run.said else ()), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = self._inputs(lengths, rng) * (np.arange(int(lengths.max())) < lengths[:, None])
        rows, states = np.arange(len(x)), states_along(self.run.table, x)
        written = states[:, 1:] + len(self.run.letters)
        if not self.run.said:
            return x, written, lengths
        y = np.zeros((len(x), x.shape[1] + 1), dtype=np.int64)
        y[:, :-1] = written
        y[rows, lengths] = self._answer_places[states[rows, lengths]]
        return x, y, lengths + 1

    def _inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        """x as places among the letters, one row each."""
        base = self.base
        if isinstance(base, RegularLanguage):
            return _inside_or_outside(base.words, self._others, lengths, rng)
        if not isinstance(base, RegularAnswer):
            assert isinstance(base, Parity | LabelledLanguage | StateTask)
            return base.draw(lengths, rng)[0]
        places = np.zeros(len(base.symbols), dtype=np.int64)
        places[places_of(base.symbols, self.run.letters)] = np.arange(len(self.run.letters))
        return places[base.inputs(lengths, rng) * (np.arange(int(lengths.max())) < lengths[:, None])]

    @cached_property
    def _others(self) -> UniformWords:
        assert isinstance(self.base, RegularLanguage)
        return UniformWords(self.base.automaton.complement())

    @cached_property
    def _answer_places(self) -> IntArray:
        known = np.array([each != UNDEFINED for each in self.run.said])
        found = np.zeros(len(known), dtype=np.int64)
        found[known] = places_of(self.symbols, tuple(each for each in self.run.said if each != UNDEFINED))
        return found

    @property
    def state_names(self) -> tuple[str, ...]:
        return self.run.state_names

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L: a step has the id of its letter, the answer the next one."""
        x, y = numbered(batch, SEP_ID)
        return x + y

    def ids_of(self, x: Word, y: Word) -> list[int]:
        """The same of SOS x SEP y EOS."""
        return [0, *range(1, len(x) + 1), 0, *range(1, len(y) + 1), 0]

    @property
    def local_steps(self) -> LocalSteps:
        return LocalSteps(2, 1, "the state before it and the letter that is read", but=END)

    @cached_property
    def nope(self) -> Evidence:  # type: ignore[override]
        """As many bits must be told as runs are apart."""
        # Words of a language do not let Alice hold any letters that she likes.
        chosen = isinstance(self.base, StateTask)
        if chosen or UNDEFINED in self.run.said or not branches(self.run.table):
            return Evidence("none", None, NOT_DECIDED)
        return Evidence("communication", None, BRANCHING, split=Split(alice=self.run.letters))

    @property
    def ape(self) -> Evidence:  # type: ignore[override]
        """The same: positions that the input does not choose pass on no more."""
        return self.nope


def _inside_or_outside(
    inside: UniformWords, outside: UniformWords, lengths: IntArray, rng: np.random.Generator
) -> IntArray:
    """Words of which half are in a language, where there are both of that length."""
    within = np.where(
        inside.has(lengths) & outside.has(lengths), rng.random(len(lengths)) < 0.5, inside.has(lengths)
    )
    x = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
    for words, rows in ((inside, np.flatnonzero(within)), (outside, np.flatnonzero(~within))):
        if len(rows):
            drawn = words.draw(lengths[rows], rng).letters.T
            x[rows, : drawn.shape[1]] = drawn
    return x


def branches(table: IntArray) -> bool:
    """Whether the number of runs grows exponentially: states that reach each other have two ways on.

    >>> branches(np.array([[0, 1], [1, 0]])), branches(np.array([[1, 2], [2, 0], [2, 2]]))
    (True, False)
    """
    count = len(table)
    moves = np.zeros((count, count), dtype=np.bool_)
    moves[np.arange(count)[:, None], table] = True
    reach = moves.copy()
    for middle in range(count):
        reach |= reach[:, middle : middle + 1] & reach[middle]
    started = reach[0] | (np.arange(count) == 0)
    together = reach & reach.T  # on a cycle with each other
    return bool(((moves & together).sum(axis=1)[started] > 1).any())


VALUES = ("=0", "=1")


@dataclass(frozen=True)
class FormulaScratchpad(ChangedTask):
    """SOS and not 0 1 SEP =1 =0 =1 =1 EOS: of each token, from the last to the first, the value of the part
    that begins there; the last one is the answer. A value shares its id with its token.

    A value depends on three tokens at most: its own, the value before it, and for `and`, `or` that of the
    second part, which is as far away as the first one is long; ids under which it is near are not known.

    >>> FormulaScratchpad(BooleanExpressions()).answer("and not 0 1".split())
    ('=1', '=0', '=1', '=1', 'EOS')
    """

    change = "scratchpad"
    base: BooleanExpressions

    symbols = (*BooleanExpressions.symbols, *VALUES)
    far_steps = (
        "a value depends on 3 tokens, its operator and two values, of which the second may be as far away as "
        "the first part is long, at any depth of nesting"
    )
    nope = ape = Evidence("none", None, "nobody has written a program that finds the second of two values")

    @property
    def about(self) -> str:  # type: ignore[override]
        return "the value of a formula in prefix notation, after those of all its parts"

    def has(self, lengths: IntArray) -> BoolArray:
        return self.base.has(lengths)

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        self.base.answer(x)  # refuses what is no formula
        row = np.array([places_of(self.base.symbols, tuple(x))])
        values = part_values(row, np.array([len(x)]))[0]
        return (*(VALUES[value] for value in reversed(values.tolist())), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x, _, _ = self.base.draw(lengths, rng)
        values = part_values(x, lengths)
        places = np.maximum(lengths[:, None] - 1 - np.arange(x.shape[1]), 0)
        return x, len(self.base.symbols) + np.take_along_axis(values, places, axis=1), lengths

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, L … 1, 0, 1 … L: counted from the end of x, where evaluation begins."""
        x, y = numbered(batch, SEP_ID)
        return backwards(x) + y


MARK = "::"
"""Between the states and an answer that begins where they began."""


@dataclass(frozen=True)
class AlignedScratchpad(ChangedTask):
    """SOS x SEP s₁ … s_m y EOS for a task whose answers are seen to be made step by step: the states of the
    automaton that makes them, in the order in which it reads, then the answer.

    An answer that is written along the columns goes back from the last state, a number in all the digits that
    it may have; one that begins at the first column stands behind a mark.

    >>> def word(length, rng):
    ...     return "".join("ab"[k] for k in rng.integers(0, 2, length))
    >>> mirrored = Task.from_function(word, lambda x: x == x[::-1], name="mirrored")
    >>> AlignedScratchpad(mirrored).answer("abba")
    ('q1', 'q3', 'q2', 'q3', 'yes', 'EOS')
    """

    change = "scratchpad"
    base: FunctionTask | PredicateLanguage | DataTask

    def __post_init__(self) -> None:
        check_distinct(self.name, (*self.tokens[:FIRST], *self._base_symbols, *self.state_names, MARK))

    @property
    def aligned(self) -> Aligned:
        found = self.base.aligned
        assert found is not None
        return found

    @property
    def about(self) -> str:  # type: ignore[override]
        return f"{self.base.about}, with the state after each step written down"

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        return tuple(map(state_name, range(len(self.aligned.machine))))

    @property
    def _base_symbols(self) -> tuple[str, ...]:
        base = self.base
        return (*base.letters, YES, NO) if isinstance(base, PredicateLanguage) else base.symbols

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*self._base_symbols, *self.state_names, *((MARK,) if self._marked else ()))

    @property
    def _marked(self) -> bool:
        return bool(self.aligned.each) and not self.aligned.backwards

    @property
    def least_length(self) -> int:
        return max(1, self.base.least_length)

    def answer_size(self, length: int) -> int:
        steps = self.aligned.most_steps(length)
        said = 1 if isinstance(self.base, PredicateLanguage) else self.base.answer_size(length)
        return steps + self._marked + said + (self.aligned.zeros or 0)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        base = self.base
        y = (YES if base.contains(x) else NO,) if isinstance(base, PredicateLanguage) else base.answer(x)[:-1]
        states = self.aligned.states(tuple(x))
        if states is None:
            raise InputError(f"{self.name}: {' '.join(x)} has symbols that no example had")
        steps = [self.state_names[state] for state in states]
        return (*steps, *((MARK,) if self._marked else ()), *self.aligned.padded(x, y), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        return self._arrays([self.answer_pair(x) for x in self._inputs(lengths, rng)])

    def test_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """All answers alike, as far as draws find them."""

        def draw(length: int) -> tuple[Word, Word]:
            return self.answer_pair(self._inputs(np.array([length]), rng)[0])

        found = balanced(lengths.tolist(), draw, lambda pair: pair[1][-1])
        return self._batch(lengths, *self._arrays(found))

    def answer_pair(self, x: Word) -> tuple[Word, Word]:
        return x, self.answer(x)[:-1]

    def _inputs(self, lengths: IntArray, rng: np.random.Generator) -> list[Word]:
        """As the base has them; of a predicate half are in the language, where there are both."""
        base = self.base
        if isinstance(base, PredicateLanguage) and base.drawer is None and self.aligned.alignment.moves:
            inside, outside = self._words
            letters = self.aligned.machine.alphabet
            drawn = _inside_or_outside(inside, outside, lengths, rng)
            rows = zip(drawn.tolist(), lengths.tolist(), strict=True)
            read = ([letters[place] for place in row[:length]] for row, length in rows)
            return [self.aligned.alignment.word(word) or () for word in read]
        known = base.letters if isinstance(base, PredicateLanguage) else base.symbols
        rows = zip(base.draw(lengths, rng)[0].tolist(), lengths.tolist(), strict=True)
        return [tuple(known[place] for place in row[:length]) for row, length in rows]

    @cached_property
    def _words(self) -> tuple[UniformWords, UniformWords]:
        """Those of a language, and all others, as its automaton reads them."""
        language = self.aligned.language((YES,))
        return UniformWords(language), UniformWords(language.complement())

    def _arrays(self, pairs: Sequence[tuple[Word, Word]]) -> tuple[IntArray, IntArray, IntArray]:
        place = {symbol: number for number, symbol in enumerate(self.symbols)}
        sizes = np.array([len(y) for _, y in pairs], dtype=np.int64)
        x = np.zeros((len(pairs), max(len(read) for read, _ in pairs)), dtype=np.int64)
        y = np.zeros((len(pairs), int(sizes.max())), dtype=np.int64)
        for row, (read, steps) in enumerate(pairs):
            x[row, : len(read)] = [place[symbol] for symbol in read]
            y[row, : len(steps)] = [place[symbol] for symbol in steps]
        return x, y, sizes

    def coupled_ids(self, batch: Batch) -> IntArray:
        """A symbol has the number of its column, as have the state behind it and what is written there."""

        return ids_by_function(self, batch, self.ids_of, SEP_ID)

    def ids_of(self, x: Word, y: Word) -> list[int]:
        """The same of SOS x SEP y EOS."""
        steps = len(self.aligned.states(x) or ())
        marks = [0] if self._marked else []
        ids = self.aligned.ids(x, y[steps + len(marks) :])
        return [*ids[: len(x) + 2], *range(1, steps + 1), *marks, *ids[len(x) + 2 :]]

    @property
    def local_steps(self) -> LocalSteps:
        why = f"the state before it and what is read; {self.aligned.evidence}"
        return LocalSteps(2, 1, why, but=END)

    nope = ape = Evidence("none", None, NOT_DECIDED)


def with_steps(task: FunctionTask, steps: Callable[[Any], Sequence[str]]) -> FunctionTask:
    """The task that writes its steps before its answer: SOS x SEP steps y EOS.

    >>> from longreach.tasks.task import Task
    >>> def word(length, rng):
    ...     return ["ab"[k] for k in rng.integers(0, 2, length)]
    >>> last = Task.from_function(word, lambda x: x[-1], name="last", steps=lambda x: x)
    >>> with_steps(last, last.stepper).answer("ab")
    ('a', 'b', 'b', 'EOS')
    """

    def steps_and_answer(x: Any) -> tuple[str, ...]:
        found = steps(x)
        # Where words are strings, so are several steps; elsewhere a string is one step.
        spelled = isinstance(x, str) and isinstance(found, str)
        return (*(found if spelled else written(found)), *task.answer(x)[:-1])

    steps_and_answer.__name__ = getattr(steps, "__name__", "steps")
    return replace(
        task,
        name=TaskName(task.name).changed("scratchpad"),
        about=f"{task.about}, with its steps written down",
        answerer=steps_and_answer,
        longest_answer=None,
        stepper=None,
    )
