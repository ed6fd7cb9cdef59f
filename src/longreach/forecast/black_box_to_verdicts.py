"""A task that nobody can see into → verdicts from its answers alone, each with the length to which it holds.

In this order, and the first that can say something speaks: an automaton that is learned from the answers,
which theory decides; a program that is right on examples; the growth of what one part of an input must tell
the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from longreach.errors import InputError, failure_line
from longreach.forecast.asking import answer as ask
from longreach.forecast.black_box import SECONDS
from longreach.forecast.drawn_inputs import MANY, DrawnInputs, draw_inputs, every_word_to
from longreach.forecast.found_program import found_verdict, library_program
from longreach.forecast.learned_to_verdicts import learned_answer_sides, learned_language_sides
from longreach.forecast.rows_to_verdict import measured_verdict
from longreach.forecast.synthesized_program import FAMILIES, synthesized_program
from longreach.languages.budget import Budget
from longreach.languages.program_class import SIDES
from longreach.languages.regular.automaton import Word
from longreach.limit.measure.answers_to_rows import MeasuredRows, rows_of_function, rows_of_inputs
from longreach.synthesis.answers_to_automaton import (
    LearnedAutomaton,
    LearningLimits,
    NotLearned,
    learn_automaton,
)
from longreach.synthesis.trial_words import long_words
from longreach.tasks.layout import SequenceTask
from longreach.tasks.predicate_language import IN, PredicateLanguage
from longreach.tasks.regular_answer import UNDEFINED
from longreach.tasks.task import EOS, Task
from longreach.verdicts.verdict import Verdict, undecided

MOST_LETTERS = 30
"""Of inputs of which an automaton is learned."""
MOST_ANSWERS = 16
"""Different answers to short inputs, and tokens of an answer, beyond which they are taken to grow."""
ANSWER_TOKENS = 4
WAITING = 20.0
"""Seconds on the wall for one of computing."""
TIMED, TIMED_LENGTH = 20, 30
"""Words by which it is found how long an answer takes."""
LEAST_WORDS, MOST_ASKED = 50, 4096
SHARES = {"draw": 0.4, "automaton": 0.6, "program": 0.8, "rows": 1.0}
"""Of the seconds, when each step has to be done at the latest."""


def black_box_sides(
    task: Task, name: str, keys: Iterable[str], *, seconds: float | None = None
) -> dict[str, Verdict]:
    """The verdicts for these sides; of a regular language also "local".

    >>> from longreach.tasks.task import Task
    >>> ends_in_b = Task.from_predicate(lambda word: word[-1:] == ("b",), "ab", name="ends in b")
    >>> found = black_box_sides(ends_in_b, "mine", ["nope", "ape"])
    >>> found["nope"].answer.value, found["nope"].checked_to
    ('yes', 100)
    """
    allowed = SECONDS if seconds is None else seconds
    try:
        return dict(_known_sides(task, name, tuple(keys), allowed))
    except TypeError:  # a task that has no hash
        return _sides(task, name, tuple(keys), allowed)


# One forecast is asked for several times: for an answer, for its page, for a judgement of runs.
@lru_cache(maxsize=16)
def _known_sides(task: Task, name: str, wanted: tuple[str, ...], seconds: float) -> dict[str, Verdict]:
    return _sides(task, name, wanted, seconds)


def _sides(task: Task, name: str, wanted: tuple[str, ...], seconds: float) -> dict[str, Verdict]:
    clock = _Clock(seconds)
    box: _Box = _Language(task, clock) if isinstance(task, PredicateLanguage) else _Answers(task, clock)
    try:
        found = box.learned(name, wanted)
        for step in (box.programmed, box.measured):
            open_sides = [key for key in wanted if key not in found]
            if open_sides:
                found |= step(name, open_sides)
    except InputError as error:
        unasked = "its answers cannot be asked for"
        why = f"{unasked}: {error.message}"
        # The word that was asked about may be long.
        short = unasked if error.__cause__ is None else f"{unasked}: {failure_line(error.__cause__)}"
        return {key: undecided(SIDES[key], why, clause=short) for key in wanted}
    rest = "; ".join(box.tried) or "nothing was tried"
    open_ = {key: undecided(SIDES[key], rest, clause=box.clause) for key in wanted if key not in found}
    return {**{key: found.get(key) or open_[key] for key in wanted}, **found}


@dataclass(frozen=True)
class _Clock:
    """Seconds of computing; a function that only waits for something is not waited for without end."""

    seconds: float
    computed: float = field(default_factory=time.thread_time)
    started: float = field(default_factory=time.monotonic)

    def now(self) -> float:
        return max(time.thread_time() - self.computed, (time.monotonic() - self.started) / WAITING)

    def left(self, step: str) -> float:
        return SHARES[step] * self.seconds - self.now()

    def until(self, step: str) -> Callable[[], float]:
        return lambda: self.left(step)


class _Box:
    """What is tried of a task, and what came of it."""

    def __init__(self, task: Task, clock: _Clock) -> None:
        self.task, self.clock = task, clock
        self.tried: list[str] = []
        """Why nothing is known, step by step."""
        self.clause: str | None = None
        """The same in a few plain words, where a user's own function is the likely reason."""

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        raise NotImplementedError

    def rows(self) -> MeasuredRows | None:
        raise NotImplementedError

    def asked(self, word: Word) -> Hashable:
        """What the task says of a word."""
        raise NotImplementedError

    def affordable(self, letters: Sequence[str], step: str) -> int:
        """How many words can be asked about, by the time that a few take."""
        words = list(long_words(letters, TIMED_LENGTH, TIMED, np.random.default_rng(0)))
        started = self.clock.now()
        for word in words:
            self.asked(word)
        each = max(1e-7, (self.clock.now() - started) / TIMED)
        return int(max(0.0, self.clock.left(step)) / each)

    def limits(self, letters: Sequence[str]) -> LearningLimits:
        """The usual words, fewer if answers take long."""
        usual, words = LearningLimits(), self.affordable(letters, "automaton") // 3
        return replace(
            usual,
            seconds=max(0.0, self.clock.left("automaton")),
            short=max(LEAST_WORDS, min(usual.short, words)),
            long=max(LEAST_WORDS, min(usual.long, words // 4)),
            clock=self.clock.now,
        )

    def most(self, letters: Sequence[str]) -> int:
        """How many words of one length can be asked about, where many lengths and ways to cut are tried."""
        return min(MOST_ASKED, self.affordable(letters, "rows") // 4)

    def budget(self) -> Budget:
        return Budget(seconds=max(1.0, self.clock.seconds))

    def examples(self) -> dict[Word, Word]:
        """Inputs with their answers, of a task that writes one."""
        return {}

    def programmed(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        """A program of the library, or one without relations, which counts for both sides, or with them."""
        until = self.clock.until("program")
        verdicts: dict[str, Verdict] = {}
        for search in ("library", *FAMILIES):
            needed = [key for key in keys if key not in verdicts]
            if not needed or (search == "ape" and search not in needed):
                continue
            if search == "library":
                found = library_program(self.task, left=until)
            else:
                found = synthesized_program(self.task, search, self.examples(), left=until)
            for key in needed:
                verdict = None if found is None else found_verdict(found, name=name, key=key)
                if verdict is not None:
                    verdicts[key] = verdict
        if len(verdicts) < len(tuple(keys)):
            self.tried.append("no program was found")
        return verdicts

    def measured(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        found = self.rows()
        if found is not None and found.linear:
            return {key: measured_verdict(found, name=name, key=key) for key in keys}
        if found is None:
            self.tried.append("its communication cannot be measured")
        else:
            grows = (
                "is not known to grow linearly"
                if found.growth.name == "linear"
                else f"is {found.growth.name}"
            )
            self.tried.append(f"its communication {grows}, measured to length {found.lengths[-1]}")
        return {}


class _Language(_Box):
    """Words are asked about."""

    task: PredicateLanguage

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        found = self.task.learn(self.limits(self.task.letters))
        if isinstance(found, NotLearned):
            self.tried.append(found.reason)
            return {}
        if len(found.machine.classes) == 1:
            # A language of rare words looks empty.
            self.clause = f"all {found.asked} words asked about have one answer, {found.machine.classes[0]}"
            self.tried.append(self.clause)
            return {}
        predicts = self.task.asks == "next"
        return learned_language_sides(found, IN, name=name, predicts=predicts, budget=self.budget())

    def asked(self, word: Word) -> Hashable:
        return self.task.contains(word)

    def rows(self) -> MeasuredRows | None:
        letters = self.task.letters
        return rows_of_function(self.task.contains, letters, most=self.most(letters))


class _Answers(_Box):
    """Inputs are drawn and asked about."""

    task: SequenceTask

    @cached_property
    def drawn(self) -> DrawnInputs:
        return draw_inputs(self.task, left=self.clock.until("draw"))

    @cached_property
    def every_word(self) -> bool:
        """Whether every word seems to be an input."""
        return every_word_to(self.task, self.drawn) > 0

    def answer(self, x: Word) -> tuple[str, ...] | None:
        """None: what is asked is no input."""
        if len(x) < self.task.least_length:
            return None
        try:
            return ask(self.task, x)
        except InputError:
            # A word that is never drawn may be none that the function answers.
            if self.every_word:
                raise
            return None

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        drawn = self.drawn
        if not self.task.separated or len(drawn.letters) > MOST_LETTERS:
            self.tried.append(
                f"an automaton is learned of at most {MOST_LETTERS} letters, with SEP after them"
            )
            return {}
        answers = {answer for words in drawn.inputs.values() for answer in words.values()}
        grows = len(answers) > MOST_ANSWERS or max(map(len, answers)) > ANSWER_TOKENS
        if grows and not self.every_word:
            self.tried.append("there are many answers, and not every word is an input")
            return {}
        found = self._learn(first_token=grows)
        if isinstance(found, NotLearned):
            self.tried.append(found.reason)
            return {}
        sides = learned_answer_sides(
            found,
            name=name,
            keys=keys,
            every_word=self.every_word,
            first_token=grows,
            budget=self.budget(),
        )
        if len(sides) < len(tuple(keys)):
            what = "the first token of the answer" if grows else "it, and words that are no inputs,"
            self.tried.append(
                f"an automaton with {len(found.machine)} states gives {what}, which settles nothing"
            )
        return sides

    def _learn(self, *, first_token: bool) -> LearnedAutomaton | NotLearned:
        def teacher(x: Word) -> str:
            answer = self.answer(x)
            if answer is None:
                return UNDEFINED
            tokens = answer[:1] if first_token else answer
            return " ".join(token for token in tokens if token != EOS)

        shown = [x for words in self.drawn.inputs.values() for x in list(words)[:50]]
        letters = self.drawn.letters
        return learn_automaton(teacher, letters, self.limits(letters), also=shown)

    def asked(self, word: Word) -> Hashable:
        return self.answer(word)

    def examples(self) -> dict[Word, Word]:
        return {x: y for words in self.drawn.inputs.values() for x, y in words.items()}

    def rows(self) -> MeasuredRows | None:
        if self.every_word:
            letters = self.drawn.letters
            return rows_of_function(self.answer, letters, most=self.most(letters))
        # Of lengths of which only a part was drawn, the count would say how many were.
        drawn = draw_inputs(self.task, MANY, left=self.clock.until("rows"))
        return rows_of_inputs({n: words for n, words in drawn.inputs.items() if n in drawn.whole})
