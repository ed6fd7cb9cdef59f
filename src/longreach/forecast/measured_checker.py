"""Checks programs that were found and communication that was measured: both to a length."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from longreach.errors import InputError
from longreach.forecast.asking import answer
from longreach.forecast.black_box_certificates import FoundProgramCertificate, MeasuredRowsCertificate
from longreach.forecast.task_certificates import TaskProgramCertificate
from longreach.forecast.task_program_checker import check_task_program
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.regular.automaton import Word
from longreach.limit.measure.answers_to_rows import is_linear
from longreach.tasks.layout import SequenceTask
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.task import Task

MOST_ASKED = 20_000
"""Words that are asked about again; with more of them the longest lengths are claimed."""
DRAWN, FEWER = 20_000, 0.9
"""Inputs that are drawn anew, and the share of the rows that must be among them."""
NOT_FOR_ALL = "nothing proves that the bits go on growing"


def check_found_program(certificate: FoundProgramCertificate, task: Task, trusted: bool) -> Finding:
    """The program tried on the task's own examples: right on all of them is "checked to a length"."""
    known = certificate.model_dump(
        include={"program_class", "task", "program", "size", "depth", "window", "modulus"}
    )
    found = check_task_program(TaskProgramCertificate.model_validate(known), task, trusted)
    if found.status in (Status.VALID, Status.NOT_PROVED):
        return Finding(Status.CHECKED, found.how, "nothing proves the program right for longer inputs")
    return found


def check_measured_rows(certificate: MeasuredRowsCertificate, task: Task, trusted: bool) -> Finding:
    """Beginnings told apart, counted anew from the task's own answers, as far as there are few enough."""
    del trusted
    lengths, rows, bits = certificate.lengths, certificate.rows, certificate.bits
    if not len(lengths) == len(rows) == len(bits) or list(lengths) != sorted(set(lengths)):
        return Finding.invalid("there are not as many rows and bits as growing lengths")
    for count, needed in zip(rows, bits, strict=True):
        if count < 1 or not math.isclose(needed, math.log2(count), abs_tol=1e-9):
            return Finding.invalid(f"{count} rows are not {needed} bits")
    if not is_linear(lengths, bits, len(certificate.alice)):
        return Finding.invalid("the bits do not grow linearly")
    checked = 0
    try:
        for length, claimed in zip(lengths, rows, strict=True):
            found = _recounted(certificate, task, length)
            if found is None:
                break
            if found < claimed and certificate.exhaustive:
                return Finding.invalid(f"at length {length} there are {found} distinct rows, not {claimed}")
            if found < FEWER * claimed:
                break
            checked = length
    except InputError as error:
        return Finding.claimed(f"the rows cannot be recounted: {error.message}")
    if not checked:
        return Finding.claimed("the rows cannot be recounted: there are too many inputs")
    how = f"rows recounted from the task's own answers up to length {checked}"
    return Finding(Status.CHECKED, how, NOT_FOR_ALL)


def _recounted(certificate: MeasuredRowsCertificate, task: Task, length: int) -> int | None:
    """Beginnings of the length that are told apart; None if there are too many inputs."""
    size = length if certificate.bob_size is None else certificate.bob_size
    if certificate.exhaustive:
        if len(certificate.alice) ** length * max(1, len(certificate.bob)) ** size > MOST_ASKED:
            return None
        ends = list(product(certificate.bob, repeat=size))
        starts = product(certificate.alice, repeat=length)
        return len({tuple(_asked(task, (*start, *end)) for end in ends) for start in starts})
    if not isinstance(task, SequenceTask):
        raise InputError("inputs are drawn only of tasks that write an answer")
    rng = np.random.default_rng(2)
    rows: dict[Word, dict[Word, tuple[str, ...]]] = {}
    for _ in range(DRAWN // 1000):
        batch = task.sample([length + size] * 1000, rng)
        for row in batch.tokens:
            x = tuple(task.decode(row[1 : 1 + length + size].tolist()))
            if x[length:] not in rows.setdefault(x[:length], {}):
                rows[x[:length]][x[length:]] = answer(task, x)
    return _told_apart(rows)


def _told_apart(rows: dict[Word, dict[Word, tuple[str, ...]]]) -> int:
    """At least so many: those that share one end, or have all ends in common."""
    best: dict[Word, set[tuple[str, ...]]] = {}
    for row in rows.values():
        for end, right in row.items():
            best.setdefault(end, set()).add(right)
    by_ends: dict[frozenset[Word], set[frozenset[tuple[Word, tuple[str, ...]]]]] = {}
    for row in rows.values():
        by_ends.setdefault(frozenset(row), set()).add(frozenset(row.items()))
    return max([*map(len, best.values()), *map(len, by_ends.values())], default=0)


def _asked(task: Task, word: Word) -> bool | tuple[str, ...] | None:
    if isinstance(task, PredicateLanguage):
        return task.contains(word)
    if not isinstance(task, SequenceTask):
        raise InputError("the task can be asked neither about words nor for answers")
    return None if len(word) < task.least_length else answer(task, word)
