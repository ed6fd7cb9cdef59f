"""What is tried of a task known only by its answers, step by step, and the verdicts that come of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from longreach.answers.asking import Asking
from longreach.answers.certificates import DrawnPairsDocument, MeasuredRowsCertificate, SpreadRowsDocument
from longreach.answers.checkers import TRIED
from longreach.answers.finders import bits_clause
from longreach.answers.learned import (
    FAMILIES,
    LONG_WORDS,
    SHORT_WORDS,
    FoundProgram,
    found_verdict,
    library_program,
    synthesized_program,
)
from longreach.answers.searched import searched_program
from longreach.answers.sliced import sliced_sides
from longreach.errors import InputError
from longreach.tasks.predicates import IN, OUT, PredicateLanguage
from longreach.tasks.task import EOS, Task
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.evidence import length_ranges, seen_answers
from longreach.theory.automata.learn import LearnedAutomaton, LearningLimits
from longreach.theory.automata.samples import long_words, near_words, short_words, stretched_words
from longreach.theory.budget import Budget
from longreach.theory.communication.rows import DrawnPairs, MeasuredRows, SpreadRows
from longreach.theory.program_class import SIDES
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict, same_answers
from longreach.wording import EMPTY, spelled

MOST_ANSWERS = 16
"""Different answers to short inputs, beyond which they are taken to grow."""
TIMED, TIMED_LENGTH = 20, 30
"""Words by which it is found how long an answer takes."""
LEAST_WORDS, MOST_ASKED = 50, 4096
NEAR_ROUNDS, NEAR_WORDS = 3, 50
"""How often words are made from those with rare answers, and from how many."""
ASKED_AGAIN = 40
"""Words that are asked about at the beginning and at the end."""
LEAST_OTHERS = 3
"""Answers besides the most frequent one, in each range of lengths."""


def measured_verdict(measured: MeasuredRows, *, name: str, key: str) -> Verdict:
    """A no, for as long as the growth goes on.

    >>> from longreach.theory.communication.rows import rows_of_function
    >>> measured_verdict(rows_of_function(lambda word: word[::-1], "ab"), name="reverse", key="ape").reason
    'measured up to length 12 and followed to length 100: the bits that must be carried across the input ...'
    """
    longest, far = measured.lengths[-1], max(each.length for each in measured.followed)
    bits = measured.bits
    each = (bits[-1] - bits[0]) / (longest - measured.lengths[0])
    asked, least = ("", "") if measured.exhaustive else (" on drawn inputs, a lower bound,", "at least ")
    proof = Proof(
        reason=(
            f"measured up to length {longest}{asked} and followed to length {far}: the bits that must be "
            f"carried across the input grow linearly, {least}{each:.2g} per symbol"
        ),
        certify=lambda: MeasuredRowsCertificate(
            program_class=SIDES[key],
            task=name,
            alice=measured.cut.alice,
            bob=measured.cut.bob,
            bob_size=measured.cut.size,
            between=measured.cut.between,
            end=measured.cut.end,
            lengths=measured.lengths,
            rows=measured.rows,
            bits=bits,
            exhaustive=measured.exhaustive,
            spread=tuple(
                SpreadRowsDocument(**vars(each)) for each in measured.followed if isinstance(each, SpreadRows)
            ),
            drawn=tuple(
                DrawnPairsDocument(**vars(each)) for each in measured.followed if isinstance(each, DrawnPairs)
            ),
            lower_bound=not measured.exhaustive,
        ),
        say=lambda: bits_clause("part of the input", each),
        weigh=lambda: f"measured to length {longest}, followed to {far}",
    )
    return replace(same_answers(SIDES[key], Answer.NO, proof), checked_to=longest)


class Box:
    """What is tried of a task, and what came of it."""

    def __init__(self, task: Task, clock: Asking) -> None:
        self.task, self.clock = task, clock
        self.tried: list[str] = []
        """Why nothing is known, step by step."""
        self.clause: str | None = None
        """The same in a few plain words, where a user's own function is the likely reason."""
        self.refuted: set[str] = set()
        """The sides of which an automaton says no, if words that are never drawn count as well."""
        self.first: dict[Word, Hashable] = {}
        """Words with the answers that they had at the beginning."""
        self.automaton: LearnedAutomaton | None = None
        """That gives the whole answer, or membership."""

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        raise NotImplementedError

    def refuse(self, why: str, *, plainly: bool = False) -> dict[str, Verdict]:
        """No verdict, and why; with `plainly` it is said in a few plain words as well."""
        self.tried.append(why)
        self.clause = why if plainly else self.clause
        return {}

    def reach(self) -> Verdict | None:
        """For attention to the last match, by the learned automaton."""
        raise NotImplementedError

    def rows(self) -> MeasuredRows | None:
        raise NotImplementedError

    def asked(self, word: Word) -> Hashable:
        """What the task says of a word."""
        raise NotImplementedError

    def check_steady(self) -> None:
        """Refuses a function that answers the same word in two ways."""

    def check_again(self) -> None:
        """Refuses a function that answers a word otherwise than at the beginning."""
        for word, said in self.first.items():
            if (now := self.asked(word)) != said:
                answers = " and later ".join(map(_said, (said, now)))
                raise InputError(f"{spelled(word)} has different answers, at first {answers}")

    def affordable(self, letters: Sequence[str], step: str) -> int:
        """How many words can be asked about, by the time that a few take."""
        words = list(long_words(letters, TIMED_LENGTH, TIMED, np.random.default_rng(0)))
        started = self.clock.now()
        for word in words:
            self.asked(word)
        each = max(1e-7, self.clock.each, (self.clock.now() - started) / TIMED)
        return int(max(0.0, self.clock.left(step)) / each)

    def limits(self, letters: Sequence[str]) -> LearningLimits:
        """The usual words, fewer if answers take long."""
        usual, words = LearningLimits(), self.affordable(letters, "automaton") // 3
        return replace(
            usual,
            short=max(LEAST_WORDS, min(usual.short, words)),
            long=max(LEAST_WORDS, min(usual.long, words // 4)),
            sparse=min(usual.sparse, words),
            budget=Budget(seconds=max(0.0, self.clock.left("automaton")), clock=self.clock.now),
        )

    def most(self, letters: Sequence[str]) -> int:
        """How many words of one length can be asked about, where many lengths and ways to cut are tried."""
        return min(MOST_ASKED, self.affordable(letters, "rows") // 4)

    def budget(self) -> Budget:
        return Budget(seconds=max(1.0, self.clock.left("rows")))

    def examples(self) -> dict[Word, Word]:
        """Inputs with their answers, of a task that writes one."""
        return {}

    @cached_property
    def trial(self) -> dict[Word, Hashable]:
        """Words up to a length with their answers, near those of rare answers as well."""
        return {}

    def near_trial(self, letters: Sequence[str], words: Iterable[Word]) -> dict[Word, Hashable]:
        """Words with their answers, and in several rounds others near those that have the rarest answer."""
        rng = np.random.default_rng(4)
        found: dict[Word, Hashable] = {}
        most = max(LEAST_WORDS, self.affordable(letters, "program") // 4)
        for number in range(2 + NEAR_ROUNDS):
            if number:
                counts = Counter(found.values())
                near = [word for word, said in found.items() if said != counts.most_common(1)[0][0]]
                order = sorted(near or found, key=len)
                base = [order[place] for place in rng.integers(0, len(order), NEAR_WORDS)]
                if number <= NEAR_ROUNDS:
                    words = near_words([*order[:NEAR_WORDS], *base], letters, TRIED, NEAR_WORDS * 6, rng)
                else:
                    lengths = rng.integers(TRIED // 4, TRIED, NEAR_WORDS * 6)
                    words = stretched_words([word for word in base if word], lengths.tolist(), rng)
            for word in words:
                if self.clock.left("program") < 0 or len(found) >= most:
                    return found
                if word not in found and (said := self.asked(word)) is not None:
                    found[word] = said
        return found

    def seen(self) -> str | None:
        """What was seen of the answers besides, for people."""
        return None

    def built(self) -> FoundProgram | None:
        """A program that theory builds for what was seen."""
        return None

    def further(self) -> dict[Word, Hashable]:
        """Inputs with their answers that no search has seen, also such where answers change."""
        return {}

    def programmed(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        """A program of the library, or one that is fitted to answers."""
        return self._by_program(name, keys, "fitted nope", "library", "built", "fitted ape")

    def enumerated(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        """The smallest program, found by trying all."""
        verdicts = self._by_program(name, keys, *FAMILIES)
        if len(verdicts) < len(tuple(keys)):
            self.tried.append("no program was found")
        return verdicts

    def _by_program(self, name: str, keys: Iterable[str], *searches: str) -> dict[str, Verdict]:
        """By these searches in turn; a program without relations counts for both sides."""
        until = self.clock.until("enumeration" if searches == tuple(FAMILIES) else "program")
        keys = [key for key in keys if key not in self.refuted]
        if (why := one_sided(self.trial)) is not None:
            if self.clause != why:
                self.tried.append(why)
            self.clause = self.clause or why
            return {}
        verdicts: dict[str, Verdict] = {}
        for search in searches:
            needed = [key for key in keys if key not in verdicts]
            side = search.removeprefix("fitted ")
            if not needed or (side == "ape" and side not in needed):
                continue
            if search == "built":
                found = self.built()
            elif search == "library":
                found = library_program(self.task, left=until, words=self.trial)
            elif search != side:
                found = searched_program(
                    self.task,
                    {**self.examples(), **self.trial},
                    relations=side == "ape",
                    left=until if side == "ape" else self.clock.until("fit"),
                    further=self.further,
                    asked=self.asked,
                )
            else:
                found = synthesized_program(self.task, side, self.examples(), left=until, words=self.trial)
            for key in needed:
                verdict = None if found is None else found_verdict(found, name=name, key=key)
                if verdict is not None:
                    verdicts[key] = verdict
        return verdicts

    def embedded(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        """A no from a part of the inputs."""
        raise NotImplementedError

    def _sliced(
        self, name: str, keys: Iterable[str], letters: Sequence[str], asked: Callable[[Word], str | None]
    ) -> dict[str, Verdict]:
        """A no from inputs along which a difference of counts stays small, where all words are inputs; in
        half of the time that there is for parts."""
        until = self.clock.now() + self.clock.left("part") / 2
        return sliced_sides(
            name,
            keys,
            letters,
            asked,
            separated=not isinstance(self.task, PredicateLanguage),
            left=lambda: until - self.clock.now(),
            clock=self.clock.now,
        )

    def _with_parts(self, found: dict[str, Verdict], keys: Iterable[str]) -> dict[str, Verdict]:
        if len(found) < len(tuple(keys)):
            self.tried.append("no part of the inputs rules out a program")
        return found

    def measured(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        found = self.rows()
        if found is not None and found.linear:
            return {key: measured_verdict(found, name=name, key=key) for key in keys}
        if found is None:
            self.tried.append("its communication cannot be measured")
        else:
            self.tried.append(f"its communication {_not_linear(found)}")
        return {}


def _not_linear(found: MeasuredRows) -> str:
    """What was seen of communication that is no reason for a no."""
    longest = found.lengths[-1]
    if found.grows:
        windows = f"a window of {longest} letters or more would explain it"
        return f"grows linearly to length {longest} but was not seen to continue: {windows}"
    growth, asked = found.growth.name, "measured" if found.exhaustive else "on drawn inputs"
    if growth == "linear":
        seen = "is not known to grow linearly"
    elif found.exhaustive:
        seen = f"is {growth}"
    else:
        seen = "was not seen to grow" if growth == "constant" else f"looks {growth}"
    return f"{seen}, {asked} to length {longest}"


def trial_words(letters: Sequence[str]) -> list[Word]:
    short = short_words(letters, SHORT_WORDS, longest=TRIED)[1]
    return [*short, *long_words(letters, TRIED, LONG_WORDS, np.random.default_rng(0))]


def one_sided(answers: Mapping[Word, Hashable]) -> str | None:
    """Why answers that were seen are no evidence for a program; None if they are, or if none were asked for.

    In every range of lengths there must be some besides the most frequent one.

    >>> one_sided({("a",) * size: ("no", "EOS") for size in range(1, 61)})
    'all 60 inputs tried have the answer no'
    """
    said = [(word, _said(answer)) for word, answer in answers.items()]
    counts = Counter(answer for _, answer in said)
    if not counts or len(counts) > MOST_ANSWERS:
        return None
    if len(counts) == 1:
        return f"all {len(said):,} inputs tried have the answer {said[0][1]}"
    seen = seen_answers(said, TRIED)
    for place, part in enumerate(length_ranges(TRIED)):
        most = max(seen, key=lambda answer: seen[answer][place])
        total = sum(each[place] for each in seen.values())
        if total and (others := total - seen[most][place]) < LEAST_OTHERS:
            where = f"of {total:,} inputs tried with {part[0]} to {part[-1]} tokens"
            many = "all" if not others else f"all but {others}"
            return f"{where} {many} have the answer {most}"
    return None


def _said(answer: Hashable) -> str:
    if isinstance(answer, bool):
        return IN if answer else OUT
    tokens = answer if isinstance(answer, tuple) else (str(answer),)
    return " ".join(token for token in tokens if token != EOS) or EMPTY
