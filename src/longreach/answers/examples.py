"""Verdicts about files of examples: nothing is decided, other inputs may have any answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import zip_longest

import numpy as np

from longreach.answers.boxes import MOST_ANSWERS
from longreach.answers.learned import FAMILIES, MOST_LETTERS, FoundProgram, library_program, written
from longreach.answers.learned import MOST_ANSWERS as MOST_PROGRAMS
from longreach.answers.searched import fitting_example, wrong_inputs
from longreach.tasks.balance import PROBED, drawing_of
from longreach.tasks.data import DataTask
from longreach.tasks.task import EOS, SEP, SOS
from longreach.theory.automata.automaton import LabelledAutomaton, Word
from longreach.theory.automata.learn import FittingAutomaton, NotLearned, fit_automaton
from longreach.theory.automata.noisy import NoisyAutomaton, fit_noisy_automaton
from longreach.theory.automata.samples import long_words, short_words
from longreach.theory.budget import Budget
from longreach.theory.communication.rows import rows_of_inputs
from longreach.theory.crasp.program import Program
from longreach.theory.program_class import SIDES
from longreach.theory.search.predictors import fit_predictor
from longreach.theory.search.programs import MAX_SIZE
from longreach.theory.search.synthesize import synthesize
from longreach.theory.search.targets import accepted_words
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Verdict, undecided
from longreach.wording import counted, percent

CONFIRMED = 4
"""An automaton or a program is mentioned if this many times as many examples agree as it was made from."""
PER_OPERATION, PER_LITERAL = 20, 8
"""Examples, at least, for each operation of a program that is searched for, and each comparison of one that
is fitted."""
MOST_FITTED = 40
"""Letters and tokens of answers, at most, for which programs are fitted."""


NOISE, NOISES = 0.1, (0.005, 0.02, 0.04, 0.08)
"""The share of examples that may have a wrong label, and the shares that are tried."""
LEAST_NOISY = 150
"""Of fewer examples some of which are wrong nothing is said."""
HALF = 0.5
"""What is wrong on more of the examples than this share of what a constant answer is wrong on explains
nothing."""
AS_GOOD = 0.01
"""A program wins against an automaton that is right on at most this share of examples more."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """What examples speak for, why, and what it says of any input."""

    speaks_for: Answer
    says: str
    against: int = 0
    """Examples that say otherwise."""
    answer: Callable[[Word], str] | None = None


class Explained:
    """A file of examples with what explains them: automata and programs that agree with all or nearly all.

    To any length every language is regular. So where the automaton speaks for a no, a small program that
    agrees as well speaks louder.
    """

    def __init__(self, task: DataTask, *, seconds: float) -> None:
        self.task = task
        self._seconds, self._started = seconds, time.thread_time()

    def left(self, share: float) -> float:
        return self._started + share * self._seconds - time.thread_time()

    @cached_property
    def _exact(self) -> FittingAutomaton | str:
        return _fitted(self.task, self.left(0.25))

    @cached_property
    def _library(self) -> FoundProgram | None:
        return library_program(self.task, left=lambda: self.left(0.4))

    @cached_property
    def _noisy(self) -> NoisyAutomaton | None:
        examples = {x: _label(y) for x, y in self.task.examples}
        if len(examples) < LEAST_NOISY or len(set(examples.values())) > MOST_ANSWERS:
            return None
        letters = sorted({letter for x in examples for letter in x})
        found = fit_noisy_automaton(examples, letters, budget=Budget(seconds=max(0.1, self.left(0.6))))
        return found if found is not None and self._explains(found.against) else None

    def _explains(self, against: int) -> bool:
        labels = Counter(y for _, y in self.task.examples)
        rest = labels.total() - labels.most_common(1)[0][1]
        return against <= min(NOISE * labels.total(), HALF * rest)

    def best(self, key: str) -> Hypothesis | str:
        """What explains the examples best, for programs of the side's class; or why nothing does."""
        automaton = None if isinstance(self._exact, str) else self._of_automaton(key, self._exact)
        if automaton is not None and automaton.speaks_for is Answer.YES:
            return automaton
        return (
            self._of_program(key)
            or automaton
            or self._of_noise(key)
            or _searched(self.task, key, self.left(0.95))
            or _growth(self.task)
            or (self._exact if isinstance(self._exact, str) else "nothing explains the examples")
        )

    def rivals(self) -> list[tuple[str, Callable[[Word], str]]]:
        """What agrees with all or nearly all examples, each kind once, with its answers."""
        found: dict[str, Callable[[Word], str]] = {}
        machine = None
        if not isinstance(self._exact, str):
            machine = self._exact.machine
        elif self._noisy is not None:
            machine = self._noisy.machine
        if machine is not None:
            found[f"automaton with {counted(len(machine), 'state')}"] = machine.class_of
        for relations in (False, True):
            for slack in (0.0, *NOISES):
                fitted = self._fitted_program(relations, slack)
                if fitted is not None and (not fitted[1] if not slack else self._explains(fitted[1])):
                    name = f"program with {fitted[0].core.size} operations"
                    found.setdefault(name, _answers_of(fitted[0]))
                    break
        return list(found.items())

    def _of_automaton(self, key: str, fitted: FittingAutomaton) -> Hypothesis:
        states = counted(len(fitted.machine), "state")
        says = f"for an automaton with {states} there is no counter-example in {fitted.examples} examples"
        return self._judged(key, fitted.machine, says, 0)

    def _judged(self, key: str, machine: LabelledAutomaton, says: str, against: int) -> Hypothesis:
        budget = Budget(seconds=max(1.0, self.left(0.7)))
        predicted = judge(written(machine), budget).sides[key].prediction
        if predicted.answer is Answer.UNDECIDED:
            return Hypothesis(Answer.UNDECIDED, f"{says}, which is not decided", against)
        whole = f"{says}; {predicted.proof.reason}"
        return Hypothesis(predicted.answer, whole, against, machine.class_of)

    def _of_program(self, key: str) -> Hypothesis | None:
        """A program without a counter-example: of the library, or fitted to a quarter of the examples."""
        found = self._library
        if found is not None and not (key == "nope" and found.program.core.relations):
            says = f"for the {found.source} there is no counter-example in {found.tried} examples drawn"
            return Hypothesis(Answer.YES, says, 0, _answers_of(found.program))
        for relations in (False, True) if key == "ape" else (False,):
            fitted = self._fitted_program(relations, 0.0)
            if fitted is not None and fitted[1] == 0:
                program = fitted[0]
                size, all_ = program.core.size, len(self.task.examples)
                says = f"for a program with {size} operations there is no counter-example in {all_} examples"
                some = f"{says}, found from {-(-all_ // CONFIRMED)} of them"
                return Hypothesis(Answer.YES, some, 0, _answers_of(program))
        return None

    @cache  # noqa: B019 - one object for each question
    def _fitted_program(self, relations: bool, slack: float) -> tuple[Program, int] | None:
        """A program fitted to some of the examples, and how many of all it is wrong on."""
        pairs = sorted(self.task.examples, key=lambda example: (len(example[0]), example[0]))
        known: dict[Word, Word] = {x: (*y, EOS) for x, y in pairs}
        some = [fitting_example(x, y) for x, y in list(known.items())[:: CONFIRMED if not slack else 2]]
        letters = sorted({letter for x, _ in pairs for letter in x})
        tokens = sorted({token for _, y in pairs for token in y})
        if len(some) < PER_OPERATION or len(letters) > MOST_FITTED or len(tokens) > MOST_FITTED:
            return None
        found = fit_predictor(
            some, letters, tokens, relations=relations, left=lambda: self.left(0.9), slack=slack
        )
        if found is None or found.literals > len(some) / PER_LITERAL:
            return None
        return found.program, sum(1 for _ in wrong_inputs(found.program, known))

    def _of_noise(self, key: str) -> Hypothesis | None:
        """Where some labels seem to be wrong: what is right on nearly all."""
        total = len(self.task.examples)
        if total < LEAST_NOISY:
            return None
        programs = [
            (found[1], found[0].core.size, found[0])
            for relations in ((False, True) if key == "ape" else (False,))
            for slack in NOISES
            if self.left(0.9) > 0 and (found := self._fitted_program(relations, slack)) is not None
        ]
        best = min(programs, key=lambda each: each[:2], default=None)
        noisy = self._noisy
        as_good = total if noisy is None else noisy.against + AS_GOOD * total
        if best is not None and self._explains(best[0]) and best[0] <= as_good:
            says = f"a program with {best[1]} operations is {_right(total, best[0])}"
            return Hypothesis(Answer.YES, says, best[0], _answers_of(best[2]))
        if noisy is None:
            return None
        states = counted(len(noisy.machine), "state")
        says = f"an automaton with {states} is {_right(total, noisy.against)}"
        return self._judged(key, noisy.machine, says, noisy.against)


