"""Bits between the halves of an input that grow linearly → the verdict "no"."""

from __future__ import annotations

import math
from dataclasses import replace

from longreach.errors import InputError
from longreach.forecast.communication_checker import LEAST_LENGTH, check_communication, count_rows, longest
from longreach.forecast.task_certificates import CommunicationCertificate, FitDocument, SplitDocument
from longreach.languages.program_class import SIDES
from longreach.languages.prove.findings import BELIEVED
from longreach.limit.measure.communication import fit_growth
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Answer, Proof, Verdict, same_answers, undecided


def by_communication(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """Rows counted from the task's own answers, divided as the evidence says."""
    here, split = SIDES[key], evidence.split
    if split is None:
        return undecided(
            SIDES[key], "its communication is no evidence: how an input is divided is not spelled out"
        )
    try:
        rows = tuple(count_rows(task, split, n) for n in range(1, longest(split) + 1))
    except InputError as error:
        return undecided(here, f"its communication cannot be counted: {error.message}")
    if len(rows) < LEAST_LENGTH:
        return undecided(here, "its communication cannot be counted: there are too many inputs")
    lengths, bits = tuple(range(1, len(rows) + 1)), tuple(math.log2(count) for count in rows)
    growth = fit_growth(lengths, bits)
    certificate = CommunicationCertificate(
        program_class=here,
        task=name,
        split=SplitDocument(alice=split.alice, between=split.between, bob=split.bob, end=split.end),
        lengths=lengths,
        rows=rows,
        bits=bits,
        growth=growth.name,
        fits={
            shape: FitDocument(coefficient=fit.coefficient, error=fit.error)
            for shape, fit in growth.fits.items()
        },
        proof=evidence.reason,
    )
    found = check_communication(certificate, task, trusted)
    if found.status not in BELIEVED:
        return undecided(here, f"its communication is {growth.name}: {found.problem}")
    # Whoever reads one token later needs the bits as well.
    each = growth.fits["linear"].coefficient
    argued = "argument, " if found.valid else ""
    proof = Proof(
        reason=evidence.reason,
        certify=lambda: certificate,
        say=lambda: _clause(each),
        weigh=lambda: f"{argued}counted to length {lengths[-1]}",
    )
    return replace(same_answers(here, Answer.NO, proof), by_communication=True)


def _clause(bits: float) -> str:
    shown = f"{bits:.2g} bit{'' if f'{bits:.2g}' == '1' else 's'}"
    return f"half of the input must pass on {shown} per symbol, more than attention can"
