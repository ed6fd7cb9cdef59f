"""Reductions: a program for the task would decide a regular language that has none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.forecast.asking import follows
from longreach.forecast.task_certificates import ReductionCertificate, ReductionDocument
from longreach.languages.program_class import PERIODIC_LOCAL
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.flow_checker import check_certificate
from longreach.languages.regular.automaton import Automaton, combine, minimal
from longreach.languages.regular.automaton_documents import automaton_table, read_automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import named_automaton
from longreach.tasks.evidence import image
from longreach.tasks.task import Task

SHORT, MOST_WORDS = 7, 4000
LONG, LONG_WORDS = 100, 50


def check_reduction(certificate: ReductionCertificate, task: Task, trusted: bool) -> Finding:
    """The language's own proof, the reduction on words, and for all lengths on automata where the task has
    one for what comes next and is one of ours (`trusted`)."""
    try:
        automaton = _language(certificate)
    except InputError as error:
        return Finding.invalid(error.message)
    if set(automaton.alphabet) != set(certificate.alphabet):
        return Finding.invalid("the alphabet is not that of the language")
    inner = certificate.certificate
    if inner.program_class != certificate.program_class:
        return Finding.invalid(f"the language's certificate is about {inner.program_class}")
    reduction = certificate.reduction
    # A program that has read further fixed tokens is one that is read after the last letter.
    if getattr(inner, "convention", "last-letter") != "last-letter" and not reduction.after:
        return Finding.invalid(
            "the language's certificate is about programs that are not read at the last letter"
        )
    problem = check_certificate(inner, automaton_table(automaton))
    if problem is not None:
        return Finding.invalid(f"{certificate.language}: {problem}")
    if set(reduction.letters) != set(automaton.alphabet):
        return Finding.invalid("the reduction does not map the letters of the language")
    sizes = {len(image(reduction.letters, [letter])) for letter in automaton.alphabet}
    if 0 in sizes or (len(sizes) > 1 and certificate.program_class == PERIODIC_LOCAL):
        return Finding.invalid("the letters are not mapped to equally many symbols, at least one")
    problem, tried = try_reduction(task, reduction, automaton)
    if problem is not None:
        return Finding.invalid(problem)
    exact = task.continuation(reduction.letters, reduction.after, reduction.token) if trusted else None
    if exact is None:
        how = f"flows recomputed; the reduction tried on {tried} words up to length {LONG}"
        return Finding(Status.CHECKED, how, "nothing proves the reduction for words of all lengths")
    if not same_but_for_the_empty_word(exact, automaton):
        return Finding.invalid("the reduction leads to another language")
    return Finding(Status.VALID, "flows recomputed, and the reduction for all lengths from automata")


def _language(certificate: ReductionCertificate) -> Automaton:
    name = TaskName(certificate.language)
    if name.is_regex:
        return from_expression(name.expression, certificate.alphabet)
    if name.is_automaton and name.is_text:
        return read_automaton(name.source)
    return named_automaton(name.text)


def try_reduction(task: Task, reduction: ReductionDocument, automaton: Automaton) -> tuple[str | None, int]:
    """What is wrong with a reduction on the first word where something is, and how many words were tried."""
    tried = 0
    for word in _words(automaton):
        x = image(reduction.letters, word)
        shown = " ".join(word)
        try:
            found = follows(task, x, reduction.after, reduction.token)
        except InputError as error:
            return f"the reduction gives the task what it cannot read: {error.message}", tried
        if found is None:
            return f"the reduction asks the task nothing for the word {shown}", tried
        if found != automaton.accepts(word):
            says = "follows" if found else "does not follow"
            return f"{reduction.token!r} {says} for the word {shown}, against the language", tried
        tried += 1
    return None, tried


def _words(automaton: Automaton) -> Iterator[tuple[str, ...]]:
    """All short words but the empty one, which no verdict is about, and some long ones."""
    for length in range(1, SHORT + 1):
        if len(automaton.alphabet) ** length <= MOST_WORDS:
            yield from product(automaton.alphabet, repeat=length)
    rng = np.random.default_rng(0)
    for length in rng.integers(SHORT + 1, LONG + 1, LONG_WORDS).tolist():
        letters = rng.integers(0, len(automaton.alphabet), length).tolist()
        yield tuple(automaton.alphabet[letter] for letter in letters)


def same_but_for_the_empty_word(left: Automaton, right: Automaton) -> bool:
    """Whether two automata, over the same letters in any order, accept the same words of length 1 and more.

    >>> same_but_for_the_empty_word(from_expression("a*"), from_expression("aa*"))
    True
    """
    order = [right.letter_index[letter] for letter in left.alphabet]
    rows = [[row[place] for place in order] for row in right.transitions]
    moved = minimal(left.alphabet, rows, 0, right.accepting)
    different = combine(left, moved, lambda a, b: a != b)
    return not any(row_target in different.accepting for row_target in _after_a_letter(different))


def _after_a_letter(automaton: Automaton) -> set[int]:
    reached: set[int] = set()
    waiting = [0]
    while waiting:
        new = {*automaton.transitions[waiting.pop()]} - reached
        reached |= new
        waiting += new
    return reached