def example_sides(task: DataTask, keys: Iterable[str], *, seconds: float) -> dict[str, Verdict]:
    """Undecided for each side, with what the examples speak for.

    >>> lines = [((letter,) * n, (str(n % 2),)) for letter in "ab" for n in range(1, 300)]
    >>> found = example_sides(DataTask("data:mine", tuple(lines), "0" * 64), ["ape"], seconds=1.0)["ape"]
    >>> found.answer.value, "no counter-example in 598 examples" in found.reason
    ('undecided', True)
    """
    explained = Explained(task, seconds=seconds)
    found = {}
    for key in keys:
        best = explained.best(key)
        if isinstance(best, Hypothesis) and best.speaks_for is not Answer.UNDECIDED:
            words = f"these speak for a {best.speaks_for.value}"
            reason = f"examples decide nothing, {words}: {best.says}"
            if best.against:
                share = percent(1 - best.against / len(task.examples))
                words += f", {share} of them"
            found[key] = undecided(SIDES[key], reason, clause=f"examples decide nothing; {words}")
        else:
            says = best if isinstance(best, str) else best.says
            found[key] = undecided(SIDES[key], f"examples decide nothing: {says}")
    return found


# Which labels would decide


TRIED, LONGER = 3000, 2
"""Inputs on which hypotheses are compared, and how many times as long they may be as those of the file."""


