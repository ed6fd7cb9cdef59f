"""Tasks from outside: programs (`crasp:FILE`), automata (`dfa:FILE`), own Python (`module:attribute`)."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from longreach.errors import OWN_FAILURES, Argument, InputError, failure_line, near_names
from longreach.files import DOCUMENT_BYTES, read_text
from longreach.tasks.layouts import check_distinct
from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, label_name
from longreach.tasks.task import (
    EOS,
    PAD,
    SOS,
    BoolArray,
    Evidence,
    IntArray,
    Probes,
    Task,
    draw_lengths,
)
from longreach.theory.automata.automaton import LabelledAutomaton
from longreach.theory.automata.files import AutomatonFile, read_automaton_file
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State, Stream, Value, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.words import Encoder
from longreach.theory.names import AUTOMATON, EXPECTED, PROGRAM, TaskName
from longreach.wording import counted

ACCEPTED, REJECTED = ("accept",), ("reject",)
MOST_OUTPUTS = 8
"""A predictor with more outputs would have more labels than a vocabulary should."""


@dataclass(frozen=True, eq=False)
class ProgramTask(LanguageTask):
    """SOS w over the program's alphabet; LEN is the length of w, any from 1 on.

    The label of a position is whether the word so far is accepted or, for a predictor, the set of tokens
    that it predicts there; at SOS it is that of the empty word. Half of the words are uniform. In the others
    each letter is uniform among those that a predictor predicts, or after which an acceptor accepts, as
    long as there are any: otherwise long words of most languages would be rejected.

    >>> task = ProgramTask("mine", parse('#alphabet a b\\nL = # "a" >= # "b"'))
    >>> task.answer("bab")
    ('{accept}', '{reject}', '{accept}', '{reject}')
    """

    name: str
    program: Program

    chance = 0.0  # the label of every position must be right
    least_length = 1
    about: str = field(init=False)
    nope: Evidence = field(init=False)
    ape: Evidence = field(init=False)

    def __post_init__(self) -> None:
        core = self.core
        kind = "predictor" if core.is_predictor else "acceptor"
        given = Evidence("program", self.name, "the task is given by a program")
        without = Evidence("none", None, f"the program is in {core.class_name}") if core.relations else given
        object.__setattr__(self, "about", f"{kind} in {core.class_name}, {self.program.core.size} operations")
        object.__setattr__(self, "nope", without)
        object.__setattr__(self, "ape", given)

    @cached_property
    def core(self) -> Core:
        """The core operations without those that change nothing."""
        return simplify(self.program.core)

    @cached_property
    def text(self) -> str:
        """The program without comments, with its alphabet: equal for programs that are written alike."""
        return replace(self.program, alphabet=self.core.alphabet).text

    @property
    def self_contained(self) -> str:
        """The name of the task by which it is found again without the file."""
        return PROGRAM + self.text

    @property
    def letters(self) -> tuple[str, ...]:
        return self.core.alphabet

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        if not self.core.is_predictor:
            return (REJECTED, ACCEPTED)
        outputs = [token for token, _ in self.core.outputs]
        if len(outputs) > MOST_OUTPUTS:
            raise InputError(
                f"{TaskName(self.name).short}: {len(outputs)} outputs make too many labels to train on; "
                f"the most are {MOST_OUTPUTS}"
            )
        sizes = range(len(outputs) + 1)
        return tuple(chosen for size in sizes for chosen in combinations(outputs, size))

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        tokens = super().tokens
        check_distinct(self.name, tokens)
        return tokens

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        stream = Stream(self.core)
        found = [self._said(stream)]
        for code in Encoder(self.core).tokens(x):
            stream.feed(np.array([code]))
            found.append(self._said(stream))
        return tuple(found)

    def _said(self, stream: Stream) -> str:
        if self.core.is_predictor:
            return label_name(stream.predicted)
        return label_name(ACCEPTED if stream.accepted else REJECTED)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        words = self._words(lengths, rng)
        return words, self._said_of(words)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Words at whose end compared counts differ by 0 or ±1, and, where the program looks at a window,
        words in which its content is repeated far away."""
        from longreach.tasks.probing import NearTies, P, Q, window_repeated
        from longreach.tasks.pumped import probes

        ties, window = NearTies(self.core), self.core.locality + 1
        sorts = len(ties.comparisons) + (window > 1)
        if not sorts:
            return None
        sizes = draw_lengths(self, *lengths, count, rng)
        loops = np.arange(count) % sorts
        words, good = window_repeated(self._words(sizes, rng), sizes, window, rng), np.ones(count, np.bool_)
        tied = np.flatnonzero(loops < len(ties.comparisons))
        if len(tied):
            near, good[tied] = ties.draw(sizes[tied], loops[tied], rng)
            words[tied] = 0
            words[tied, : near.shape[1]] = near
        # What hardly ever comes near is not probed; of the others equally many words are kept.
        found = np.bincount(loops, weights=good, minlength=sorts)
        kept = found * 2 * sorts >= count
        if not kept.any():
            return None
        each = int(found[kept].min())
        rows = np.sort(
            np.concatenate([np.flatnonzero(good & (loops == sort))[:each] for sort in np.flatnonzero(kept)])
        )
        words, sizes, loops = words[rows, : int(sizes[rows].max())], sizes[rows], loops[rows]
        names = [f"comparison {number}" for number in range(1, len(ties.comparisons) + 1)]
        kinds = np.where(loops < len(names), P, Q)
        batch = self._batch(sizes, words, self._said_of(words))
        return probes(batch, loops, kinds, (*names, "window repeated"))

    def _words(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        words = rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
        followed = rng.permutation(len(lengths))[: len(lengths) // 2]
        self._follow(words, followed, rng)
        return words

    def _said_of(self, words: IntArray) -> IntArray:
        """The places in `labels` of what is right at SOS and at each letter."""
        kernel = Kernel(self.core, self.core.roots)
        values = kernel.advance(State(), words.astype(np.uint32))
        empty = at_empty_word(self.core)
        said = np.empty((len(self.core.roots), len(words), words.shape[1] + 1), dtype=np.bool_)
        for number, root in enumerate(self.core.roots):
            said[number, :, 0] = empty[root]
            said[number, :, 1:] = values[root]
        return self._label_places(said)

    def _label_places(self, said: BoolArray) -> IntArray:
        """The places in `labels` of the truth values of the roots."""
        if not self.core.is_predictor:
            accepted: IntArray = said[0].astype(np.int64)
            return accepted
        outputs = [token for token, _ in self.core.outputs]
        place = {label: number for number, label in enumerate(self.labels)}
        table = np.empty(2 ** len(outputs), dtype=np.int64)
        for bits in range(len(table)):
            table[bits] = place[tuple(token for k, token in enumerate(outputs) if bits >> k & 1)]
        codes: IntArray = (said.astype(np.int64) << np.arange(len(outputs))[:, None, None]).sum(axis=0)
        places: IntArray = table[codes]
        return places

    def _follow(self, words: IntArray, rows: IntArray, rng: np.random.Generator) -> None:
        """Draws these rows again, letter by letter among those that go on well, uniformly."""
        if not len(rows):
            return
        keys = rng.random((words.shape[1], len(rows), len(self.letters)))
        walk = _Predicted(self.core, len(rows)) if self.core.is_predictor else _Accepted(self.core, len(rows))
        for column, key in enumerate(keys):
            chosen = (key + walk.good).argmax(axis=1)
            words[rows, column] = chosen
            walk.read(chosen)


class _Predicted:
    """Words that are read side by side, and which letters a predictor predicts next."""

    def __init__(self, core: Core, rows: int) -> None:
        self._core, self._rows = core, rows
        self._kernel, self._state = Kernel(core, core.roots), State()
        self.good: BoolArray = np.zeros((rows, len(core.alphabet)), dtype=np.bool_)
        self._set(dict(enumerate(at_empty_word(core))))

    def _set(self, values: Mapping[int, Value]) -> None:
        for token, root in self._core.outputs:
            if token in self._core.alphabet:
                column = np.broadcast_to(values[root], (self._rows, 1))
                self.good[:, self._core.alphabet.index(token)] = column[:, 0]

    def read(self, letters: IntArray) -> None:
        self._set(self._kernel.advance(self._state, letters.astype(np.uint32)[:, None]))


class _Accepted:
    """Words that are read side by side, and after which letters an acceptor accepts them."""

    def __init__(self, core: Core, rows: int) -> None:
        self._size, self._rows = len(core.alphabet), np.arange(rows)
        self._kernel, self._state, self._root = Kernel(core, core.roots), State(), core.roots[0]
        self._next = np.tile(np.arange(self._size, dtype=np.uint32), rows)[:, None]
        self._try()

    def _try(self) -> None:
        """Every word with every letter behind it."""
        self._tried = self._state.take(np.repeat(self._rows, self._size))
        value = self._kernel.advance(self._tried, self._next)[self._root]
        self.good: BoolArray = np.broadcast_to(value, self._next.shape).reshape(-1, self._size)

    def read(self, letters: IntArray) -> None:
        self._state = self._tried.take(self._rows * self._size + letters)
        self._try()


def program_task(name: str) -> ProgramTask:
    """The task of `crasp:FILE`, of `crasp:lib:NAME`, or of `crasp:` and the text of a program.

    >>> program_task("crasp:lib:dyck-1").letters
    ('(', ')')
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.program import parse

    read = TaskName(name)
    source = read.source
    if not source:
        reason = f"the name of the program is empty; expected {PROGRAM}FILE"
        raise InputError(reason, place=Argument("task"))
    program = parse(source, read.short) if read.is_text else load_program(source)
    task = ProgramTask(name, program)
    if not task.letters:
        raise InputError(f"{source}: the program names no token; declare its letters: #alphabet a b")
    return task


def automaton_file(name: str) -> AutomatonFile:
    """The automaton of `dfa:FILE`, or of `dfa:` and the text of one."""
    read = TaskName(name)
    if not read.source:
        reason = f"the name of the file is empty; expected {AUTOMATON}FILE"
        raise InputError(reason, place=Argument("task"))
    text = read.source if read.is_text else read_text(read.source, most=DOCUMENT_BYTES)
    where = read.short if read.is_text else read.source
    found = read_automaton_file(text, file=where)
    reserved = next((token for token in found.machine.alphabet if token in (PAD, SOS, EOS)), None)
    if reserved is not None:
        raise InputError(f"{where}: alphabet: {reserved} cannot be a letter, the task needs it itself")
    return found


def automaton_task(name: str) -> Task:
    """The task of an automaton: what may follow within its words, or its answer classes over all words.

    >>> automaton_task('dfa:{"alphabet":["a"],"transitions":[[1],[0]],"outputs":["even","odd"]}').answer("a")
    ('{even}', '{odd}')
    """
    machine = automaton_file(name).machine
    states = counted(len(machine), "state")
    if isinstance(machine, LabelledAutomaton):
        count = len(machine.classes)
        classes = f"{count} {'class' if count == 1 else 'classes'}"
        return LabelledLanguage(name, machine, f"which of {classes}, by an automaton with {states}")
    return RegularLanguage(name, machine, f"the language of an automaton with {states}")


def attribute_value(name: str, *, expected: str = EXPECTED) -> Any:
    """Whatever an attribute of a module is, by `module:attribute`; errors name what else is expected."""
    module, path = TaskName(name).attribute
    value: Any = _module(module, expected)
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            public = [other for other in dir(value) if not other.startswith("_")]
            where = f"module {module!r}" if value is sys.modules.get(module) else f"{type(value).__name__}"
            raise InputError(f"{where} has no attribute {part!r}{near_names(part, public)}") from None
    return value


def _look_here() -> None:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # at the end: a file of the user's must not hide a module of the library


def _module(name: str, expected: str) -> Any:
    _look_here()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            hint = f"; expected {expected}" if expected else ""
            if name.endswith(".py"):
                hint = f"; write a file without .py: {name.removesuffix('.py')}:…"
            raise InputError(
                f"no module named {missing!r}, installed or in the current directory{hint}"
            ) from None
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None
    except OWN_FAILURES as error:
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None
