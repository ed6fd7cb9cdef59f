"""The two kinds of tasks known only by their answers: languages, whose words are asked about, and functions,
whose inputs are drawn."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from longreach.answers.boxes import (
    ASKED_AGAIN,
    MOST_ANSWERS,
    TIMED,
    TIMED_LENGTH,
    Box,
    one_sided,
    trial_words,
)
from longreach.answers.checkers import TRIED
from longreach.answers.embedded import drawn_embeddings, embedded_sides, letter_embeddings, two_parts
from longreach.answers.learned import (
    FoundProgram,
    learned_answer_sides,
    learned_language_sides,
    tried_program,
)
from longreach.answers.lookup import Lookup, lookup_of, value_program
from longreach.answers.oracle import MANY, DrawnInputs, draw_inputs, drawn_inputs, drawn_pairs, every_word_to
from longreach.answers.oracle import answer as ask
from longreach.answers.reach import learned_reach
from longreach.answers.searched import words_where_answers_change
from longreach.errors import InputError
from longreach.tasks.layouts import UNDEFINED, SequenceTask
from longreach.tasks.predicates import IN, OUT, PredicateLanguage
from longreach.tasks.task import EOS
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.evidence import doubt
from longreach.theory.automata.learn import LearnedAutomaton, NotLearned, learn_automaton
from longreach.theory.automata.samples import long_words
from longreach.theory.communication.rows import (
    BEYOND,
    FAR,
    DrawnPairs,
    MeasuredRows,
    inputs_to_follow,
    rows_of_cuts,
    rows_of_function,
    rows_of_inputs,
)
from longreach.theory.verdicts.verdict import Answer, Verdict
from longreach.wording import spelled

LEARNED_LETTERS = 30
"""Of inputs of which an automaton is learned."""
STEADY_SHARE = 0.1
"""Of the seconds, for seeing whether a slow function answers a word twice in the same way."""
ANSWER_TOKENS = 4
"""Beyond which answers are taken to grow."""
DRAWN_LENGTHS, DRAWN_EACH, LEAST_DRAWN = 20, 25, 1200
"""Lengths of which inputs are drawn, and how many of each; all lengths, where that gives few."""


class LanguageBox(Box):
    """Words are asked about."""

    task: PredicateLanguage

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        self.check_steady()
        found = self.task.learn(self.limits(self.task.letters))
        if isinstance(found, NotLearned):
            return self.refuse(found.reason)
        if (why := doubt(found.machine, found.seen, found.length, rare=found.rare)) is not None:
            return self.refuse(why, plainly=True)
        predicts = self.task.asks == "next"
        self.automaton = None if predicts else found
        return learned_language_sides(found, IN, name=name, predicts=predicts, budget=self.budget())

    def reach(self) -> Verdict | None:
        return (
            None if self.automaton is None else learned_reach(self.automaton, at_end=False, every_word=True)
        )

    def check_steady(self) -> None:
        for word in long_words(self.task.letters, TIMED_LENGTH, TIMED, np.random.default_rng(0)):
            self.first[word] = self.task.contains(word)
            if self.first[word] != self.task.contains(word):
                raise InputError(f"{spelled(word)} has different answers, accept and reject")
            if self.clock.now() > STEADY_SHARE * self.clock.seconds:
                break

    @cached_property
    def trial(self) -> dict[Word, Hashable]:
        if self.task.asks == "next":
            return {}
        letters = self.task.letters
        return self.near_trial(letters, [*trial_words(letters), *self.task.shown_words])

    def asked(self, word: Word) -> Hashable:
        return self.task.contains(word)

    def further(self) -> dict[Word, Hashable]:
        return words_where_answers_change(
            self.asked, self.trial, np.random.default_rng(7), self.clock.until("program")
        )

    def rows(self) -> MeasuredRows | None:
        letters = self.task.letters
        return rows_of_function(self.task.contains, letters, most=self.most(letters))

    def embedded(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        if self.task.asks == "next":
            return {}

        def answer(word: Word) -> tuple[str, ...]:
            return (IN if self.task.contains(word) else OUT,)

        found = self._sliced(name, keys, self.task.letters, lambda word: answer(word)[0])
        found |= embedded_sides(
            self.task,
            name,
            [key for key in keys if key not in found],
            letter_embeddings(self.task.letters),
            answer,
            separated=False,
            left=self.clock.until("part"),
            clock=self.clock.now,
        )
        return self._with_parts(found, keys)


class AnswersBox(Box):
    """Inputs are drawn and asked about."""

    task: SequenceTask

    @cached_property
    def drawn(self) -> DrawnInputs:
        return draw_inputs(self.task, left=self.clock.until("draw"))

    @cached_property
    def every_word(self) -> bool:
        """Whether every word seems to be an input."""
        return every_word_to(self.task, self.drawn) > 0

    def reach(self) -> Verdict | None:
        if self.automaton is None:
            return None
        return learned_reach(self.automaton, at_end=True, every_word=self.every_word)

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
        early = list(self.examples().items())
        self.first = dict(early[:: 1 + len(early) // ASKED_AGAIN])
        if not self.task.separated or len(drawn.letters) > LEARNED_LETTERS:
            return self.refuse(f"automata are learned of inputs over at most {LEARNED_LETTERS} letters")
        answers = {answer for words in drawn.inputs.values() for answer in words.values()}
        grows = len(answers) > MOST_ANSWERS or max(map(len, answers)) > ANSWER_TOKENS
        if grows and not self.every_word:
            return self.refuse("there are many answers, and only some words are inputs")
        found = self._learn(first_token=grows)
        if isinstance(found, NotLearned):
            return self.refuse(found.reason)
        nouns = ("inputs", "tokens")
        why = doubt(
            found.machine, found.seen, found.length, rare=found.rare, undefined=UNDEFINED, nouns=nouns
        )
        if why is not None:
            return self.refuse(why, plainly=True)
        self.automaton = None if grows else found
        sides = learned_answer_sides(
            found,
            name=name,
            keys=keys,
            every_word=self.every_word,
            first_token=grows,
            budget=self.budget(),
        )
        if not self.every_word:
            if sides and (why := one_sided(self.trial)) is not None:
                self.automaton = None
                return self.refuse(why, plainly=True)
            everywhere = learned_answer_sides(
                found, name=name, keys=keys, every_word=True, first_token=grows, budget=self.budget()
            )
            self.refuted = {key for key, side in everywhere.items() if side.answer is Answer.NO}
        if len(sides) < len(tuple(keys)):
            what = (
                "the first token of the answer" if grows else "the answer, even to words that are not inputs"
            )
            rest = "no program does" if self.refuted else "this settles nothing"
            self.tried.append(f"an automaton with {len(found.machine)} states gives {what}; {rest}")
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
        return learn_automaton(teacher, letters, self.limits(letters), also=shown, undefined=UNDEFINED)

    @cached_property
    def trial(self) -> dict[Word, Hashable]:
        """Any words where all are inputs, else inputs that are drawn."""
        drawn = self._drawn_longer(np.random.default_rng(5))
        if self.every_word:
            return self.near_trial(self.drawn.letters, [*drawn, *trial_words(self.drawn.letters)])
        return dict(drawn)

    def _drawn_longer(self, rng: np.random.Generator) -> dict[Word, Word]:
        """Inputs of all lengths to `TRIED`, with their answers."""
        task = self.task
        found: dict[Word, Word] = {}
        lengths = task.lengths(task.least_length, max(TRIED, task.least_length)).tolist()
        some = lengths[:: max(1, len(lengths) // DRAWN_LENGTHS)]
        for number, length in enumerate([*some, *(each for each in lengths if each not in some)]):
            # Of few inputs of each length, all lengths are drawn.
            if self.clock.left("program") < 0 or (number >= len(some) and len(found) >= LEAST_DRAWN):
                break
            found |= drawn_inputs(task, length, 1 if self.clock.is_slow else DRAWN_EACH, rng)
        return found

    def asked(self, word: Word) -> Hashable:
        return self.answer(word)

    def further(self) -> dict[Word, Hashable]:
        rng = np.random.default_rng(8)
        found: dict[Word, Hashable] = dict(self._drawn_longer(rng))
        if self.every_word:
            left = self.clock.until("program")
            found |= words_where_answers_change(self.asked, self.trial, rng, left)
        return found

    def examples(self) -> dict[Word, Word]:
        return {x: y for words in self.drawn.inputs.values() for x, y in words.items()}

    def embedded(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        if not self.task.separated:
            return {}
        _ = self.lookup  # said beside whatever verdict comes
        found: dict[str, Verdict] = {}
        if self.every_word:
            embeddings = letter_embeddings(self.drawn.letters)

            def first(x: Word) -> str | None:
                said = self.answer(x)
                return None if said is None else said[0]

            found = self._sliced(name, keys, self.drawn.letters, first)
        else:
            embeddings = drawn_embeddings(self.drawn.inputs)
        found |= embedded_sides(
            self.task,
            name,
            [key for key in keys if key not in found],
            embeddings,
            self.answer,
            separated=True,
            left=self.clock.until("part"),
            clock=self.clock.now,
        )
        return self._with_parts(found, keys)

    @cached_property
    def lookup(self) -> Lookup | None:
        """The place of the input that decides the answer."""
        known = {x: y for x, y in {**self.examples(), **self.trial}.items() if isinstance(y, tuple)}
        return lookup_of(known, self.answer, self.clock.until("part"))

    def seen(self) -> str | None:
        known = vars(self).get("lookup")  # asked for where a program was looked for
        return known.words if isinstance(known, Lookup) else None

    def built(self) -> FoundProgram | None:
        if self.lookup is None or not (self.lookup.rule.looks_up and self.lookup.alone):
            return None
        inputs = [*self.examples(), *self.trial]
        program = value_program(inputs)
        if program is None:
            return None
        source = "program for keys that keep their values"
        return tried_program(self.task, program, source, list(self.further()))

    def rows(self) -> MeasuredRows | None:
        if self.every_word:
            letters = self.drawn.letters
            return rows_of_function(self.answer, letters, most=self.most(letters))
        cuts = list(two_parts(self.drawn.inputs))
        if cuts:
            found = rows_of_cuts(self.answer, cuts, most=self.most(self.drawn.letters))
            if found is not None and found.linear:
                return found
        # Of lengths of which only a part was drawn, the count would say how many were.
        drawn = draw_inputs(self.task, MANY, left=self.clock.until("short inputs"))
        found = rows_of_inputs({n: words for n, words in drawn.inputs.items() if n in drawn.whole})
        if found is None or not found.grows:
            return found
        return replace(found, followed=self._followed(found))

    def _followed(self, found: MeasuredRows) -> tuple[DrawnPairs, ...]:
        """Long drawn inputs, as long as the function takes them."""
        least = BEYOND * found.lengths[-1]
        for length in (max(FAR, least), least):
            far = self.task.lengths(length, 2 * length)[:1].tolist()
            try:
                left = self.clock.until("rows")
                return tuple(drawn_pairs(self.task, n, inputs_to_follow(found.bits), left=left) for n in far)
            except InputError:  # functions may be for short inputs only
                continue
        return ()
