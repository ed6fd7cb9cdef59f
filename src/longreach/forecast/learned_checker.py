"""Checks certificates about learned automata: the language's proof, and the automaton against the task."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from longreach.errors import InputError
from longreach.forecast.asking import answer
from longreach.forecast.black_box_certificates import LearnedFlowCertificate, LearnedProgramCertificate, Reads
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.flow_checker import check_flows
from longreach.languages.prove.language_certificates import ProgramCertificate
from longreach.languages.prove.program_checker import automaton_of, check_program, shown
from longreach.languages.regular.automaton import Automaton, Word
from longreach.tasks.layout import SequenceTask
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.task import EOS, SEP, SOS, Task

MOST_WORDS = 2000
"""Short words on which the automaton is tried; of longer lengths some."""
LONG_WORDS = 300
LONGEST = 100
NOT_FOR_ALL = "nothing proves that the automaton is the task's on longer words"


def check_learned(
    certificate: LearnedProgramCertificate | LearnedFlowCertificate, task: Task, trusted: bool
) -> Finding:
    """Never "valid": that the automaton is the task's is known to a length alone."""
    del trusted
    inner = certificate.certificate
    if inner.program_class != certificate.program_class:
        return Finding.invalid(f"the certificate of the automaton is about {inner.program_class}")
    found = check_program(inner, None) if isinstance(inner, ProgramCertificate) else check_flows(inner)
    if found.status not in (Status.VALID, Status.NOT_PROVED):
        return found
    try:
        automaton = automaton_of(inner.automaton)
        problem, tried = _parts(automaton, task, certificate.reads, min(certificate.learned_to, LONGEST))
    except (InputError, ValueError) as error:
        return Finding.claimed(f"the automaton cannot be tried: {error}")
    if problem is not None:
        return Finding.invalid(problem)
    learned = f"learned to length {certificate.learned_to}"
    how = f"{found.how}; the automaton, {learned}, tried on {tried} words of the task"
    return Finding(Status.CHECKED, how, NOT_FOR_ALL)


def _parts(automaton: Automaton, task: Task, reads: Reads, longest: int) -> tuple[str | None, int]:
    """On which word automaton and task part, if they do, and how many words were tried."""
    tried = 0
    if reads == "language":
        if not isinstance(task, PredicateLanguage):
            raise InputError("the task is no language that can be asked about its words")
        for word in _words(task.letters, longest):
            if automaton.accepts(word) != task.contains(word):
                return f"the automaton is not that of the task: they differ on {shown(word)}", tried
            tried += 1
        return None, tried
    if not isinstance(task, SequenceTask):
        raise InputError("the task does not write an answer to an input")
    for x in _inputs(task, longest):
        right = answer(task, x)
        wanted = right[:1] if reads == "first token" else right
        written = tuple(token for token in wanted if token != EOS)
        if not automaton.accepts((SOS, *x, SEP, *written)):
            return f"the automaton does not give the task's answer to {shown(x)}", tried
        tried += 1
    return None, tried


def _words(letters: tuple[str, ...], longest: int) -> Iterator[Word]:
    """All short words, and some that are longer."""
    size = 0
    while size <= longest and len(letters) ** size <= MOST_WORDS:
        yield from product(letters, repeat=size)
        size += 1
    rng = np.random.default_rng(1)
    for length in rng.integers(1, longest + 1, LONG_WORDS).tolist():
        yield tuple(letters[k] for k in rng.integers(0, len(letters), length))


def _inputs(task: SequenceTask, longest: int) -> Iterator[Word]:
    """Inputs as the task draws them: several of each length."""
    rng = np.random.default_rng(1)
    lengths = [n for n in task.lengths(task.least_length, max(longest, task.least_length)).tolist() if n]
    every = max(1, len(lengths) * 5 // LONG_WORDS)
    for length in lengths[::every]:
        batch = task.sample([length] * 5, rng)
        for row in batch.tokens:
            yield tuple(task.decode(row[1 : 1 + length].tolist()))
