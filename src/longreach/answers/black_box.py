"""Verdicts about tasks known only by their answers.

In this order, and the first that can say something speaks: an automaton that is learned from the answers,
which theory decides; a program that is right on examples; the growth of what one part of an input must tell
the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from longreach.answers.asking import Asking, OutOfTime, guarded_task
from longreach.answers.certificates import DrawnPairsDocument, MeasuredRowsCertificate, SpreadRowsDocument
from longreach.answers.checkers import TRIED
from longreach.answers.embedded import drawn_embeddings, embedded_sides, letter_embeddings, two_parts
from longreach.answers.finders import bits_clause
from longreach.answers.learned import (
    FAMILIES,
    LONG_WORDS,
    SHORT_WORDS,
    FoundProgram,
    found_verdict,
    learned_answer_sides,
    learned_language_sides,
    library_program,
    synthesized_program,
    tried_program,
)
from longreach.answers.lookup import Lookup, lookup_of, value_program
from longreach.answers.oracle import (
    MANY,
    SECONDS,
    DrawnInputs,
    draw_inputs,
    drawn_inputs,
    drawn_pairs,
    every_word_to,
)
from longreach.answers.oracle import answer as ask
from longreach.answers.reach import learned_reach
from longreach.answers.searched import searched_program, words_where_answers_change
from longreach.answers.sliced import sliced_sides
from longreach.errors import InputError, failure_line
from longreach.tasks.layouts import UNDEFINED, SequenceTask
from longreach.tasks.own import IN, OUT, PredicateLanguage
from longreach.tasks.task import EOS, Task
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.evidence import doubt, length_ranges, seen_answers
from longreach.theory.automata.learn import (
    LearnedAutomaton,
    LearningLimits,
    NotLearned,
    learn_automaton,
)
from longreach.theory.automata.samples import long_words, near_words, short_words, stretched_words
from longreach.theory.budget import Budget
from longreach.theory.communication.rows import (
    BEYOND,
    FAR,
    DrawnPairs,
    MeasuredRows,
    SpreadRows,
    inputs_to_follow,
    rows_of_cuts,
    rows_of_function,
    rows_of_inputs,
)
from longreach.theory.program_class import SIDES
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict, same_answers, undecided
from longreach.wording import spelled


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


# Black-box tasks


LEARNED_LETTERS = 30
"""Of inputs of which an automaton is learned."""
STEADY_SHARE = 0.1
"""Of the seconds, for seeing whether a slow function answers a word twice in the same way."""
NOT_IN_TIME = {
    "automaton": "no automaton was learned",
    "program": "no program was found",
    "part": "not all parts of its inputs were tried",
    "rows": "its communication was not measured",
    "enumeration": "not all small programs were tried",
}
"""What to say of a step that ended before its time."""
TRIED_ALL = "automata, programs, parts of the inputs and communication settle nothing"
"""Why nothing is known, in a few words."""
BUDGETS = 10
"""A budget to try next, in budgets that were not enough."""
MOST_ANSWERS = 16
"""Different answers to short inputs, and tokens of an answer, beyond which they are taken to grow."""
ANSWER_TOKENS = 4
TIMED, TIMED_LENGTH = 20, 30
"""Words by which it is found how long an answer takes."""
LEAST_WORDS, MOST_ASKED = 50, 4096
NEAR_ROUNDS, NEAR_WORDS = 3, 50
"""How often words are made from those with rare answers, and from how many."""
DRAWN_LENGTHS, DRAWN_EACH, LEAST_DRAWN = 20, 25, 1200
LEAST_OTHERS = 3
"""Answers besides the most frequent one, in each range of lengths."""


def black_box_sides(
    task: Task, name: str, keys: Iterable[str], *, seconds: float | None = None
) -> dict[str, Verdict]:
    """The verdicts for these sides; of a regular language also "local", and "reach" where a learned automaton
    decides it.

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


