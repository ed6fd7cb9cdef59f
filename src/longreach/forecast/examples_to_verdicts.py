"""A file of examples → what agrees with all of them. Nothing is decided: other inputs may have any answer."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from longreach.forecast.found_program import library_program
from longreach.forecast.learned_to_verdicts import written
from longreach.languages.budget import Budget
from longreach.languages.program_class import SIDES
from longreach.languages.regular.automaton import Word
from longreach.limit.measure.answers_to_rows import rows_of_inputs
from longreach.synthesis.answers_to_automaton import NotLearned
from longreach.synthesis.examples_to_automaton import FittingAutomaton, fit_automaton
from longreach.tasks.data_task import DataTask
from longreach.tasks.task import EOS
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Answer, Verdict, undecided

MOST_ANSWERS = 16
CONFIRMED = 4
"""An automaton is worth a word if so many times as many examples agree as it was made from."""


def example_sides(task: DataTask, keys: Iterable[str], *, seconds: float) -> dict[str, Verdict]:
    """Undecided for each side, with what the examples speak for.

    >>> lines = [((letter,) * n, (str(n % 2),)) for letter in "ab" for n in range(1, 300)]
    >>> found = example_sides(DataTask("data:mine", tuple(lines), "0" * 64), ["ape"], seconds=1.0)["ape"]
    >>> found.answer.value, "no counter-example in 598 examples" in found.reason
    ('undecided', True)
    """
    started = time.thread_time()

    def left(share: float) -> float:
        return started + share * seconds - time.thread_time()

    fitted = _fitted(task, left(0.5))
    found = {}
    program = library_program(task, left=lambda: left(0.8)) if isinstance(fitted, str) else None
    for key in keys:
        if isinstance(fitted, str):
            if program is not None and not (key == "nope" and program.program.core.relations):
                says = (
                    f"for the {program.source} there is no counter-example in {program.tried} examples drawn"
                )
                found[key] = _undecided(key, says, Answer.YES)
            else:
                found[key] = _growth(task, key) or undecided(SIDES[key], f"examples decide nothing: {fitted}")
        else:
            found[key] = _by_automaton(key, fitted, Budget(seconds=max(1.0, left(0.8))))
    return found


def _undecided(key: str, says: str, speaks_for: Answer) -> Verdict:
    """Not decided, and said what the examples speak for."""
    words = {Answer.YES: "a yes", Answer.NO: "a no"}[speaks_for]
    found = undecided(SIDES[key], f"examples decide nothing, these speak for {words}: {says}")
    clause = f"examples decide nothing; these speak for {words}"
    return replace(found, proof=replace(found.proof, say=lambda: clause))


def _fitted(task: DataTask, seconds: float) -> FittingAutomaton | str:
    answers = {y for _, y in task.examples}
    if len(answers) > MOST_ANSWERS:
        return "there are too many different answers for an automaton"
    examples: dict[Word, str] = {x: " ".join(token for token in y if token != EOS) for x, y in task.examples}
    letters = sorted({letter for x in examples for letter in x})
    found = fit_automaton(examples, letters, seconds=max(0.1, seconds))
    if isinstance(found, NotLearned):
        return found.reason
    if found.examples < CONFIRMED * found.used:
        states = len(found.machine)
        return (
            f"an automaton with {states} states agrees, made from {found.used} of {found.examples} examples"
        )
    return found


def _by_automaton(key: str, fitted: FittingAutomaton, budget: Budget) -> Verdict:
    verdict = judge(written(fitted.machine), budget).sides[key]
    states = f"{len(fitted.machine)} {'state' if len(fitted.machine) == 1 else 'states'}"
    says = f"for an automaton with {states} there is no counter-example in {fitted.examples} examples"
    if verdict.prediction is Answer.UNDECIDED:
        return undecided(SIDES[key], f"examples decide nothing: {says}, which is not decided")
    return _undecided(key, f"{says}; {verdict.prediction_reason}", verdict.prediction)


def _growth(task: DataTask, key: str) -> Verdict | None:
    inputs: dict[int, dict[Word, Word]] = {}
    for x, y in task.examples:
        inputs.setdefault(len(x), {})[x] = y
    found = rows_of_inputs(inputs)
    if found is None or not found.linear:
        return None
    longest = found.lengths[-1]
    says = f"the bits that a part of the input must pass on grow linearly to length {longest}"
    return _undecided(key, says, Answer.NO)
