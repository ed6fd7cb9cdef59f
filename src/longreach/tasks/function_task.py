"""A task from two plain functions: one draws an input, one answers it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, failure_line
from longreach.tasks.coupling import IdScheme, ids_by_function
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, PAD, SEP, SEP_ID, SOS, Batch, BoolArray, IntArray
from longreach.wording import counted

Drawer: TypeAlias = Callable[[int, np.random.Generator], Sequence[str]]
Answerer: TypeAlias = Callable[[tuple[str, ...]], Any]

NOT_ASKED = Evidence("none", None, "a Python function: a forecast looks for evidence in its answers")
ANSWERS = "a list of tokens, a string, a whole number or a truth value"
GUESSES, RARE = 200, 0.05
"""Long inputs on which guessing is tried, and the share below which it does not count."""
TRIED_LENGTHS, TRIED_SPAN, TRIES = 12, 100, 20
"""Where the tokens and the size of answers are looked for if they are not said."""


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
    stepper: Callable[[tuple[str, ...]], Sequence[str]] | None = None
    """The steps that lead to the answer, for a scratchpad."""
    ids: IdScheme | None = None

    def __post_init__(self) -> None:
        if self.least_length < 0:
            raise InputError(f"{self.name}: least_length: {self.least_length} is below 0")
        for place, token in enumerate(self.given_tokens or ()):
            self._check_token(token, "tokens")
            if token in (self.given_tokens or ())[:place]:
                raise InputError(f"{self.name}: tokens: {token!r} stands there twice")

    # What the functions say

    def _check_token(self, token: Any, where: str) -> str:
        if not isinstance(token, str):
            raise InputError(
                f"{self.name}: {where}: {token!r} is of type {type(token).__name__}; tokens are strings"
            )
        if not token or any(character.isspace() for character in token):
            raise InputError(f"{self.name}: {where}: the token {token!r} is empty or has a blank")
        if token in (PAD, SOS, SEP, EOS):
            raise InputError(f"{self.name}: {where}: the token {token} is one that the task needs itself")
        return token

    def _drawn(self, length: int, rng: np.random.Generator) -> tuple[str, ...]:
        call = f"{_called(self.drawer, 'draw')}({length}, rng)"
        try:
            drawn = self.drawer(length, rng)
            if not isinstance(drawn, Iterable):
                raise InputError(f"{self.name}: {call} gives {drawn!r}; expected a list of tokens")
            found = tuple(drawn)
        except InputError:
            raise
        except OWN_FAILURES as error:
            raise InputError(f"{self.name}: {call} fails: {failure_line(error)}") from error
        if len(found) != length:
            raise InputError(
                f"{self.name}: {call} gives {counted(len(found), 'token')}, not {length}: {_shown(found)}"
            )
        return tuple(self._check_token(token, call) for token in found)

    def _answered(self, x: Sequence[str]) -> tuple[str, ...]:
        call = f"{_called(self.answerer, 'answer')}({_shown(x)})"
        try:
            found = self.answerer(tuple(x))
            if isinstance(found, bool | np.bool_):
                found = "yes" if found else "no"
            elif isinstance(found, int | np.integer):
                found = str(found)
            elif not isinstance(found, Iterable):
                raise InputError(f"{self.name}: {call} gives {found!r}; expected {ANSWERS}")
            tokens = (found,) if isinstance(found, str) else tuple(found)
        except InputError:
            raise
        except OWN_FAILURES as error:
            raise InputError(f"{self.name}: {call} fails: {failure_line(error)}") from error
        return tuple(self._check_token(token, call) for token in tokens)

    def _tries(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Inputs and answers of short lengths, and of some longer ones."""
        rng = np.random.default_rng(0)
        known = self.lengths(self.least_length, self.least_length + TRIED_SPAN)
        for length in [*known[:TRIED_LENGTHS].tolist(), int(known[len(known) // 2]), int(known[-1])]:
            for _ in range(TRIES):
                x = self._drawn(length, rng)
                yield x, self._answered(x)

    @cached_property
    def _tried(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        return tuple(self._tries())

    # The task

    @cached_property
    def chance(self) -> float:  # type: ignore[override]
        """As said, or how often the most frequent answer to a long input is right; 0 if that is rare."""
        if self.given_chance is not None:
            return self.given_chance
        known = self.lengths(self.least_length, self.least_length + TRIED_SPAN).tolist()
        while True:
            try:
                return self._guessed(known[-1])
            except InputError:  # functions may be for short inputs only
                if len(known) == 1:
                    raise
                known = known[: len(known) // 2]

    def _guessed(self, length: int) -> float:
        rng = np.random.default_rng(1)
        answers = Counter(self._answered(self._drawn(length, rng)) for _ in range(GUESSES))
        share = answers.most_common(1)[0][1] / GUESSES
        return share if share > RARE else 0.0

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

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """As the function `ids` says."""
        return None if self.ids is None else ids_by_function(self, batch, self.ids, SEP_ID)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        pairs = []
        for length in lengths.tolist():
            read = self._drawn(length, rng)
            written = self._answered(read)
            most = self.answer_size(length)
            if len(written) > most:
                call = f"{_called(self.answerer, 'answer')}({_shown(read)})"
                raise InputError(
                    f"{self.name}: {call} has {len(written)} tokens, more than the {most} expected at length "
                    f"{length}; say longest_answer=…"
                )
            pairs.append((read, written))
        x = np.zeros((len(pairs), int(lengths.max())), dtype=np.int64)
        y = np.zeros((len(pairs), max(1, *(len(written) for _, written in pairs))), dtype=np.int64)
        for row, (read, written) in enumerate(pairs):
            x[row, : len(read)] = self._numbers(read, _called(self.drawer, "draw"), f"{len(read)}, rng")
            y[row, : len(written)] = self._numbers(written, _called(self.answerer, "answer"), _shown(read))
        return x, y, np.array([len(written) for _, written in pairs], dtype=np.int64)

    def _numbers(self, tokens: Sequence[str], function: str, argument: str) -> list[int]:
        for token in tokens:
            if token not in self._places:
                raise InputError(
                    f"{self.name}: {function}({argument}) has {token!r}, which is not among the tokens "
                    f"{_shown(self.symbols)}; name them all: tokens=[…]"
                )
        return [self._places[token] for token in tokens]


def _called(function: Callable[..., Any], usual: str) -> str:
    name = getattr(function, "__name__", usual)
    return usual if name == "<lambda>" else str(name)


def _shown(tokens: Sequence[str]) -> str:
    shown = " ".join(map(str, tokens[:30]))
    return shown if len(tokens) <= 30 else f"{shown} … ({len(tokens)} tokens)"
