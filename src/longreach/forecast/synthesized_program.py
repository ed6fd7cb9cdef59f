"""Answers → a program that is searched for, smallest first, and tried on inputs that the search never saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from longreach.crasp.closure.transform import intersection, predictor_of
from longreach.crasp.core import Core
from longreach.crasp.program import Program, parse, raise_core
from longreach.crasp.readable import tidy_statements
from longreach.forecast.found_program import FoundProgram, tried_program
from longreach.languages.regular.automaton import Word
from longreach.synthesis import Family, synthesize
from longreach.tasks.layout import SequenceTask
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.task import EOS, SEP, SOS, Task

FAMILIES = {"nope": "empty", "ape": "both"}
"""The programs that are searched for each side."""
MOST_ANSWERS, MOST_LETTERS = 4, 6
ROUNDS = 3
LONGER, SAMPLES = (12, 20, 30), 30
"""Lengths of further examples, and how many."""
MOST_EXAMPLES = 1500


def synthesized_program(
    task: Task, key: str, inputs: Mapping[Word, Word], *, left: Callable[[], float]
) -> FoundProgram | None:
    """The smallest program found of the side's class; `inputs` are examples of a task that writes an answer.

    >>> majority = Task.from_predicate(lambda word: word.count("a") > 2 * word.count("b"), "ab")
    >>> synthesized_program(majority, "nope", {}, left=lambda: 5.0).source
    'program with 7 operations that was searched for'
    """
    family = FAMILIES[key]
    if isinstance(task, PredicateLanguage):
        if task.asks == "next" or len(task.letters) > MOST_LETTERS:
            return None
        found = synthesize(task.contains, alphabet=task.letters, family=family, seconds=max(0.0, left()))
        return None if found.program is None else _tried(task, found.program)
    if not isinstance(task, SequenceTask) or not task.separated:
        return None
    return _predictor(task, family, dict(inputs), left)


def _tried(task: Task, program: Program) -> FoundProgram | None:
    return tried_program(task, program, f"program with {program.core.size} operations that was searched for")


def _predictor(
    task: SequenceTask, family: str, inputs: dict[Word, Word], left: Callable[[], float]
) -> FoundProgram | None:
    """Of answers of one token, a few in all: one program for each of them, and one that ends the answer."""
    known = set(inputs.values())
    letters = {letter for x in inputs for letter in x}
    if (
        len(known) > MOST_ANSWERS
        or any(len(y) != 2 for y in known)
        or len(letters) > MOST_LETTERS
        or not known
    ):
        return None
    alphabet = (SOS, *sorted(letters), SEP)
    rng = np.random.default_rng(3)
    few = dict(list(inputs.items())[:MOST_EXAMPLES]) | _further(task, rng)
    for _ in range(ROUNDS):
        cores: dict[str, Core] = {}
        for token in sorted(y[0] for y in known):
            examples = {(SOS, *x, SEP): y[0] == token for x, y in few.items()}
            found = synthesize(
                examples, alphabet=alphabet, family=Family.named(family), seconds=max(0.0, left() / 2)
            )
            if found.program is None or left() < 0:
                return None
            cores[token] = intersection(found.program.core, parse(f'P = "{SEP}"').core)
        cores[EOS] = parse(f'P = exists "{SEP}" && !"{SEP}"').core
        program = tidy_statements(raise_core(predictor_of(cores)))
        tried = _tried(task, program)
        if tried is not None:
            return tried
        few |= _further(task, rng)
    return None


def _further(task: SequenceTask, rng: np.random.Generator) -> dict[Word, Word]:
    """Longer inputs with their answers."""
    found: dict[Word, Word] = {}
    for length in LONGER:
        known = task.lengths(length, length + 10)[:1]
        batch = task.sample(np.repeat(known, SAMPLES), rng)
        for row in batch.tokens:
            x = tuple(task.decode(row[1 : 1 + int(known[0])].tolist()))
            found[x] = tuple(task.answer(x))
    return found