@dataclass(frozen=True)
class Deciding:
    """An input on which what explains the examples differs, with what each hypothesis says."""

    input: Word
    answers: tuple[tuple[str, str], ...]
    """Pairs of a hypothesis and its answer; of one alone when none other explains the examples."""

    def document(self) -> dict[str, object]:
        return {"input": list(self.input), "answers": dict(self.answers)}


def deciding_inputs(task: DataTask, count: int, *, seconds: float) -> tuple[Deciding, ...]:
    """The shortest inputs beyond the file on which automata and programs that explain it differ; where only
    one does, longer inputs with each of its answers, which can refute it.

    >>> from itertools import product
    >>> words = [word for size in range(1, 9) for word in product("ab", repeat=size)]
    >>> lines = [(word, (str(word.count("a") % 2),)) for word in words]
    >>> found = deciding_inputs(DataTask("data:mine", tuple(lines), "0" * 64), 2, seconds=2.0)
    >>> [(len(each.input) > 8, [name for name, _ in each.answers]) for each in found]
    [(True, ['automaton with 2 states']), (True, ['automaton with 2 states'])]
    """
    explained = Explained(task, seconds=seconds)
    rivals = explained.rivals()
    if not rivals or count < 1:
        return ()
    known = {x for x, _ in task.examples}
    compared = []
    for word in _new_inputs(task):
        if word in known or explained.left(1.5) < 0:
            continue
        known.add(word)
        compared.append(Deciding(word, tuple((name, answer(word)) for name, answer in rivals)))
    different = [each for each in compared if len({said for _, said in each.answers}) > 1]
    if different:
        return tuple(sorted(different, key=lambda each: (len(each.input), each.input))[:count])
    # Of each answer as many, the longest first.
    groups: dict[str, list[Deciding]] = {}
    for each in sorted(compared, key=lambda each: (-len(each.input), each.input)):
        groups.setdefault(each.answers[0][1], []).append(replace(each, answers=each.answers[:1]))
    mixed = [each for row in zip_longest(*groups.values()) for each in row if each is not None]
    return tuple(mixed[:count])


