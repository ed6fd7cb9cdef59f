"""Programs that may solve a task nobody can see into: those of the library, tried on its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from longreach.crasp.library import ENTRIES, load
from longreach.crasp.program import Program
from longreach.errors import InputError
from longreach.forecast.black_box_certificates import FoundProgramCertificate
from longreach.forecast.program_to_verdict import program_verdict
from longreach.forecast.task_program_checker import TRIED, try_program
from longreach.languages.program_class import SIDES
from longreach.synthesis.trial_words import long_words, short_words
from longreach.tasks.language_task import LanguageTask
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.task import EOS, SEP, SOS, Task
from longreach.verdicts.verdict import Verdict

SHORT_WORDS, LONG_WORDS = 1000, 200
"""On which an acceptor is tried besides examples."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FoundProgram:
    """A program that is right on all inputs on which it was tried."""

    program: Program
    source: str
    """Where it was found, in a few words."""
    tried: int
    longest: int


def library_program(task: Task, *, left: Callable[[], float]) -> FoundProgram | None:
    """The first program of the library that reads the task's tokens and is right on its examples.

    >>> from longreach.tasks.bucket_sort import BucketSort
    >>> library_program(BucketSort(), left=lambda: 1.0).source
    'program bucket-sort of the library'
    """
    for name in _names(task):
        if left() < 0:
            break
        found = tried_program(task, load(name), f"program {name} of the library")
        if found is not None:
            return found
    return None


def tried_program(task: Task, program: Program, source: str) -> FoundProgram | None:
    """The program with what it was tried on; None if it is wrong somewhere."""
    try:
        wrong, tried, longest = try_program(task, program, TRIED)
    except InputError:
        return None
    if wrong is not None:
        return None
    if isinstance(task, PredicateLanguage) and not program.core.is_predictor:
        more = _agreed(task, program)
        if more is None:
            return None
        tried += more
    return FoundProgram(program=program, source=source, tried=tried, longest=longest)


def _agreed(task: PredicateLanguage, program: Program) -> int | None:
    """On how many further words an acceptor agrees with a predicate, all short ones among them; None if not
    on all, or if no word is of the language or every one is: of rare words there may be none in examples."""
    rng = np.random.default_rng(0)
    words = [*short_words(task.letters, SHORT_WORDS, longest=TRIED)[1]]
    words += long_words(task.letters, TRIED, LONG_WORDS, rng)
    right = [task.contains(word) for word in words]
    said = [program.accepts(word) for word in words]
    return len(words) if said == right and len(set(right)) == 2 else None


def _names(task: Task) -> Iterator[str]:
    """Programs whose tokens are those of the task, the smallest first."""
    letters = set(task.letters if isinstance(task, LanguageTask) else task.tokens[1:])
    # What may follow is said by predictors, membership by acceptors.
    predicts = not isinstance(task, PredicateLanguage) or task.asks == "next"
    rest = letters - {SOS, SEP, EOS}
    for entry in ENTRIES.values():
        name = entry.example
        if entry.default is not None:
            # The members of a family on numbers have the numbers below theirs.
            if not all(token.isdecimal() for token in rest) or not rest:
                continue
            name = entry.name.replace("N", str(max(map(int, rest)) + 1))
        try:
            core = load(name).core
        except InputError:
            continue
        known = set(core.alphabet)
        if letters - {EOS} <= known and predicts == core.is_predictor:
            yield name


def found_verdict(found: FoundProgram, *, name: str, key: str) -> Verdict | None:
    """A yes for classes that have the relations of the program; None for others."""
    core = found.program.core
    if key == "nope" and core.relations:
        return None
    reason = (
        f"for inputs up to length {found.longest}: the {found.source} is right on {found.tried} of "
        f"{found.tried} inputs"
    )
    certificate = FoundProgramCertificate(
        program_class=SIDES[key],
        task=name,
        program=found.program.text,
        size=core.size,
        depth=core.depth,
        window=core.locality,
        modulus=core.modulus,
        source=found.source,
        tried=found.tried,
        tried_to=found.longest,
    )
    verdict = program_verdict(name, key, reason, found.program)
    proof = replace(
        verdict.proof,
        certify=lambda: certificate,
        weigh=lambda: f"program, tried to length {found.longest}",
    )
    return replace(verdict, proof=proof, checked_to=found.longest)
