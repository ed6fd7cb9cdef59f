"""Table 3: verdicts for the algorithmic tasks beside AC⁰."""

from __future__ import annotations

from longreach.comparison.places import ALGORITHMIC
from longreach.studies.study_definition import Study
from longreach.studies.theory import Entry, TheoryTable, rows_of, verdict_entries, yes_or_no


def table() -> TheoryTable:
    """Verdicts from programs, communication and reductions; AC⁰ is known, not computed.

    >>> table().disagreeing
    []
    """
    rows = []
    for number, (task, row) in enumerate(rows_of(ALGORITHMIC), start=1):
        entries = {**verdict_entries(task, row), "AC⁰": Entry(yes_or_no(row.ac0))}
        rows.append((str(number), task, entries))
    return TheoryTable(STUDY.title, tuple(rows[0][2]), tuple(rows))


STUDY = Study(
    name="table3",
    title="Algorithmic tasks: verdicts and AC⁰",
    source="Huang et al., arXiv 2410.02140, Table 3",
    about="verdicts of the 8 algorithmic tasks beside the published ones; AC⁰ as the paper has it",
    time="a second at any scale; trains nothing",
    table=table,
)