def _new_inputs(task: DataTask) -> Iterator[Word]:
    """Words over the letters, up to twice as long, if any word is an input; else parts of examples joined."""
    rng = np.random.default_rng(0)
    inputs = [x for x, _ in task.examples]
    longest = max(map(len, inputs))
    by_length: dict[int, list[Word]] = {}
    for x in inputs:
        by_length.setdefault(len(x), []).append(x)
    most = max(by_length.values(), key=len)
    if drawing_of(most[:PROBED]) != "formed":
        letters = sorted({letter for x in inputs for letter in x})
        yield from short_words(letters, TRIED // 2, longest=longest)[1]
        yield from long_words(letters, LONGER * longest, TRIED // 2, rng)
        return
    for _ in range(TRIED):
        first = inputs[int(rng.integers(len(inputs)))]
        others = by_length[len(first)]
        second = others[int(rng.integers(len(others)))]
        cut = int(rng.integers(0, len(first) + 1))
        yield (*first[:cut], *second[cut:])


def _right(total: int, against: int) -> str:
    return f"right on {total - against} of {total} examples, {against} speak against it"


def _label(y: Word) -> str:
    return " ".join(token for token in y if token != EOS)


def _answers_of(program: Program) -> Callable[[Word], str]:
    """What a predictor writes after SOS x SEP, until it says EOS or nothing."""

    def answer(x: Word) -> str:
        written: list[str] = []
        while len(written) <= 2 * len(x) + 2:
            said = program.predicts([SOS, *x, SEP, *written])[-1]
            if len(said) != 1 or said[0] == EOS:
                break
            written.append(said[0])
        return " ".join(written)

    return answer


def _fitted(task: DataTask, seconds: float) -> FittingAutomaton | str:
    answers = {y for _, y in task.examples}
    if len(answers) > MOST_ANSWERS:
        return "there are too many different answers for an automaton"
    examples: dict[Word, str] = {x: " ".join(token for token in y if token != EOS) for x, y in task.examples}
    letters = sorted({letter for x in examples for letter in x})
    found = fit_automaton(examples, letters, budget=Budget(seconds=max(0.1, seconds)))
    if isinstance(found, NotLearned):
        return found.reason
    states = len(found.machine)
    if found.examples < CONFIRMED * found.used:
        return (
            f"an automaton with {states} states agrees, made from {found.used} of {found.examples} examples"
        )
    longest = max(map(len, examples))
    if longest < 2 * states - 2:  # so long words tell all automata with as many states apart
        return f"an automaton with {states} states agrees, which are many for inputs to length {longest}"
    return found


def _searched(task: DataTask, key: str, seconds: float) -> Hypothesis | None:
    """Small programs, one for each answer, that are found from some of the examples and agree with all."""
    answers = sorted({y for _, y in task.examples})
    letters = tuple(sorted({letter for x, _ in task.examples for letter in x}))
    most = min(MAX_SIZE, len(task.examples) // PER_OPERATION)
    if not 2 <= len(answers) <= MOST_PROGRAMS or len(letters) > MOST_LETTERS or most < 1 or seconds <= 0:
        return None
    order = sorted(task.examples, key=lambda example: (len(example[0]), example[0]))
    wanted = answers[1:] if len(answers) == 2 else answers
    sizes = []
    for answer in wanted:
        some = {x: y == answer for x, y in order[::CONFIRMED]}
        found = synthesize(
            some,
            alphabet=letters,
            family=FAMILIES[key],
            seconds=seconds / len(wanted),
            max_size=most,
        )
        program = found.program
        if program is None or program.core.size > most:
            return None
        said = accepted_words(program.core, [x for x, _ in order])
        if any(accepts != (y == answer) for accepts, (_, y) in zip(said.tolist(), order, strict=True)):
            return None
        sizes.append(program.core.size)
    listed = " and ".join(map(str, sizes))
    programs = "a program" if len(sizes) == 1 else "programs"
    says = f"for {programs} with {listed} operations there is no counter-example in {len(order)} examples"
    return Hypothesis(Answer.YES, f"{says}, found from {len(order[::CONFIRMED])} of them")


def _growth(task: DataTask) -> Hypothesis | None:
    inputs: dict[int, dict[Word, Word]] = {}
    for x, y in task.examples:
        inputs.setdefault(len(x), {})[x] = y
    found = rows_of_inputs(inputs)
    if found is None or not found.grows:
        return None
    longest = found.lengths[-1]
    return Hypothesis(
        Answer.NO, f"the bits that a part of the input must pass on grow linearly to length {longest}"
    )
