"""Communication: rows of a task's matrix, counted from its own answers, and the check of certificates."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from longreach.errors import InputError
from longreach.forecast.asking import answer
from longreach.forecast.task_certificates import CommunicationCertificate
from longreach.languages.program_class import EMPTY
from longreach.languages.prove.findings import Finding, Status
from longreach.limit.measure.communication import fit_growth
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import Task

LENGTH = 10
"""Alice's symbols, at most: a thousand inputs where she has two."""
LEAST_LENGTH = 4
"""Fewer lengths say nothing about growth."""
MOST_INPUTS = 4096


def count_rows(task: Task, split: Split, length: int) -> int:
    """Distinct rows of the communication matrix at N = length, from the task's right answers.

    A row is what Alice's symbols make of every question to Bob: what comes next, after his symbols and any
    part of the answer. Two answers of which neither continues the other differ at a first place, and there
    Bob is asked the same question; so different answers make different rows, and equal ones equal rows.

    >>> from longreach.tasks.copy_repeat import CopyRepeat
    >>> count_rows(CopyRepeat(), Split(("a", "b")), 3)
    8
    """
    if not isinstance(task, SequenceTask):
        raise InputError("rows are counted only of tasks that read an input and then write an answer")
    symbols = [*split.alice, *split.between, *split.bob, *split.end]
    strange = next((symbol for symbol in symbols if symbol not in task.symbols), None)
    if strange is not None or not split.alice:
        raise InputError(
            "Alice holds nothing" if strange is None else f"{strange!r} is not a symbol of the task"
        )
    if split.size(length) > MOST_INPUTS:
        raise InputError(f"at N = {length} there are more than {MOST_INPUTS} inputs")
    rows = [tuple(answer(task, x) for x in inputs) for inputs in split.inputs(length)]
    for column in zip(*rows, strict=True):
        for first, second in pairwise(sorted(set(column))):
            if second[: len(first)] == first:
                raise InputError("one answer continues another, so that their rows need not differ")
    return len(set(rows))


def own_evidence(task: Task, program_class: str) -> Evidence | None:
    """What the task itself names for a class of programs."""
    evidence = getattr(task, "nope" if program_class == EMPTY else "ape", None)
    return evidence if isinstance(evidence, Evidence) else None


def longest(split: Split) -> int:
    """The most symbols of Alice's for which rows are counted."""
    return max((n for n in range(1, LENGTH + 1) if split.size(n) <= MOST_INPUTS), default=0)


def check_communication(certificate: CommunicationCertificate, task: Task, trusted: bool) -> Finding:
    """Rows recounted from the task's answers; they prove something for all lengths where the task's own
    evidence says why they go on, and the task is one of ours (`trusted`)."""
    lengths, rows, bits = certificate.lengths, certificate.rows, certificate.bits
    if not len(lengths) == len(rows) == len(bits):
        return Finding.invalid("there are not as many rows and bits as lengths")
    if lengths != tuple(range(1, len(lengths) + 1)) or len(lengths) < LEAST_LENGTH:
        return Finding.invalid(f"the lengths are not 1, 2, 3, … to {LEAST_LENGTH} or more")
    if len(lengths) > LENGTH:
        return Finding.claimed(f"rows are recounted up to length {LENGTH}, not {len(lengths)}")
    split = certificate.split.split
    for length, claimed, needed in zip(lengths, rows, bits, strict=True):
        try:
            found = count_rows(task, split, length)
        except InputError as error:
            return Finding.claimed(f"the rows of {task.name} cannot be recounted: {error.message}")
        if found != claimed:
            return Finding.invalid(f"at length {length} the task has {found} distinct rows, not {claimed}")
        if not math.isclose(needed, math.log2(found), abs_tol=1e-9):
            return Finding.invalid(f"{found} rows are {math.log2(found):.3f} bits, not {needed}")
    growth = fit_growth(lengths, bits)
    # Linear growth: every further symbol takes as many bits more.
    if {certificate.growth, growth.name} != {"linear"} or np.diff(bits[len(bits) // 2 - 1 :]).min() < 0.5:
        return Finding.invalid("the bits do not grow linearly")
    if certificate.fits.keys() != growth.fits.keys() or not all(
        math.isclose(fit.coefficient, certificate.fits[name].coefficient, abs_tol=1e-6)
        and math.isclose(fit.error, certificate.fits[name].error, abs_tol=1e-6)
        for name, fit in growth.fits.items()
    ):
        return Finding.invalid("the fits are not those of the bits")
    how = f"rows recounted from the task's own answers up to length {lengths[-1]}"
    own = own_evidence(task, certificate.program_class)
    if trusted and own is not None and own.split == split:
        return Finding(Status.VALID, f"{how}; for all lengths: {own.reason}")
    if trusted:
        return Finding.claimed("the task does not say that its inputs divide so")
    return Finding(Status.CHECKED, how, "nothing proves that the rows go on growing")
