"""Tasks from plain Python functions, and from objects of a session.

Results hold names only. The object behind such a name is kept in one table of this process, `_OBJECTS`:
another process cannot find it, and says so. The hash is that of examples and tokens, so that results of
another task with the same name are never taken for those of this one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, own_code, unprinted
from longreach.tasks.balance import PROBED, balanced, drawing_of
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import (
    EOS,
    GUESSES,
    SEP_ID,
    Batch,
    BoolArray,
    Evidence,
    IdScheme,
    IntArray,
    NewAnswerError,
    Probes,
    Task,
    called,
    draw_lengths,
    guessed_share,
    ids_by_function,
    token_problem,
)
from longreach.theory.names import SESSION
from longreach.wording import counted, some

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned


Drawer: TypeAlias = Callable[[int, np.random.Generator], Sequence[str]]
Pair: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""An input and its answer."""
Answerer: TypeAlias = Callable[[Any], Any]
"""Reads a word in the type that the drawer returns: a string, a list, or else a tuple."""

NOT_ASKED = Evidence("none", None, "a Python function: a forecast looks for evidence in its answers")
ANSWERS = "a list of tokens, a string, a whole number or a truth value"
TRIED_LENGTHS, TRIED_SPAN, TRIES = 12, 100, 20
"""Where the tokens and the size of answers are looked for if they are not said."""
FEW_TOKENS = 8
"""That a message lists."""
MOST_NAMES = 16
"""Different strings as answers beyond which they are words over the input's letters, not names of classes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionTask(SequenceTask):
    """SOS x SEP y EOS with x = draw(LEN, rng) and y = answer(x). Made by `Task.from_function`."""

    name: str
    about: str
    drawer: Drawer
    answerer: Answerer
    given_tokens: tuple[str, ...] | None = None
    least_length: int = 1
    lengths_with_inputs: Callable[[int], bool] | None = None
    longest_answer: int | Callable[[int], int] | None = None
    nope: Evidence = NOT_ASKED
    ape: Evidence = NOT_ASKED
    given_chance: float | None = None
    stepper: Callable[[Any], Sequence[str]] | None = None
    """The steps that lead to the answer, for a scratchpad."""
    ids: IdScheme | None = None
    prober: Drawer | None = None
    """Draws hard inputs."""

    def __post_init__(self) -> None:
        if self.least_length < 0:
            raise InputError(f"{self.name}: least_length: must be at least 0, not {self.least_length}")
        for place, token in enumerate(self.given_tokens or ()):
            self._check_token(token, "tokens")
            if token in (self.given_tokens or ())[:place]:
                raise InputError(f"{self.name}: tokens: {token!r} appears twice")

    # What the functions say

    @cached_property
    def _fine(self) -> set[str]:
        """Tokens that were looked at: millions of answers have the same few."""
        return set()

    def _check_token(self, token: Any, where: str) -> str:
        if type(token) is str and token in self._fine:
            return token
        if not isinstance(token, str):
            raise InputError(
                f"{self.name}: {where}: {token!r} is of type {type(token).__name__}; tokens are strings"
            )
        if (problem := token_problem(token)) is not None:
            raise InputError(f"{self.name}: {where}: {problem}")
        self._fine.add(token)
        return token

    def _drawn(self, length: int, rng: np.random.Generator, drawer: Drawer | None = None) -> tuple[str, ...]:
        drawer = drawer or self.drawer
        call = f"{called(drawer, 'draw' if drawer is self.drawer else 'probe')}({length}, rng)"
        with own_code(f"{self.name}: {call}"):
            drawn = drawer(length, rng)
            if not isinstance(drawn, Iterable):
                raise InputError(f"{self.name}: {call} gives {drawn!r}; expected a list of tokens")
            found = tuple(drawn)
        if len(found) != length:
            raise InputError(
                f"{self.name}: {call} gives {counted(len(found), 'token')}, not {length}: {_shown(found)}"
            )
        return tuple(self._check_token(token, call) for token in found)

    @cached_property
    def _hand(self) -> Callable[[Sequence[str]], str | list[str] | tuple[str, ...]]:
        """Makes of tokens what the drawer returns: a string, a list, or else a tuple."""
        try:
            length = int(self.lengths(self.least_length, self.least_length + TRIED_SPAN)[0])
            with unprinted(self.name):
                drawn = self.drawer(length, np.random.default_rng(0))
        except OWN_FAILURES:  # reported where examples are drawn
            return tuple
        return "".join if isinstance(drawn, str) else list if isinstance(drawn, list) else tuple

    def _said(self, x: Sequence[str]) -> Any:
        """What the user's function returns, if an answer can be made of it."""
        call = f"{called(self.answerer, 'answer')}({_shown(x)})"
        with own_code(f"{self.name}: {call}"):
            found = self.answerer(self._hand(x))
            refused = isinstance(found, Mapping | AbstractSet | bytes)
            if refused or not isinstance(found, Iterable | int | np.integer | np.bool_):
                shown = f"{found!r}, a {type(found).__name__}" if found is not None else "None"
                raise InputError(f"{self.name}: {call} gives {shown}; expected {ANSWERS}")
        return found

    def _answered(self, x: Sequence[str]) -> tuple[str, ...]:
        call = f"{called(self.answerer, 'answer')}({_shown(x)})"
        found = self._said(x)
        if isinstance(found, str) and self._spells:
            found = tuple(found)
        with own_code(f"{self.name}: {call}"):
            tokens = written(found)
        return tuple(self._check_token(token, call) for token in tokens)

    @cached_property
    def _spells(self) -> bool:
        """Whether strings as answers are words, as the inputs are, and not names such as "even"."""
        if not isinstance(self._hand(()), str):
            return False
        inputs = list(self._inputs())
        said = {found for x in inputs if isinstance(found := self._said(x), str)}
        letters = {letter for x in inputs for letter in x} | {*(self.given_tokens or ())}
        return len(said) > MOST_NAMES and all({*found} <= letters for found in said)

    def _inputs(self) -> Iterator[tuple[str, ...]]:
        """Inputs of short lengths, and of some longer ones."""
        rng = np.random.default_rng(0)
        known = self.lengths(self.least_length, self.least_length + TRIED_SPAN)
        for length in [*known[:TRIED_LENGTHS].tolist(), int(known[len(known) // 2]), int(known[-1])]:
            for _ in range(TRIES):
                yield self._drawn(length, rng)

    @cached_property
    def _tried(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        return tuple((x, self._answered(x)) for x in self._inputs())

    # The task

    @cached_property
    def chance(self) -> float:
        """As said, or how often the most frequent answer to a long input is right; 0 if that is rare."""
        if self.given_chance is not None:
            return self.given_chance
        known = self.lengths(self.least_length, self.least_length + TRIED_SPAN).tolist()
        while True:
            try:
                tests = self._tests([known[-1]] * GUESSES, np.random.default_rng(1))
                return guessed_share(answer for _, answer in tests)
            except InputError:  # functions may be for short inputs only
                if len(known) == 1:
                    raise
                known = known[: len(known) // 2]

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """As given, or whatever is met in some hundred examples, sorted."""
        if self.given_tokens is not None:
            return self.given_tokens
        return tuple(sorted({token for pair in self._tried for part in pair for token in part}))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {token: place for place, token in enumerate(self.symbols)}

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = lengths >= self.least_length
        if self.lengths_with_inputs is not None:
            asked = [bool(self.lengths_with_inputs(length)) for length in lengths.tolist()]
            found = found & np.array(asked, dtype=np.bool_)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*self._answered(x), EOS)

    @cached_property
    def _shape(self) -> tuple[int, int]:
        """The size of answers, -1 if it grows, and how many times the input's it is at most."""
        sizes: dict[int, int] = {}
        for x, y in self._tried:
            sizes[len(x)] = max(sizes.get(len(x), 0), len(y))
        constant = max(sizes.values()) if len({sizes[length] for length in list(sizes)[-2:]}) == 1 else -1
        return constant, max(-(-size // max(1, length)) for length, size in sizes.items())

    def answer_size(self, length: int) -> int:
        """As said, or as in some hundred examples: of one size, or so many times the input's."""
        if callable(self.longest_answer):
            return int(self.longest_answer(length))
        if self.longest_answer is not None:
            return self.longest_answer
        constant, times = self._shape
        return constant if constant >= 0 else max(1, times * max(1, length))

    @cached_property
    def aligned(self) -> Aligned | None:
        """How answers are made step by step, where examples show it, and neither steps nor ids are said."""
        from longreach.tasks.aligned import drawn_alignment  # slow to load

        if self.ids is not None or self.stepper is not None:
            return None
        known = self.lengths(self.least_length, self.least_length + TRIED_SPAN).tolist()
        return drawn_alignment(lambda n, rng: self._drawn(n, rng), self._answered, known)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """As said; else those of answers that are seen to be written along the input."""
        scheme = self.ids
        if scheme is None and (found := self.aligned) is not None and found.each:
            scheme = found.ids
        return None if scheme is None else ids_by_function(self, batch, scheme, SEP_ID)

    def _pair(self, read: tuple[str, ...]) -> Pair:
        """An input and its answer, which must not be longer than was said or seen."""
        written, most = self._answered(read), self.answer_size(len(read))
        if len(written) > most:
            call = f"{called(self.answerer, 'answer')}({_shown(read)})"
            raise InputError(
                f"{self.name}: {call} has {len(written)} tokens, more than the {most} expected at length "
                f"{len(read)}; say longest_answer=…"
            )
        return read, written

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        return self._arrays([self._pair(self._drawn(length, rng)) for length in lengths.tolist()])

    # Tests

    def _tests(self, lengths: Sequence[int], rng: np.random.Generator) -> list[Pair]:
        return balanced(lengths, lambda length: self._pair(self._drawn(length, rng)), itemgetter(1))

    def test_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        return self._batch(lengths, *self._arrays(self._tests(lengths.tolist(), rng)))

    @cached_property
    def _free_letters(self) -> tuple[str, ...]:
        """The letters of inputs, where any word over them is one, and draws prefer some of them."""
        rng = np.random.default_rng(2)
        known = self.lengths(self.least_length, self.least_length + TRIED_LENGTHS)
        words = [self._drawn(int(known[-1]), rng) for _ in range(PROBED)]
        letters = {letter for word in words for letter in word}
        return tuple(sorted(letters)) if drawing_of(words) == "free" else ()

    def uniform_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch | None:
        letters = self._free_letters
        if not letters:
            return None

        def draw(length: int) -> Pair:
            return self._pair(tuple(letters[k] for k in rng.integers(0, len(letters), length)))

        try:
            pairs = balanced(lengths.tolist(), draw, itemgetter(1))
            return self._batch(lengths, *self._arrays(pairs))
        except InputError:  # not every word is an input after all
            return None

    @cached_property
    def _pieces(self) -> tuple[tuple[str, ...], ...]:
        """Whose repetition changes the answer, where any word over the letters may be an input."""
        from longreach.tasks.probing import changing_pieces

        rng = np.random.default_rng(3)
        known = self.lengths(self.least_length, self.least_length + TRIED_LENGTHS)
        words = [self._drawn(int(known[-1]), rng) for _ in range(PROBED)]
        if drawing_of(words) == "formed":
            return ()
        short = [self._drawn(length, rng) for length in known.tolist()]
        return changing_pieces([*short, *words[:TRIES]], self._answered)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        sizes = draw_lengths(self, *lengths, count, rng)

        def pairs(words: Iterable[tuple[str, ...]]) -> Batch:
            return self._batch(sizes, *self._arrays([self._pair(word) for word in words]))

        if self.prober is not None:
            return asked(pairs(self._drawn(size, rng, self.prober) for size in sizes.tolist()))
        return by_pieces(sizes, lambda: self._pieces, lambda size: self._drawn(size, rng), pairs)

    def constant_share(self, batch: Batch) -> float | None:
        return guessed_share(batch.answers)

    def _arrays(self, pairs: Sequence[Pair]) -> tuple[IntArray, IntArray, IntArray]:
        x = np.zeros((len(pairs), max(len(read) for read, _ in pairs)), dtype=np.int64)
        y = np.zeros((len(pairs), max(1, *(len(written) for _, written in pairs))), dtype=np.int64)
        for row, (read, written) in enumerate(pairs):
            x[row, : len(read)] = self._numbers(read, called(self.drawer, "draw"), f"{len(read)}, rng")
            y[row, : len(written)] = self._numbers(written, called(self.answerer, "answer"), _shown(read))
        return x, y, np.array([len(written) for _, written in pairs], dtype=np.int64)

    def _numbers(self, tokens: Sequence[str], function: str, argument: str) -> list[int]:
        for token in tokens:
            if token not in self._places:
                error = NewAnswerError if function == called(self.answerer, "answer") else InputError
                raise error(
                    f"{self.name}: {function}({argument}) has {token!r}, which is not among the tokens "
                    f"{some(self.symbols, FEW_TOKENS)}; name them all: tokens=[…]"
                )
        return [self._places[token] for token in tokens]


def asked(batch: Batch) -> Probes:
    """Hard inputs as the user draws them: all of one sort."""
    none = np.zeros(len(batch), dtype=np.int64)
    return Probes(batch, none, none, ("probe",))


def by_pieces(
    sizes: IntArray,
    pieces: Callable[[], Sequence[tuple[str, ...]]],
    draw: Callable[[int], tuple[str, ...]],
    answered: Callable[[Iterable[tuple[str, ...]]], Batch],
) -> Probes | None:
    """Drawn inputs with one piece repeated inside, equally many of each piece.

    None where no repetition changes an answer, or some word is no input after all.
    """
    from longreach.tasks.probing import repeated

    try:
        known = pieces()
        if not known:
            return None
        rows = np.arange(len(sizes))
        loops, kinds = rows % len(known), rows // len(known) % 2
        each = zip(sizes.tolist(), loops.tolist(), kinds.tolist(), strict=True)
        batch = answered(repeated(draw(size), known[loop], kind) for size, loop, kind in each)
        return Probes(batch, loops, kinds, tuple(map(" ".join, known)))
    except InputError:
        return None


def written(found: Any) -> tuple[Any, ...]:
    """What a function gives, as tokens: several, or one as a string, a whole number or a truth value.

    >>> written(True), written(3), written(["a", "b"])
    (('yes',), ('3',), ('a', 'b'))
    """
    if isinstance(found, bool | np.bool_):
        return ("yes" if found else "no",)
    return (str(found),) if isinstance(found, str | int | np.integer) else tuple(found)


def _shown(tokens: Sequence[str]) -> str:
    shown = some([str(token) for token in tokens], 30)
    return shown if len(tokens) <= 30 else f"{shown} ({len(tokens)} tokens)"


EXAMPLES = 8
FARTHER = (20, 40, 100)
"""How far above the least length examples are drawn, besides the least lengths themselves."""
LEAST_LENGTHS = 4
LONGEST_NAME = 40

_OBJECTS: dict[str, Task] = {}
"""By name: filled by `remember`, read by `session_task`, never written to disk."""


def remember(task: Task) -> str:
    """The name by which this process finds the task again: the same for tasks that are alike.

    >>> from longreach.tasks.copying import Sort
    >>> name = remember(Sort(9))
    >>> name, session_task(name).size, remember(Sort(9)) == name, remember(Sort(8)) == name
    ('object:sort@...', 9, True, False)
    """
    shown = re.sub(r"[^\w.-]+", "-", str(getattr(task, "name", ""))).strip("-")[:LONGEST_NAME] or "task"
    name = f"{SESSION}{shown}@{fingerprint(task)}"
    _OBJECTS[name] = task
    return name


def session_task(name: str) -> Task:
    """The object behind such a name.

    >>> session_task("object:mine@0123456789ab")
    Traceback (most recent call last):
    longreach.errors.InputError: object:mine@0123456789ab is an object of another Python session; put it...
    """
    try:
        return _OBJECTS[name]
    except KeyError:
        where = "put it into a module and name it module:attribute"
        raise InputError(f"{name} is an object of another Python session; {where}") from None


def fingerprint(task: Task) -> str:
    """The beginning of a hash of the task's tokens and of examples that are always the same."""
    found = hashlib.sha256(repr((task.kind, tuple(task.tokens), task.least_length)).encode())
    rng = np.random.default_rng(0)
    with own_code(f"{task.name}: drawing examples"):
        for length in _lengths(task):
            batch = task.sample([length] * EXAMPLES, rng)
            for array in (batch.tokens, batch.targets, batch.mask, batch.position_ids, batch.sizes):
                found.update(repr(array.shape).encode())
                found.update(np.ascontiguousarray(array, dtype=np.int64).tobytes())
            said = not isinstance(task, FunctionTask) or task.ids is not None
            if said and (ids := task.coupled_ids(batch)) is not None:
                found.update(np.ascontiguousarray(ids, dtype=np.int64).tobytes())
    return found.hexdigest()[:12]


def _lengths(task: Task) -> list[int]:
    least = task.least_length
    span = np.arange(least, least + max(FARTHER) + 1, dtype=np.int64)
    known = span[np.asarray(task.has(span), dtype=np.bool_)].tolist()
    far = [max((length for length in known if length <= least + step), default=least) for step in FARTHER]
    return sorted({*known[:LEAST_LENGTHS], *(far if known else ())})
