"""Verdicts about files of examples: nothing is decided, other inputs may have any answer."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from longreach.answers.black_box import MOST_ANSWERS
from longreach.answers.learned import FAMILIES, MOST_LETTERS, FoundProgram, library_program, written
from longreach.answers.learned import MOST_ANSWERS as MOST_PROGRAMS
from longreach.tasks.data import DataTask
from longreach.tasks.task import EOS
from longreach.theory.automata.automaton import Word
from longreach.theory.automata.learn import FittingAutomaton, NotLearned, fit_automaton
from longreach.theory.budget import Budget
from longreach.theory.communication.rows import rows_of_inputs
from longreach.theory.program_class import SIDES
from longreach.theory.search.programs import MAX_SIZE
from longreach.theory.search.synthesize import synthesize
from longreach.theory.search.targets import accepted_words
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Verdict, undecided
from longreach.wording import counted

CONFIRMED = 4
"""An automaton or a program is mentioned if this many times as many examples agree as it was made from."""
PER_OPERATION = 20
"""Examples, at least, for each operation of a program that is searched for."""


@dataclass(frozen=True)
class _Sign:
    """What examples speak for, and why."""

    speaks_for: Answer
    says: str


def example_sides(task: DataTask, keys: Iterable[str], *, seconds: float) -> dict[str, Verdict]:
    """Undecided for each side, with what the examples speak for.

    To any length every language is regular. So where the automaton speaks for a no, a small program that
    agrees with all examples speaks louder.

    >>> lines = [((letter,) * n, (str(n % 2),)) for letter in "ab" for n in range(1, 300)]
    >>> found = example_sides(DataTask("data:mine", tuple(lines), "0" * 64), ["ape"], seconds=1.0)["ape"]
    >>> found.answer.value, "no counter-example in 598 examples" in found.reason
    ('undecided', True)
    """
    started = time.thread_time()

    def left(share: float) -> float:
        return started + share * seconds - time.thread_time()

    @cache
    def library() -> FoundProgram | None:
        return library_program(task, left=lambda: left(0.8))

    fitted = _fitted(task, left(0.4))
    found = {}
    for key in keys:
        sign = None
        if not isinstance(fitted, str):
            sign = _by_automaton(key, fitted, Budget(seconds=max(1.0, left(0.6))))
        if sign is None or sign.speaks_for is not Answer.YES:
            program = library()
            if program is not None and not (key == "nope" and program.program.core.relations):
                says = (
                    f"for the {program.source} there is no counter-example in {program.tried} examples drawn"
                )
                sign = _Sign(Answer.YES, says)
            else:
                sign = _searched(task, key, left(0.7) / 2) or sign or _growth(task)
        if sign is not None and sign.speaks_for is not Answer.UNDECIDED:
            words = f"these speak for a {sign.speaks_for.value}"
            reason = f"examples decide nothing, {words}: {sign.says}"
            found[key] = undecided(SIDES[key], reason, clause=f"examples decide nothing; {words}")
        else:
            says = sign.says if sign is not None else str(fitted)
            found[key] = undecided(SIDES[key], f"examples decide nothing: {says}")
    return found


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


def _by_automaton(key: str, fitted: FittingAutomaton, budget: Budget) -> _Sign:
    predicted = judge(written(fitted.machine), budget).sides[key].prediction
    states = counted(len(fitted.machine), "state")
    says = f"for an automaton with {states} there is no counter-example in {fitted.examples} examples"
    if predicted.answer is Answer.UNDECIDED:
        return _Sign(Answer.UNDECIDED, f"{says}, which is not decided")
    return _Sign(predicted.answer, f"{says}; {predicted.proof.reason}")


def _searched(task: DataTask, key: str, seconds: float) -> _Sign | None:
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
    return _Sign(Answer.YES, f"{says}, found from {len(order[::CONFIRMED])} of them")


def _growth(task: DataTask) -> _Sign | None:
    inputs: dict[int, dict[Word, Word]] = {}
    for x, y in task.examples:
        inputs.setdefault(len(x), {})[x] = y
    found = rows_of_inputs(inputs)
    if found is None or not found.grows:
        return None
    longest = found.lengths[-1]
    return _Sign(
        Answer.NO, f"the bits that a part of the input must pass on grow linearly to length {longest}"
    )