def _sides(task: Task, name: str, wanted: tuple[str, ...], seconds: float) -> dict[str, Verdict]:
    clock = Asking(seconds, name)
    mine = guarded_task(task, clock)
    box: _Box = _Language(mine, clock) if isinstance(mine, PredicateLanguage) else _Answers(mine, clock)
    found: dict[str, Verdict] = {}
    try:
        with clock.running():
            for title, step in (
                ("automaton", box.learned), ("program", box.programmed), ("part", box.embedded),
                ("rows", box.measured), ("enumeration", box.enumerated),
            ):  # fmt: skip
                open_sides = [key for key in wanted if key not in found]
                try:
                    with clock.step(title):
                        found |= step(name, open_sides) if open_sides else {}
                except OutOfTime:
                    box.tried.append(NOT_IN_TIME[title])
                    if clock.is_slow:
                        box.tried[-1] += f": {clock.ended}"
                        more = f"--budget {BUDGETS * seconds:g} would allow more"
                        box.clause = box.clause or f"{clock.ended}: {more}"
    except InputError as error:
        unasked = "it cannot be queried"
        why = f"{unasked}: {error.message}"
        # The word that was asked about may be long.
        said = error.message if error.__cause__ is None else failure_line(error.__cause__)
        short = f"{unasked}: {said.removeprefix(f'{task.name}: ')}"
        return {key: undecided(SIDES[key], why, clause=short) for key in wanted}
    if (reach := box.reach()) is not None:
        found["reach"] = reach
    seen = box.seen()
    if seen is not None:
        found = {key: _with_seen(verdict, seen) for key, verdict in found.items()}
        box.tried.insert(0, seen)
    rest = "; ".join(box.tried) or "nothing was tried"
    box.clause = box.clause or (
        f"{TRIED_ALL}; --budget {BUDGETS * seconds:g} tries longer" if seconds else None
    )
    open_ = {key: undecided(SIDES[key], rest, clause=box.clause) for key in wanted if key not in found}
    return {**{key: found.get(key) or open_[key] for key in wanted}, **found}


def _with_seen(verdict: Verdict, seen: str) -> Verdict:
    """The same with what was seen of the task."""
    told = verdict.with_proofs(lambda proof: replace(proof, reason=f"{proof.reason}; {seen}"))
    return replace(told, note=seen if told.note is None else f"{told.note}; {seen}")


# One forecast is asked for several times: for an answer, for its page, for a judgement of runs.
_known_sides = lru_cache(maxsize=16)(_sides)


class _Box:
    """What is tried of a task, and what came of it."""

    def __init__(self, task: Task, clock: Asking) -> None:
        self.task, self.clock = task, clock
        self.tried: list[str] = []
        """Why nothing is known, step by step."""
        self.clause: str | None = None
        """The same in a few plain words, where a user's own function is the likely reason."""
        self.refuted: set[str] = set()
        """The sides of which an automaton says no, if words that are never drawn count as well."""

        self.automaton: LearnedAutomaton | None = None
        """That gives the whole answer, or membership."""

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        raise NotImplementedError

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


def _trial_words(letters: Sequence[str]) -> list[Word]:
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
    return " ".join(token for token in answer if token != EOS) if isinstance(answer, tuple) else str(answer)


class _Language(_Box):
    """Words are asked about."""

    task: PredicateLanguage

    def learned(self, name: str, keys: Iterable[str]) -> dict[str, Verdict]:
        self.check_steady()
        found = self.task.learn(self.limits(self.task.letters))
        if isinstance(found, NotLearned):
            self.tried.append(found.reason)
            return {}
        if (why := doubt(found.machine, found.seen, found.length, rare=found.rare)) is not None:
            self.clause = why
            self.tried.append(why)
            return {}
        predicts = self.task.asks == "next"
        self.automaton = None if predicts else found
        return learned_language_sides(found, IN, name=name, predicts=predicts, budget=self.budget())

    def reach(self) -> Verdict | None:
        return (
            None if self.automaton is None else learned_reach(self.automaton, at_end=False, every_word=True)
        )

    def check_steady(self) -> None:
        for word in long_words(self.task.letters, TIMED_LENGTH, TIMED, np.random.default_rng(0)):
            if self.task.contains(word) != self.task.contains(word):
                raise InputError(f"{spelled(word)} has different answers, accept and reject")
            if self.clock.now() > STEADY_SHARE * self.clock.seconds:
                break

    @cached_property
    def trial(self) -> dict[Word, Hashable]:
        if self.task.asks == "next":
            return {}
        letters = self.task.letters
        return self.near_trial(letters, [*_trial_words(letters), *self.task.shown_words])

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
        self.check_steady()
        drawn = self.drawn
        if not self.task.separated or len(drawn.letters) > LEARNED_LETTERS:
            self.tried.append(f"automata are learned of inputs over at most {LEARNED_LETTERS} letters")
            return {}
        answers = {answer for words in drawn.inputs.values() for answer in words.values()}
        grows = len(answers) > MOST_ANSWERS or max(map(len, answers)) > ANSWER_TOKENS
        if grows and not self.every_word:
            self.tried.append("there are many answers, and only some words are inputs")
            return {}
        found = self._learn(first_token=grows)
        if isinstance(found, NotLearned):
            self.tried.append(found.reason)
            return {}
        nouns = ("inputs", "tokens")
        why = doubt(
            found.machine, found.seen, found.length, rare=found.rare, undefined=UNDEFINED, nouns=nouns
        )
        if why is not None:
            self.clause = why
            self.tried.append(why)
            return {}
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
                self.clause, self.automaton = why, None
                self.tried.append(why)
                return {}
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
            return self.near_trial(self.drawn.letters, [*drawn, *_trial_words(self.drawn.letters)])
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
